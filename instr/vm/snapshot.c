#include "instr/vm/snapshot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "instr/counters/estimate.h"
#include "instr/counters/records.h"
#include "instr/counters/threads.h"
#include "instr/vm/ticks.h"
#include "instr/engine/display_name.h"

#define MAX_FRAMES (1 << 14) // frames of a thread that are visited

// Calls that were counted in pages (threads.h). Their owners alone may write to pages, so a reset
// cannot clear them.
struct paged {
    uint64_t calls;
    int64_t thrown, ticked, unseen, inner;
};

struct snapshot {
    struct instr_counts *counts;
    struct paged *paged;
    size_t n; // a multiple of INSTR_ROWS_PER_PAGE
    bool failed;
    const struct instr_methods *methods; // of `pass`, which is reset; NULL: no pass is
    unsigned pass;
};

// What was in the pages at the last reset of each id.
static struct {
    pthread_mutex_t lock;
    struct paged *of; // by id
    size_t n;
} at_reset = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Makes room for the ids of a page. Returns its first id; -1: out of memory.
static int64_t page_of(struct snapshot *s, uint32_t page) {
    size_t from = (size_t)page * INSTR_ROWS_PER_PAGE, need = from + INSTR_ROWS_PER_PAGE;
    if (need > s->n) {
        size_t more = s->n + s->n / 2;
        if (more < need) more = need;
        struct instr_counts *counts = realloc(s->counts, more * sizeof *counts);
        if (counts != NULL) s->counts = counts;
        struct paged *paged = realloc(s->paged, more * sizeof *paged);
        if (paged != NULL) s->paged = paged;
        s->failed |= counts == NULL || paged == NULL;
        if (s->failed) return -1;
        memset(counts + s->n, 0, (more - s->n) * sizeof *counts);
        memset(paged + s->n, 0, (more - s->n) * sizeof *paged);
        s->n = more;
    }
    return (int64_t)from;
}

static void add_rows(void *context, uint32_t page, const struct instr_counters *counters) {
    struct snapshot *s = context;
    int64_t from = page_of(s, page);
    for (size_t i = 0; from >= 0 && i < INSTR_ROWS_PER_PAGE; i++) {
        s->paged[(size_t)from + i].calls +=
            (uint64_t)counters->calls[i] + instr_only_counted(counters->next[i]);
        s->paged[(size_t)from + i].thrown += counters->thrown[i];
        s->paged[(size_t)from + i].ticked += counters->ticked[i];
        s->paged[(size_t)from + i].unseen += instr_unseen(counters->mean[i]);
        if (counters->number[i] < 0) s->paged[(size_t)from + i].inner += instr_inner(counters, i);
    }
}

static void add_row(struct instr_counts *counts, const struct instr_counter_row *row,
                    const uint64_t *buckets) {
    counts->calls += row->calls;
    counts->thrown += row->thrown;
    if (row->timed + row->sampled == 0) return;
    counts->timed = row->timed;
    counts->measured = row->timed - row->estimated;
    counts->sampled = row->sampled;
    counts->sampled_weight = row->sampled_weight;
    counts->sampled_total = row->sampled_total;
    counts->sampled_squares = row->sampled_squares;
    // A reset between a call and what is in the total twice leaves less than nothing.
    counts->total = (int64_t)row->total < 0 ? 0 : row->total;
    counts->self = row->self;
    counts->min = row->min;
    counts->max = row->max;
    counts->p50 = instr_histogram_percentile(buckets, 50, row->min, row->max);
    counts->p90 = instr_histogram_percentile(buckets, 90, row->min, row->max);
    counts->p99 = instr_histogram_percentile(buckets, 99, row->min, row->max);
}

static bool is_reset(const struct snapshot *s, size_t id) {
    return s->methods != NULL && id < (size_t)instr_methods_count(s->methods) &&
           instr_methods_get(s->methods, (int)id).pass == s->pass;
}

static void add_records(struct snapshot *snapshot) {
    size_t bytes = sizeof(uint64_t) * INSTR_ROWS_PER_PAGE * INSTR_HISTOGRAM_BUCKETS;
    uint64_t *buckets = malloc(bytes);
    snapshot->failed |= buckets == NULL;
    uint32_t pages = instr_records_pages();
    for (uint32_t page = 0; page < pages && !snapshot->failed; page++) {
        struct instr_counter_row rows[INSTR_ROWS_PER_PAGE] = {0};
        int64_t from = page_of(snapshot, page);
        uint32_t clear = 0;
        for (size_t i = 0; from >= 0 && i < INSTR_ROWS_PER_PAGE; i++)
            clear |= (uint32_t)is_reset(snapshot, (size_t)from + i) << i;
        memset(buckets, 0, bytes);
        if (from < 0 || !instr_records_take(page, clear, rows, buckets)) continue;
        for (size_t i = 0; i < INSTR_ROWS_PER_PAGE; i++)
            add_row(&snapshot->counts[(size_t)from + i], &rows[i],
                    buckets + i * INSTR_HISTOGRAM_BUCKETS);
    }
    free(buckets);
}

