// switch_rest.c: see switch_rest.h

#include "instr/retransform/background.h"

#include "instr/base/thread.h"
#include "instr/retransform/redefine.h"
#include "instr/base/clock.h"
#include "instr/vm/wake.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum {
    STACK = 2 * 1024 * 1024, // the VM's verifier and our passes run on it
    PAUSE_US = 1000,         // between batches: those who wait for the lock get it
    AGAIN_AFTER_MS = 1000
};

static struct {
    struct instr_rest list; // of the thread that holds agent->switching
    pthread_mutex_t lock;   // of what follows; held for moments
    int running;            // there is a thread
    uint64_t tried;         // when the last one was made
    struct instr_reconfigure_progress progress;
    uint64_t start;
    struct instr_switched done;
    int untold; // refusals in it
} rest = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct instr_rest *instr_background(void) {
    return &rest.list;
}

static int is_left(void) {
    return instr_rest_left(&rest.list) != 0;
}

struct instr_reconfigure_progress instr_reconfigure_progress(void) {
    pthread_mutex_lock(&rest.lock);
    struct instr_reconfigure_progress progress = rest.progress;
    pthread_mutex_unlock(&rest.lock);
    return progress;
}

int instr_background_done(struct instr_switched *done) {
    pthread_mutex_lock(&rest.lock);
    int all = rest.progress.all == 0;
    *done = rest.done;
    if (all) rest.untold = 0;
    pthread_mutex_unlock(&rest.lock);
    return all;
}

int instr_background_unreported(struct instr_switched *done) {
    pthread_mutex_lock(&rest.lock);
    int any = rest.untold && rest.progress.all == 0;
    if (any) {
        *done = rest.done;
        rest.untold = 0;
    }
    pthread_mutex_unlock(&rest.lock);
    return any;
}

static void came(unsigned count, const struct instr_switched *done) {
    pthread_mutex_lock(&rest.lock);
    rest.progress.came += count;
    instr_switched_add(&rest.done, done);
    rest.untold |= done->refused || done->skipped_interfaces;
    rest.done.nanoseconds = instr_clock_now() - rest.start;
    pthread_mutex_unlock(&rest.lock);
    instr_wake();
}

// A batch or more. 0: there is nothing left, or it has to wait.
static int do_batches(struct instr_agent *agent, JNIEnv *jni) {
    if (atomic_load(&agent->state) == INSTR_FINISHED || !is_left()) return 0;
    instr_reconfigure_retransform_rest(agent, jni, &rest.list, came);
    instr_redefine_again(agent, jni);
    if (is_left()) return 1;
    pthread_mutex_lock(&rest.lock);
    rest.progress.all = rest.progress.came = 0;
    pthread_mutex_unlock(&rest.lock);
    instr_rest_drop(&rest.list, jni);
    return 0;
}

static void *work(void *unused) {
    struct instr_agent *agent = &instr_agent;
    JavaVMAttachArgs arguments = {JNI_VERSION_1_6, (char *)"instr classes", NULL};
    JavaVM *vm = agent->vm;
    JNIEnv *jni = NULL;
    (void)unused;
    int attached = (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&jni, &arguments) == JNI_OK;
    for (int more = 1; more; usleep(PAUSE_US)) {
        pthread_mutex_lock(&agent->switching);
        more = attached && do_batches(agent, jni);
        if (!more) {
            pthread_mutex_lock(&rest.lock);
            rest.running = 0;
            pthread_mutex_unlock(&rest.lock);
        }
        pthread_mutex_unlock(&agent->switching);
        instr_wake();
    }
    if (attached) (*vm)->DetachCurrentThread(vm);
    return NULL;
}

// Without a thread it is tried again later.
void instr_background_again(void) {
    pthread_mutex_lock(&rest.lock);
    int start = !rest.running && is_left();
    rest.running |= start;
    if (start) rest.tried = instr_clock_now();
    pthread_mutex_unlock(&rest.lock);
    if (!start || instr_thread_start(work, STACK) == 0) return;
    pthread_mutex_lock(&rest.lock);
    rest.running = 0;
    pthread_mutex_unlock(&rest.lock);
}

int instr_background_is_stalled(uint64_t now) {
    pthread_mutex_lock(&rest.lock);
    int stalled = rest.progress.all != 0 && !rest.running &&
                  now >= rest.tried + AGAIN_AFTER_MS * UINT64_C(1000000);
    pthread_mutex_unlock(&rest.lock);
    return stalled;
}

void instr_background_start(const struct instr_switched *done, uint64_t start, unsigned chosen) {
    uint32_t left = instr_rest_left(&rest.list);
    pthread_mutex_lock(&rest.lock);
    if (rest.progress.all) {
        // The classes of before are on the list, too, and were counted.
        rest.progress.all += chosen;
        rest.progress.came = rest.progress.all - left;
        instr_switched_add(&rest.done, done);
    } else {
        rest.progress.all = chosen;
        rest.progress.came = chosen - left;
        rest.start = start;
        rest.done = *done;
        rest.untold = 0;
    }
    rest.done.nanoseconds = instr_clock_now() - rest.start;
    pthread_mutex_unlock(&rest.lock);
    instr_background_again();
}

void instr_background_drop(JNIEnv *jni) {
    if (!is_left()) return;
    instr_rest_drop(&rest.list, jni);
    pthread_mutex_lock(&rest.lock);
    rest.progress.all = rest.progress.came = 0;
    rest.progress.series++;
    pthread_mutex_unlock(&rest.lock);
}
