// Subroutines (jsr, ret; JVMS 3.13), put in where they are called: a class without any that does
// the same. Each call has a copy of its own. Which instructions belong to a subroutine, and in
// which order the copies come behind the method's own code, is as ASM's JSRInlinerAdapter has it,
// since the numbers of probes follow it: first the main code, then the copies in the order of their
// calls, each with its instructions in the order of the original; code that is reachable in more
// than one way without jsr is shared with the caller.

#ifndef CF_INLINE_H
#define CF_INLINE_H

#include "classfile/code.h"

struct cf_inlined {
    uint8_t *bytes; // the new class, in the arena of the old one; NULL: it has no subroutines
    uint32_t length;
    // By method: NULL, or a byte for each pc of its new code, 1 where a goto stands in for ret. The
    // place to which such a goto leads, behind the one that stands in for jsr, counts as a label of
    // its own, even though the instruction there may be the target of other jumps.
    uint8_t **returns;
};

// The constant pool stays as it is; of the attributes of changed code only line numbers stay. On an
// error (which is not noted in cls->error) nothing is to be used: recursive subroutines and what
// gets too large are CF_UNSUPPORTED.
enum cf_status cf_inline_subroutines(const struct cf_class *cls, struct cf_inlined *inlined,
                                     struct cf_error *error);

#endif
