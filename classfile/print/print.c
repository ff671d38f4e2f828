// Printing: the class as a whole, its members, and the way through the attributes.

#include "classfile/print.h"
#include "classfile/print/internal.h"

// --- errors and attributes ---

void cf_print_error(struct cf_printer *p) {
    char reason[200];
    if (p->error.status == CF_OK) return;
    if (p->first == CF_OK) p->first = p->error.status;
    if (p->text->column) cf_text_put(p->text, "\n");
    cf_text_put(p->text, "error: ");
    cf_text_put(p->text, cf_error_text(&p->error, reason, sizeof reason));
    cf_text_put(p->text, "\n");
    memset(&p->error, 0, sizeof p->error);
}

static const struct attribute_row {
    const char *name;
    uint8_t length, places;
    void (*print)(struct cf_printer *p);
} rows[] = {
#define ATTRIBUTE_ROW(name, since, places, form, print)                                            \
    {#name, sizeof #name - 1, CF_AT_##places, cf_print_##print},
    CF_ATTRIBUTES(ATTRIBUTE_ROW)
#undef ATTRIBUTE_ROW
};

// Unlike a JVM, a reader wants to see an attribute whatever the version of the class.
static void print_info(struct cf_printer *p, unsigned place) {
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((rows[i].places & place) && cf_slice_is(p->name, rows[i].name, rows[i].length)) {
            rows[i].print(p);
            return;
        }
    cf_print_unknown(p);
}

static void print_attribute(struct cf_printer *p, unsigned place) {
    unsigned name_index = cf_u2(&p->r);
    uint32_t length = cf_u4(&p->r), outer_end = p->r.end, indent = p->text->indent;
    if (!cf_need(&p->r, length) || !cf_going(p)) return;
    struct cf_slice outer_name = p->name;
    p->name = cf_utf8(p->cls, name_index);
    uint32_t end = p->r.end = p->r.pos + length;
    if (p->name.bytes)
        print_info(p, place);
    else
        cf_fail(&p->error, CF_MALFORMED, p->r.pos - 6, "constant %u is not a Utf8", name_index);
    p->text->indent = indent;
    if (p->error.status == CF_OK && p->r.pos != end)
        cf_fail(&p->error, CF_MALFORMED, p->r.pos, "attribute has %u bytes too many",
                end - p->r.pos);
    cf_print_error(p);
    p->name = outer_name;
    p->r.pos = end;
    p->r.end = outer_end;
}

void cf_print_attributes(struct cf_printer *p, unsigned place, uint32_t count) {
    for (uint32_t i = 0; i < count && cf_going(p); i++) print_attribute(p, place);
}

// The info of the first attribute with this name; NULL: there is none. Its errors are for others to
// report.
static const uint8_t *find_attribute(const struct cf_class *cls, struct cf_walk walk,
                                     const char *name, uint32_t *length) {
    struct cf_error error = {0};
    struct cf_attribute a;
    walk.r.error = &error;
    while (cf_next_attribute(&walk, &a))
        if (cf_slice_is(a.name, name, strlen(name))) {
            *length = a.length;
            return cls->bytes + a.info;
        }
    return NULL;
}

struct cf_slice cf_find_signature(const struct cf_printer *p, struct cf_walk walk) {
    uint32_t length;
    const uint8_t *info = find_attribute(p->cls, walk, "Signature", &length);
    if (!info || length != 2) return (struct cf_slice){NULL, 0};
    return cf_utf8(p->cls, cf_be2(info));
}

static struct cf_slice member_signature(struct cf_printer *p, const struct cf_member *m) {
    return cf_find_signature(p, cf_member_attributes(p->cls, m, &p->error));
}

// --- header ---

static void print_compiled_from(struct cf_printer *p) {
    uint32_t length;
    if (!p->cls->attributes) return;
    struct cf_walk walk = cf_class_attributes(p->cls, &p->error);
    const uint8_t *info = find_attribute(p->cls, walk, "SourceFile", &length);
    if (!info || length != 2 || !cf_utf8(p->cls, cf_be2(info)).bytes) return;
    cf_text_put(p->text, "Compiled from \"");
    cf_print_utf8(p, cf_be2(info));
    cf_text_put(p->text, "\"\n");
}

static void print_interfaces(struct cf_printer *p) {
    const struct cf_class *cls = p->cls;
    struct cf_reader r = {cls->bytes, cls->interfaces, cls->length, &p->error};
    for (uint32_t i = 0; i < cls->interfaces_count && cf_going(p); i++) {
        cf_text_put(p->text, i                                        ? ","
                             : (cls->access_flags & CF_ACC_INTERFACE) ? " extends "
                                                                      : " implements ");
        cf_print_dotted(p, cf_class_name(cls, cf_u2(&r)));
    }
    memset(&p->error, 0, sizeof p->error); // it will be met again
}

// module java.base@25
static void print_module_declaration(struct cf_printer *p) {
    uint32_t length;
    if (!p->cls->attributes) return;
    struct cf_walk walk = cf_class_attributes(p->cls, &p->error);
    const uint8_t *info = find_attribute(p->cls, walk, "Module", &length);
    if (!info || length < 6) return;
    if (cf_be2(info + 2) & 0x0020) cf_text_put(p->text, "open ");
    cf_text_put(p->text, "module ");
    cf_text_mutf8(p->text, cf_named(p->cls, cf_be2(info), CF_TAG_MODULE), CF_ESCAPE_UNSAFE);
    if (cf_be2(info + 4)) {
        cf_text_put(p->text, "@");
        cf_print_utf8(p, cf_be2(info + 4));
    }
    cf_text_put(p->text, "\n");
}

static void print_declaration(struct cf_printer *p) {
    const struct cf_class *cls = p->cls;
    unsigned flags = cls->access_flags;
    if (flags & CF_ACC_MODULE) {
        print_module_declaration(p);
        return;
    }
    int is_interface = (flags & CF_ACC_INTERFACE) != 0;
    cf_print_modifiers(p, is_interface ? flags & ~(unsigned)CF_ACC_ABSTRACT : flags,
                       CF_FLAGS_CLASS);
    cf_text_put(p->text, is_interface ? "interface " : "class ");
    cf_print_dotted(p, cf_this_name(cls));
    struct cf_slice super = cf_class_name(cls, cls->super_class), signature = {NULL, 0};
    if (cls->attributes) signature = cf_find_signature(p, cf_class_attributes(cls, &p->error));
    if (signature.bytes && cf_print_class_signature(p, signature, is_interface)) {
        cf_text_put(p->text, "\n");
        return;
    }
    if (!is_interface && super.bytes && !CF_IS(super, "java/lang/Object")) {
        cf_text_put(p->text, " extends ");
        cf_print_dotted(p, super);
    }
    print_interfaces(p);
    cf_text_put(p->text, "\n");
}

// A class that the class itself names: never in quotes.
static void print_own_index(struct cf_printer *p, const char *what, unsigned index) {
    struct cf_slice name = cf_class_name(p->cls, index);
    cf_text_format(p->text, "%s: #%u", what, index);
    if (name.bytes) {
        cf_print_comment(p);
        cf_text_mutf8(p->text, name, CF_ESCAPE_UNSAFE);
    }
    cf_text_put(p->text, "\n");
}

static void print_header(struct cf_printer *p) {
    const struct cf_class *cls = p->cls;
    print_compiled_from(p);
    if (cls->interfaces) print_declaration(p);
    p->text->indent = 2;
    cf_text_format(p->text, "minor version: %u\n", cls->minor_version);
    cf_text_format(p->text, "major version: %u\n", cls->major_version);
    if (cls->interfaces) {
        cf_print_flags(p, cls->access_flags, CF_FLAGS_CLASS);
        print_own_index(p, "this_class", cls->this_class);
        print_own_index(p, "super_class", cls->super_class);
        cf_text_format(p->text, "interfaces: %u, fields: %u, methods: %u, attributes: %u\n",
                       cls->interfaces_count, cls->fields_count, cls->methods_count,
                       cls->attributes_count);
    }
    p->text->indent = 0;
}

// --- members ---

static void print_field_declaration(struct cf_printer *p, const struct cf_member *m) {
    cf_print_modifiers(p, m->access_flags, CF_FLAGS_FIELD);
    struct cf_slice signature = member_signature(p, m);
    if (!signature.bytes || !cf_print_field_signature(p, signature))
        cf_print_type(p, cf_member_descriptor(p->cls, m));
    cf_text_put(p->text, " ");
    cf_text_mutf8(p->text, cf_member_name(p->cls, m), CF_ESCAPE_UNSAFE);
    cf_text_put(p->text, ";\n");
}

static void print_throws(struct cf_printer *p, const struct cf_member *m,
                         const struct cf_method_signature *generic) {
    uint32_t length;
    struct cf_walk walk = cf_member_attributes(p->cls, m, &p->error);
    const uint8_t *info = find_attribute(p->cls, walk, "Exceptions", &length);
    if (!info || length < 2) return;
    if (generic && generic->throws.length) {
        cf_print_signature_throws(p, generic);
        return;
    }
    for (uint32_t i = 0; i < cf_be2(info) && 4 + 2 * i <= length && cf_going(p); i++) {
        cf_text_put(p->text, i ? ", " : " throws ");
        cf_print_dotted(p, cf_class_name(p->cls, cf_be2(info + 2 + 2 * i)));
    }
}

static void print_method_declaration(struct cf_printer *p, const struct cf_member *m) {
    struct cf_slice name = cf_member_name(p->cls, m), d = cf_member_descriptor(p->cls, m);
    struct cf_method_signature parts, *generic = NULL;
    struct cf_slice signature = member_signature(p, m);
    if (signature.bytes && cf_split_method_signature(signature, &parts)) generic = &parts;
    unsigned flags = m->access_flags;
    unsigned undefaulted = CF_ACC_ABSTRACT | CF_ACC_STATIC | CF_ACC_PRIVATE;
    cf_print_modifiers(p, flags, CF_FLAGS_METHOD);
    if ((p->cls->access_flags & CF_ACC_INTERFACE) && !(flags & undefaulted))
        cf_text_put(p->text, "default ");
    if (CF_IS(name, "<clinit>")) {
        cf_text_put(p->text, "{};\n");
        return;
    }
    if (generic) cf_print_type_parameters(p, generic);
    if (CF_IS(name, "<init>")) {
        cf_print_dotted(p, cf_this_name(p->cls));
    } else {
        if (!generic || !cf_print_field_signature(p, generic->result)) cf_print_result(p, d);
        cf_text_put(p->text, " ");
        cf_text_mutf8(p->text, name, CF_ESCAPE_UNSAFE);
    }
    int varargs = (flags & CF_ACC_VARARGS) != 0;
    if (generic)
        cf_print_signature_parameters(p, generic, varargs);
    else
        cf_print_parameters(p, d, varargs);
    print_throws(p, m, generic);
    cf_text_put(p->text, ";\n");
}

static void print_member(struct cf_printer *p, const struct cf_member *m, int is_method) {
    p->member = m;
    p->text->indent = 2;
    if (is_method)
        print_method_declaration(p, m);
    else
        print_field_declaration(p, m);
    p->text->indent = 4;
    cf_text_put(p->text, "descriptor: ");
    cf_text_mutf8(p->text, cf_member_descriptor(p->cls, m), CF_ESCAPE_UNSAFE);
    cf_text_put(p->text, "\n");
    cf_print_flags(p, m->access_flags, is_method ? CF_FLAGS_METHOD : CF_FLAGS_FIELD);
    p->r = cf_read(p->cls, m->offset + 8, m->end - m->offset - 8, &p->error);
    cf_print_attributes(p, is_method ? CF_IN_METHOD : CF_IN_FIELD, m->attributes_count);
    p->text->indent = 0;
}

// Fields, methods and attributes lie one behind the other; they are walked here in one go and not
// through the index, so that a class that ends in the middle is printed up to there.
static uint32_t print_members(struct cf_printer *p, uint32_t start, int is_method, int *any) {
    struct cf_reader r = {p->cls->bytes, start, p->cls->length, &p->error};
    uint32_t count = cf_u2(&r);
    struct cf_walk walk = cf_walk_attributes(p->cls, r.pos, count, p->cls->length, &p->error);
    struct cf_member m;
    while (cf_going(p) && cf_next_field(&walk, &m)) {
        if (*any) cf_text_put(p->text, "\n");
        *any = 1;
        print_member(p, &m, is_method);
    }
    return walk.r.pos;
}

static void print_body(struct cf_printer *p) {
    int any = 0;
    cf_text_put(p->text, "{\n");
    uint32_t pos = print_members(p, p->cls->fields - 2, 0, &any);
    if (cf_going(p)) pos = print_members(p, pos, 1, &any);
    if (!cf_going(p)) return;
    cf_text_put(p->text, "}\n");
    p->r = (struct cf_reader){p->cls->bytes, pos, p->cls->length, &p->error};
    uint32_t count = cf_u2(&p->r);
    cf_print_attributes(p, CF_IN_CLASS, count);
}

enum cf_status cf_print_class(const struct cf_class *cls, struct cf_text *text) {
    struct cf_printer p = {.cls = cls, .text = text};
    text->limit = text->written + ((uint64_t)16 << 20) + (uint64_t)cls->length * 256;
    // Of something that is no class file there is nothing to say but that.
    if (cls->length >= 8 && cf_be4(cls->bytes) == 0xCAFEBABEu) print_header(&p);
    if (cls->constant_pool) cf_print_constant_pool(&p);
    if (cls->fields) print_body(&p);
    cf_print_error(&p);
    if (cls->error.status && p.first == CF_OK) {
        p.error = cls->error;
        cf_print_error(&p);
    }
    cf_text_flush(text);
    return text->status ? text->status : p.first;
}
