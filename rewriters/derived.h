// Probes that need no code, since others tell whether they were passed: what joins at a place where
// each way in has a probe goes on from there without fail, up to the next instruction that may
// throw or branch. A probe on that way was passed when, and only when, one of those was:
//
//      if (a) x = 1; else x = 2; return x;     the probe before the return is passed if either
//                                              branch was
//
// So a method has fewer stores, and smaller code. A pure function of the code.

#ifndef RW_IMPLIED_H
#define RW_IMPLIED_H

#include "rewriters/probes.h"

// Probe `probe` was passed if probe `by` was; and never otherwise, unless it stands for another
// such one. Numbers are of the method, from 0. `by` may itself be implied, even in a circle: what
// holds is what follows from those that are not implied.
struct rw_implication {
    uint32_t probe, by;
};

struct rw_implications {
    struct rw_implication *list; // by probe, ascending; in the class's arena
    uint32_t count, capacity;
};

// Finds those of a method, of which `probes` was found in code that had no subroutines;
// `implications` is empty at first.
enum cf_status rw_find_derived(const struct cf_code *code, const struct rw_probes *probes,
                               struct rw_implications *implications, struct cf_error *error);

// Adds `first` to the numbers of `more`, and those to the list.
enum cf_status rw_add_implications(struct rw_implications *to, const struct rw_implications *more,
                                   uint32_t first, struct cf_arena *arena, struct cf_error *error);

#endif
