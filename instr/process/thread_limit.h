// thread_limit.h: how many threads a process may still create
//
// HotSpot ends the JVM when it cannot create the thread that listens for attaches
// (AttachListener::init): what attaches has to look first.

#ifndef INSTR_PROCESS_THREAD_LIMIT_H
#define INSTR_PROCESS_THREAD_LIMIT_H

#include "instr/process/process.h"

// Why the process cannot create so many threads: a limit of a control group (pids.max), of version 1 or 2, or that of
// its user (RLIMIT_NPROC). One line in `text`; NULL: there is no known reason.
const char *instr_process_no_threads(const struct instr_process *process, long needed, char *text,
                                     size_t size);

#endif
