// Printing: annotations, first by their indexes, then as they read in source (JVMS 4.7.16
// to 4.7.22).

#include "classfile/print/internal.h"

// As deep as the structure check allows.
#define DEEPEST 128

// --- by index: #12(#13=I#14,#15=[s#16,s#17]) ---

static void print_value_indexes(struct cf_printer *p, unsigned depth);

static void print_indexes(struct cf_printer *p, unsigned depth) {
    cf_text_format(p->text, "#%u(", cf_u2(&p->r));
    uint32_t pairs = cf_u2(&p->r);
    for (uint32_t i = 0; i < pairs && cf_going(p); i++) {
        cf_text_format(p->text, i ? ",#%u=" : "#%u=", cf_u2(&p->r));
        print_value_indexes(p, depth);
    }
    cf_text_put(p->text, ")");
}

static void print_array_indexes(struct cf_printer *p, unsigned depth) {
    uint32_t count = cf_u2(&p->r);
    cf_text_put(p->text, "[");
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        if (i) cf_text_put(p->text, ",");
        print_value_indexes(p, depth);
    }
    cf_text_put(p->text, "]");
}

static void print_value_indexes(struct cf_printer *p, unsigned depth) {
    uint32_t offset = p->r.pos;
    if (depth == DEEPEST)
        cf_fail(&p->error, CF_MALFORMED, offset, "annotations nest deeper than %u", DEEPEST);
    unsigned tag = cf_u1(&p->r);
    if (!cf_going(p)) return;
    switch (tag) {
    case 'B':
    case 'C':
    case 'D':
    case 'F':
    case 'I':
    case 'J':
    case 'S':
    case 'Z':
    case 's':
    case 'c': cf_text_format(p->text, "%c#%u", (int)tag, cf_u2(&p->r)); break;
    case 'e':
        cf_text_format(p->text, "e#%u", cf_u2(&p->r));
        cf_text_format(p->text, ".#%u", cf_u2(&p->r));
        break;
    case '@':
        cf_text_put(p->text, "@");
        print_indexes(p, depth + 1);
        break;
    case '[': print_array_indexes(p, depth + 1); break;
    default: cf_fail(&p->error, CF_MALFORMED, offset, "element value of type %u", tag);
    }
}

// --- as in source; what is read here has been read once before ---

static void print_value(struct cf_printer *p);

static void print_annotation(struct cf_printer *p) {
    cf_print_type(p, cf_utf8(p->cls, cf_u2(&p->r)));
    uint32_t pairs = cf_u2(&p->r);
    if (pairs) cf_text_put(p->text, "(\n");
    p->text->indent += 2;
    for (uint32_t i = 0; i < pairs && cf_going(p); i++) {
        cf_print_utf8(p, cf_u2(&p->r));
        cf_text_put(p->text, "=");
        print_value(p);
        cf_text_put(p->text, "\n");
    }
    p->text->indent -= 2;
    if (pairs) cf_text_put(p->text, ")");
}

static void print_values(struct cf_printer *p) {
    uint32_t count = cf_u2(&p->r);
    cf_text_put(p->text, "[");
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        if (i) cf_text_put(p->text, ",");
        print_value(p);
    }
    cf_text_put(p->text, "]");
}

static void print_quoted(struct cf_printer *p, const char *quote, unsigned index) {
    cf_text_put(p->text, quote);
    cf_print_utf8(p, index);
    cf_text_put(p->text, quote);
}

static void print_char(struct cf_printer *p, unsigned index) {
    const uint8_t *entry = cf_entry(p->cls, index, CF_TAG_INTEGER);
    uint32_t c = entry ? cf_be4(entry) & 0xFFFF : 0;
    uint8_t encoded[3] = {(uint8_t)(0xE0 | c >> 12), (uint8_t)(0x80 | (c >> 6 & 0x3F)),
                          (uint8_t)(0x80 | (c & 0x3F))};
    struct cf_slice slice = {encoded, 3};
    cf_text_put(p->text, "'");
    cf_text_mutf8(p->text, slice, CF_ESCAPE_QUOTES);
    cf_text_put(p->text, "'");
}

