#include "instr/kit/advice.h"
#include "classfile/format/annotations.h"
#include "instr/base/array.h"
#include "instr/kit/binding.h"
#include "instr/kit/source.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_TEXTS = 64 }; // of `value`, of `rethrow`

// The annotation as it stands.
struct written {
    struct cf_slice targets[MOST_TEXTS], rethrow[MOST_TEXTS];
    size_t target_count, rethrow_count;
    struct cf_slice types, annotated, annotated_class, loader, callers;
    bool calls, outermost, required;
};

static void add_text(struct cf_slice *texts, size_t *count, struct cf_slice text) {
    if (*count < MOST_TEXTS && text.bytes) texts[(*count)++] = text;
}

static void read_array(const struct cf_class *cls, struct cf_element *array, struct cf_slice *texts,
                       size_t *count) {
    for (struct cf_element item; cf_next_item(array, &item);)
        add_text(texts, count, cf_utf8(cls, item.constant));
}

static bool is_true(const struct cf_class *cls, const struct cf_element *e) {
    const uint8_t *number = cf_entry(cls, e->constant, CF_TAG_INTEGER);
    return number && cf_be4(number) != 0;
}

static void read_element(const struct cf_class *cls, struct cf_element *e, struct written *w) {
    struct cf_slice text = cf_utf8(cls, e->constant);
    if (CF_IS(e->name, "value")) read_array(cls, e, w->targets, &w->target_count);
    if (CF_IS(e->name, "rethrow")) read_array(cls, e, w->rethrow, &w->rethrow_count);
    if (CF_IS(e->name, "types")) w->types = text;
    if (CF_IS(e->name, "annotated")) w->annotated = text;
    if (CF_IS(e->name, "annotatedClass")) w->annotated_class = text;
    if (CF_IS(e->name, "loader")) w->loader = text;
    if (CF_IS(e->name, "callers")) w->callers = text;
    if (CF_IS(e->name, "calls")) w->calls = is_true(cls, e);
    if (CF_IS(e->name, "outermost")) w->outermost = is_true(cls, e);
    if (CF_IS(e->name, "required")) w->required = is_true(cls, e);
}

// Reads @Advice. Returns whether the class has it.
static bool read_annotation(const struct cf_class *cls, struct written *w) {
    struct cf_error error = {0};
    struct cf_walk walk = cf_class_attributes(cls, &error);
    for (struct cf_attribute a; cf_next_attribute(&walk, &a);) {
        if (!CF_IS(a.name, "RuntimeInvisibleAnnotations")) continue;
        struct cf_reader r = cf_read(cls, a.info, a.length, &error);
        struct cf_annotations annotations = cf_walk_annotations(cls, r);
        for (struct cf_annotation found; cf_next_annotation(&annotations, &found);) {
            if (!CF_IS(found.type, "L" KIT_TYPES "Advice;")) continue;
            for (struct cf_element e; cf_next_element(cls, &found, &e);) read_element(cls, &e, w);
            return true;
        }
    }
    return false;
}

// --- alternatives ---

// Does the name go on at `end` as another one?
static bool is_boundary(char c) {
    return c != '_' && c != '-' && !(c >= '0' && c <= '9') &&
           !((c | 32) >= 'a' && (c | 32) <= 'z') && (unsigned char)c < 0x80;
}

// A pattern with `to` for each name that begins with `from`.
static const char *replaced(struct instr_kit *kit, struct cf_slice text, const char *from,
                            const char *to) {
    size_t length = strlen(from), n = 0;
    char *plain = kit_text(kit, text), *out = NULL;
    if (!plain || strcmp(from, to) == 0) return plain;
    out = kit_alloc(kit, (text.length + 1) * (strlen(to) + 1), 1);
    for (const char *c = plain; out && *c;) {
        bool starts = c == plain || (is_boundary(c[-1]) && c[-1] != '.');
        if (starts && strncmp(c, from, length) == 0 && is_boundary(c[length])) {
            n += (size_t)sprintf(out + n, "%s", to);
            c += length;
        } else {
            out[n++] = *c++;
        }
    }
    return out;
}

