// The background thread and its queue.

#include "instr/retransform/background.h"

#include "instr/base/thread.h"
#include "instr/retransform/pace.h"
#include "instr/retransform/redefine.h"
#include "instr/base/clock.h"
#include "instr/vm/wake.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    STACK = 2 * 1024 * 1024, // the VM's verifier and our passes run on it
    PAUSE_US = 1000,         // between batches, so that threads waiting for the lock get it
    RETRY_AFTER_MS = 1000
};

enum { WORKS = 8 };

// What an operation has queued. Places in the queue count from the first class ever queued.
struct work {
    uint64_t number, begin, end; // its own classes are in places from `begin` to before `end`
    uint64_t chosen;             // classes, with those that the operation has changed itself
    uint64_t from, start;        // place, and time in ns, at which the operation was done
    uint64_t batches;            // before that
    char by[INSTR_OWNER_SIZE];
    struct instr_reconfigured done;
};

static struct {
    struct instr_class_queue queue; // of the thread that holds agent->switching
    struct instr_pace pace;         // of the background thread
    pthread_mutex_t lock;           // guards what follows; held for moments
    int running;                    // the thread exists
    uint64_t tried;                 // when it was last created
    struct instr_reconfigure_progress progress;
    uint64_t start, from, from_batches; // time, place and batches when the queue was empty
    struct instr_reconfigured done;
    int unreported;                 // refusals in it
    uint64_t finished;              // places of the queue
    uint64_t batches;               // done so far
    uint64_t hot, used;             // places behind classes of these uses; all others are unused
    bool paced;                     // batches are as large as the pace allows
    unsigned most[INSTR_PACE_USES]; // ... by their use
    uint64_t last;                  // number of the last operation
    struct work works[WORKS];       // of the last operations, each at its number
} background = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct instr_class_queue *instr_background_queue(void) {
    return &background.queue;
}

static int has_remaining(void) {
    return instr_class_queue_remaining(&background.queue) != 0;
}

static uint64_t between(uint64_t low, uint64_t place, uint64_t high) {
    return place < low ? low : place > high ? high : place;
}

// How long the classes up to this place will take if a batch takes as long as those since `start`, when
// `from` was the next place. 0: unknown. A paced batch has one class, or hundreds.
static uint64_t time_left(uint64_t end, uint64_t from, uint64_t batches, uint64_t start) {
    uint64_t at = background.finished, hot = between(at, background.hot, end),
             used = between(hot, background.used, end);
    uint64_t passed = instr_clock_now() - start, done = background.batches - batches;
    const uint64_t left[INSTR_PACE_USES] = {hot - at, used - hot, end - used};
    if (background.paced) return instr_pace_left(passed, done, left, background.most);
    double classes = (double)(at - from);
    return classes > 0 ? (uint64_t)((double)passed / classes * (double)(end - at)) : 0;
}

struct instr_reconfigure_progress instr_reconfigure_progress(void) {
    pthread_mutex_lock(&background.lock);
    struct instr_reconfigure_progress progress = background.progress;
    // The thread has done all, and is about to say so.
    if (progress.done >= progress.total) progress.total = progress.done = 0;
    if (progress.total)
        progress.left = time_left(background.finished + progress.total - progress.done,
                                  background.from, background.from_batches, background.start);
    pthread_mutex_unlock(&background.lock);
    return progress;
}

int instr_background_is_busy(void) {
    return instr_reconfigure_progress().total != 0;
}

uint64_t instr_background_last(void) {
    pthread_mutex_lock(&background.lock);
    uint64_t last = background.last;
    pthread_mutex_unlock(&background.lock);
    return last;
}

uint64_t instr_background_last_of(const char *by) {
    uint64_t last = 0;
    pthread_mutex_lock(&background.lock);
    for (const struct work *w = background.works; w < background.works + WORKS; w++)
        if (background.progress.total && w->number > last && w->end > background.finished &&
            strcmp(w->by, by) == 0)
            last = w->number;
    pthread_mutex_unlock(&background.lock);
    return last;
}

// Whose classes come before those of this operation?
static void name_before(const struct work *work, char by[INSTR_OWNER_SIZE]) {
    *by = '\0';
    bool any = false;
    for (const struct work *w = background.works; w < background.works + WORKS; w++) {
        if (!w->number || w->number >= work->number || w->end <= background.finished) continue;
        if (!any) memcpy(by, w->by, sizeof w->by);
        if (any && strcmp(by, w->by) != 0) *by = '\0';
        if (any && !*by) return;
        any = true;
    }
}

