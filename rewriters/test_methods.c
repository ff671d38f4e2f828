#include "rewriters/test_methods.h"

#include "classfile/format/annotations.h"
#include "rewriters/test_types.h"

// --- annotations ---

struct preset {
    const char *name;
    unsigned bit;
    const char *const *annotations; // descriptors; ends with NULL
};

static const struct preset presets[] = {{"junit4", RW_JUNIT4, rw_junit4_tests},
                                        {"junit5", RW_JUNIT5, rw_junit5_tests},
                                        {"testng", RW_TESTNG, rw_testng_tests},
                                        {NULL, 0, NULL}};

static const struct preset *preset_of(const char *text, size_t length) {
    for (const struct preset *p = presets; p->name; p++)
        if (strlen(p->name) == length && memcmp(p->name, text, length) == 0) return p;
    return NULL;
}

struct cf_slice rw_method_of_lambda(struct cf_slice name) {
    static const char prefix[] = "lambda$";
    struct cf_slice none = {NULL, 0}, method = name;
    uint32_t head = sizeof prefix - 1, end = name.length;
    while (end > 0 && name.bytes[end - 1] >= '0' && name.bytes[end - 1] <= '9') end--;
    if (end == name.length || end <= head + 1 || name.bytes[end - 1] != '$' ||
        memcmp(name.bytes, prefix, head) != 0)
        return none;
    method.bytes += head;
    method.length = end - 1 - head;
    return method;
}

// A class and what others say of its tests.
struct subject {
    const struct cf_class *cls;
    const struct rw_test_types *types; // NULL: nothing
};

static int is_composed_test(void *context, struct cf_slice type) {
    return rw_test_types_has(context, type, 0);
}

static int is_composed_factory(void *context, struct cf_slice type) {
    return rw_test_types_has(context, type, 1);
}

static int has_composed(const struct subject *s, const struct cf_member *method,
                        int (*is)(void *context, struct cf_slice type)) {
    return s->types && s->types->composed[0] &&
           cf_each_annotation(s->cls, method, is, (void *)(uintptr_t)s->types);
}

// Is it the body of a lambda in a method that creates dynamic tests? It is one of them, or creates
// one.
static int is_dynamic(const struct subject *s, const struct cf_member *lambda) {
    const struct cf_class *cls = s->cls;
    struct cf_slice name = rw_method_of_lambda(cf_member_name(cls, lambda));
    for (uint32_t i = 0; name.length && i < cls->methods_count; i++) {
        const struct cf_member *method = &cls->methods[i];
        if (cf_slice_equal(cf_member_name(cls, method), name) &&
            (cf_annotation_of(cls, method, rw_junit5_factories) ||
             has_composed(s, method, is_composed_factory)))
            return 1;
    }
    return 0;
}

static int is_above(const struct subject *s, unsigned answer) {
    return s->types && s->types->above & answer;
}

static int is_of_preset(const struct subject *s, const struct cf_member *method,
                        const struct preset *preset) {
    if (cf_annotation_of(s->cls, method, preset->annotations)) return 1;
    switch (preset->bit) {
    case RW_JUNIT4: return is_above(s, RW_JUNIT3_ABOVE) && rw_suits_junit3(s->cls, method);
    case RW_TESTNG:
        return (is_above(s, RW_TESTNG_ABOVE) || cf_annotation_of(s->cls, NULL, rw_testng_tests)) &&
               rw_suits_testng_class(s->cls, method);
    default:
        return has_composed(s, method, is_composed_test) ||
               (method->access_flags & CF_ACC_SYNTHETIC && is_dynamic(s, method));
    }
}

// --- names ---

// Does the text match? A dot in the pattern also matches a slash.
static int matches(const char *pattern, const char *pattern_end, const uint8_t *text,
                   const uint8_t *end) {
    const char *star = NULL; // the last star, and the end of what it matches
    const uint8_t *from = NULL;
    int any = 0; // the star also matches dots
    for (;;) {
        if (pattern < pattern_end && *pattern == '*') {
            any = pattern + 1 < pattern_end && pattern[1] == '*';
            star = pattern += 1 + any;
            from = text;
            continue;
        }
        if (text == end && pattern == pattern_end) return 1;
        if (text < end && pattern < pattern_end &&
            (*text == (uint8_t)*pattern || (*text == '/' && *pattern == '.'))) {
            text++;
            pattern++;
            continue;
        }
        if (!star || from == end || (!any && *from == '/')) return 0;
        text = ++from;
        pattern = star;
    }
}

static int is_named(const char *item, size_t length, const struct cf_class *cls,
                    const struct cf_member *method) {
    const char *hash = memchr(item, '#', length);
    struct cf_slice class = cf_this_name(cls), name = cf_member_name(cls, method);
    return hash && class.bytes && name.bytes &&
           matches(item, hash, class.bytes, class.bytes + class.length) &&
           matches(hash + 1, item + length, name.bytes, name.bytes + name.length);
}

// --- the list ---

const char *rw_test_methods_check(const char *patterns) {
    for (;;) {
        size_t n = strcspn(patterns, ":");
        const char *hash = memchr(patterns, '#', n);
        if (!preset_of(patterns, n) && (!hash || hash == patterns || hash + 1 == patterns + n))
            return "must be junit4, junit5, testng, or CLASSES#METHODS such as "
                   "com.acme.**Test#test*";
        if (!patterns[n]) return NULL;
        patterns += n + 1;
    }
}

unsigned rw_test_presets(const char *patterns) {
    unsigned found = 0;
    for (;;) {
        size_t n = strcspn(patterns, ":");
        const struct preset *preset = preset_of(patterns, n);
        if (preset) found |= preset->bit;
        if (!patterns[n]) return found;
        patterns += n + 1;
    }
}

int rw_is_test_method(const char *patterns, const struct cf_class *cls,
                      const struct cf_member *method, const struct rw_test_types *types) {
    const struct subject subject = {cls, types};
    struct cf_slice name = cf_member_name(cls, method);
    if (!name.length || name.bytes[0] == '<') return 0;
    for (;;) {
        size_t n = strcspn(patterns, ":");
        const struct preset *preset = preset_of(patterns, n);
        if (preset ? is_of_preset(&subject, method, preset) : is_named(patterns, n, cls, method))
            return 1;
        if (!patterns[n]) return 0;
        patterns += n + 1;
    }
}
