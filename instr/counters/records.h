// records.h: adds up what threads recorded, per id. Pure C; all functions may be called by any
// thread.
//
// There are some shards, each with its lock, so that threads seldom wait for each other: memory
// grows with the number of methods, never with methods times threads. A thread stays with a shard
// until it meets another there, so that an application with little concurrency fills few of them.

#ifndef INSTR_RECORDS_H
#define INSTR_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instr/counters/histogram.h"

// The Java side of these: InstrThreads in runtime-java/.
#define INSTR_RECORD_EVENT (INT64_C(1) << 62)
#define INSTR_RECORD_ID_BITS 20
#define INSTR_RECORD_AGAIN (UINT64_C(1) << 61) // in a duration: it is INSTR_EVENT_TIMING_AGAIN
enum instr_event {
    INSTR_EVENT_TIMING_AGAIN =
        -2, // of a call inside a call of the same method: no part of the total
    INSTR_EVENT_TIMING = -1,
    INSTR_EVENT_CALL,
    INSTR_EVENT_THROWN,
    INSTR_EVENT_CONSTRUCT,
    INSTR_EVENT_INITIALIZED,
    INSTR_EVENT_ALLOCATED, // duration: how many, self: bytes; rows have them as calls and thrown
};

// What is known of one id. Times in nanoseconds. Two cache lines, so that it is found by a shift.
struct instr_counter_row {
    _Alignas(128)
        uint64_t calls; // only those counted through records; most are counted in pages (threads.h)
    int64_t thrown;     // the same
    uint64_t timed;     // how many durations
    uint64_t total;     // of outermost calls: what a recursive method takes counts once
    uint64_t self, min, max;
    struct instr_histogram histogram;
};

#define INSTR_ROWS_PER_PAGE 32
_Static_assert(sizeof(struct instr_counter_row) == 128, "two cache lines");

// Adds `n` records of two words each, complemented, as they lie in a thread's buffer. *shard is the
// caller's memory of where it went last; 0 at first. Holds no lock longer than the adding takes.
void instr_records_add(const int64_t *words, size_t n, unsigned *shard);

// Adds one record. The times matter with the two kinds of timing and INSTR_EVENT_ALLOCATED only.
void instr_records_add_one(uint32_t id, enum instr_event event, uint64_t duration, uint64_t self,
                           unsigned *shard);

// Adds up all shards' rows of ids page * INSTR_ROWS_PER_PAGE and the following into `rows`, an
// array of INSTR_ROWS_PER_PAGE whose histograms stay as they are, and their histograms into
// `buckets`, so many arrays of INSTR_HISTOGRAM_BUCKETS. False: there is nothing, and both are
// unchanged.
bool instr_records_sum(uint32_t page, struct instr_counter_row *rows, uint64_t *buckets);

// One above the highest page with anything in it.
uint32_t instr_records_pages(void);

// Forgets what is known of ids from `from` to below `to`.
void instr_records_forget(uint32_t from, uint32_t to);

// Forgets everything and frees it.
void instr_records_reset(void);

// How many records were lost because memory was.
uint64_t instr_records_lost(void);

// Bytes of memory that they take.
size_t instr_records_bytes(void);

#endif
