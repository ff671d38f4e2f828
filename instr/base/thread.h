// own_thread.h: threads of the agent's own

#ifndef INSTR_OWN_THREAD_H
#define INSTR_OWN_THREAD_H

#include <pthread.h>
#include <stddef.h>

// Starts a detached thread with `stack` bytes, which runs `run` with NULL. It takes no signals:
// those are for the JVM's threads. 0, or an error of pthread_create.
int instr_thread_start(void *(*run)(void *unused), size_t stack);

// The same for a thread that gets `context`, and for whose end the caller waits with pthread_join.
int instr_thread_start_joined(pthread_t *id, void *(*run)(void *context), void *context,
                              size_t stack);

#endif
