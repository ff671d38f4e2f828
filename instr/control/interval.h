// Percentiles of the calls that ended in an interval, for the few methods that a table shows: their
// histograms are kept from one interval to the next. Used by one thread.

#ifndef INSTR_CONTROL_INTERVAL_H
#define INSTR_CONTROL_INTERVAL_H

#include <stddef.h>
#include <stdint.h>

struct instr_interval; // the histograms at the end of the last interval

struct instr_interval_times {
    int known;              // else the histogram was not kept: what follows is 0
    uint64_t p50, p99, max; // ns, within 2 %
};

// NULL: out of memory.
struct instr_interval *instr_interval_new(void);
void instr_interval_free(struct instr_interval *interval);

// Writes the times of the ids, in the same order, since the last call; and keeps the histograms of
// these ids in place of those before. Returns 0: out of memory, nothing is known.
int instr_interval_next(struct instr_interval *interval, const int *ids, size_t count,
                        struct instr_interval_times *times);

#endif
