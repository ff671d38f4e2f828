// Printing: constants, one line each in the pool, and in comments wherever an index is used.

#include "classfile/base/mutf8.h"
#include "classfile/print.h"
#include "classfile/print/internal.h"

#include <stdio.h>
#include <stdlib.h>

// --- numbers ---

// Lays out decimal digits as Java does: plain from 10^-3 up to 10^7, else with an exponent.
// `digits` holds at least two; the value is 0.d1d2d3... times 10^point.
static void lay_out(char *out, const char *digits, int point) {
    int count = (int)strlen(digits);
    while (count > 1 && digits[count - 1] == '0') count--;
    int shown =
        point > -3 && point <= 7 ? point : 1; // digits before the point; not positive: zeros
    if (shown <= 0) {
        out += sprintf(out, "0.");
        for (int i = shown; i < 0; i++) *out++ = '0';
        sprintf(out, "%.*s", count, digits);
        return;
    }
    for (int i = 0; i < shown; i++) *out++ = i < count ? digits[i] : '0';
    out += sprintf(out, ".%.*s", count > shown ? count - shown : 1,
                   count > shown ? digits + shown : "0");
    if (shown != point) sprintf(out, "E%d", point - 1);
}

// Finds the fewest digits that read back as the same value; Java never writes fewer than two.
static char *shortest(double value, int most, int is_float, char *buffer) {
    char *out = buffer;
    if (value != value) return strcpy(buffer, "NaN");
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits >> 63) *out++ = '-', value = -value;
    if (value > 1.7976931348623157e308) return strcpy(out, "Infinity"), buffer;
    if (!(value > 0)) return strcpy(out, "0.0"), buffer;
    char text[40], digits[24];
    for (int n = 2; n <= most; n++) {
        snprintf(text, sizeof text, "%.*e", n - 1, value);
        if (is_float ? strtof(text, NULL) == (float)value
                     : !(strtod(text, NULL) < value || strtod(text, NULL) > value))
            break;
    }
    char *e = strchr(text, 'e');
    snprintf(digits, sizeof digits, "%c%.*s", text[0], (int)(e - text - 2), text + 2);
    lay_out(out, digits, atoi(e + 1) + 1);
    return buffer;
}

char *cf_float_text(uint32_t bits, char *buffer) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return shortest((double)value, 9, 1, buffer);
}

char *cf_double_text(uint64_t bits, char *buffer) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return shortest(value, 17, 0, buffer);
}

// --- names ---

static int starts_identifier(uint32_t c) {
    return c == '_' || c == '$' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           (c >= 0xA0 && !(c & CF_MUTF8_BAD));
}

// An identifier, or several divided by slashes. All letters beyond ASCII count: their tables are
// Java's.
static int is_identifier(struct cf_slice name) {
    uint32_t pos = 0, before = '/';
    while (pos < name.length) {
        uint32_t c = cf_mutf8_next(name.bytes, name.length, &pos);
        int good = starts_identifier(c) || (before != '/' && (c == '/' || (c >= '0' && c <= '9')));
        if (!good) return 0;
        before = c;
    }
    return name.length > 0;
}

void cf_print_name(struct cf_printer *p, struct cf_slice name) {
    int quoted = !is_identifier(name);
    if (quoted) cf_text_put(p->text, "\"");
    cf_text_mutf8(p->text, name, quoted ? CF_ESCAPE_QUOTES : CF_ESCAPE_UNSAFE);
    if (quoted) cf_text_put(p->text, "\"");
}

void cf_print_utf8(struct cf_printer *p, unsigned index) {
    struct cf_slice s = cf_utf8(p->cls, index);
    if (s.bytes)
        cf_text_mutf8(p->text, s, CF_ESCAPE_QUOTES);
    else
        cf_text_format(p->text, "#%u", index);
}

// The name behind a Class, Module or Package.
static void print_named(struct cf_printer *p, unsigned index, unsigned tag) {
    struct cf_slice s = cf_named(p->cls, index, tag);
    if (s.bytes)
        cf_print_name(p, s);
    else
        cf_text_format(p->text, "#%u", index);
}

// --- what constants stand for ---

static void print_name_and_type(struct cf_printer *p, unsigned index) {
    struct cf_slice name, descriptor;
    if (!cf_name_and_type(p->cls, index, &name, &descriptor)) {
        cf_text_format(p->text, "#%u", index);
        return;
    }
    cf_print_name(p, name);
    cf_text_put(p->text, ":");
    cf_text_mutf8(p->text, descriptor, CF_ESCAPE_UNSAFE);
}

