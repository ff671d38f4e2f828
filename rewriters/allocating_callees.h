// What methods of the JDK allocate that the VM makes, or that compilers make in place of them.

#ifndef RW_ALLOC_MADE_H
#define RW_ALLOC_MADE_H

#include "classfile/code.h"

enum rw_allocating {
    RW_MADE_NOTHING, // or nothing that is not counted where it is made
    RW_MADE,         // the result is new
    RW_MADE_OBJECT,  // the same, and it is no array
    RW_MADE_CLONE    // the result is new if the class named inherits clone() from Object
};

// What the invocation at `pc` makes.
enum rw_allocating rw_allocated_by(const struct cf_code *code, uint32_t pc);

// Is this a method that an invocation of it is counted for? What its code allocates is not to be
// counted then.
int rw_is_maker(const struct cf_class *cls, const struct cf_member *method);

// Is it a class of the JDK, by its internal name, whose code makes the objects that reflection and
// method handles make?
int rw_makes_by_reflection(const char *name);

#endif
