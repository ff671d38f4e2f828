// threads.h: gives each thread of the operating system its block of counters, which the runtime's
// Java code (InstrThreads in runtime-java/) finds by the id of the Java thread, and reads them all.
//
// A block outlives its thread: with its counts it is handed on to a later one. So memory grows with
// the threads that live at the same time; and it has two parts. A block with its buffer takes some
// 4.5 KB at most. Counters take a page for each 32 methods one of which the thread has called,
// of which all threads together may have no more than the budget that instr_threads_start is given:
// beyond it what happens is recorded in the buffers, and added up where all threads share a row.

#ifndef INSTR_THREADS_H
#define INSTR_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jni.h>

// The classes of the runtime that are needed here.
struct instr_threads_classes {
    jclass natives, threads; // InstrNative, InstrThreads
};

// Registers the natives and initializes InstrThreads, once. page_budget: bytes for all threads'
// counters. NULL: done; else what failed, and an exception may be pending.
const char *instr_threads_start(JNIEnv *jni, const struct instr_threads_classes *classes,
                                size_t page_budget);

// Bytes of counters that threads may still take.
size_t instr_threads_budget(void);

// One call's counters: a row of a page. The runtime's Java code knows this layout.
struct instr_counters {
    int64_t calls, thrown;
    int64_t mark; // where the method is on the stack of a task
    int64_t pad;
};

// Forgets all counters and records and gives their memory back; blocks stay with their threads.
// Those that are in inserted code at this moment may go on: what they write is lost, or is found as
// a count of 1 or so by whoever asks before this is called again.
void instr_threads_release(void);

// Forgets the counters of ids from `from` to below `to`, which no code but some that is just ending
// counts under.
void instr_threads_forget(uint32_t from, uint32_t to);

// Moves the records that wait in the threads' buffers to where instr_records_sum finds them.
// Threads go on recording meanwhile. The records of a thread that is suspended while it empties its
// buffer itself are left out (at most 256); no later call will miss them.
void instr_threads_drain(void);

// Calls `each` for every page of every block: the rows of ids page * INSTR_ROWS_PER_PAGE and
// following, which their owners may be writing to.
void instr_threads_pages(void (*each)(void *context, uint32_t page,
                                      const volatile struct instr_counters *rows),
                         void *context);

// Bytes of memory that the blocks take, with their buffers and pages.
size_t instr_threads_bytes(void);

#endif