static void print_boolean(struct cf_printer *p, unsigned index) {
    const uint8_t *entry = cf_entry(p->cls, index, CF_TAG_INTEGER);
    if (entry && cf_be4(entry) <= 1)
        cf_text_put(p->text, cf_be4(entry) ? "true" : "false");
    else
        cf_print_constant(p, index);
}

static void print_value(struct cf_printer *p) {
    unsigned tag = cf_u1(&p->r);
    switch (tag) {
    case '@':
        cf_text_put(p->text, "@");
        print_annotation(p);
        return;
    case '[': print_values(p); return;
    case 'e':
        cf_print_utf8(p, cf_u2(&p->r));
        cf_text_put(p->text, ".");
        cf_print_utf8(p, cf_u2(&p->r));
        return;
    default: break;
    }
    unsigned index = cf_u2(&p->r);
    switch (tag) {
    case 's': print_quoted(p, "\"", index); return;
    case 'C': print_char(p, index); return;
    case 'Z': print_boolean(p, index); return;
    case 'c': cf_text_put(p->text, "class "); break;
    case 'B': cf_text_put(p->text, "(byte) "); break;
    case 'S': cf_text_put(p->text, "(short) "); break;
    default: break;
    }
    cf_print_constant(p, index);
}

// --- annotations ---

static void print_title(struct cf_printer *p) {
    cf_text_mutf8(p->text, p->name, CF_ESCAPE_UNSAFE);
    cf_text_put(p->text, ":\n");
    p->text->indent += 2;
}

// Goes back to `start` and prints the annotation there as in source.
static void print_source(struct cf_printer *p, uint32_t start) {
    if (!cf_going(p)) return;
    p->r.pos = start;
    p->text->indent += 2;
    cf_text_put(p->text, "\n");
    print_annotation(p);
    cf_text_put(p->text, "\n");
    p->text->indent -= 2;
}

static void print_list(struct cf_printer *p) {
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        uint32_t start = p->r.pos;
        cf_text_format(p->text, "%u: ", i);
        print_indexes(p, 0);
        print_source(p, start);
    }
}

CF_PRINTER(annotations) {
    print_title(p);
    print_list(p);
}

CF_PRINTER(parameter_annotations) {
    print_title(p);
    uint32_t count = cf_u1(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        cf_text_format(p->text, "parameter %u:\n", i);
        p->text->indent += 2;
        print_list(p);
        p->text->indent -= 2;
    }
}

CF_PRINTER(annotation_default) {
    print_title(p);
    cf_text_put(p->text, "default_value: ");
    uint32_t start = p->r.pos;
    print_value_indexes(p, 0);
    if (!cf_going(p)) return;
    p->r.pos = start;
    p->text->indent += 2;
    cf_text_put(p->text, "\n");
    print_value(p);
    cf_text_put(p->text, "\n");
}

// --- type annotations ---

// target_info: its name and the form of what follows target_type.
static const struct target {
    uint8_t type;
    char form; // see print_target
    const char *name;
} targets[] = {
    {0x00, 'p', "CLASS_TYPE_PARAMETER"},
    {0x01, 'p', "METHOD_TYPE_PARAMETER"},
    {0x10, 't', "CLASS_EXTENDS"},
    {0x11, 'b', "CLASS_TYPE_PARAMETER_BOUND"},
    {0x12, 'b', "METHOD_TYPE_PARAMETER_BOUND"},
    {0x13, '-', "FIELD"},
    {0x14, '-', "METHOD_RETURN"},
    {0x15, '-', "METHOD_RECEIVER"},
    {0x16, 'p', "METHOD_FORMAL_PARAMETER"},
    {0x17, 't', "THROWS"},
    {0x40, 'v', "LOCAL_VARIABLE"},
    {0x41, 'v', "RESOURCE_VARIABLE"},
    {0x42, 'e', "EXCEPTION_PARAMETER"},
    {0x43, 'o', "INSTANCEOF"},
    {0x44, 'o', "NEW"},
    {0x45, 'o', "CONSTRUCTOR_REFERENCE"},
    {0x46, 'o', "METHOD_REFERENCE"},
    {0x47, 'a', "CAST"},
    {0x48, 'a', "CONSTRUCTOR_INVOCATION_TYPE_ARGUMENT"},
    {0x49, 'a', "METHOD_INVOCATION_TYPE_ARGUMENT"},
    {0x4A, 'a', "CONSTRUCTOR_REFERENCE_TYPE_ARGUMENT"},
    {0x4B, 'a', "METHOD_REFERENCE_TYPE_ARGUMENT"},
};

