// What engines have done: the totals, and which classes and methods were skipped, and why. Engines
// that succeed each other share one set of statistics. All functions are thread-safe.

#ifndef INSTR_ENGINE_STATS_H
#define INSTR_ENGINE_STATS_H

#include "instr/engine.h"

struct instr_stats;

// Empty statistics with one holder. NULL: out of memory.
struct instr_stats *instr_stats_new(void);
// Adds a holder; removes one, and frees the statistics with the last one.
void instr_stats_take(struct instr_stats *stats);
void instr_stats_close(struct instr_stats *stats);

// The totals without what the shards hold, for the caller alone until it unlocks them.
struct instr_totals *instr_stats_lock(struct instr_stats *stats);
void instr_stats_unlock(struct instr_stats *stats);

// What a pass has inserted, by its number. At most INSTR_PASSES_COUNTED are remembered, the newest.
// `more` has a value for each pass of the options.
enum { INSTR_PASSES_COUNTED = 256 };
void instr_stats_add_passes(struct instr_stats *stats, const struct instr_options *options,
                            const struct instr_pass_totals *more);
void instr_stats_forget_pass(struct instr_stats *stats, unsigned number);
struct instr_pass_totals instr_stats_pass(struct instr_stats *stats, unsigned number);

// Adds to the totals.
void instr_stats_add(struct instr_stats *stats, const struct instr_totals *more);

// A part of the totals to which one thread at a time adds without a lock. NULL: out of memory.
struct instr_shard *instr_stats_shard(struct instr_stats *stats);
void instr_shard_add(struct instr_shard *shard, const struct instr_totals *more);
// Frees the shard; what it holds moves to the totals.
void instr_stats_close_shard(struct instr_stats *stats, struct instr_shard *shard);
// The sum of totals and shards. What other threads add at the same time may be included in part.
struct instr_totals instr_stats_totals(struct instr_stats *stats);

// Remembers why a class, or a method (name m, descriptor d), was skipped. For a pass or an
// interface only the first time is remembered. Returns 1; or 0 if it was not remembered, also
// because there is no memory or some thousands are there already.
unsigned instr_stats_skip(struct instr_stats *stats, struct cf_slice name, struct cf_slice m,
                          struct cf_slice d, const char *reason, int pass);
// Calls `each` for all that is remembered, oldest first, under the lock.
void instr_stats_each(struct instr_stats *stats,
                      void (*each)(void *context, const struct instr_skipped_item *item),
                      void *context);

#endif
