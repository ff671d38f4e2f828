// Inside the structure check: what its files share.

#ifndef CF_STRUCTURE_PARTS_H
#define CF_STRUCTURE_PARTS_H

#include "classfile/attributes.h"
#include "classfile/classfile.h"

enum {                  // of cf_checker.marks
    CF_CHECK_START = 1, // an instruction begins at this pc
    CF_CHECK_NEW = 2    // it is `new`
};

enum { // of cf_utf8_facts.flags
    CF_FACT_KNOWN = 0x001,
    CF_FACT_FIELD = 0x002,       // a field descriptor
    CF_FACT_TWO_SLOTS = 0x004,   // ... of a long or double
    CF_FACT_METHOD = 0x008,      // a method descriptor
    CF_FACT_VOID = 0x010,        // ... that returns nothing
    CF_FACT_CLASS_NAME = 0x020,  // an internal class name or an array descriptor
    CF_FACT_ARRAY = 0x040,       // ... the latter
    CF_FACT_UNQUALIFIED = 0x080, // an unqualified name (JVMS 4.2.2)
    CF_FACT_ANGLE = 0x100, // it has a < or >: no method's name, unless it is one of the next two
    CF_FACT_INIT = 0x200,  // <init>
    CF_FACT_CLINIT = 0x400 // <clinit>
};

// What a CONSTANT_Utf8 can serve as, found once per constant: many may refer to the same long one.
struct cf_utf8_facts {
    uint16_t flags;
    uint8_t slots;             // METHOD: of the parameters
    uint8_t parameters_count;  // METHOD
    uint8_t dimensions;        // ARRAY
    const uint8_t *parameters; // METHOD: slots of each
};

struct cf_checker {
    const struct cf_class *cls;
    struct cf_error *error;
    int strict;
    struct cf_reader r;          // over the attribute being checked; its end is the attribute's
    struct cf_utf8_facts *facts; // by constant pool index
    uint32_t bootstrap_methods_count;
    const struct cf_member *member; // the field or method being checked; NULL: the class
    unsigned place;                 // CF_IN_...

    // The Code attribute being checked.
    const uint8_t *code;
    uint32_t code_length, max_stack, max_locals, exception_table_length;
    uint8_t *marks;       // per pc, one more at the end
    uint8_t *local_slots; // scratch of the frames: the slots of each local
};

// Records a malformed value at `offset` of the class file; returns CF_MALFORMED.
enum cf_status cf_reject(struct cf_checker *c, uint32_t offset, const char *reason, uint32_t value);

// --- structure_pool.c ---

// Cross references of all constants. Everything below relies on it.
enum cf_status cf_check_constants(struct cf_checker *c);
// Facts of a CONSTANT_Utf8; all flags 0 when `index` is none.
const struct cf_utf8_facts *cf_facts(struct cf_checker *c, unsigned index);
// Facts of the name and of the descriptor of a Fieldref, ..., Dynamic, InvokeDynamic or
// NameAndType.
void cf_reference_facts(struct cf_checker *c, unsigned index, const struct cf_utf8_facts **name,
                        const struct cf_utf8_facts **descriptor);
// Facts of the name of a CONSTANT_Class.
const struct cf_utf8_facts *cf_class_facts(struct cf_checker *c, unsigned index);
// Is it a constant that ldc, ldc_w or ldc2_w may load, or a bootstrap method take (JVMS 4.4, table
// C)?
int cf_is_loadable(struct cf_checker *c, unsigned index);
// Reads a constant pool index from c->r and rejects one of another kind than `tag`.
unsigned cf_check_index(struct cf_checker *c, unsigned tag);
// The same; 0 stands for "none".
unsigned cf_check_optional_index(struct cf_checker *c, unsigned tag);
// Reads the index of a field descriptor.
unsigned cf_check_descriptor_index(struct cf_checker *c);

// --- structure.c ---

// Reads `count` attributes from c->r and checks those that have a meaning in `place`.
enum cf_status cf_check_attributes(struct cf_checker *c, unsigned place, uint32_t count);

// --- the checkers ---

// One checker per kind of attribute; it reads the info through c->r, and whoever called it sees to
// it that all of it was read.
#define CF_CHECKER(name) enum cf_status cf_check_##name(struct cf_checker *c)
CF_CHECKER(code);
CF_CHECKER(stack_map_table);
CF_CHECKER(line_number_table);
CF_CHECKER(local_variable_table);
CF_CHECKER(local_variable_types);
CF_CHECKER(character_range_table);
CF_CHECKER(constant_value);
CF_CHECKER(classes);
CF_CHECKER(inner_classes);
CF_CHECKER(enclosing_method);
CF_CHECKER(nothing);
CF_CHECKER(any_bytes);
CF_CHECKER(two_bytes);
CF_CHECKER(utf8);
CF_CHECKER(optional_utf8);
CF_CHECKER(annotations);
CF_CHECKER(parameter_annotations);
CF_CHECKER(type_annotations);
CF_CHECKER(annotation_default);
CF_CHECKER(bootstrap_methods);
CF_CHECKER(method_parameters);
CF_CHECKER(module);
CF_CHECKER(packages);
CF_CHECKER(one_class);
CF_CHECKER(module_hashes);
CF_CHECKER(record);
CF_CHECKER(descriptors);

#endif
