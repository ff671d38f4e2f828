// Probes that need no code because they follow from others. Where several paths join and each has a
// probe, execution always continues up to the next instruction that may throw or branch. A probe on
// the way was executed if, and only if, one of those probes was:
//
//      if (a) x = 1; else x = 2; return x;     the probe before the return is passed if either
//                                              branch was
//
// So methods have fewer stores and less code. A pure function of the code.

#ifndef RW_IMPLIED_H
#define RW_IMPLIED_H

#include "classfile/decls.h"
#include "rewriters/probes.h"

CF_BEGIN_DECLS

// Probe `probe` was executed if probe `by` was. It may follow from several probes, but is never
// executed otherwise. Numbers count from 0 in the method. `by` may be implied too, even in a
// circle: what follows from the probes with code holds.
struct rw_implication {
    uint32_t probe, by;
};

struct rw_implications {
    struct rw_implication *list; // by probe, ascending; in the class's arena
    uint32_t count, capacity;
};

// Finds the implications of a method. `probes` must come from code without subroutines;
// `implications` is empty at first.
enum cf_status rw_find_derived(const struct cf_code *code, const struct rw_probes *probes,
                               struct rw_implications *implications, struct cf_error *error);

// Appends the implications of `more`, with `first` added to their numbers.
enum cf_status rw_add_implications(struct rw_implications *to, const struct rw_implications *more,
                                   uint32_t first, struct cf_arena *arena, struct cf_error *error);

CF_END_DECLS

#endif
