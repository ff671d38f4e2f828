// Inside printing: what its files share.

#ifndef CF_PRINT_PARTS_H
#define CF_PRINT_PARTS_H

#include "classfile/format/attributes.h"
#include "classfile/classfile.h"
#include "classfile/text.h"

struct cf_printer {
    const struct cf_class *cls;
    struct cf_text *text;
    struct cf_error error; // of the part that is being printed
    enum cf_status first;  // the first error of all
    struct cf_reader r;    // over the attribute being printed
    struct cf_slice name;  // of that attribute
    const struct cf_member *member;
};

// May printing go on? Not after an error in the current part, and not when the text takes no more.
static inline int cf_going(const struct cf_printer *p) {
    return p->error.status == CF_OK && p->text->status == CF_OK;
}

// --- print.c ---

// Prints the error of the current part, if there is one, and forgets it.
void cf_print_error(struct cf_printer *p);
// Prints `count` attributes, read from p->r up to its end.
void cf_print_attributes(struct cf_printer *p, unsigned place, uint32_t count);
// What the first Signature among these attributes says; no bytes: there is none.
struct cf_slice cf_find_signature(const struct cf_printer *p, struct cf_walk walk);

// --- print_constants.c ---

// The constant pool, one line each.
void cf_print_constant_pool(struct cf_printer *p);
// What constant `index` stands for, as in the comments of the pool; #N when it is broken.
void cf_print_constant(struct cf_printer *p, unsigned index);
// The same with its kind in front: "Method java/lang/Object.\"<init>\":()V". The class is left out
// where it is this class.
void cf_print_constant_use(struct cf_printer *p, unsigned index);
// "#N", and a comment with what it stands for. Index 0 has no comment.
void cf_print_index(struct cf_printer *p, unsigned index);
// Goes to the column of the comments, 40 behind the indent, and begins one.
void cf_print_comment(struct cf_printer *p);
// A Utf8 as it is, escaped; #N when it is none.
void cf_print_utf8(struct cf_printer *p, unsigned index);
// A class or member name; in quotes when it is no Java identifier.
void cf_print_name(struct cf_printer *p, struct cf_slice name);

// --- print_names.c ---

// An internal name with dots.
void cf_print_dotted(struct cf_printer *p, struct cf_slice name);
// A field descriptor as a Java type; as it stands when it is malformed.
void cf_print_type(struct cf_printer *p, struct cf_slice descriptor);
// The parameters of a method descriptor in parentheses; with `varargs` the last array is "...".
void cf_print_parameters(struct cf_printer *p, struct cf_slice descriptor, int varargs);
void cf_print_result(struct cf_printer *p, struct cf_slice descriptor);
// "int" for 'I', "void" for 'V'; NULL for what is no primitive type.
const char *cf_primitive_name(uint8_t letter);
// Number of parameters, without `this`.
uint32_t cf_count_parameters(struct cf_slice descriptor);

// --- print_signatures.c: with type parameters and arguments, as a Signature tells them ---

// Print nothing and return 0 when the signature is malformed.
int cf_print_field_signature(struct cf_printer *p, struct cf_slice text);
// "<T extends java.lang.Object> extends java.util.List<T> implements java.lang.Runnable"
int cf_print_class_signature(struct cf_printer *p, struct cf_slice text, int is_interface);

// The parts of a method's signature.
struct cf_method_signature {
    struct cf_slice type_parameters, parameters, result, throws;
};
// Returns 0 when it is malformed.
int cf_split_method_signature(struct cf_slice text, struct cf_method_signature *parts);
// "<T extends java.lang.Object> ", or nothing.
void cf_print_type_parameters(struct cf_printer *p, const struct cf_method_signature *parts);
void cf_print_signature_parameters(struct cf_printer *p, const struct cf_method_signature *parts,
                                   int varargs);
void cf_print_signature_throws(struct cf_printer *p, const struct cf_method_signature *parts);

// --- print_names.c: flags ---

enum { CF_FLAGS_CLASS, CF_FLAGS_INNER, CF_FLAGS_FIELD, CF_FLAGS_METHOD };
// "flags: (0x0021) ACC_PUBLIC, ACC_SUPER" and a line feed.
void cf_print_flags(struct cf_printer *p, unsigned flags, int of);
// "public static " as in a declaration.
void cf_print_modifiers(struct cf_printer *p, unsigned flags, int of);

// One printer per kind of attribute: it begins with the name of the attribute and reads the info
// from p->r. On an error it stops; the caller prints the error.
#define CF_PRINTER(name) void cf_print_##name(struct cf_printer *p)
CF_PRINTER(code);
CF_PRINTER(constant_value);
CF_PRINTER(stack_map_table);
CF_PRINTER(line_number_table);
CF_PRINTER(local_variable_table);
CF_PRINTER(character_range_table);
CF_PRINTER(exceptions);
CF_PRINTER(inner_classes);
CF_PRINTER(enclosing_method);
CF_PRINTER(nothing);
CF_PRINTER(signature);
CF_PRINTER(source_file);
CF_PRINTER(source_debug_extension);
CF_PRINTER(one_utf8);
CF_PRINTER(annotations);
CF_PRINTER(parameter_annotations);
CF_PRINTER(type_annotations);
CF_PRINTER(annotation_default);
CF_PRINTER(bootstrap_methods);
CF_PRINTER(method_parameters);
CF_PRINTER(module);
CF_PRINTER(module_packages);
CF_PRINTER(module_main_class);
CF_PRINTER(one_class);
CF_PRINTER(module_target);
CF_PRINTER(module_hashes);
CF_PRINTER(module_resolution);
CF_PRINTER(record);
CF_PRINTER(class_list);
CF_PRINTER(descriptor_list);
CF_PRINTER(unknown); // in hexadecimal

#endif
