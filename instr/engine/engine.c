// The engine takes one class at a time through all passes. No lock is held while passes run.

#include "instr/engine/internal.h"
#include "instr/base/clock.h"

#include <stdlib.h>

#define ARENA_KEPT ((size_t)1024 * 1024) // bytes that an idle arena keeps for the next class
// The memory that rewriting one class may use: far more than the class of any compiler needs.
// Without a limit a small class with many frames of 65,535 locals would take gigabytes.
#define CLASS_MEMORY(length) ((size_t)128 * 1024 * 1024 + 64 * (length))

struct instr_engine *instr_engine_new(const struct instr_options *options,
                                      struct instr_methods *methods, const char *runtime_package) {
    return instr_engine_new_after(options, methods, runtime_package, NULL);
}

struct instr_engine *instr_engine_new_after(const struct instr_options *options,
                                            struct instr_methods *methods,
                                            const char *runtime_package,
                                            const struct instr_engine *before) {
    struct instr_engine *engine = calloc(1, sizeof *engine);
    struct instr_stats *stats = before ? before->stats : instr_stats_new();
    if (before) instr_stats_take(stats);
    if (!engine || !stats) {
        free(engine);
        if (stats) instr_stats_close(stats);
        return NULL;
    }
    engine->stats = stats;
    engine->options = options;
    engine->methods = methods;
    engine->runtime_package = runtime_package;
    size_t complete = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        unsigned flags = options->passes[i].pass->flags;
        complete += flags & RW_COMPLETE ? 1 : 0;
        engine->prevents |= (flags & RW_PREVENTS) != 0;
        engine->wraps |= options->passes[i].pass->wraps != NULL;
        engine->observes_speed |= flags & RW_OBSERVES_SPEED && !(flags & RW_COMPLETE);
    }
    engine->some_complete = complete && options->pass_count > 1;
    pthread_mutex_init(&engine->lock, NULL);
    return engine;
}

