// Where a method has its probes: exactly where JaCoCo 0.8 has them and in its order, so that the
// same class has as many, and each of them means the same. A pure function of the code.
//
// A position is a target when something jumps to it, and a multi-target when it can be reached in
// more than one way: the jumps and switches that lead there, each exception table entry that starts
// there or has its handler there, the method's start, and the instruction before it if that falls
// through. A switch counts once for each of its distinct destinations. In code order there are
// probes
//
//      on falling into a position that is a multi-target, or that begins a line in which a method
//      is called (an exception that comes out of the call would hide that the lines before it ran),
//      before every xreturn and athrow,
//      on each jump to a multi-target; of a conditional jump on the edge that is taken,
//      on each edge of a switch to a multi-target, the default first, then in the order of the
//      cases.

#ifndef RW_PROBES_H
#define RW_PROBES_H

#include "classfile/code.h"

enum rw_probe_kind {
    RW_PROBE_FALL, // on falling into the instruction, after the one before it
    RW_PROBE_END,  // before an xreturn or athrow
    RW_PROBE_EDGE  // on the way from a jump or switch to a target
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

// Finds the probes of a method whose code was opened and scanned. Subroutines are to be inlined
// before: CF_UNSUPPORTED when there still is one. `returns`: see classfile/inline.h; may be NULL.
enum cf_status rw_find_probes(const struct cf_code *code, const uint8_t *returns,
                              struct rw_probes *probes, struct cf_error *error);

#endif