// With clock=auto: the time of `rest` calls that returned before the next tick and have no time of their own.
static uint64_t rest_of(const struct instr_counts *counts, int64_t rest, const struct paged *since,
                        uint64_t overhead) {
    struct instr_estimate known = {.calls = rest < 0 ? 0 : (uint64_t)rest,
                                   .sampled = counts->sampled,
                                   .weight = counts->sampled_weight,
                                   .total = counts->sampled_total,
                                   .squares = counts->sampled_squares,
                                   .unseen = since->unseen,
                                   .ticked = since->ticked,
                                   .overhead = overhead,
                                   .tick = INSTR_TICK_NS,
                                   .late = instr_ticks_late()};
    return instr_estimate_time(&known);
}

// `since`: what the pages have since the last reset.
static void complete(struct instr_counts *counts, const struct paged *since, uint64_t overhead) {
    bool estimated = counts->sampled || since->ticked > 0;
    if (estimated && counts->calls > counts->timed) {
        int64_t rest = (int64_t)(counts->calls - counts->timed) - since->inner;
        counts->total += rest_of(counts, rest, since, overhead);
        if (counts->total < counts->max) counts->total = counts->max;
        if ((double)counts->total > (double)counts->max * (double)counts->calls)
            counts->total = counts->max * counts->calls;
    }
    if ((estimated || since->inner) && counts->calls > counts->timed) counts->timed = counts->calls;
    counts->measured += counts->sampled;
    // Self time is whole ticks, of which the first may have begun before the call.
    if (counts->self > counts->total) counts->self = counts->total;
}

// Adds what was counted in pages since the last reset.
static void add_paged(struct snapshot *s) {
    uint64_t overhead = instr_ticks_overhead();
    pthread_mutex_lock(&at_reset.lock);
    for (size_t id = 0; id < s->n; id++) {
        struct paged before = id < at_reset.n ? at_reset.of[id] : (struct paged){0};
        if (s->paged[id].calls < before.calls) continue; // they are being cleared
        s->counts[id].calls += s->paged[id].calls - before.calls;
        s->counts[id].thrown += s->paged[id].thrown - before.thrown;
        struct paged since = {.ticked = s->paged[id].ticked - before.ticked,
                              .unseen = s->paged[id].unseen - before.unseen,
                              .inner = s->paged[id].inner - before.inner};
        complete(&s->counts[id], &since, overhead);
    }
    if (s->methods != NULL && s->n > at_reset.n) {
        struct paged *more = realloc(at_reset.of, s->n * sizeof *more);
        s->failed |= more == NULL;
        if (more != NULL) {
            memset(more + at_reset.n, 0, (s->n - at_reset.n) * sizeof *more);
            at_reset.of = more;
            at_reset.n = s->n;
        }
    }
    for (size_t id = 0; id < s->n && !s->failed; id++)
        if (is_reset(s, id)) at_reset.of[id] = s->paged[id];
    pthread_mutex_unlock(&at_reset.lock);
}

static bool take(struct snapshot *s, struct instr_counts **counts, size_t *n) {
    // Records before pages: then the entry of each exit seen has been counted.
    instr_threads_drain();
    add_records(s);
    instr_threads_pages(add_rows, s);
    if (!s->failed) add_paged(s);
    free(s->paged);
    if (s->failed) {
        free(s->counts);
        return false;
    }
    *counts = s->counts;
    *n = s->n;
    return true;
}

bool instr_snapshot(JNIEnv *jni, struct instr_counts **counts, size_t *n) {
    (void)jni;
    struct snapshot snapshot = {0};
    return take(&snapshot, counts, n);
}

bool instr_snapshot_and_reset(JNIEnv *jni, const struct instr_methods *methods, unsigned pass,
                              struct instr_counts **counts, size_t *n) {
    (void)jni;
    struct snapshot snapshot = {.methods = methods, .pass = pass};
    return take(&snapshot, counts, n);
}

bool instr_snapshot_counters_are_full(void) {
    return instr_threads_are_full();
}

