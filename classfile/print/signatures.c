// Printing: signatures as Java writes them (JVMS 4.7.9.1). They are looked through first: what is
// malformed is not printed at all.

#include "classfile/print/internal.h"

enum { MOST_DEPTH = 100 }; // of types within types

struct signature {
    struct cf_printer *p; // NULL: only looked through
    struct cf_slice text;
    uint32_t pos;
    unsigned depth;
    int bad;
};

static void put(struct signature *s, const char *string) {
    if (s->p) cf_text_put(s->p->text, string);
}

static int next(const struct signature *s) {
    return s->pos < s->text.length ? s->text.bytes[s->pos] : -1;
}

static int take(struct signature *s, int c) {
    if (next(s) != c) return 0;
    s->pos++;
    return 1;
}

static void expect(struct signature *s, int c) {
    if (!take(s, c)) s->bad = 1;
}

static int is_going(const struct signature *s) {
    return !s->bad && (!s->p || s->p->text->status == CF_OK);
}

// An identifier, or with slashes the name of a class.
static void put_name(struct signature *s) {
    uint32_t start = s->pos;
    while (s->pos < s->text.length && !strchr(".;[<>:", s->text.bytes[s->pos])) s->pos++;
    struct cf_slice name = {s->text.bytes + start, s->pos - start};
    if (name.length == 0) s->bad = 1;
    if (s->p) cf_print_dotted(s->p, name);
}

static void put_type(struct signature *s, int varargs);

static void put_arguments(struct signature *s) {
    for (int i = 0; is_going(s) && !take(s, '>'); i++) {
        if (i) put(s, ", ");
        if (take(s, '*')) {
            put(s, "?");
            continue;
        }
        if (take(s, '+')) put(s, "? extends ");
        if (take(s, '-')) put(s, "? super ");
        put_type(s, 0);
    }
}

static void put_class_type(struct signature *s) {
    while (is_going(s)) {
        put_name(s);
        if (take(s, '<')) {
            put(s, "<");
            put_arguments(s);
            put(s, ">");
        }
        if (take(s, ';')) return;
        expect(s, '.');
        put(s, ".");
    }
}

// With `varargs` the innermost brackets are written "...".
static void put_type(struct signature *s, int varargs) {
    uint32_t dimensions = 0;
    if (++s->depth > MOST_DEPTH) s->bad = 1;
    while (take(s, '[')) dimensions++;
    if (take(s, 'L')) {
        put_class_type(s);
    } else if (take(s, 'T')) {
        put_name(s);
        expect(s, ';');
    } else {
        const char *name = next(s) > 0 ? cf_primitive_name((uint8_t)next(s)) : NULL;
        if (name) put(s, name);
        if (name) s->pos++;
        if (!name) s->bad = 1;
    }
    for (uint32_t i = 0; i < dimensions && is_going(s); i++)
        put(s, varargs && i + 1 == dimensions ? "..." : "[]");
    s->depth--;
}

// "<T extends java.lang.Object & java.lang.Runnable>", if there are any.
static void put_type_parameters(struct signature *s) {
    if (!take(s, '<')) return;
    put(s, "<");
    for (int i = 0; is_going(s) && !take(s, '>'); i++) {
        const char *word = " extends ";
        if (i) put(s, ", ");
        put_name(s);
        if (next(s) != ':') s->bad = 1;
        while (is_going(s) && take(s, ':')) {
            if (next(s) < 0 || !strchr("LT[", next(s))) continue; // there is no class among them
            put(s, word);
            put_type(s, 0);
            word = " & ";
        }
    }
    put(s, ">");
}

// Types up to `end` (-1: up to the end), each behind `mark` unless that is 0.
static void put_types(struct signature *s, int end, int mark, const char *before, int varargs) {
    for (int i = 0; is_going(s) && next(s) != end; i++) {
        put(s, i ? ", " : before);
        if (mark) expect(s, mark);
        struct signature ahead = {.text = s->text, .pos = s->pos};
        if (varargs) put_type(&ahead, 0);
        put_type(s, varargs && next(&ahead) == end);
    }
}

static void put_field(struct signature *s) {
    put_type(s, 0);
}

static void put_class(struct signature *s, int is_interface) {
    put_type_parameters(s);
    struct cf_printer *p = s->p;
    if (is_interface) s->p = NULL; // of those the superclass is Object
    put(s, " extends ");
    put_type(s, 0);
    s->p = p;
    put_types(s, -1, 0, is_interface ? " extends " : " implements ", 0);
}

int cf_print_field_signature(struct cf_printer *p, struct cf_slice text) {
    struct signature s = {.text = text};
    put_field(&s);
    if (s.bad || s.pos != text.length) return 0;
    put_field(&(struct signature){.p = p, .text = text});
    return 1;
}

int cf_print_class_signature(struct cf_printer *p, struct cf_slice text, int is_interface) {
    struct signature s = {.text = text};
    put_class(&s, is_interface);
    if (s.bad || s.pos != text.length) return 0;
    put_class(&(struct signature){.p = p, .text = text}, is_interface);
    return 1;
}

static struct cf_slice since(const struct signature *s, uint32_t start) {
    return (struct cf_slice){s->text.bytes + start, s->pos - start};
}

int cf_split_method_signature(struct cf_slice text, struct cf_method_signature *parts) {
    struct signature s = {.text = text};
    put_type_parameters(&s);
    parts->type_parameters = since(&s, 0);
    expect(&s, '(');
    uint32_t start = s.pos;
    put_types(&s, ')', 0, "", 0);
    parts->parameters = since(&s, start);
    expect(&s, ')');
    start = s.pos;
    put_type(&s, 0);
    parts->result = since(&s, start);
    start = s.pos;
    put_types(&s, -1, '^', "", 0);
    parts->throws = since(&s, start);
    return !s.bad && s.pos == text.length;
}

void cf_print_type_parameters(struct cf_printer *p, const struct cf_method_signature *parts) {
    struct signature s = {.p = p, .text = parts->type_parameters};
    put_type_parameters(&s);
    if (s.pos) put(&s, " ");
}

void cf_print_signature_parameters(struct cf_printer *p, const struct cf_method_signature *parts,
                                   int varargs) {
    struct signature s = {.p = p, .text = parts->parameters};
    put(&s, "(");
    put_types(&s, -1, 0, "", varargs);
    put(&s, ")");
}

void cf_print_signature_throws(struct cf_printer *p, const struct cf_method_signature *parts) {
    put_types(&(struct signature){.p = p, .text = parts->throws}, -1, '^', " throws ", 0);
}
