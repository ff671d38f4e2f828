// memory_limit.h: how much memory a process may still map
//
// A thread needs room for its stack. HotSpot ends the JVM when it cannot create the thread that listens for attaches
// (AttachListener::init), and whenever it gets no memory for itself: what attaches has to look first.

#ifndef INSTR_PROCESS_MEMORY_LIMIT_H
#define INSTR_PROCESS_MEMORY_LIMIT_H

#include "instr/process/process.h"

// Why the process cannot map so many megabytes, in so many mappings: its limit of address space (RLIMIT_AS), or the
// kernel's of mappings (vm.max_map_count). One line in `text`; NULL: there is no known reason.
const char *instr_process_no_memory(const struct instr_process *process, long megabytes,
                                    long mappings, char *text, size_t size);

#endif
