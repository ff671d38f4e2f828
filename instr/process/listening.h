// listening.h: the Unix domain sockets on which a process listens

#ifndef INSTR_PROCESS_LISTENING_H
#define INSTR_PROCESS_LISTENING_H

#include "instr/process/process.h"

// The directory of the socket on which the process listens and whose path contains `part`, as the
// process sees it. No other process can make it up. 1; 0: there is none, or we may not look.
int instr_process_listens(const struct instr_process *process, const char *part, char *directory,
                          size_t size);

#endif
