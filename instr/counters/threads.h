// Gives each native thread a block of counters, which the runtime's Java code (InstrThreads in
// runtime-java/) finds by the id of the Java thread, and reads all blocks.
//
// A block outlives its thread: a later thread gets it with its counts. So memory grows with the
// number of threads that live at the same time. A block with its buffer takes 4.5 KB at most. Its
// counters take a page for each 32 methods of which the thread has called at least one. The pages
// of all threads share the budget given to instr_threads_start. Beyond it events are recorded in
// the buffers and added up in rows that all threads share.

#ifndef INSTR_THREADS_H
#define INSTR_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jni.h>

#include "instr/counters/records.h" // INSTR_ROWS_PER_PAGE

// The classes of the runtime that this module needs.
struct instr_threads_classes {
    jclass natives, threads; // InstrNative, InstrThreads
};

// Registers the native methods and initializes InstrThreads, once. page_budget: bytes for the
// counters of all threads. Returns NULL; or what failed, and an exception may then be pending.
const char *instr_threads_start(JNIEnv *jni, const struct instr_threads_classes *classes,
                                size_t page_budget);

// The bytes of counters that threads may still allocate.
size_t instr_threads_budget(void);

// Has a thread asked for more than that? What it counts since then takes longer, and is as exact.
bool instr_threads_are_full(void);

// A page: the counters of as many methods, each kind in an array of INSTR_ROWS_PER_PAGE. The arrays of
// one kind lie side by side, since how much of the processor's cache they take decides what counting
// costs. The runtime's Java code knows the order of the kinds.
struct instr_counters {
    // Those that most calls write to come first: their distances fit into the instructions of inserted code.
    volatile int64_t *calls;
    volatile int64_t *next; // with clock=auto: see InstrSampling, and instr_only_counted
    volatile int64_t *thrown;
    volatile int64_t *mark;   // position of the method on the stack of a task
    volatile int64_t *mean;   // of timed calls, and what instr_unseen takes from it
    volatile int64_t *number; // of timed calls; negative: the method calls itself
    // Calls of the method when one that is running was entered in this row, -1: none was; if the method calls
    // itself, see instr_inner.
    volatile int64_t *entered;
    volatile int64_t *ticked; // ns of ticks seen by calls without a clock, less their estimates
};

// The calls that are not in `calls` but in an element of `next`.
static inline uint64_t instr_only_counted(int64_t next) {
    return (uint64_t)next >> 14;
}

// In an element of `next`: how many more calls come before the next one that is timed, and the level above: one of some 4^level is.
enum { INSTR_LEVEL_SHIFT = 11, INSTR_LEVEL = 7, INSTR_CALLS_LEFT = (1 << INSTR_LEVEL_SHIFT) - 1 };
// In an element of `number` of a method that calls itself, above this: how many outermost calls come before one is timed.
enum { INSTR_HELD_SHIFT = 32 };
#define INSTR_CALL_IS_RUNNING                                                                      \
    ((int64_t)1 << 48) // in an element of `number` (InstrSampling.RUNNING)

// Calls of a method that calls itself within others of the same method that have no time. While one is running
// its calls so far are subtracted. The owner may write meanwhile: then they are read again.
static inline int64_t instr_inner(const struct instr_counters *page, size_t row) {
    int64_t entered, number, calls;
    int tries = 0;
    do {
        number = page->number[row];
        entered = page->entered[row];
        calls = page->calls[row] + (int64_t)instr_only_counted(page->next[row]);
    } while ((entered != page->entered[row] || number != page->number[row]) && ++tries < 8);
    return (number & INSTR_CALL_IS_RUNNING) != 0 ? entered + calls : entered;
}

// What a thread has found out about a method: 0, or the level as above, where it is not 0; the mean of timed calls, which has
// INSTR_MEAN_BITS; whether the method calls itself; and how many calls were timed (InstrSamplingLevels).
enum { INSTR_LEARNED_MEAN_SHIFT = 3, INSTR_LEARNED_NUMBER_SHIFT = 32 };
#define INSTR_LEARNED_CALLS_ITSELF ((int64_t)1 << 27)

enum { INSTR_MEAN_BITS = 24, INSTR_UNSEEN_UNIT = 1024 }; // as InstrSampling has them

// From an element of `mean`: ns of the calls that no tick has seen, and that are too long to be estimated
// by the few that are timed (InstrSampling.unseen).
static inline int64_t instr_unseen(int64_t mean) {
    return (mean >> INSTR_MEAN_BITS) * INSTR_UNSEEN_UNIT;
}

// Clears all counters and records and frees their memory; blocks stay with their threads. Threads
// that are in inserted code at this moment may continue: what they write is lost, or shows as a
// count of about 1 until this is called again.
void instr_threads_release(void);

// Clears the counters of the ids from `from` to below `to`. Only code that is about to end may
// still use them.
void instr_threads_forget(uint32_t from, uint32_t to);

// Moves the records in the threads' buffers to where instr_records_sum finds them, while threads
// continue to record. The records of a thread that is suspended while it empties its buffer itself
// are missing (at most 256); a later call gets them.
void instr_threads_drain(void);

// Calls `each` for every page of every block: number `page` is that of the ids from page * INSTR_ROWS_PER_PAGE
// on. Their owners may write to them at the same time.
void instr_threads_pages(void (*each)(void *context, uint32_t page,
                                      const struct instr_counters *counters),
                         void *context);

// The bytes of memory of all blocks, with their buffers and pages.
size_t instr_threads_bytes(void);

#endif
