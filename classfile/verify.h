// Verification: would a JVM accept the code of a class? By type checking against the StackMapTable
// (JVMS 4.10.1) for classes of version 50 and above. Classes below version 50, and methods of
// version 50 that fail the first way, are verified by type inference (JVMS 4.10.2). No class is
// ever loaded: the verifier knows what the one class says, unless the caller knows more. A rule
// that needs more than that is taken to hold, so a failure is one that every JVM would report too.
//
// The structure of the class must hold (structure.h), except for those parts of the code that the
// verifier checks itself: it reads nothing out of bounds in any case.

#ifndef CF_VERIFY_H
#define CF_VERIFY_H

#include "classfile/classfile.h"
#include "classfile/decls.h"

CF_BEGIN_DECLS

// May a value of class `from` be used as one of class `to`? Both are internal names of classes or
// interfaces, never of arrays. 1: yes (also when `to` is an interface), 0: no, -1: not known.
typedef int cf_assignable(void *context, struct cf_slice from, struct cf_slice to);

struct cf_verify_failure {
    struct cf_error error; // `offset` is a pc when at_pc is set
    const struct cf_member *method;
    char types[200]; // found and needed, as a part of a sentence; may be empty
};

struct cf_verifier;

// The methods of a class of so many bytes are not checked: CF_LIMIT.
#define CF_VERIFY_MOST_BYTES (1u << 28)

// A verifier for the methods of one opened class. It lives in the class's arena; NULL: out of
// memory. `assignable` may be NULL.
struct cf_verifier *cf_verifier_new(const struct cf_class *cls, cf_assignable *assignable,
                                    void *context);
// Checks one method; without code there is nothing to check. CF_UNVERIFIABLE: the code breaks a
// rule; other values: it could not be checked (out of memory, malformed class).
enum cf_status cf_verify_method(struct cf_verifier *verifier, const struct cf_member *method,
                                struct cf_verify_failure *failure);

// What a method was before it was rewritten. If a JVM refuses the original for exceeding its
// limits, the larger limits of the rewritten method must not hide that: only new instructions may
// use them.
enum cf_verify_place {
    CF_PLACE_ORIGINAL, // an instruction of the original
    CF_PLACE_FIRST, // the first of the new ones in front of an original one, at whose depth it is
    CF_PLACE_NEW
};
struct cf_verify_original {
    uint32_t max_stack, max_locals, constant_pool_count;
    const void *context;
    // Which instruction is at `pc`; if it is new, *end: behind the new instructions.
    enum cf_verify_place (*place)(const void *context, uint32_t pc, uint32_t *end);
};
// The same for a rewritten method. Without frames only instructions are held to the limits.
enum cf_status cf_verify_rewritten(struct cf_verifier *verifier, const struct cf_member *method,
                                   const struct cf_verify_original *original,
                                   struct cf_verify_failure *failure);
// Reads the StackMapTable of a method: are its frames whole, at instructions, and within max_locals
// and max_stack?
enum cf_status cf_verify_frames(struct cf_verifier *verifier, const struct cf_member *method,
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

CF_END_DECLS

#endif
