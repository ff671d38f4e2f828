// Which ways through a method were taken: each instruction has branches, and a branch is covered if
// the probe on it was hit, or if the instruction to which alone it leads is covered.
//
// An instruction has one branch for each way on; those of a conditional jump are 0 (past it) and 1
// (to its target), those of a switch: see flow.c.

#ifndef INSTR_CLI_COVERAGE_FLOW_H
#define INSTR_CLI_COVERAGE_FLOW_H

#include "instr/cli/coverage/code.h"
#include "rewriters/probes.h"

struct cover_instruction {
    uint32_t branches;
    uint32_t words;           // of `covered`
    uint64_t *covered;        // a bit for each branch
    uint32_t from;            // the instruction before it, plus 1; 0: none, or several
    uint32_t from_branch;     // of `from`, the one that leads here
    uint8_t entered;          // a probe on the way to it was hit
    uint8_t begun;            // it ran, but an exception came before the next probe
    uint8_t ignored;          // by a filter
    uint8_t branches_changed; // by a filter
};

struct cover_flow {
    struct cover_instruction *list; // by instruction
    uint32_t count;
};

// A class's probes; bit i % 8 of byte i / 8 is that of probe i. NULL: nothing was executed.
static inline int cover_probe_hit(const uint8_t *bits, size_t probe) {
    return bits && bits[probe / 8] >> probe % 8 & 1;
}

// Finds the branches of a method whose probes are `first_probe` and following ones of the class's.
// All lives in the class's arena.
enum cf_status cover_flow_find(struct cover_flow *flow, const struct cover_code *code,
                               const struct rw_probes *probes, const uint8_t *bits,
                               size_t first_probe, struct cf_error *error);

static inline int cover_branch_covered(const struct cover_instruction *insn, uint32_t branch) {
    return branch / 64 < insn->words && insn->covered[branch / 64] >> branch % 64 & 1;
}
// How many branches are covered; an instruction is covered if any is.
uint32_t cover_branches_covered(const struct cover_instruction *insn);

#endif
