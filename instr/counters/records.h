// Adds up the records of threads, per id. Pure C; all functions are thread-safe.
//
// There are a few shards, each with its lock, so that threads seldom wait for each other. Memory
// grows with the number of methods, never with methods times threads. A thread stays with a shard
// until it finds another thread there, so an application with little concurrency uses few shards.

#ifndef INSTR_RECORDS_H
#define INSTR_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instr/counters/histogram.h"

// The Java side of these: InstrThreads in runtime-java/.
#define INSTR_RECORD_EVENT (INT64_C(1) << 62)
#define INSTR_RECORD_ID_BITS 20
#define INSTR_RECORD_AGAIN (UINT64_C(1) << 61) // in a duration: INSTR_EVENT_TIMING_AGAIN
// In a duration: the call was timed as one of many that were not; or it was not, and this is an estimate.
#define INSTR_RECORD_SAMPLED (UINT64_C(1) << 60)
#define INSTR_RECORD_ESTIMATED (UINT64_C(1) << 59)
// Both: the call was timed as one of many, but stands for none of them (InstrSampling.unseen).
#define INSTR_RECORD_LONG (INSTR_RECORD_SAMPLED | INSTR_RECORD_ESTIMATED)
// In a duration: it is that of no call, but time that is in the method's total twice.
#define INSTR_RECORD_TWICE (INSTR_RECORD_AGAIN | INSTR_RECORD_SAMPLED)
// Of 4^level calls one was timed, on average: the level is here in the duration.
#define INSTR_RECORD_LEVEL_SHIFT 56
#define INSTR_RECORD_LEVEL 7
enum instr_event {
    INSTR_EVENT_TIMING_TWICE = -3, // INSTR_RECORD_TWICE
    INSTR_EVENT_TIMING_AGAIN = -2, // of a recursive call: not part of the total
    INSTR_EVENT_TIMING = -1,
    INSTR_EVENT_CALL,
    INSTR_EVENT_THROWN,
    INSTR_EVENT_CONSTRUCT,
    INSTR_EVENT_INITIALIZED,
    INSTR_EVENT_ALLOCATED, // duration: count, self: bytes; they are calls and thrown of the row
};

// The sums of one id. Times are in nanoseconds.
struct instr_counter_row {
    _Alignas(64) uint64_t calls; // only those in records; most are counted in pages (threads.h)
    int64_t thrown;              // the same
    uint64_t timed;              // number of durations
    uint64_t total;              // of outermost calls: the time of a recursive method counts once
    uint64_t self, min, max;
    // clock=auto: so many among `timed` are estimates; and calls that were timed as some of many,
    // which are not in `timed` and `total`.
    uint64_t estimated, sampled;
    // For how many calls those stand; their time, each as often as the call stands for; and the sum of
    // the squares of what each adds to that, which tells how far it may be from the truth.
    uint64_t sampled_weight, sampled_total;
    double sampled_squares;
    struct instr_histogram histogram;
};

#define INSTR_ROWS_PER_PAGE 32
_Static_assert(sizeof(struct instr_counter_row) == 192, "three cache lines");

// Adds `n` records of two words each, complemented, as in a thread's buffer. *last is the shard
// that the caller used last; 0 at first.
void instr_records_add(const int64_t *words, size_t n, unsigned *last);

// Adds one record. The times matter only for the two kinds of timing and INSTR_EVENT_ALLOCATED.
void instr_records_add_one(uint32_t id, enum instr_event event, uint64_t duration, uint64_t self,
                           unsigned *last);

// Adds the rows of all shards for the ids from page * INSTR_ROWS_PER_PAGE on to `rows`, an array of
// INSTR_ROWS_PER_PAGE whose histograms are not changed, and their histograms to `buckets`, as many
// arrays of INSTR_HISTOGRAM_BUCKETS. Returns false if there are none; both are then unchanged.
bool instr_records_sum(uint32_t page, struct instr_counter_row *rows, uint64_t *buckets);

// As instr_records_sum, and at the same time clears the rows whose bit is set in `clear`.
bool instr_records_take(uint32_t page, uint32_t clear, struct instr_counter_row *rows,
                        uint64_t *buckets);

// One above the highest page in use.
uint32_t instr_records_pages(void);

// Clears the ids from `from` to below `to`.
void instr_records_forget(uint32_t from, uint32_t to);

// Clears and frees everything.
void instr_records_reset(void);

// The number of records lost because memory ran out.
uint64_t instr_records_lost(void);

// The bytes of memory in use.
size_t instr_records_bytes(void);

#endif
