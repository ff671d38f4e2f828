// Printing: names, types and flags as Java writes them.

#include "classfile/print/internal.h"

// --- types ---

void cf_print_dotted(struct cf_printer *p, struct cf_slice name) {
    uint32_t start = 0;
    if (!name.bytes) return;
    for (uint32_t i = 0; i <= name.length && p->text->status == CF_OK; i++) {
        if (i < name.length && name.bytes[i] != '/') continue;
        struct cf_slice segment = {name.bytes + start, i - start};
        cf_text_mutf8(p->text, segment, CF_ESCAPE_UNSAFE);
        if (i < name.length) cf_text_put(p->text, ".");
        start = i + 1;
    }
}

const char *cf_primitive_name(uint8_t letter) {
    switch (letter) {
    case 'B': return "byte";
    case 'C': return "char";
    case 'D': return "double";
    case 'F': return "float";
    case 'I': return "int";
    case 'J': return "long";
    case 'S': return "short";
    case 'Z': return "boolean";
    case 'V': return "void";
    default: return NULL;
    }
}

// With `varargs` the innermost brackets are written "...".
static void print_type(struct cf_printer *p, struct cf_slice d, int varargs) {
    uint32_t dimensions = 0;
    if (!d.bytes) return;
    while (dimensions < d.length && d.bytes[dimensions] == '[') dimensions++;
    struct cf_slice element = {d.bytes + dimensions, d.length - dimensions};
    const char *name = element.length == 1 ? cf_primitive_name(element.bytes[0]) : NULL;
    if (name) {
        cf_text_put(p->text, name);
    } else if (element.length > 2 && element.bytes[0] == 'L' &&
               element.bytes[element.length - 1] == ';') {
        struct cf_slice inner = {element.bytes + 1, element.length - 2};
        cf_print_dotted(p, inner);
    } else {
        cf_text_mutf8(p->text, d, CF_ESCAPE_UNSAFE);
        return;
    }
    for (uint32_t i = 0; i < dimensions; i++)
        cf_text_put(p->text, varargs && i + 1 == dimensions ? "..." : "[]");
}

void cf_print_type(struct cf_printer *p, struct cf_slice descriptor) {
    print_type(p, descriptor, 0);
}

// The parameter type at `pos` of a method descriptor; empty at the end or where it is malformed.
static struct cf_slice parameter_at(struct cf_slice d, uint32_t pos) {
    if (pos >= d.length) return (struct cf_slice){NULL, 0};
    return (struct cf_slice){d.bytes + pos, cf_field_type_length(d.bytes + pos, d.length - pos)};
}

void cf_print_parameters(struct cf_printer *p, struct cf_slice descriptor, int varargs) {
    cf_text_put(p->text, "(");
    struct cf_slice type = parameter_at(descriptor, 1);
    for (uint32_t pos = 1; type.length && p->text->status == CF_OK;) {
        pos += type.length;
        struct cf_slice next = parameter_at(descriptor, pos);
        print_type(p, type, varargs && !next.length);
        if (next.length) cf_text_put(p->text, ", ");
        type = next;
    }
    cf_text_put(p->text, ")");
}

void cf_print_result(struct cf_printer *p, struct cf_slice descriptor) {
    struct cf_slice type = cf_result_type(descriptor);
    cf_print_type(p, type.bytes ? type : descriptor);
}

uint32_t cf_count_parameters(struct cf_slice descriptor) {
    uint32_t count = 0, pos = 1;
    struct cf_slice type;
    while ((type = parameter_at(descriptor, pos)).length) {
        pos += type.length;
        count++;
    }
    return count;
}

// --- flags ---

static const struct flag {
    uint16_t value;
    uint8_t of; // 1 << CF_FLAGS_...
    const char *name;
    const char *modifier; // NULL: not written in a declaration
} flags_table[] = {
#define CLASS (1 << CF_FLAGS_CLASS)
#define INNER (1 << CF_FLAGS_INNER)
#define FIELD (1 << CF_FLAGS_FIELD)
#define METHOD (1 << CF_FLAGS_METHOD)
    {CF_ACC_PUBLIC, CLASS | INNER | FIELD | METHOD, "ACC_PUBLIC", "public "},
    {CF_ACC_PRIVATE, INNER | FIELD | METHOD, "ACC_PRIVATE", "private "},
    {CF_ACC_PROTECTED, INNER | FIELD | METHOD, "ACC_PROTECTED", "protected "},
    {CF_ACC_STATIC, INNER | FIELD | METHOD, "ACC_STATIC", "static "},
    {CF_ACC_FINAL, CLASS | INNER | FIELD | METHOD, "ACC_FINAL", "final "},
    {0x0020, CLASS, "ACC_SUPER", NULL},
    {CF_ACC_SYNCHRONIZED, METHOD, "ACC_SYNCHRONIZED", "synchronized "},
    {0x0040, FIELD, "ACC_VOLATILE", "volatile "},
    {CF_ACC_BRIDGE, METHOD, "ACC_BRIDGE", NULL},
    {0x0080, FIELD, "ACC_TRANSIENT", "transient "},
    {CF_ACC_VARARGS, METHOD, "ACC_VARARGS", NULL},
    {CF_ACC_NATIVE, METHOD, "ACC_NATIVE", "native "},
    {CF_ACC_INTERFACE, CLASS | INNER, "ACC_INTERFACE", NULL},
    {CF_ACC_ABSTRACT, CLASS | INNER | METHOD, "ACC_ABSTRACT", "abstract "},
    {CF_ACC_STRICT, METHOD, "ACC_STRICT", "strictfp "},
    {CF_ACC_STRICT, FIELD, "ACC_STRICT_INIT", NULL},
    {CF_ACC_SYNTHETIC, CLASS | INNER | FIELD | METHOD, "ACC_SYNTHETIC", NULL},
    {CF_ACC_ANNOTATION, CLASS | INNER, "ACC_ANNOTATION", NULL},
    {CF_ACC_ENUM, CLASS | INNER | FIELD, "ACC_ENUM", NULL},
    {CF_ACC_MODULE, CLASS, "ACC_MODULE", NULL},
#undef CLASS
#undef INNER
#undef FIELD
#undef METHOD
};
enum { FLAGS = sizeof flags_table / sizeof *flags_table };

void cf_print_flags(struct cf_printer *p, unsigned flags, int of) {
    cf_text_format(p->text, "flags: (0x%04x)", flags);
    const char *before = " ";
    unsigned named = 0;
    for (int i = 0; i < FLAGS; i++) {
        const struct flag *f = &flags_table[i];
        if (!(flags & f->value) || !(f->of >> of & 1)) continue;
        cf_text_format(p->text, "%s%s", before, f->name);
        before = ", ";
        named |= f->value;
    }
    if (flags & ~named) cf_text_format(p->text, "%s0x%04x", before, flags & ~named);
    cf_text_put(p->text, "\n");
}

void cf_print_modifiers(struct cf_printer *p, unsigned flags, int of) {
    for (int i = 0; i < FLAGS; i++) {
        const struct flag *f = &flags_table[i];
        if ((flags & f->value) && (f->of >> of & 1) && f->modifier)
            cf_text_put(p->text, f->modifier);
    }
}