void instr_engine_free(struct instr_engine *engine) {
    if (!engine) return;
    for (struct work *work = atomic_load(&engine->works), *next; work; work = next) {
        next = work->next;
        instr_stats_close_shard(engine->stats, work->shard);
        cf_arena_free(&work->arena);
        free(work);
    }
    instr_coverage_free(engine->own_coverage);
    instr_stats_close(engine->stats);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

void instr_engine_offline(struct instr_engine *engine) {
    engine->offline = 1;
}

void instr_engine_set_coverage(struct instr_engine *engine, struct instr_coverage *coverage) {
    engine->coverage = coverage;
}

struct instr_coverage *instr_engine_coverage(struct instr_engine *engine) {
    pthread_mutex_lock(&engine->lock);
    struct instr_coverage *coverage = engine->coverage;
    pthread_mutex_unlock(&engine->lock);
    return coverage;
}

struct instr_coverage *instr_job_coverage(struct instr_engine *engine) {
    pthread_mutex_lock(&engine->lock);
    if (!engine->coverage) engine->coverage = engine->own_coverage = instr_coverage_new(NULL);
    struct instr_coverage *coverage = engine->coverage;
    pthread_mutex_unlock(&engine->lock);
    return coverage;
}

void instr_engine_check_input(struct instr_engine *engine) {
    engine->check_input = 1;
}

struct instr_methods *instr_engine_methods(const struct instr_engine *engine) {
    return engine->methods;
}

int instr_engine_pass(const struct instr_engine *engine, const char *name) {
    for (size_t i = 0; i < engine->options->pass_count; i++)
        if (strcmp(engine->options->passes[i].pass->name, name) == 0)
            return (int)engine->options->passes[i].number;
    return -1;
}

static struct work *add_work(struct instr_engine *engine) {
    size_t n = engine->options->pass_count;
    struct work *work = calloc(1, sizeof *work + n * sizeof *work->callees);
    struct instr_shard *shard = work ? instr_stats_shard(engine->stats) : NULL;
    if (!shard) {
        free(work);
        return NULL;
    }
    work->shard = shard;
    cf_arena_init(&work->arena);
    atomic_init(&work->taken, 1);
    pthread_mutex_lock(&engine->lock);
    work->next = atomic_load_explicit(&engine->works, memory_order_relaxed);
    atomic_store_explicit(&engine->works, work, memory_order_release);
    pthread_mutex_unlock(&engine->lock);
    return work;
}

// Takes no lock; only one instruction is atomic.
static struct work *take_work(struct instr_engine *engine) {
    struct work *work = atomic_load_explicit(&engine->works, memory_order_acquire);
    for (; work; work = work->next)
        if (!atomic_load_explicit(&work->taken, memory_order_relaxed) &&
            !atomic_exchange_explicit(&work->taken, 1, memory_order_acquire))
            return work;
    return add_work(engine);
}

static void put_work(struct work *work) {
    cf_arena_reset(&work->arena, ARENA_KEPT);
    atomic_store_explicit(&work->taken, 0, memory_order_release);
}

void instr_job_remember(struct job *job, const struct cf_member *method, const char *reason,
                        int pass) {
    struct cf_slice name = {NULL, 0}, descriptor = {NULL, 0};
    const struct cf_class *cls = &job->cls;
    struct cf_class again = {0};
    struct cf_arena arena;
    if (job->silent) return;
    cf_arena_init(&arena);
    if (method) {
        name = cf_member_name(cls, method);
        descriptor = cf_member_descriptor(cls, method);
    } else if (!cf_this_name(cls).bytes) {
        // It was not opened, perhaps for lack of memory; or it has no name. Only that is needed now.
        (void)cf_class_open(&again, job->bytes, job->length, &arena);
        cls = &again;
    }
    instr_stats_skip(job->engine->stats, instr_job_display_name(job, cls), name, descriptor, reason,
                     pass);
    cf_arena_free(&arena);
}

static struct instr_totals account_of(const struct instr_rewritten *result, size_t length,
                                      int again) {
    struct instr_totals a = {
        .classes_seen = !again,
        .classes_matched = !again,
        .classes_changed = result->bytes != NULL && !again,
        .classes_skipped = result->error.status != CF_OK || result->passes_left_out,
        .classes_refused = result->methods_refused != 0,
        .methods_refused = result->methods_refused,
        .methods_changed = result->methods_changed,
        .methods_skipped = result->methods_skipped,
        .methods_grown = result->methods_grown,
        .bytes_in = length,
        .bytes_out = result->bytes ? result->length : length,
        .nanoseconds = result->nanoseconds,
    };
    return a;
}

// Divides the time that the class took among the passes that ran on it.
static void share_time(struct job *job) {
    uint64_t bytes = 0, passes = 0, time = job->result->nanoseconds;
    for (size_t i = 0; i < job->options->pass_count; i++) {
        bytes += job->inserted[i].bytes;
        passes += !instr_job_excludes(job, i);
    }
    for (size_t i = 0; i < job->options->pass_count; i++) {
        struct instr_pass_totals *one = &job->inserted[i];
        if (bytes)
            one->nanoseconds = time * one->bytes / bytes;
        else if (!instr_job_excludes(job, i))
            one->nanoseconds = time / passes;
    }
}

static void account_passes(struct job *job) {
    const struct instr_options *options = job->options;
    if (!job->result->bytes) // what was inserted is not used
        memset(job->inserted, 0, options->pass_count * sizeof *job->inserted);
    for (size_t i = 0; i < options->pass_count; i++)
        job->inserted[i].classes = job->inserted[i].methods != 0;
    share_time(job);
    instr_stats_add_passes(job->engine->stats, options, job->inserted);
}

// How many classes the time of this one stands for. Asking for the processor time of a thread is a
// system call, which takes longer than a small class: after the first ones only some are timed.
static unsigned weight_of(struct work *work) {
    enum { ALL = 256, EVERY = 16 };
    uint32_t n = work ? work->classes++ : 0;
    return n < ALL ? 1 : n % EVERY ? 0 : EVERY;
}

void instr_engine_rewrite_known(struct instr_engine *engine, const struct instr_origin *origin,
                                const uint8_t *bytes, size_t length,
                                void *(*allocate)(void *context, size_t n), void *context,
                                struct instr_rewritten *result) {
    memset(result, 0, sizeof *result);
    struct work *work = take_work(engine);
    unsigned weight = weight_of(work);
    uint64_t start = weight ? instr_clock_thread_cpu() : 0;
    struct job job = {.engine = engine,
                      .options = engine->options,
                      .work = work,
                      .result = result,
                      .bytes = bytes,
                      .length = length};
    if (origin) job.origin = *origin;
    struct memory memory = {allocate, context};
    if (work) {
        work->arena.limit = CLASS_MEMORY(length);
        instr_job_rewrite(&job, bytes, length, memory);
    } else {
        instr_job_remember(&job, NULL, "out of memory", -1);
        cf_fail(&result->error, CF_NO_MEMORY, 0, "out of memory", 0);
    }
    if (weight) result->nanoseconds = (instr_clock_thread_cpu() - start) * weight;
    struct instr_totals totals = account_of(result, length, job.origin.again);
    if (job.inserted) account_passes(&job);
    if (work) {
        instr_shard_add(work->shard, &totals);
        put_work(work);
    } else {
        instr_stats_add(engine->stats, &totals);
    }
}

void instr_engine_rewrite(struct instr_engine *engine, const uint8_t *bytes, size_t length,
                          void *(*allocate)(void *context, size_t n), void *context,
                          struct instr_rewritten *result) {
    instr_engine_rewrite_known(engine, NULL, bytes, length, allocate, context, result);
}

void instr_engine_seen(struct instr_engine *engine) {
    instr_stats_lock(engine->stats)->classes_seen++;
    instr_stats_unlock(engine->stats);
}

void instr_engine_left_out(struct instr_engine *engine, int refused) {
    struct instr_totals *totals = instr_stats_lock(engine->stats);
    totals->classes_seen++;
    totals->classes_matched++;
    totals->classes_over_limit += !refused;
    instr_stats_unlock(engine->stats);
}

void instr_engine_taken_back(struct instr_engine *engine, const struct instr_rewritten *result,
                             size_t length, int over_limit) {
    struct instr_totals *a = instr_stats_lock(engine->stats);
    a->classes_changed--;
    a->methods_changed -= result->methods_changed;
    a->methods_grown -= result->methods_grown;
    a->bytes_out -= result->length - length;
    a->classes_over_limit += over_limit != 0;
    instr_stats_unlock(engine->stats);
}

void instr_engine_skip(struct instr_engine *engine, const char *class_name, const char *reason) {
    struct cf_slice name = {(const uint8_t *)class_name, (uint32_t)strlen(class_name)},
                    none = {NULL, 0};
    instr_stats_skip(engine->stats, name, none, none, reason, -1);
    instr_stats_lock(engine->stats)->classes_skipped++;
    instr_stats_unlock(engine->stats);
}

void instr_engine_skip_interface(struct instr_engine *engine, const char *name,
                                 const char *reason) {
    struct cf_slice class_name = {(const uint8_t *)name, (uint32_t)strlen(name)}, none = {NULL, 0};
    unsigned first =
        instr_stats_skip(engine->stats, class_name, none, none, reason, INSTR_SKIPPED_INTERFACE);
    instr_stats_lock(engine->stats)->interfaces_skipped += first;
    instr_stats_unlock(engine->stats);
}

struct instr_totals instr_engine_totals(struct instr_engine *engine) {
    return instr_stats_totals(engine->stats);
}

struct instr_pass_totals instr_engine_pass_totals(struct instr_engine *engine, unsigned number) {
    return instr_stats_pass(engine->stats, number);
}

void instr_engine_forget_pass(struct instr_engine *engine, unsigned number) {
    instr_stats_forget_pass(engine->stats, number);
}

void instr_engine_skipped(struct instr_engine *engine,
                          void (*each)(void *context, const struct instr_skipped_item *item),
                          void *context) {
    instr_stats_each(engine->stats, each, context);
}
