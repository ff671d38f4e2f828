// A small class file made from nothing: a subclass of Object with fields, and with methods whose
// code needs no frames.
//
//      struct cf_build build;
//      cf_build_begin(&build, &arena, CF_ACC_PUBLIC | CF_ACC_FINAL, "com/acme/Answer");
//      cf_build_method(&build, CF_ACC_STATIC, "get", "()I", 1, 0);
//      cf_build_op1(&build, CF_OP_bipush, 42);
//      cf_build_op(&build, CF_OP_ireturn);
//      if (cf_build_end(&build, &bytes, &length) != CF_OK) ... build.pool.error has the reason
//
// Constants are added with the functions of pool.h. Errors are sticky: only the last call returns
// them. All fields come before the first method. The class is not checked.

#ifndef CF_BUILD_H
#define CF_BUILD_H

#include "classfile/opcodes.h"
#include "classfile/pool.h"

struct cf_build { // not to be copied
    struct cf_pool pool;
    struct cf_class empty; // what the pool is appended to
    uint8_t *body;         // all that comes behind the constant pool
    uint32_t length, capacity;
    uint16_t fields_count, methods_count;
    uint32_t counted; // offset in body of fields_count, or of methods_count once it is written
    uint32_t code;    // offset in body of the current method's Code attribute_length; 0: none
    uint16_t source;  // constant of the text of SourceFile; 0: none
};

// All memory comes from `arena`. The class gets the flags and ACC_SUPER, and the version of JDK 8.
void cf_build_begin(struct cf_build *build, struct cf_arena *arena, unsigned access_flags,
                    const char *name);
// The class gets this SourceFile.
void cf_build_source(struct cf_build *build, const char *file);
void cf_build_field(struct cf_build *build, unsigned access_flags, const char *name,
                    const char *descriptor);
// Starts a method; the instructions that follow are its code.
void cf_build_method(struct cf_build *build, unsigned access_flags, const char *name,
                     const char *descriptor, unsigned max_stack, unsigned max_locals);
// An instruction without operands, with one of a byte, with one of two bytes.
void cf_build_op(struct cf_build *build, enum cf_opcode op);
void cf_build_op1(struct cf_build *build, enum cf_opcode op, unsigned operand);
void cf_build_op2(struct cf_build *build, enum cf_opcode op, unsigned operand);
// Ends the class. `*bytes` is in the arena.
enum cf_status cf_build_end(struct cf_build *build, const uint8_t **bytes, size_t *length);

#endif
