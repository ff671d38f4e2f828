// Methods of the JDK that return new objects which the JVM itself allocates, or which a compiler
// allocates in their place.
//
// Compilers know some methods that allocate and replace them with code of their own (HotSpot:
// vmIntrinsics). Code inserted into those methods does not run then, and JVM TI reports none of the
// objects of the native ones. So the objects are counted where the methods are called, by what they
// return, in compiled and in interpreted code alike. What JVM TI reports of interpreted calls is
// left out (instr/passes/alloc/dedup.c).

#ifndef RW_ALLOCATING_CALLEES_H
#define RW_ALLOCATING_CALLEES_H

#include "classfile/code.h"

enum rw_allocation {
    RW_ALLOCATES_NOTHING,  // that is to be counted at the call
    RW_ALLOCATES,          // the result is new
    RW_ALLOCATES_OBJECT,   // the result is new and not an array
    RW_ALLOCATES_CLONE,    // the result is new if the class named inherits clone() from Object
    RW_ALLOCATES_OWN_CLONE // the result is new if its class does
};

struct rw_allocating_callee {
    const char *class_name, *name, *descriptor;
    int is_static;
    enum rw_allocation allocation; // of a call by name
};
// Object.clone() is the first. Its calls depend on the class they name, and Array.newArray() is
// called by Array.newInstance() alone: both have RW_ALLOCATES_NOTHING here.
enum { RW_ALLOCATING_CALLEES = 11 };
extern const struct rw_allocating_callee rw_allocating_callees[RW_ALLOCATING_CALLEES];

// What the invocation at `pc` allocates.
enum rw_allocation rw_allocated_by(const struct cf_code *code, uint32_t pc);

// Are calls of this method counted? What its own code allocates must not be counted then.
int rw_is_allocating_callee(const struct cf_class *cls, const struct cf_member *method);

// Does the code of this class of the JDK (an internal name) allocate the objects that reflection
// and method handles create?
int rw_allocates_by_reflection(const char *name);

#endif
