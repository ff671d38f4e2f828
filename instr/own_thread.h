// own_thread.h: threads of the agent's own

#ifndef INSTR_OWN_THREAD_H
#define INSTR_OWN_THREAD_H

#include <stddef.h>

// Starts a detached thread with `stack` bytes, which runs `run` with NULL. It takes no signals:
// those are for the JVM's threads. 0, or an error of pthread_create.
int instr_own_thread_start(void *(*run)(void *unused), size_t stack);

#endif