static void print_member_reference(struct cf_printer *p, unsigned index, int leave_out_own_class) {
    const uint8_t *entry = cf_entry(p->cls, index, cf_tag_at(p->cls, index));
    if (!leave_out_own_class || cf_be2(entry) != p->cls->this_class) {
        print_named(p, cf_be2(entry), CF_TAG_CLASS);
        cf_text_put(p->text, ".");
    }
    print_name_and_type(p, cf_be2(entry + 2));
}

static const char *handle_kind(unsigned kind) {
    static const char *const kinds[] = {"REF_0?",
                                        "REF_getField",
                                        "REF_getStatic",
                                        "REF_putField",
                                        "REF_putStatic",
                                        "REF_invokeVirtual",
                                        "REF_invokeStatic",
                                        "REF_invokeSpecial",
                                        "REF_newInvokeSpecial",
                                        "REF_invokeInterface"};
    return kinds[kind <= 9 ? kind : 0];
}

static void print_method_handle(struct cf_printer *p, const uint8_t *entry) {
    unsigned index = cf_be2(entry + 1), tag = cf_tag_at(p->cls, index);
    cf_text_format(p->text, "%s ", handle_kind(entry[0]));
    if (tag == CF_TAG_FIELDREF || tag == CF_TAG_METHODREF || tag == CF_TAG_INTERFACE_METHODREF)
        print_member_reference(p, index, 0);
    else
        cf_text_format(p->text, "#%u", index);
}

static void print_number(struct cf_printer *p, unsigned tag, const uint8_t *entry) {
    char text[32];
    uint32_t high = cf_be4(entry);
    uint64_t wide = 0;
    if (tag == CF_TAG_LONG || tag == CF_TAG_DOUBLE) wide = (uint64_t)high << 32 | cf_be4(entry + 4);
    switch (tag) {
    case CF_TAG_INTEGER: cf_text_format(p->text, "%ld", (long)(int32_t)high); break;
    case CF_TAG_FLOAT: cf_text_format(p->text, "%sf", cf_float_text(high, text)); break;
    case CF_TAG_LONG: cf_text_format(p->text, "%lldl", (long long)wide); break;
    default: cf_text_format(p->text, "%sd", cf_double_text(wide, text));
    }
}

void cf_print_constant(struct cf_printer *p, unsigned index) {
    unsigned tag = cf_tag_at(p->cls, index);
    const uint8_t *entry = tag ? cf_entry(p->cls, index, tag) : NULL;
    switch (tag) {
    case CF_TAG_UTF8: cf_print_utf8(p, index); break;
    case CF_TAG_INTEGER:
    case CF_TAG_FLOAT:
    case CF_TAG_LONG:
    case CF_TAG_DOUBLE: print_number(p, tag, entry); break;
    case CF_TAG_CLASS:
    case CF_TAG_MODULE:
    case CF_TAG_PACKAGE: print_named(p, index, tag); break;
    case CF_TAG_STRING:
    case CF_TAG_METHOD_TYPE: cf_print_utf8(p, cf_be2(entry)); break;
    case CF_TAG_FIELDREF:
    case CF_TAG_METHODREF:
    case CF_TAG_INTERFACE_METHODREF: print_member_reference(p, index, 0); break;
    case CF_TAG_NAME_AND_TYPE: print_name_and_type(p, index); break;
    case CF_TAG_METHOD_HANDLE: print_method_handle(p, entry); break;
    case CF_TAG_DYNAMIC:
    case CF_TAG_INVOKE_DYNAMIC:
        cf_text_format(p->text, "#%u:", cf_be2(entry));
        print_name_and_type(p, cf_be2(entry + 2));
        break;
    default: cf_text_format(p->text, "#%u", index);
    }
}

static const char *use_name(unsigned tag) {
    switch (tag) {
    case CF_TAG_INTEGER: return "int ";
    case CF_TAG_FLOAT: return "float ";
    case CF_TAG_LONG: return "long ";
    case CF_TAG_DOUBLE: return "double ";
    case CF_TAG_CLASS: return "class ";
    case CF_TAG_STRING: return "String ";
    case CF_TAG_FIELDREF: return "Field ";
    case CF_TAG_METHODREF: return "Method ";
    case CF_TAG_INTERFACE_METHODREF: return "InterfaceMethod ";
    case CF_TAG_METHOD_HANDLE: return "MethodHandle ";
    case CF_TAG_METHOD_TYPE: return "MethodType ";
    case CF_TAG_DYNAMIC: return "Dynamic ";
    case CF_TAG_INVOKE_DYNAMIC: return "InvokeDynamic ";
    default: return "";
    }
}

