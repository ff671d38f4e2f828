#include "rewriters/test_methods.h"

// --- annotations (JVMS 4.7.16) ---

enum { MOST_DEPTH = 16 };

struct preset {
    const char *name;
    const char *const *annotations; // descriptors; ends with NULL
    int on_class;                   // on a class it applies to all its public methods
};

static const char *const junit4[] = {"Lorg/junit/Test;", NULL};
static const char *const junit5[] = {
    "Lorg/junit/jupiter/api/Test;",         "Lorg/junit/jupiter/params/ParameterizedTest;",
    "Lorg/junit/jupiter/api/RepeatedTest;", "Lorg/junit/jupiter/api/TestFactory;",
    "Lorg/junit/jupiter/api/TestTemplate;", NULL};
static const char *const testng[] = {"Lorg/testng/annotations/Test;", NULL};

static const struct preset presets[] = {
    {"junit4", junit4, 0}, {"junit5", junit5, 0}, {"testng", testng, 1}, {NULL, NULL, 0}};

// Annotations of methods whose dynamic tests run after the method has returned.
static const char *const factories[] = {"Lorg/junit/jupiter/api/TestFactory;", NULL};
static const struct preset factory = {"junit5", factories, 0};

static const struct preset *preset_of(const char *text, size_t length) {
    for (const struct preset *p = presets; p->name; p++)
        if (strlen(p->name) == length && memcmp(p->name, text, length) == 0) return p;
    return NULL;
}

// Skips an element_value, which may contain others.
static void skip_value(struct cf_reader *r, unsigned depth) {
    uint32_t tag = cf_u1(r), count;
    if (r->error->status) return;
    if (depth == MOST_DEPTH || !strchr("BCDFIJSZsce[@", (int)tag) || !tag) {
        cf_fail(r->error, CF_MALFORMED, r->pos, "annotation", 0);
        return;
    }
    if (tag == 'e' || tag == '@') cf_u2(r); // the type; behind it a name, or the pairs
    count = cf_u2(r);
    if (tag != '@' && tag != '[') return;
    for (; count > 0 && !r->error->status; count--) {
        if (tag == '@') cf_u2(r);
        skip_value(r, depth + 1);
    }
}

static int has_any(const struct cf_class *cls, struct cf_walk walk, const struct preset *preset,
                   struct cf_error *error) {
    struct cf_attribute a;
    while (cf_next_attribute(&walk, &a)) {
        if (!CF_IS(a.name, "RuntimeVisibleAnnotations")) continue;
        struct cf_reader r = cf_read(cls, a.info, a.length, error);
        for (uint32_t n = cf_u2(&r); n > 0 && !error->status; n--) {
            struct cf_slice type = cf_utf8(cls, cf_u2(&r));
            for (const char *const *t = preset->annotations; *t; t++)
                if (cf_slice_is(type, *t, strlen(*t))) return 1;
            for (uint32_t pairs = cf_u2(&r); pairs > 0 && !error->status; pairs--) {
                cf_u2(&r);
                skip_value(&r, 0);
            }
        }
    }
    return 0;
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

// Is it the body of a lambda in a method that creates dynamic tests? It is one of them, or creates
// one.
static int is_dynamic(const struct cf_class *cls, const struct cf_member *lambda) {
    struct cf_slice name = rw_method_of_lambda(cf_member_name(cls, lambda));
    for (uint32_t i = 0; name.length && i < cls->methods_count; i++) {
        struct cf_error error = {.status = CF_OK};
        const struct cf_member *method = &cls->methods[i];
        if (cf_slice_equal(cf_member_name(cls, method), name) &&
            has_any(cls, cf_member_attributes(cls, method, &error), &factory, &error))
            return 1;
    }
    return 0;
}

static int is_of_preset(const struct cf_class *cls, const struct cf_member *method,
                        const struct preset *preset) {
    struct cf_error error = {.status = CF_OK};
    if (method->access_flags & CF_ACC_SYNTHETIC && preset->annotations == junit5 &&
        is_dynamic(cls, method))
        return 1;
    if (has_any(cls, cf_member_attributes(cls, method, &error), preset, &error)) return 1;
    unsigned flags = method->access_flags;
    if (!preset->on_class || !(flags & CF_ACC_PUBLIC) ||
        flags & (CF_ACC_STATIC | CF_ACC_SYNTHETIC | CF_ACC_BRIDGE))
        return 0;
    memset(&error, 0, sizeof error);
    return has_any(cls, cf_class_attributes(cls, &error), preset, &error);
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

int rw_is_test_method(const char *patterns, const struct cf_class *cls,
                      const struct cf_member *method) {
    struct cf_slice name = cf_member_name(cls, method);
    if (!name.length || name.bytes[0] == '<') return 0;
    for (;;) {
        size_t n = strcspn(patterns, ":");
        const struct preset *preset = preset_of(patterns, n);
        if (preset ? is_of_preset(cls, method, preset) : is_named(patterns, n, cls, method))
            return 1;
        if (!patterns[n]) return 0;
        patterns += n + 1;
    }
}