bool instr_background_of(uint64_t number, struct instr_background_progress *progress,
                         struct instr_reconfigured *done) {
    *progress = (struct instr_background_progress){0};
    pthread_mutex_lock(&background.lock);
    const struct work *work = &background.works[number % WORKS];
    uint64_t at = background.finished, left = work->end > at ? work->end - at : 0;
    if (work->number != number || !background.progress.total) left = 0;
    uint64_t own = left < work->end - work->begin ? left : work->end - work->begin;
    progress->total = work->chosen;
    progress->done = work->chosen - own;
    progress->before = left - own;
    name_before(work, progress->by);
    if (left) progress->left = time_left(work->end, work->from, work->batches, work->start);
    *done = work->number == number ? work->done : background.done;
    if (!background.progress.total) background.unreported = 0;
    pthread_mutex_unlock(&background.lock);
    return left != 0;
}

// Notes what a batch did for the operation that queued it.
static void add_to_work(uint64_t place, const struct instr_reconfigured *done) {
    for (struct work *w = background.works; w < background.works + WORKS; w++) {
        if (place < w->begin || place >= w->end) continue;
        instr_reconfigured_add(&w->done, done);
        w->done.elapsed = instr_clock_now() - w->start;
    }
}

static void note_work(const struct instr_reconfigured *done, uint64_t start, unsigned chosen,
                      uint32_t left) {
    struct work *work = &background.works[++background.last % WORKS];
    uint64_t own = done->remaining < left ? done->remaining : left;
    *work = (struct work){.number = background.last,
                          .end = background.finished + left,
                          .chosen = chosen,
                          .from = background.finished,
                          .start = start,
                          .batches = background.batches,
                          .done = *done};
    work->begin = work->end - own;
    work->done.elapsed = instr_clock_now() - start;
    snprintf(work->by, sizeof work->by, "%s", done->owner ? instr_owner_text(done->owner) : "");
}

int instr_background_unreported(struct instr_reconfigured *done) {
    pthread_mutex_lock(&background.lock);
    int any = background.unreported && background.progress.total == 0;
    if (any) {
        *done = background.done;
        background.unreported = 0;
    }
    pthread_mutex_unlock(&background.lock);
    return any;
}

static void after_batch(unsigned count, const struct instr_reconfigured *done) {
    pthread_mutex_lock(&background.lock);
    add_to_work(background.finished, done);
    background.finished += count;
    background.batches++;
    background.progress.done += count;
    instr_reconfigured_add(&background.done, done);
    background.unreported |= done->refused || done->skipped_interfaces;
    background.done.elapsed = instr_clock_now() - background.start;
    pthread_mutex_unlock(&background.lock);
    instr_wake();
}

static unsigned most_of(const struct instr_plan *plan) {
    return plan->options.batch ? plan->options.batch : INSTR_BATCH_DEFAULT;
}

// Does one or more batches. 0: the queue is empty, or the JVM is ending.
static int do_batches(struct instr_agent *agent, JNIEnv *jni, unsigned batch) {
    if (atomic_load(&agent->state) == INSTR_FINISHED || !has_remaining()) return 0;
    instr_reconfigure_retransform_queued(agent, jni, &background.queue, batch, after_batch);
    instr_redefine_reapply(agent, jni);
    if (has_remaining()) return 1;
    pthread_mutex_lock(&background.lock);
    background.progress.total = background.progress.done = 0;
    pthread_mutex_unlock(&background.lock);
    instr_class_queue_clear(&background.queue, jni);
    return 0;
}

// Is there more to do, at the same pace?
static bool goes_on(void) {
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&instr_agent.plans, &ticket);
    bool paced = plan && !plan->options.pace;
    instr_plans_give_back(&instr_agent.plans, ticket);
    return paced && instr_reconfigure_progress().total != 0 &&
           atomic_load(&instr_agent.state) != INSTR_FINISHED;
}

// The classes of the next batch, and their use; 0: as the options say.
static unsigned paced_batch(const struct instr_agent *agent, JNIEnv *jni,
                            const struct instr_plan *plan, enum instr_pace_use *use) {
    const struct instr_class_queue *queue = &background.queue;
    const unsigned *batches = background.pace.batch;
    *use = INSTR_PACE_HOT;
    if (plan->options.pace || !jni) return 0;
    unsigned most = most_of(plan), unused = 0;
    if (!instr_class_queue_next_is_hot(queue)) {
        most = batches[INSTR_PACE_UNUSED] < most ? batches[INSTR_PACE_UNUSED] : most;
        unused = instr_class_queue_unused(queue, agent->jvmti, jni, most);
        *use = unused ? INSTR_PACE_UNUSED : INSTR_PACE_USED;
    }
    if (unused) return unused;
    most = most_of(plan);
    return batches[*use] < most ? batches[*use] : most;
}

