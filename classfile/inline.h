// Inlining of subroutines (jsr, ret; JVMS 3.13): makes an equivalent class without subroutines, in
// which each call has its own copy. The instructions of a subroutine and the order of the copies
// are those of ASM's JSRInlinerAdapter, because the numbers of probes depend on them: first the
// main code, then the copies in the order of their calls, each with its instructions in original
// order; code that the caller also reaches without jsr is shared with the caller. Where a copy falls
// through to shared code it gets a goto, without which ASM's code does not verify.

#ifndef CF_INLINE_H
#define CF_INLINE_H

#include "classfile/code.h"
#include "classfile/decls.h"

CF_BEGIN_DECLS

struct cf_inlined {
    uint8_t *bytes; // the new class, in the arena of the old one; NULL: it has no subroutines
    uint32_t length;
    // By method: NULL, or a byte for each pc of its new code, 1 where a goto replaces ret. Its
    // target, behind the goto that replaces jsr, counts as a separate label, even if other jumps
    // lead to the same instruction.
    uint8_t **returns;
};

// The constant pool does not change; changed code keeps only its line numbers. On an error (which
// is not recorded in cls->error) there is no result; recursive subroutines, code that becomes too
// large, and what takes too long are CF_UNSUPPORTED.
enum cf_status cf_inline_subroutines(const struct cf_class *cls, struct cf_inlined *inlined,
                                     struct cf_error *error);

CF_END_DECLS

#endif