void instr_snapshot_cleared(uint32_t from, uint32_t to) {
    pthread_mutex_lock(&at_reset.lock);
    for (size_t id = from; id < to && id < at_reset.n; id++) at_reset.of[id] = (struct paged){0};
    if (from == 0 && to == UINT32_MAX) {
        free(at_reset.of);
        at_reset.of = NULL;
        at_reset.n = 0;
    }
    pthread_mutex_unlock(&at_reset.lock);
}

// Corrects the counts for one constructor frame, for each pass that knows the constructor.
static void discount(struct instr_methods *methods, const char *class_name, const char *descriptor,
                     jlocation location, struct instr_counts *counts, size_t n) {
    for (unsigned pass = 0; pass < instr_methods_passes(methods); pass++) {
        int id = instr_methods_find(methods, pass, class_name, "<init>", descriptor);
        if (id < 0 || (size_t)id >= n) continue;
        if (location < (jlocation)instr_methods_initialized_pc(methods, id) &&
            counts[id].thrown > 0) {
            counts[id].thrown--;
            counts[id].active++;
        }
    }
}

// The name of a method's class in internal form, to be freed; NULL: unknown.
static char *class_name_of(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method) {
    jclass class = NULL;
    char *signature = NULL, *name = NULL;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE) return NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        size_t length = strlen(signature);
        // Lname; without its first and last
        if (length > 2 && (name = malloc(length - 1)) != NULL) {
            memcpy(name, signature + 1, length - 2);
            name[length - 2] = '\0';
            instr_normalize_generated_name(name);
        }
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*jni)->DeleteLocalRef(jni, class);
    return name;
}

static void visit_frame(jvmtiEnv *jvmti, JNIEnv *jni, const jvmtiFrameInfo *frame,
                        struct instr_methods *methods, struct instr_counts *counts, size_t n) {
    char *name = NULL, *descriptor = NULL;
    if (frame->location < 0 ||
        (*jvmti)->GetMethodName(jvmti, frame->method, &name, &descriptor, NULL) != JVMTI_ERROR_NONE)
        return;
    if (strcmp(name, "<init>") == 0) {
        char *class_name = class_name_of(jvmti, jni, frame->method);
        if (class_name != NULL)
            discount(methods, class_name, descriptor, frame->location, counts, n);
        free(class_name);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
}

static void visit_frames(jvmtiEnv *jvmti, JNIEnv *jni, const jvmtiFrameInfo *frames, jint n_frames,
                         struct instr_methods *methods, struct instr_counts *counts, size_t n) {
    for (jint i = 0; i < n_frames; i++) visit_frame(jvmti, jni, &frames[i], methods, counts, n);
}

// A virtual thread that calls System.exit is the current thread, but is not among all threads.
static void visit_current_thread(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_methods *methods,
                                 struct instr_counts *counts, size_t n) {
    jvmtiFrameInfo *frames = malloc(MAX_FRAMES * sizeof *frames);
    jint found = 0;
    if (frames != NULL &&
        (*jvmti)->GetStackTrace(jvmti, NULL, 0, MAX_FRAMES, frames, &found) == JVMTI_ERROR_NONE)
        visit_frames(jvmti, jni, frames, found, methods, counts, n);
    free(frames);
}

void instr_snapshot_active_constructors(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_methods *methods,
                                        struct instr_counts *counts, size_t n) {
    jvmtiStackInfo *stacks = NULL;
    jthread current = NULL;
    jint threads = 0;
    if ((*jvmti)->GetAllStackTraces(jvmti, MAX_FRAMES, &stacks, &threads) != JVMTI_ERROR_NONE)
        return;
    bool known = (*jvmti)->GetCurrentThread(jvmti, &current) != JVMTI_ERROR_NONE || current == NULL;
    for (jint i = 0; i < threads; i++) {
        const jvmtiStackInfo *s = &stacks[i];
        visit_frames(jvmti, jni, s->frame_buffer, s->frame_count, methods, counts, n);
        known = known || (*jni)->IsSameObject(jni, s->thread, current);
        (*jni)->DeleteLocalRef(jni, s->thread);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)stacks);
    if (!known) visit_current_thread(jvmti, jni, methods, counts, n);
    (*jni)->DeleteLocalRef(jni, current);
}

void instr_snapshot_carry_thrown(const struct instr_methods *methods, unsigned pass,
                                 const struct instr_counts *counts, size_t n) {
    const struct snapshot s = {.methods = methods, .pass = pass};
    pthread_mutex_lock(&at_reset.lock);
    for (size_t id = 0; id < n && id < at_reset.n; id++) {
        if (!is_reset(&s, id)) continue;
        at_reset.of[id].thrown -= counts[id].active;
        if (counts[id].thrown < 0) at_reset.of[id].thrown -= counts[id].thrown;
    }
    pthread_mutex_unlock(&at_reset.lock);
}
