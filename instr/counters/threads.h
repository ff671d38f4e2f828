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

// One call's counters: a row of a page. The runtime's Java code knows this layout.
struct instr_counters {
    int64_t calls, thrown;
    int64_t mark; // position of the method on the stack of a task
    int64_t next; // clock=auto: see InstrSampling
};

// What the runtime knows of a row's method with clock=auto (InstrSampling).
struct instr_sampled {
    int64_t mean;
    int64_t number; // negative: the method calls itself
    int64_t inner;  // if so: its calls within others of the same method that have no time
    int64_t ticked; // ns of ticks seen by calls without a clock, less their estimates
};

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

// Calls `each` for every page of every block: the rows of the ids from page * INSTR_ROWS_PER_PAGE
// on. Their owners may write to them at the same time.
void instr_threads_pages(void (*each)(void *context, uint32_t page,
                                      const volatile struct instr_counters *rows,
                                      const volatile struct instr_sampled *sampled),
                         void *context);

// The bytes of memory of all blocks, with their buffers and pages.
size_t instr_threads_bytes(void);

#endif