static const struct target *target_of(struct cf_printer *p) {
    uint32_t offset = p->r.pos;
    unsigned type = cf_u1(&p->r);
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++)
        if (targets[i].type == type) return &targets[i];
    cf_fail(&p->error, CF_MALFORMED, offset, "type annotation of target type %u", type);
    return NULL;
}

static void print_variable_ranges(struct cf_printer *p) {
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        uint32_t start = cf_u2(&p->r), length = cf_u2(&p->r), index = cf_u2(&p->r);
        cf_text_format(p->text, "%sstart_pc=%u, length=%u, index=%u", i ? "; " : ", {", start,
                       length, index);
    }
    if (count) cf_text_put(p->text, "}");
}

static void print_target(struct cf_printer *p, const struct target *target) {
    cf_text_format(p->text, ": %s", target->name);
    switch (target->form) {
    case 'p': cf_text_format(p->text, ", param_index=%u", cf_u1(&p->r)); break;
    case 't': cf_text_format(p->text, ", type_index=%u", cf_u2(&p->r)); break;
    case 'b':
        cf_text_format(p->text, ", param_index=%u", cf_u1(&p->r));
        cf_text_format(p->text, ", bound_index=%u", cf_u1(&p->r));
        break;
    case 'e': cf_text_format(p->text, ", exception_index=%u", cf_u2(&p->r)); break;
    case 'o': cf_text_format(p->text, ", offset=%u", cf_u2(&p->r)); break;
    case 'a':
        cf_text_format(p->text, ", offset=%u", cf_u2(&p->r));
        cf_text_format(p->text, ", type_index=%u", cf_u1(&p->r));
        break;
    case 'v': print_variable_ranges(p); break;
    default: break;
    }
}

static void skip_target(struct cf_printer *p, const struct target *target) {
    switch (target->form) {
    case 'p': cf_skip(&p->r, 1); break;
    case 't':
    case 'b':
    case 'e':
    case 'o': cf_skip(&p->r, 2); break;
    case 'a': cf_skip(&p->r, 3); break;
    case 'v': cf_skip(&p->r, 6u * cf_u2(&p->r)); break;
    default: break;
    }
    cf_skip(&p->r, 2u * cf_u1(&p->r)); // the path
}

static void print_path(struct cf_printer *p) {
    static const char *const kinds[] = {"ARRAY", "INNER_TYPE", "WILDCARD", "TYPE_ARGUMENT"};
    uint32_t length = cf_u1(&p->r);
    for (uint32_t i = 0; i < length && cf_going(p); i++) {
        unsigned kind = cf_u1(&p->r), argument = cf_u1(&p->r);
        cf_text_put(p->text, i ? ", " : ", location=[");
        cf_text_put(p->text, kind < 4 ? kinds[kind] : "?");
        if (kind >= 3) cf_text_format(p->text, "(%u)", argument);
    }
    if (length) cf_text_put(p->text, "]");
}

// The annotation is printed before its target, though it stands behind it.
static void print_type_annotation(struct cf_printer *p, uint32_t number) {
    const struct target *target = target_of(p);
    if (!target || !cf_going(p)) return;
    uint32_t target_start = p->r.pos;
    skip_target(p, target);
    uint32_t annotation_start = p->r.pos;
    cf_text_format(p->text, "%u: ", number);
    print_indexes(p, 0);
    if (!cf_going(p)) return;
    p->r.pos = target_start;
    print_target(p, target);
    print_path(p);
    print_source(p, annotation_start);
}

CF_PRINTER(type_annotations) {
    print_title(p);
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) print_type_annotation(p, i);
}
