#include "instr/base/thread.h"

#include <signal.h>
#include <time.h>

static int start(pthread_t *id, int detached, void *(*run)(void *), void *context, size_t stack) {
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    if (detached) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(id, &attributes, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

int instr_thread_start(void *(*run)(void *unused), size_t stack) {
    pthread_t id;
    return start(&id, 1, run, NULL, stack);
}

int instr_thread_start_joined(pthread_t *id, void *(*run)(void *context), void *context,
                              size_t stack) {
    return start(id, 0, run, context, stack);
}

void instr_condition_init(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

int instr_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t until) {
    struct timespec t = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
    return pthread_cond_timedwait(condition, lock, &t);
}
