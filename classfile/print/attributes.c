// Printing: attributes that are lists of constants, names and positions.

#include "classfile/print/internal.h"

// The attribute's name, then ":" and the given end of the line.
static void print_title(struct cf_printer *p, const char *end) {
    cf_text_mutf8(p->text, p->name, CF_ESCAPE_UNSAFE);
    cf_text_put(p->text, ":");
    cf_text_put(p->text, end);
}

CF_PRINTER(unknown) {
    uint32_t length = p->r.end - p->r.pos;
    print_title(p, "");
    cf_text_format(p->text, " length = 0x%X (unknown attribute)\n", length);
    p->text->indent += 1;
    cf_text_hex(p->text, p->cls->bytes + p->r.pos, length, 16);
    if (length) cf_text_put(p->text, "\n");
    p->r.pos = p->r.end;
}

CF_PRINTER(nothing) {
    print_title(p, " true\n");
}

// --- one constant ---

CF_PRINTER(constant_value) {
    print_title(p, " ");
    cf_print_constant_use(p, cf_u2(&p->r));
    cf_text_put(p->text, "\n");
}

CF_PRINTER(one_utf8) {
    print_title(p, " ");
    cf_print_utf8(p, cf_u2(&p->r));
    cf_text_put(p->text, "\n");
}

CF_PRINTER(source_file) {
    print_title(p, " \"");
    cf_print_utf8(p, cf_u2(&p->r));
    cf_text_put(p->text, "\"\n");
}

CF_PRINTER(signature) {
    print_title(p, " ");
    cf_print_index(p, cf_u2(&p->r));
    cf_text_put(p->text, "\n");
}

CF_PRINTER(one_class) {
    print_title(p, " class ");
    cf_print_constant(p, cf_u2(&p->r));
    cf_text_put(p->text, "\n");
}

CF_PRINTER(enclosing_method) {
    unsigned class_index = cf_u2(&p->r), method = cf_u2(&p->r);
    struct cf_slice name, descriptor;
    print_title(p, " ");
    cf_text_format(p->text, "#%u.#%u", class_index, method);
    cf_print_comment(p);

    cf_print_dotted(p, cf_class_name(p->cls, class_index));
    if (cf_name_and_type(p->cls, method, &name, &descriptor)) {
        cf_text_put(p->text, ".");
        cf_text_mutf8(p->text, name, CF_ESCAPE_UNSAFE);
    }
    cf_text_put(p->text, "\n");
}

// Lines of text, by its specification (JSR 45) without any limit to their length.
CF_PRINTER(source_debug_extension) {
    print_title(p, "\n");
    p->text->indent += 2;
    while (p->r.pos < p->r.end && cf_going(p)) {
        struct cf_slice line = {p->cls->bytes + p->r.pos, 0};
        while (p->r.pos + line.length < p->r.end && line.bytes[line.length] != '\n') line.length++;
        p->r.pos += line.length;
        if (p->r.pos < p->r.end) p->r.pos++;
        cf_text_mutf8(p->text, line, CF_ESCAPE_UNSAFE);
        cf_text_put(p->text, "\n");
    }
}

// --- lists ---

CF_PRINTER(class_list) {
    print_title(p, "\n");
    p->text->indent += 2;
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        cf_print_constant(p, cf_u2(&p->r));
        cf_text_put(p->text, "\n");
    }
}

CF_PRINTER(descriptor_list) {
    cf_print_class_list(p);
}

CF_PRINTER(exceptions) {
    print_title(p, "\n");
    p->text->indent += 2;
    uint32_t count = cf_u2(&p->r);
    cf_text_put(p->text, "throws ");
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        if (i) cf_text_put(p->text, ", ");
        cf_print_dotted(p, cf_class_name(p->cls, cf_u2(&p->r)));
    }
    cf_text_put(p->text, "\n");
}

static void print_inner_class(struct cf_printer *p) {
    unsigned inner = cf_u2(&p->r), outer = cf_u2(&p->r), name = cf_u2(&p->r), flags = cf_u2(&p->r);
    if (!cf_going(p)) return;
    if (flags & CF_ACC_INTERFACE) flags &= ~(unsigned)CF_ACC_ABSTRACT;
    cf_print_modifiers(p, flags, CF_FLAGS_INNER);
    if (name) cf_text_format(p->text, "#%u= ", name);
    cf_text_format(p->text, "#%u", inner);
    if (outer) cf_text_format(p->text, " of #%u", outer);
    cf_text_put(p->text, ";");
    cf_print_comment(p);

    if (name) {
        cf_print_utf8(p, name);
        cf_text_put(p->text, "=");
    }
    cf_print_constant_use(p, inner);
    if (outer) {
        cf_text_put(p->text, " of ");
        cf_print_constant_use(p, outer);
    }
    cf_text_put(p->text, "\n");
}

CF_PRINTER(inner_classes) {
    print_title(p, "\n");
    p->text->indent += 2;
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) print_inner_class(p);
}

