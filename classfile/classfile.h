// A class file, opened (JVMS 4.1). Opening indexes the constant pool, the methods and their Code
// attributes, all bounds-checked, and nothing else: fields, attributes and code are walked only on
// demand. Nothing is copied; the caller keeps the bytes alive and unchanged.
//
//      struct cf_class cls;
//      if (cf_class_open(&cls, bytes, length, &arena) != CF_OK) ... cls.error says where and why
//      ...
//
// Every accessor checks its arguments: an index that is out of range or of the wrong kind gives an
// empty slice (bytes == NULL), never a crash. Walks report errors through cf_error.

#ifndef CF_CLASSFILE_H
#define CF_CLASSFILE_H

#include "classfile/arena.h"
#include "classfile/decls.h"
#include "classfile/error.h"
#include "classfile/reader.h"

CF_BEGIN_DECLS

enum cf_tag { // JVMS table 4.4-A
    CF_TAG_UTF8 = 1,
    CF_TAG_INTEGER = 3,
    CF_TAG_FLOAT = 4,
    CF_TAG_LONG = 5,
    CF_TAG_DOUBLE = 6,
    CF_TAG_CLASS = 7,
    CF_TAG_STRING = 8,
    CF_TAG_FIELDREF = 9,
    CF_TAG_METHODREF = 10,
    CF_TAG_INTERFACE_METHODREF = 11,
    CF_TAG_NAME_AND_TYPE = 12,
    CF_TAG_METHOD_HANDLE = 15,
    CF_TAG_METHOD_TYPE = 16,
    CF_TAG_DYNAMIC = 17,
    CF_TAG_INVOKE_DYNAMIC = 18,
    CF_TAG_MODULE = 19,
    CF_TAG_PACKAGE = 20
};

enum { // access_flags, JVMS tables 4.1-B, 4.5-A, 4.6-A
    CF_ACC_PUBLIC = 0x0001,
    CF_ACC_PRIVATE = 0x0002,
    CF_ACC_PROTECTED = 0x0004,
    CF_ACC_STATIC = 0x0008,
    CF_ACC_FINAL = 0x0010,
    CF_ACC_SYNCHRONIZED = 0x0020,
    CF_ACC_BRIDGE = 0x0040,
    CF_ACC_VARARGS = 0x0080,
    CF_ACC_NATIVE = 0x0100,
    CF_ACC_INTERFACE = 0x0200,
    CF_ACC_ABSTRACT = 0x0400,
    CF_ACC_STRICT = 0x0800, // on fields of value classes: ACC_STRICT_INIT
    CF_ACC_SYNTHETIC = 0x1000,
    CF_ACC_ANNOTATION = 0x2000,
    CF_ACC_ENUM = 0x4000,
    CF_ACC_MODULE = 0x8000
};

// A range of bytes in the class file, not terminated; bytes == NULL means "none".
struct cf_slice {
    const uint8_t *bytes;
    uint32_t length;
};

struct cf_strict;

// A field_info or method_info (JVMS 4.5, 4.6).
struct cf_member {
    uint32_t offset; // of access_flags
    uint32_t end;    // one past the last attribute
    uint16_t access_flags, name_index, descriptor_index, attributes_count;
    uint32_t code; // methods: offset of the Code attribute_info (its attribute_name_index); 0: none
};

