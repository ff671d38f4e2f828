// Methods whose calls both calls and timing count, with clock=auto: one call of the runtime does it for
// both (runtime-java/InstrSamplingCalls.java), which timing inserts. Finding the counters of the thread
// costs more than adding to them.

#ifndef RW_PAIR_H
#define RW_PAIR_H

#include "classfile/decls.h"
#include "rewriters/rewriter.h"

CF_BEGIN_DECLS

// The counters of so many ids, from a multiple of it on, belong to the same thread
// (instr/counters/threads.h).
#define RW_IDS_TOGETHER 32

// Does timing count the calls of the edited method for calls, too? Both passes ask while they edit it,
// before they ask for their id, and get the same answer; `cls` is the one that asks. Of several owners
// who have the passes on, the first ones share. CF_LIMIT: no id is left.
enum cf_status rw_find_pair(struct rw_class *cls, struct cf_edit *edit, int *is_pair);

// Does the pass timing estimate times, with clock=auto?
int rw_timing_estimates(const struct rw_class *timing);

CF_END_DECLS

#endif