CF_PRINTER(bootstrap_methods) {
    print_title(p, "\n");
    p->text->indent += 2;
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        unsigned method = cf_u2(&p->r);
        cf_text_format(p->text, "%u: #%u ", i, method);
        cf_print_constant(p, method);
        cf_text_put(p->text, "\n  Method arguments:\n");
        uint32_t arguments = cf_u2(&p->r);
        for (uint32_t k = 0; k < arguments && cf_going(p); k++) {
            unsigned argument = cf_u2(&p->r);
            cf_text_format(p->text, "    #%u ", argument);
            cf_print_constant(p, argument);
            cf_text_put(p->text, "\n");
        }
    }
}

CF_PRINTER(method_parameters) {
    print_title(p, "\n");
    p->text->indent += 2;
    cf_text_format(p->text, "%-30s %s\n", "Name", "Flags");
    uint32_t count = cf_u1(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        unsigned name = cf_u2(&p->r), flags = cf_u2(&p->r);
        if (name)
            cf_print_utf8(p, name);
        else
            cf_text_put(p->text, "<no name>");
        if (flags) cf_text_column(p->text, p->text->indent + 30);
        if (flags & CF_ACC_FINAL) cf_text_put(p->text, " final");
        if (flags & CF_ACC_MODULE) cf_text_put(p->text, " mandated");
        if (flags & CF_ACC_SYNTHETIC) cf_text_put(p->text, " synthetic");
        cf_text_put(p->text, "\n");
    }
}

CF_PRINTER(record) {
    uint32_t indent = p->text->indent;
    print_title(p, "\n");
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        unsigned name = cf_u2(&p->r), descriptor = cf_u2(&p->r);
        uint32_t attributes = cf_u2(&p->r);
        if (!cf_going(p)) return;
        p->text->indent = indent + 2;
        struct cf_error error = {0}; // to be met again
        struct cf_slice signature = cf_find_signature(
            p, cf_walk_attributes(p->cls, p->r.pos, attributes, p->r.end, &error));
        if (!signature.bytes || !cf_print_field_signature(p, signature))
            cf_print_type(p, cf_utf8(p->cls, descriptor));
        cf_text_put(p->text, " ");
        cf_print_utf8(p, name);
        p->text->indent = indent + 4;
        cf_text_put(p->text, ";\ndescriptor: ");
        cf_text_mutf8(p->text, cf_utf8(p->cls, descriptor), CF_ESCAPE_UNSAFE);
        cf_text_put(p->text, "\n");
        cf_print_attributes(p, CF_IN_RECORD, attributes);
        cf_text_put(p->text, "\n");
    }
}

// --- tables for debuggers ---

CF_PRINTER(line_number_table) {
    print_title(p, "\n");
    p->text->indent += 2;
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        uint32_t pc = cf_u2(&p->r), line = cf_u2(&p->r);
        if (cf_going(p)) cf_text_format(p->text, "line %u: %u\n", line, pc);
    }
}

CF_PRINTER(local_variable_table) {
    print_title(p, "\n");
    p->text->indent += 2;
    cf_text_put(p->text, "Start  Length  Slot  Name   Signature\n");
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        uint32_t start = cf_u2(&p->r), length = cf_u2(&p->r);
        unsigned name = cf_u2(&p->r), type = cf_u2(&p->r), index = cf_u2(&p->r);
        if (!cf_going(p)) return;
        uint32_t width = cf_utf8(p->cls, name).length;
        cf_text_format(p->text, "%5u %7u %5u %*s", start, length, index,
                       width < 5 ? 5 - (int)width : 0, "");
        cf_print_utf8(p, name);
        cf_text_put(p->text, "   ");
        cf_print_utf8(p, type);
        cf_text_put(p->text, "\n");
    }
}

static void print_range_kinds(struct cf_printer *p, unsigned flags) {
    static const char *const kinds[] = {"statement",       "block",       "assignment",
                                        "flow-controller", "flow-target", "invoke",
                                        "create",          "branch-true", "branch-false"};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (flags >> i & 1) cf_text_format(p->text, ", %s", kinds[i]);
}

// Lines and columns share four bytes: ten bits for the column.
CF_PRINTER(character_range_table) {
    print_title(p, "\n");
    p->text->indent += 2;
    uint32_t count = cf_u2(&p->r);
    for (uint32_t i = 0; i < count && cf_going(p); i++) {
        uint32_t start = cf_u2(&p->r), end = cf_u2(&p->r), from = cf_u4(&p->r), to = cf_u4(&p->r);
        unsigned flags = cf_u2(&p->r);
        if (!cf_going(p)) return;
        cf_text_format(p->text, "%5u, %3u, %6x, %6x, %4x", start, end, from, to, flags);
        cf_text_format(p->text, "       // %2u, %3u, %4u:%02u, %4u:%02u", start, end, from >> 10,
                       from & 0x3FF, to >> 10, to & 0x3FF);
        print_range_kinds(p, flags);
        cf_text_put(p->text, "\n");
    }
}