struct cf_class {
    const uint8_t *bytes;
    uint32_t length;
    uint16_t minor_version, major_version;
    uint16_t constant_pool_count; // of a malformed pool: the number of entries before the error
    // By index, the offset of the entry's tag; 0 for index 0 and for the index after a long or
    // double.
    uint32_t *constant_pool;
    uint32_t constant_pool_end; // offset of access_flags
    uint16_t access_flags, this_class, super_class;
    uint16_t interfaces_count, fields_count, methods_count, attributes_count;
    uint32_t interfaces; // offset of the first u2
    uint32_t fields;     // offset of the first field_info
    uint32_t attributes; // offset of the first attribute_info of the class
    struct cf_member *methods;
    // Indexes of attribute names. That of StackMapTable is found while the pool is indexed, which
    // saves a search; the others when they are first used. 0: absent, or not found yet. A class may
    // contain a name twice, so another index may have the same name.
    uint16_t utf8_stack_map_table;
    // Set by the caller, 0 at first: the class comes from a JVM, and methods may have lost the
    // StackMapTable that they need. JDKs before 21 drop the tables of classes that they do not
    // verify (JDK-8228604). Such methods get no new frames and are verified by inference.
    uint16_t frames_dropped;
    // Set by the caller, 0 at first: a JVM that has the class loaded merges its constants with the
    // new ones. A duplicate constant makes HotSpot renumber all constants.
    uint16_t merges_constant_pool;
    // Set by the caller, 0 at first: the number of additional constants in that JVM's pool of the
    // class, left by earlier versions. New constants must fit beside them: HotSpot merges beyond
    // 65,535 entries and crashes.
    uint16_t constants_beyond;
    uint16_t utf8_code, utf8_line_number_table, utf8_local_variable_table,
        utf8_local_variable_type_table;
    const struct cf_strict *strict; // strict instance fields, found on demand (strict_fields.h)
    struct cf_arena *arena;
    struct cf_error error;
};

// Opens `length` bytes. The index lives in `arena`. Trailing bytes, a wrong magic number, an
// unknown pool tag or inconsistent sizes are errors, with an offset in cls->error. Versions above
// the newest known are allowed.
enum cf_status cf_class_open(struct cf_class *cls, const uint8_t *bytes, size_t length,
                             struct cf_arena *arena);

// The same as far as the interfaces, for who needs the names of the class and of its supertypes: what is behind them is
// not read, and the class has no members and no attributes.
enum cf_status cf_class_open_head(struct cf_class *cls, const uint8_t *bytes, size_t length,
                                  struct cf_arena *arena);

// --- constant pool (JVMS 4.4) ---

// The tag at `index`; 0: no entry.
static inline unsigned cf_tag_at(const struct cf_class *cls, unsigned index) {
    if (index >= cls->constant_pool_count || cls->constant_pool[index] == 0) return 0;
    return cls->bytes[cls->constant_pool[index]];
}
// The bytes behind the tag if the entry has the tag `tag`; else NULL. Opening has checked that the
// entry is complete.
static inline const uint8_t *cf_entry(const struct cf_class *cls, unsigned index, unsigned tag) {
    return tag && cf_tag_at(cls, index) == tag ? cls->bytes + cls->constant_pool[index] + 1 : NULL;
}
// CONSTANT_Utf8: the modified UTF-8 as in the file (JVMS 4.4.7).
static inline struct cf_slice cf_utf8(const struct cf_class *cls, unsigned index) {
    const uint8_t *p = cf_entry(cls, index, CF_TAG_UTF8);
    struct cf_slice s = {p ? p + 2 : NULL, p ? (uint32_t)cf_be2(p) : 0};
    return s;
}
// The name behind a CONSTANT_Class, String, MethodType, Module or Package.
struct cf_slice cf_named(const struct cf_class *cls, unsigned index, unsigned tag);
static inline struct cf_slice cf_class_name(const struct cf_class *cls, unsigned index) {
    return cf_named(cls, index, CF_TAG_CLASS);
}
// CONSTANT_NameAndType. Returns 1; or 0 if `index` is something else.
int cf_name_and_type(const struct cf_class *cls, unsigned index, struct cf_slice *name,
                     struct cf_slice *descriptor);
// Fieldref, Methodref, InterfaceMethodref: all three parts; Dynamic and InvokeDynamic: the class is
// empty. Returns 1; or 0 if `index` is none of these or malformed.
int cf_reference(const struct cf_class *cls, unsigned index, struct cf_slice *class_name,
                 struct cf_slice *name, struct cf_slice *descriptor);

// --- names ---

