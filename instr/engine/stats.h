// engine_book.h: what engines have done: the account, and which classes and methods were kept as
// they were. Engines that follow each other share one book. All functions may be called by any
// number of threads at once.

#ifndef INSTR_ENGINE_BOOK_H
#define INSTR_ENGINE_BOOK_H

#include "instr/engine.h"

struct instr_stats;

// An empty book with one holder; NULL: out of memory.
struct instr_stats *instr_stats_new(void);
// One holder more; one less, and with the last one the book is gone.
void instr_stats_take(struct instr_stats *book);
void instr_stats_close(struct instr_stats *book);

// The account, but for what is on sheets, for the caller alone until it unlocks the book.
struct instr_totals *instr_stats_lock(struct instr_stats *book);
void instr_stats_unlock(struct instr_stats *book);

// Adds to the account.
void instr_stats_add(struct instr_stats *book, const struct instr_totals *more);

// A part of the account that one thread at a time adds to, without a lock. NULL: out of memory.
struct instr_shard *instr_stats_shard(struct instr_stats *book);
void instr_shard_add(struct instr_shard *shard, const struct instr_totals *more);
// The sheet is gone; what is on it stays in the book.
void instr_stats_close_shard(struct instr_stats *book, struct instr_shard *shard);
// All of the account. What is being added meanwhile is in it, or some of it, or not yet.
struct instr_totals instr_stats_account(struct instr_stats *book);

// Remembers why a class, or a method (with name m and descriptor d), was kept; of a pass, or an
// interface, the first time alone. Without memory, or beyond some thousands, nothing is remembered,
// and 0 returned.
unsigned instr_stats_skip(struct instr_stats *book, struct cf_slice name, struct cf_slice m,
                          struct cf_slice d, const char *reason, int pass);
// Calls `each` for what is remembered, in the order of its happening; the book is locked meanwhile.
void instr_stats_each(struct instr_stats *book,
                      void (*each)(void *context, const struct instr_skipped_item *kept),
                      void *context);

#endif
