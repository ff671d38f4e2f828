// Verification: would a JVM take the code of a class? By type checking against the StackMapTable
// (JVMS 4.10.1) for classes of version 50 and above, by type inference (JVMS 4.10.2) below, and
// for what of version 50 fails the first. No class is ever loaded: what one class says is all that
// is known, unless the caller knows more. Where a rule needs more than that it is taken to hold, so
// a failure is one that every JVM would report too.
//
// Two checks share the work: a quick one, which most code passes (verify_quick.h), and a careful
// one, which has the last word on all other.
//
// The structure of the class must hold (structure.h), but for the parts of the code that are looked
// at here anyway: nothing is read out of bounds in any case.

#ifndef CF_VERIFY_H
#define CF_VERIFY_H

#include "classfile/classfile.h"

// May a value of class `from` be used as one of class `to`? Both are internal names of classes or
// interfaces, never of arrays. 1: yes (also when `to` is an interface), 0: no, -1: not known.
typedef int cf_assignable(void *context, struct cf_slice from, struct cf_slice to);

struct cf_verify_failure {
    struct cf_error error; // `offset` is a pc when at_pc is set
    const struct cf_member *method;
    char types[200]; // found and needed, as a part of a sentence; may be empty
};

struct cf_verifier;

// A verifier for the methods of one opened class. It lives in the class's arena; NULL: out of
// memory. `assignable` may be NULL.
struct cf_verifier *cf_verifier_new(const struct cf_class *cls, cf_assignable *assignable,
                                    void *context);
// Checks one method; without code there is nothing to check. CF_UNVERIFIABLE: the code breaks a
// rule; other values: it could not be checked (out of memory, not a class that holds together).
enum cf_status cf_verify_method(struct cf_verifier *verifier, const struct cf_member *method,
                                struct cf_verify_failure *failure);
// What a method was before it was rewritten. A JVM that refuses the original because of these
// limits shall not be kept from it by more room, so they hold still for all but new instructions.
enum cf_verify_place {
    CF_PLACE_ORIGINAL, // an instruction of the original
    CF_PLACE_FIRST,    // the first of new ones in front of an original one, whose depth it finds
    CF_PLACE_NEW
};
struct cf_verify_original {
    uint32_t max_stack, max_locals, constant_pool_count;
    const void *context;
    // What stands at `pc`; if it is new, *end: behind the new instructions.
    enum cf_verify_place (*place)(const void *context, uint32_t pc, uint32_t *end);
};
// The same for a rewritten method; without frames only instructions are held to the limits.
enum cf_status cf_verify_rewritten(struct cf_verifier *verifier, const struct cf_member *method,
                                   const struct cf_verify_original *original,
                                   struct cf_verify_failure *failure);
// Checks all methods, up to the first that fails.
enum cf_status cf_verify_class(const struct cf_class *cls, cf_assignable *assignable, void *context,
                               struct cf_verify_failure *failure);

// Writes `prefix`, then "reason: types (at pc N)" into `text`, always terminated. Returns `text`.
char *cf_verify_reason(const struct cf_verify_failure *failure, const char *prefix, char *text,
                       size_t size);
// The same, with the method in front: "name(descriptor): reason ...".
char *cf_verify_text(const struct cf_class *cls, const struct cf_verify_failure *failure,
                     char *text, size_t size);

#endif