static inline int cf_slice_is(struct cf_slice s, const char *text, size_t length) {
    return s.bytes && s.length == length && memcmp(s.bytes, text, length) == 0;
}
// Comparison with a string literal.
#define CF_IS(slice, literal) cf_slice_is((slice), (literal), sizeof(literal) - 1)
static inline int cf_slice_equal(struct cf_slice a, struct cf_slice b) {
    return a.length == b.length && a.bytes && b.bytes && memcmp(a.bytes, b.bytes, a.length) == 0;
}
struct cf_slice cf_this_name(const struct cf_class *cls);
static inline struct cf_slice cf_member_name(const struct cf_class *cls,
                                             const struct cf_member *m) {
    return cf_utf8(cls, m->name_index);
}
static inline struct cf_slice cf_member_descriptor(const struct cf_class *cls,
                                                   const struct cf_member *m) {
    return cf_utf8(cls, m->descriptor_index);
}

// --- walks ---

// An attribute_info (JVMS 4.7).
struct cf_attribute {
    uint32_t offset; // of attribute_name_index
    uint32_t info;   // offset of the first byte after attribute_length
    uint32_t length; // of info
    uint16_t name_index;
    struct cf_slice name;
};

// Walks `count` attributes from offset `start`, not past `end`:
//      struct cf_walk w = cf_walk_attributes(cls, start, count, end, &error);
//      struct cf_attribute a;
//      while (cf_next_attribute(&w, &a)) ...
// ends early if the bytes are malformed (error.status is then set).
struct cf_walk {
    const struct cf_class *cls;
    struct cf_reader r;
    uint32_t left;
};
struct cf_walk cf_walk_attributes(const struct cf_class *cls, uint32_t start, uint32_t count,
                                  uint32_t end, struct cf_error *error);
int cf_next_attribute(struct cf_walk *walk, struct cf_attribute *attribute);
// The attributes of a member, of the class itself.
struct cf_walk cf_member_attributes(const struct cf_class *cls, const struct cf_member *m,
                                    struct cf_error *error);
struct cf_walk cf_class_attributes(const struct cf_class *cls, struct cf_error *error);
// The fields of the class, in file order.
struct cf_walk cf_walk_fields(const struct cf_class *cls, struct cf_error *error);
int cf_next_field(struct cf_walk *walk, struct cf_member *field);

// A reader over a part of the class file.
static inline struct cf_reader cf_read(const struct cf_class *cls, uint32_t start, uint32_t length,
                                       struct cf_error *error) {
    struct cf_reader r = {cls->bytes, start, start + length, error};
    return r;
}

// --- descriptors (JVMS 4.3) ---

// The slots of the parameters (two for long and double, without `this`) and of the result (0, 1, 2)
// of a method descriptor. Returns 1; or 0 if it is malformed or has more than 255 slots.
int cf_method_slots(struct cf_slice descriptor, unsigned *parameters, unsigned *result);
// The result of a method descriptor, V where there is none. Not what follows its first ')': the names of classes
// may have that letter. No bytes: the parameters are malformed.
struct cf_slice cf_result_type(struct cf_slice descriptor);
// The effect on the depth of the stack: a method's result minus its parameters; the slots of a
// field. Only the first letter of the result, or of the field, is checked. Returns 1, or 0 as
// above.
int cf_descriptor_effect(struct cf_slice descriptor, int *effect);
// The slots of a field descriptor: 1 or 2; 0: malformed.
unsigned cf_field_slots(struct cf_slice descriptor);
// Are the names in a descriptor, which is not malformed otherwise, names that classes can have?
int cf_descriptor_names_classes(struct cf_slice descriptor);
// May a CONSTANT_Class have this name: that of a class, or an array's descriptor (JVMS 4.4.1)?
int cf_is_class_name(struct cf_slice name);
// The end of the field type that begins at `p`, not beyond `end`; NULL: malformed.
const uint8_t *cf_after_type(const uint8_t *p, const uint8_t *end);
// The length of the field type at the start of `bytes`; 0: malformed.
uint32_t cf_field_type_length(const uint8_t *bytes, uint32_t length);

CF_END_DECLS

#endif