static void note_pace(bool paced, unsigned most) {
    pthread_mutex_lock(&background.lock);
    background.paced = paced;
    instr_pace_largest(&background.pace, most, background.most);
    pthread_mutex_unlock(&background.lock);
}

static void *work(void *unused) {
    struct instr_agent *agent = &instr_agent;
    JavaVMAttachArgs arguments = {JNI_VERSION_1_6, (char *)"instr classes", NULL};
    JavaVM *vm = agent->vm;
    JNIEnv *jni = NULL;
    (void)unused;
    int attached = (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&jni, &arguments) == JNI_OK;
    // The first classes were changed before the thread began.
    instr_pace_begin(&background.pace);
    instr_pace_batch(&background.pace, INSTR_PACE_HOT);
    if (goes_on()) instr_pace_rest(&background.pace, INSTR_PACE_FIRST, goes_on);
    for (int more = 1; more;) {
        pthread_mutex_lock(&agent->switching);
        const struct instr_plan *plan = instr_plans_current(&agent->plans);
        enum instr_pace_use use = INSTR_PACE_HOT;
        unsigned batch = plan ? paced_batch(agent, jni, plan, &use) : 0;
        unsigned most = plan ? most_of(plan) : 0;
        instr_pace_batch(&background.pace, use);
        more = attached && do_batches(agent, jni, batch);
        if (!more) {
            pthread_mutex_lock(&background.lock);
            background.running = 0;
            pthread_mutex_unlock(&background.lock);
        }
        pthread_mutex_unlock(&agent->switching);
        instr_wake();
        note_pace(batch != 0, most);
        if (more && batch)
            instr_pace_rest(&background.pace, most, goes_on);
        else
            usleep(PAUSE_US);
    }
    if (attached) (*vm)->DetachCurrentThread(vm);
    return NULL;
}

// If no thread can be created, instr_background_is_stalled asks for another attempt.
void instr_background_resume(void) {
    pthread_mutex_lock(&background.lock);
    int start = !background.running && has_remaining();
    background.running |= start;
    if (start) background.tried = instr_clock_now();
    pthread_mutex_unlock(&background.lock);
    if (!start || instr_thread_start(work, STACK) == 0) return;
    pthread_mutex_lock(&background.lock);
    background.running = 0;
    pthread_mutex_unlock(&background.lock);
}

int instr_background_is_stalled(uint64_t now) {
    pthread_mutex_lock(&background.lock);
    int stalled = background.progress.total != 0 && !background.running &&
                  now >= background.tried + RETRY_AFTER_MS * UINT64_C(1000000);
    pthread_mutex_unlock(&background.lock);
    return stalled;
}

// Where the uses of the classes in the queue change, of which `left` are left.
static void note_uses(uint32_t left) {
    const struct instr_class_queue *queue = &background.queue;
    uint64_t first = background.finished + left - queue->count; // the place of index 0
    background.hot = first + queue->hot;
    background.used = first + queue->used;
}

void instr_background_start(const struct instr_reconfigured *done, uint64_t start,
                            unsigned chosen) {
    uint32_t left = instr_class_queue_remaining(&background.queue);
    pthread_mutex_lock(&background.lock);
    note_work(done, start, chosen, left);
    note_uses(left);
    if (background.progress.total) {
        // The queue also holds the classes of the operation before, which are counted already.
        background.progress.total += chosen;
        background.progress.done = background.progress.total - left;
        instr_reconfigured_add(&background.done, done);
    } else {
        background.progress.total = chosen;
        background.progress.done = chosen - left;
        background.start = start;
        background.from = background.finished;
        background.from_batches = background.batches;
        background.done = *done;
        background.unreported = 0;
    }
    background.done.elapsed = instr_clock_now() - background.start;
    pthread_mutex_unlock(&background.lock);
    instr_background_resume();
}

void instr_background_drop(JNIEnv *jni) {
    uint32_t left = instr_class_queue_remaining(&background.queue);
    if (!left) return;
    instr_class_queue_clear(&background.queue, jni);
    pthread_mutex_lock(&background.lock);
    background.progress.total = background.progress.done = 0;
    background.progress.generation++;
    background.finished += left;
    pthread_mutex_unlock(&background.lock);
}
