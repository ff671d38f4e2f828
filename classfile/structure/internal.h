// Inside the structure check: what its files share.

#ifndef CF_STRUCTURE_INTERNAL_H
#define CF_STRUCTURE_INTERNAL_H

#include "classfile/format/attributes.h"
#include "classfile/verify.h"

enum { CF_CHECK_START = 1 }; // of cf_checker.marks: an instruction begins at this pc

enum {                            // of cf_utf8_facts.flags
    CF_KNOWN_NAME = 0x0001,       // checked as a name of a field, method or variable:
    CF_FACT_UNQUALIFIED = 0x0002, // an unqualified name (JVMS 4.2.2)
    CF_FACT_ANGLE = 0x0004,  // it has a < or >: no method's name, unless it is one of the next two
    CF_FACT_INIT = 0x0008,   // <init>
    CF_FACT_CLINIT = 0x0010, // <clinit>
    CF_KNOWN_DESCRIPTOR = 0x0020, // checked as a descriptor:
    CF_FACT_FIELD = 0x0040,       // a field descriptor
    CF_FACT_TWO_SLOTS = 0x0080,   // ... of a long or double
    CF_FACT_METHOD = 0x0100,      // a method descriptor
    CF_FACT_VOID = 0x0200,        // ... that returns nothing
    CF_KNOWN_CLASS = 0x0400,      // checked as the name of a CONSTANT_Class:
    CF_FACT_CLASS_NAME = 0x0800,  // an internal class name or an array descriptor
    CF_FACT_ARRAY = 0x1000,       // ... the latter
    CF_KNOWN_HASH = 0x2000,       // `hash` has been found
    CF_KNOWN_ROW = 0x4000         // `row` has been found
};

// What a CONSTANT_Utf8 can serve as. It is found on demand, once: many constants may refer to the
// same long text.
struct cf_utf8_facts {
    uint16_t flags;
    uint8_t slots;      // METHOD: of the parameters
    uint8_t dimensions; // ARRAY
    uint8_t row;        // of the attribute of this name
    uint64_t hash;      // of the text; stands for it where texts are compared
};

// An entry of LocalVariableTable or LocalVariableTypeTable, as far as the two have to agree.
struct cf_variable {
    uint64_t range; // start_pc, length, index
    uint64_t name;  // its index; for comparing, its hash
};
struct cf_variables {
    struct cf_variable *entries;
    uint32_t count, capacity;
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
    unsigned depth;                 // of the annotation's values

    // The Code attribute being checked.
    const uint8_t *code;
    uint32_t code_length, max_stack, max_locals, exception_table_length;
    uint8_t *marks;     // per pc, one more at the end
    uint16_t *branches; // scratch of the instructions: pcs of branches and switches
    uint32_t branches_count;
    struct cf_variables variables, typed_variables;
    struct cf_verifier *verifier; // reads the frames; NULL: none have been met
};

// Records a malformed value at `offset` of the class file; returns CF_MALFORMED.
enum cf_status cf_reject(struct cf_checker *c, uint32_t offset, const char *reason, uint32_t value);

// --- pool.c ---

// Cross references of all constants. Everything below relies on it.
enum cf_status cf_check_constants(struct cf_checker *c);
// Finds facts of a CONSTANT_Utf8: `known` is the CF_KNOWN_... asked for. All flags are 0 when
// `index` is none.
const struct cf_utf8_facts *cf_find_facts(struct cf_checker *c, unsigned index, unsigned known);
static inline const struct cf_utf8_facts *cf_facts(struct cf_checker *c, unsigned index,
                                                   unsigned known) {
    if (index < c->cls->constant_pool_count && (c->facts[index].flags & known))
        return &c->facts[index];
    return cf_find_facts(c, index, known);
}
// The hash of a CONSTANT_Utf8. Texts of the same hash count as the same: two do not have one by
// accident.
uint64_t cf_text_hash(struct cf_checker *c, unsigned index);
// Facts of the name and of the descriptor of a Fieldref, ..., Dynamic, InvokeDynamic or
// NameAndType.
void cf_reference_facts(struct cf_checker *c, unsigned index, const struct cf_utf8_facts **name,
                        const struct cf_utf8_facts **descriptor);
// Facts of the name of a CONSTANT_Class.
const struct cf_utf8_facts *cf_class_facts(struct cf_checker *c, unsigned index);
// Is it a constant that ldc, ldc_w or ldc2_w may load, or a bootstrap method take (JVMS 4.4, table
// C)?
int cf_is_loadable(struct cf_checker *c, unsigned index);
// Rejects, at `offset`, an index of a constant of another kind than `tag`.
enum cf_status cf_expect(struct cf_checker *c, uint32_t offset, unsigned index, unsigned tag);
// Reads a constant pool index from c->r and rejects one of another kind than `tag`.
unsigned cf_check_index(struct cf_checker *c, unsigned tag);
// The same; 0 stands for "none".
unsigned cf_check_optional_index(struct cf_checker *c, unsigned tag);
// Reads the index of a field descriptor.
unsigned cf_check_descriptor_index(struct cf_checker *c);

// --- structure.c ---

// Reads `count` attributes from c->r and checks those that have a meaning in `place`.
enum cf_status cf_check_attributes(struct cf_checker *c, unsigned place, uint32_t count);

// Rejects flags of a class, or of an inner class, that contradict each other.
enum cf_status cf_check_class_flags(struct cf_checker *c, uint32_t offset, unsigned flags);

// --- tables.c ---

// Every variable with a generic type must be one that LocalVariableTable has too. To be called when
// all attributes of the code were checked; forgets the variables.
enum cf_status cf_check_typed_variables(struct cf_checker *c);

// Reads what a form says (classfile/format/attributes.h), up to its end or a closing bracket.
enum cf_status cf_check_form(struct cf_checker *c, const char *form);

// --- code.c, annotations.c: the info of attributes, or a part of it, at c->r ---

enum cf_status cf_check_code(struct cf_checker *c);
enum cf_status cf_check_stack_map_table(struct cf_checker *c);
void cf_check_element_value(struct cf_checker *c);
void cf_check_type_annotation(struct cf_checker *c);

#endif
