// Code that was put in and has passed (verify_same.h). It passes again, in any class, where nothing
// in it is different but where the new local variables begin, numbers that it pushes, and indexes
// of constants for others like them, and if it finds the same in the new locals. So that this can
// be said of any class, it has no type in it that is a class.

#ifndef CF_VERIFY_SAME_KNOWN_H
#define CF_VERIFY_SAME_KNOWN_H

#include "classfile/verify/quick.h"

#define CF_SAME_WORDS 4 // words of it, at most
#define CF_SAME_KNOWN_LOCALS 8
#define CF_SAME_KNOWN_STATES 4
#define CF_SAME_KNOWN_CALLS 3
#define CF_SAME_KNOWN_DESCRIPTOR 32 // bytes

struct cf_same_call { // of a static method
    uint32_t at;      // where its index is
    uint32_t length;
    uint8_t descriptor[CF_SAME_KNOWN_DESCRIPTOR];
};

struct cf_same_known {
    uint32_t length; // 0: nothing
    uint32_t new_locals, peak;
    uint32_t most_locals;          // that the original may have, for the bytes to be the same
    uint64_t of_class;             // its number: the bytes have its indexes of methods
    uint64_t bytes[CF_SAME_WORDS]; // if the original had no locals
    uint64_t fixed[CF_SAME_WORDS]; // bits that must be so
    uint64_t local[CF_SAME_WORDS]; // those of bytes that name locals
    cf_vtype before[CF_SAME_KNOWN_LOCALS];
    uint32_t states_count; // what it makes of them
    struct {
        uint32_t at;
        cf_vtype locals[CF_SAME_KNOWN_LOCALS];
    } states[CF_SAME_KNOWN_STATES];
    uint32_t constant_at; // where the operand of an ldc is; 0: there is none
    int constant_is_wide;
    unsigned constant_tag;
    uint32_t calls_count;
    struct cf_same_call calls[CF_SAME_KNOWN_CALLS];
};

// What a thread remembers, from class to class. All zero: nothing.
struct cf_same_memory {
    uint64_t classes;                 // the number of the class at hand
    struct cf_same_known entries[16]; // of methods, by length
    struct cf_same_known pieces[16];  // all others
    struct cf_same_known rests[5];    // of handlers, by locals, up to 4: more need no other code
};

#endif
