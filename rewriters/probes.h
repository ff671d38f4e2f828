// The probes of a method: exactly where JaCoCo 0.8 has them and in the same order, so that a class
// has the same number of probes with the same meaning. A pure function of the code.
//
// A position is a target if something jumps to it, and a multi-target if it can be reached in more
// than one way: by jumps and switches, by each exception table entry that starts there or has its
// handler there, by the method's start, and by fall-through. A switch counts once for each of its
// distinct destinations. In code order there are probes
//
//      on falling through to a multi-target, or to the start of a line in which a method is
//          called (an exception out of the call would hide that the lines before it were executed),
//      before every xreturn and athrow,
//      on each jump to a multi-target; for a conditional jump on the taken edge,
//      on each edge of a switch to a multi-target: the default first, then the cases in order.

#ifndef RW_PROBES_H
#define RW_PROBES_H

#include "classfile/code.h"
#include "classfile/decls.h"

CF_BEGIN_DECLS

enum rw_probe_kind {
    RW_PROBE_FALL, // on falling through to the instruction
    RW_PROBE_END,  // before an xreturn or athrow
    RW_PROBE_EDGE  // on the edge from a jump or switch to a target
};

// Instructions are given by their index in code->pc.
struct rw_probe {
    enum rw_probe_kind kind;
    uint32_t instruction;
    uint32_t target; // of an edge
};

struct rw_probes {
    struct rw_probe *list; // in the class's arena
    uint32_t count, capacity;
};

// Finds the probes of a method whose code was opened and scanned. Subroutines must have been
// inlined, or the result is CF_UNSUPPORTED. `returns`: see classfile/inline.h; may be NULL.
enum cf_status rw_find_probes(const struct cf_code *code, const uint8_t *returns,
                              struct rw_probes *probes, struct cf_error *error);

// The same where line 0 of LineNumberTable is a line as any other: so releases of JaCoCo with ASM 9.5
// and later place the probes. Only Kotlin's compiler writes such lines.
enum cf_status rw_find_probes_with_line_zero(const struct cf_code *code, const uint8_t *returns,
                                             struct rw_probes *probes, struct cf_error *error);

CF_END_DECLS

#endif
