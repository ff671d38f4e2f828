// thread.h: starts the agent's own threads, and lets them wait

#ifndef INSTR_BASE_THREAD_H
#define INSTR_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

// Starts a detached thread with a stack of `stack` bytes, which calls run(NULL). All signals are
// blocked: they are for the JVM's threads. Returns 0, or an error of pthread_create.
int instr_thread_start(void *(*run)(void *unused), size_t stack);

// The same for a thread that calls run(context), and that the caller joins with pthread_join.
int instr_thread_start_joined(pthread_t *id, void *(*run)(void *context), void *context,
                              size_t stack);

// A condition for instr_condition_wait, in memory that is 0.
void instr_condition_init(pthread_cond_t *condition);

// pthread_cond_timedwait until a time of instr_clock_now: a clock that is set back makes no wait longer.
// Returns 0, or ETIMEDOUT.
int instr_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t until);

#endif