void cf_print_constant_use(struct cf_printer *p, unsigned index) {
    unsigned tag = cf_tag_at(p->cls, index);
    cf_text_put(p->text, use_name(tag));
    if (tag == CF_TAG_FIELDREF || tag == CF_TAG_METHODREF || tag == CF_TAG_INTERFACE_METHODREF)
        print_member_reference(p, index, 1);
    else
        cf_print_constant(p, index);
}

void cf_print_comment(struct cf_printer *p) {
    cf_text_put(p->text, " ");
    cf_text_column(p->text, p->text->indent + 40);
    cf_text_put(p->text, "// ");
}

void cf_print_index(struct cf_printer *p, unsigned index) {
    cf_text_format(p->text, "#%u", index);
    if (index == 0) return;
    cf_print_comment(p);

    cf_print_constant(p, index);
}

// --- the pool ---

static const char *tag_name(unsigned tag) {
    static const char *const names[] = {
        [CF_TAG_UTF8] = "Utf8",
        [CF_TAG_INTEGER] = "Integer",
        [CF_TAG_FLOAT] = "Float",
        [CF_TAG_LONG] = "Long",
        [CF_TAG_DOUBLE] = "Double",
        [CF_TAG_CLASS] = "Class",
        [CF_TAG_STRING] = "String",
        [CF_TAG_FIELDREF] = "Fieldref",
        [CF_TAG_METHODREF] = "Methodref",
        [CF_TAG_INTERFACE_METHODREF] = "InterfaceMethodref",
        [CF_TAG_NAME_AND_TYPE] = "NameAndType",
        [CF_TAG_METHOD_HANDLE] = "MethodHandle",
        [CF_TAG_METHOD_TYPE] = "MethodType",
        [CF_TAG_DYNAMIC] = "Dynamic",
        [CF_TAG_INVOKE_DYNAMIC] = "InvokeDynamic",
        [CF_TAG_MODULE] = "Module",
        [CF_TAG_PACKAGE] = "Package",
    };
    return tag < sizeof names / sizeof *names && names[tag] ? names[tag] : "?";
}

// The entry's own fields, as they stand. Returns 0 when they are all there is to say.
static int print_entry(struct cf_printer *p, unsigned index, unsigned tag) {
    const uint8_t *entry = cf_entry(p->cls, index, tag);
    switch (tag) {
    case CF_TAG_UTF8:
    case CF_TAG_INTEGER:
    case CF_TAG_FLOAT:
    case CF_TAG_LONG:
    case CF_TAG_DOUBLE: cf_print_constant(p, index); return 0;
    case CF_TAG_FIELDREF:
    case CF_TAG_METHODREF:
    case CF_TAG_INTERFACE_METHODREF:
        cf_text_format(p->text, "#%u.#%u", cf_be2(entry), cf_be2(entry + 2));
        return 1;
    case CF_TAG_NAME_AND_TYPE:
    case CF_TAG_DYNAMIC:
    case CF_TAG_INVOKE_DYNAMIC:
        cf_text_format(p->text, "#%u:#%u", cf_be2(entry), cf_be2(entry + 2));
        return 1;
    case CF_TAG_METHOD_HANDLE:
        cf_text_format(p->text, "%u:#%u", entry[0], cf_be2(entry + 1));
        return 1;
    default: cf_text_format(p->text, "#%u", cf_be2(entry)); return 1;
    }
}

void cf_print_constant_pool(struct cf_printer *p) {
    int width = snprintf(NULL, 0, "%u", p->cls->constant_pool_count) + 1;
    cf_text_put(p->text, "Constant pool:\n");
    p->text->indent = 2;
    for (unsigned i = 1; i < p->cls->constant_pool_count && cf_going(p); i++) {
        unsigned tag = cf_tag_at(p->cls, i);
        if (!tag) continue; // the second index of a long or double
        char index[12];
        snprintf(index, sizeof index, "#%u", i);
        cf_text_format(p->text, "%*s = %-18s ", width, index, tag_name(tag));
        if (print_entry(p, i, tag)) {
            cf_print_comment(p);

            cf_print_constant(p, i);
        }
        cf_text_put(p->text, "\n");
    }
    p->text->indent = 0;
}
