#include "instr/passes/coverage/flush.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "instr/passes/coverage/probe_arrays.h"
#include "instr/base/clock.h"
#include "instr/base/thread.h"

#define EVERY_NS 100000000u
#define STACK (256u << 10)

static struct {
    JavaVM *vm;
    struct instr_coverage *coverage;
    pthread_mutex_t lock; // for the fields below
    pthread_cond_t change;
    bool ready; // the condition
    bool running, stopping;
} flush = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *run(void *unused) {
    char name[] = "instr coverage";
    JavaVMAttachArgs arguments = {JNI_VERSION_1_6, name, NULL};
    JNIEnv *jni;
    prctl(PR_SET_NAME, name);
    jint attached = (*flush.vm)->AttachCurrentThreadAsDaemon(flush.vm, (void **)&jni, &arguments);
    pthread_mutex_lock(&flush.lock);
    while (attached == JNI_OK && !flush.stopping) {
        pthread_mutex_unlock(&flush.lock);
        instr_probe_arrays_flush(jni, flush.coverage);
        uint64_t until = instr_clock_now() + EVERY_NS;
        pthread_mutex_lock(&flush.lock);
        if (!flush.stopping) instr_condition_wait(&flush.change, &flush.lock, until);
    }
    pthread_mutex_unlock(&flush.lock);
    if (attached == JNI_OK) (*flush.vm)->DetachCurrentThread(flush.vm);
    pthread_mutex_lock(&flush.lock);
    flush.running = false;
    pthread_cond_broadcast(&flush.change);
    pthread_mutex_unlock(&flush.lock);
    return unused;
}

bool instr_coverage_flush_start(JavaVM *vm, struct instr_coverage *coverage, char *reason,
                                size_t size) {
    pthread_mutex_lock(&flush.lock);
    int error = 0;
    flush.stopping = false;
    if (!flush.ready) instr_condition_init(&flush.change);
    flush.ready = true;
    if (!flush.running) {
        flush.vm = vm;
        flush.coverage = coverage;
        error = instr_thread_start(run, STACK);
        flush.running = error == 0;
    }
    pthread_mutex_unlock(&flush.lock);
    if (error) snprintf(reason, size, "coverage.mmap: cannot create a thread: %s", strerror(error));
    return error == 0;
}

void instr_coverage_flush_stop(void) {
    uint64_t until = instr_clock_now() + 2 * EVERY_NS;
    pthread_mutex_lock(&flush.lock);
    flush.stopping = true;
    if (flush.ready) pthread_cond_broadcast(&flush.change);
    while (flush.running && instr_condition_wait(&flush.change, &flush.lock, until) != ETIMEDOUT) {
    }
    pthread_mutex_unlock(&flush.lock);
}