// Splits "javax.servlet|jakarta.servlet". Returns the number of alternatives, one without any types; 0: a problem.
static size_t split_types(struct instr_kit *kit, const struct kit_source *source,
                          struct cf_slice types, const char *alternatives[KIT_MOST_ALTERNATIVES]) {
    size_t count = 0;
    char *text = kit_text(kit, types);
    for (char *rest = text; rest && count < KIT_MOST_ALTERNATIVES;) {
        char *bar = strchr(rest, '|');
        if (bar) *bar = '\0';
        alternatives[count++] = rest;
        rest = bar ? bar + 1 : NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (types.length && (!alternatives[i][0] || strpbrk(alternatives[i], "/ *:;|"))) {
            kit_problem(kit, true, kit_where(source, NULL),
                        "types: write names of packages or classes with dots, such as "
                        "\"javax.servlet|jakarta.servlet\"");
            return 0;
        }
    return count;
}

// --- patterns ---

static void bad_pattern(struct instr_kit *kit, const struct kit_source *source, const char *element,
                        const char *reason) {
    kit_problem(kit, true, kit_where(source, NULL), "@Advice: %s: %s", element, reason);
}

// A pattern of class names; NULL for an empty text, and after a problem.
static struct instr_match *make_match(struct instr_kit *kit, const struct kit_source *source,
                                      const char *element, const char *text) {
    char reason[300];
    if (!text || !*text) return NULL;
    struct instr_match *match = instr_match_new();
    if (!match) {
        kit->no_memory = true;
    } else if (instr_match_add(match, text, reason, sizeof reason) != 0) {
        bad_pattern(kit, source, element, reason);
        instr_match_free(match);
        match = NULL;
    }
    return match;
}

static bool make_target(struct instr_kit *kit, const struct kit_source *source, const char *text,
                        bool calls, struct instr_kit_target *target) {
    const char *end, *wrong = rw_watch_split(text, &target->pattern, &end);
    if (wrong || *end) {
        kit_problem(kit, true, kit_where(source, NULL), "@Advice: '%s' %s", text,
                    wrong ? wrong : "has a colon: write several patterns as {\"...\", \"...\"}");
        return false;
    }
    struct cf_slice name = target->pattern.class_name;
    target->subtypes = name.bytes[name.length - 1] == '+';
    if (target->subtypes) name.length--;
    if (target->subtypes && calls) {
        bad_pattern(kit, source, text,
                    "a pattern with + is for methods, not for calls: name the classes whose "
                    "methods are called");
        return false;
    }
    target->text = text;
    target->classes = make_match(kit, source, "value", kit_text(kit, name));
    return target->classes != NULL;
}

static void make_targets(struct instr_kit *kit, const struct kit_source *source,
                         const struct written *w, struct instr_kit_advice *advice) {
    advice->targets = kit_alloc(kit, w->target_count + 1, sizeof *advice->targets);
    for (size_t i = 0; i < w->target_count && advice->targets; i++) {
        const char *text = replaced(kit, w->targets[i], advice->types_from, advice->types);
        if (text &&
            make_target(kit, source, text, w->calls, &advice->targets[advice->target_count]))
            advice->target_count++;
    }
    if (w->target_count || !advice->targets) return;
    if (!advice->annotated && !advice->annotated_class)
        kit_problem(kit, true, kit_where(source, NULL),
                    "@Advice names no methods: write a pattern, such as "
                    "@Advice(\"com.acme.Shop.order(..)\")");
    else if (make_target(kit, source, "**.*(..)", false, &advice->targets[0]))
        advice->target_count = 1;
}

static void make_rethrow(struct instr_kit *kit, const struct written *w,
                         struct instr_kit_advice *advice) {
    advice->rethrow = kit_alloc(kit, w->rethrow_count, sizeof *advice->rethrow);
    for (size_t i = 0; i < w->rethrow_count && advice->rethrow; i++) {
        struct cf_slice type = w->rethrow[i]; // Ljava/lang/SecurityException;
        if (type.length < 3) continue;
        type = (struct cf_slice){type.bytes + 1, type.length - 2};
        advice->rethrow[advice->rethrow_count++] = kit_text(kit, type);
    }
}

// --- advice ---

// With dots.
static char *dotted(struct instr_kit *kit, const char *name) {
    char *text = kit_format(kit, "%s", name);
    for (char *c = text; c && *c; c++)
        if (*c == '/') *c = '.';
    return text;
}

static void make_advice(struct kit_reader *reader, struct kit_source *source,
                        const struct written *w, const char *from, const char *to) {
    struct instr_kit *kit = reader->kit;
    if (!INSTR_ARRAY_RESERVE(kit->advices, kit->advice_capacity, kit->advice_count + 1)) {
        kit->no_memory = true;
        return;
    }
    struct instr_kit_advice *advice = &kit->advices[kit->advice_count++];
    *advice = (struct instr_kit_advice){.class_source = source, .types = to, .types_from = from};
    advice->name = dotted(kit, source->name);
    if (*to) advice->name = kit_format(kit, "%s [%s]", advice->name, to);
    advice->source = kit_where(source, NULL);
    advice->calls = w->calls;
    advice->outermost = w->outermost;
    advice->required = w->required;
    advice->annotated = make_match(kit, source, "annotated", replaced(kit, w->annotated, from, to));
    advice->annotated_class =
        make_match(kit, source, "annotatedClass", replaced(kit, w->annotated_class, from, to));
    advice->loader = make_match(kit, source, "loader", kit_text(kit, w->loader));
    advice->callers = make_match(kit, source, "callers", kit_text(kit, w->callers));
    make_rethrow(kit, w, advice);
    make_targets(kit, source, w, advice);
    kit_read_methods(reader, source, advice);
}

static bool is_constructor(struct cf_slice pattern) {
    static const char name[] = ".<init>";
    size_t length = sizeof name - 1;
    for (uint32_t i = 0; i + length <= pattern.length; i++)
        if (memcmp(pattern.bytes + i, name, length) == 0) return true;
    return false;
}

// Advice of calls knows of the methods what a call says, and changes the classes that call.
static void check_calls(struct instr_kit *kit, const struct kit_source *source,
                        const struct written *w) {
    const char *problem = NULL;
    if (!w->calls) {
        if (w->callers.length) problem = "callers is for calls = true";
    } else {
        if (!w->callers.length)
            problem = "calls = true needs the classes that call: callers = \"com.acme.**\"";
        if (w->annotated.length || w->annotated_class.length)
            problem = "a call does not show annotations: name the methods";
        for (size_t i = 0; i < w->target_count; i++)
            if (is_constructor(w->targets[i]))
                problem = "calls of constructors are not advised: advise the constructor itself";
    }
    if (problem) kit_problem(kit, true, kit_where(source, NULL), "@Advice: %s", problem);
}

static void check_outermost(struct instr_kit *kit, const struct kit_source *source,
                            const struct written *w) {
    for (size_t i = 0; w->outermost && !w->calls && i < w->target_count; i++)
        if (is_constructor(w->targets[i])) {
            kit_problem(
                kit, true, kit_where(source, NULL),
                "@Advice: outermost = true is not for constructors, which may end in super()");
            return;
        }
}

void kit_read_advice(struct kit_reader *reader, struct kit_source *source) {
    struct written w = {.target_count = 0};
    const char *alternatives[KIT_MOST_ALTERNATIVES];
    struct instr_kit *kit = reader->kit;
    if (!read_annotation(&source->cls, &w)) return;
    source->is_advice = true;
    struct instr_kit_source where = kit_where(source, NULL);
    if (source->cls.access_flags & CF_ACC_INTERFACE ||
        !CF_IS(cf_class_name(&source->cls, source->cls.super_class), "java/lang/Object")) {
        kit_problem(
            kit, true, where,
            source->cls.access_flags & CF_ACC_INTERFACE
                ? "an advice is a class, not an interface"
                : "an advice class extends Object: move what it shares into a class that it calls");
        return;
    }
    check_calls(kit, source, &w);
    check_outermost(kit, source, &w);
    size_t count = split_types(kit, source, w.types, alternatives);
    // Problems are the same for all alternatives.
    for (size_t i = 0; i < count && (i == 0 || kit->usable); i++)
        make_advice(reader, source, &w, alternatives[0], alternatives[i]);
}
