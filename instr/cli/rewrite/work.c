// Threads that work ahead of the main thread, which writes.

#include "instr/cli/rewrite/work.h"
#include "instr/cli/rewrite/class.h"
#include "instr/cli/rewrite/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_READY ((uint64_t)64 << 20)

// --- one job ---

void cli_reader_close(struct cli_reader *reader) {
    if (reader->archive) zip_discard(reader->archive);
    cli_deflater_free(&reader->deflater);
}

int cli_work_pack(struct cli_reader *reader, struct cli_job *job, const uint8_t *bytes,
                  size_t length, int deflate) {
    job->crc = cli_crc32(bytes, length);
    job->plain_length = length;
    job->is_deflated = deflate;
    if (deflate) return cli_deflate(&reader->deflater, bytes, length, &job->bytes, &job->length);
    job->bytes = malloc(length + 1);
    job->length = length;
    if (job->bytes) memcpy(job->bytes, bytes, length);
    return job->bytes ? 0 : -1;
}

static void fail_job(struct cli_job *job, const char *reason) {
    job->failed = 1;
    snprintf(job->reason, sizeof job->reason, "%s", reason);
}

static void next_turn(struct cli_work *work) {
    work->turn++;
    pthread_cond_broadcast(&work->turned);
    if (work->turn < work->count && !work->jobs[work->turn].root)
        pthread_cond_signal(&work->finished); // it is the main thread's turn
}

// The methods get their numbers in the order of the jobs.
static int take_turn(struct cli_work *work, size_t i) {
    pthread_mutex_lock(&work->lock);
    while (work->turn != i && !work->stop) pthread_cond_wait(&work->turned, &work->lock);
    int stop = work->stop;
    pthread_mutex_unlock(&work->lock);
    return !stop;
}

static void pass_turn(struct cli_work *work, size_t i) {
    pthread_mutex_lock(&work->lock);
    if (work->turn == i) next_turn(work);
    pthread_mutex_unlock(&work->lock);
}

// The result of an unchanged job: its bytes as they lie in the archive.
static void keep_raw(struct cli_work *work, struct cli_reader *reader, struct cli_job *job) {
    struct cli_bytes raw;
    char reason[CLI_REASON_SIZE];
    if (!work->read_raw) return;
    if (work->read_raw(reader, job, &raw, reason) != 0) {
        if (!job->failed) fail_job(job, reason);
        return;
    }
    job->bytes = raw.bytes;
    job->length = raw.length;
}

// Reads and opens the class. False: the job has failed.
static int open_job(struct cli_work *work, struct cli_rewriter *rewriter, struct cli_reader *reader,
                    struct cli_job *job, struct cli_class *class, struct cli_bytes *in) {
    if (job->size > CLI_MOST_CLASS) {
        fail_job(job, "larger than 100 MB");
        return 0;
    }
    if (work->read(reader, job, in, job->reason) != 0) {
        in->bytes = NULL;
        job->failed = 1;
        return 0;
    }
    class->bytes = in->bytes;
    class->length = in->length;
    job->failed = cli_class_open(rewriter, class, job->reason) != 0;
    return !job->failed;
}

static void rewrite_job(struct cli_work *work, struct cli_rewriter *rewriter,
                        struct cli_reader *reader, struct cli_job *job) {
    struct cli_bytes in = {NULL, 0}, out = {NULL, 0};
    struct cli_class class = {.name = job->path + job->start, .root = job->root};
    int opened = open_job(work, rewriter, reader, job, &class, &in);
    int mine = take_turn(work, (size_t)(job - work->jobs)) && opened;
    if (mine) cli_class_number(rewriter, &class);
    pass_turn(work, (size_t)(job - work->jobs));
    if (mine) {
        int result = cli_class_rewrite(rewriter, &class, &out, job->reason);
        job->failed = result < 0;
        job->changed = result > 0;
        if (result > 0) atomic_fetch_add(&work->rewrite->changed, 1);
        if (result > 0 && cli_work_pack(reader, job, out.bytes, out.length, job->deflate) != 0) {
            job->changed = 0;
            fail_job(job, "out of memory");
        }
    }
    if (!job->changed) keep_raw(work, reader, job);
    free(in.bytes);
    free(out.bytes);
}

// --- the threads ---

// The next job for a thread; NULL: there is none left. A job that the main thread waits for is taken
// even when too many bytes are ready; otherwise the work could stop.
static struct cli_job *take_job(struct cli_work *work) {
    struct cli_job *job = NULL;
    pthread_mutex_lock(&work->lock);
    for (;;) {
        while (work->next < work->count && !work->jobs[work->next].root) work->next++;
        if (work->stop || cli_interrupted || work->next >= work->count) break;
        if (work->ready < MOST_READY || work->next <= work->wanted) {
            job = &work->jobs[work->next++];
            work->ready += job->size;
            break;
        }
        pthread_cond_wait(&work->emptied, &work->lock);
    }
    pthread_mutex_unlock(&work->lock);
    return job;
}

static void *run(void *context) {
    struct cli_work *work = context;
    struct cli_rewriter rewriter = {.rewrite = work->rewrite};
    struct cli_reader reader = {.archive = NULL};
    zip_error_t error;
    zip_error_init(&error);
    cf_arena_init(&rewriter.arena);
    if (work->store) reader.archive = cli_store_open(work->store, NULL, &error);
    for (struct cli_job *job; (job = take_job(work));) {
        if (work->store && !reader.archive) {
            fail_job(job, zip_error_strerror(&error));
            if (take_turn(work, (size_t)(job - work->jobs)))
                pass_turn(work, (size_t)(job - work->jobs));
        } else {
            rewrite_job(work, &rewriter, &reader, job);
        }
        cli_work_done(work, job);
    }
    cli_reader_close(&reader);
    zip_error_fini(&error);
    cf_arena_free(&rewriter.arena);
    return NULL;
}

int cli_work_start(struct cli_work *work) {
    pthread_mutex_init(&work->lock, NULL);
    pthread_cond_init(&work->turned, NULL);
    pthread_cond_init(&work->finished, NULL);
    pthread_cond_init(&work->emptied, NULL);
    size_t classes = 0;
    for (size_t i = 0; i < work->count; i++) classes += work->jobs[i].root != NULL;
    long wanted = work->rewrite->jobs;
    if ((size_t)wanted > classes) wanted = (long)classes;
    while (work->started < wanted &&
           pthread_create(&work->threads[work->started], NULL, run, work) == 0)
        work->started++;
    return classes == 0 || work->started > 0 ? 0 : -1;
}

void cli_work_wait(struct cli_work *work, struct cli_job *job) {
    size_t i = (size_t)(job - work->jobs);
    pthread_mutex_lock(&work->lock);
    work->wanted = i;
    pthread_cond_broadcast(&work->emptied);
    while (!(job->root ? job->done : work->turn == i) && !cli_interrupted) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1; // a signal does not wake it
        pthread_cond_timedwait(&work->finished, &work->lock, &until);
    }
    pthread_mutex_unlock(&work->lock);
}

void cli_work_done(struct cli_work *work, struct cli_job *job) {
    size_t i = (size_t)(job - work->jobs);
    pthread_mutex_lock(&work->lock);
    job->done = 1;
    if (work->turn == i) next_turn(work);
    if (work->wanted == i) pthread_cond_signal(&work->finished);
    pthread_mutex_unlock(&work->lock);
}

void cli_work_release(struct cli_work *work, struct cli_job *job) {
    pthread_mutex_lock(&work->lock);
    if (job->root && job->done == 1) {
        work->ready -= job->size;
        job->done = 2; // released
        pthread_cond_broadcast(&work->emptied);
    }
    pthread_mutex_unlock(&work->lock);
    free(job->bytes);
    job->bytes = NULL;
}

void cli_work_stop(struct cli_work *work) {
    pthread_mutex_lock(&work->lock);
    work->stop = 1;
    pthread_cond_broadcast(&work->turned);
    pthread_cond_broadcast(&work->emptied);
    pthread_mutex_unlock(&work->lock);
    for (long i = 0; i < work->started; i++) pthread_join(work->threads[i], NULL);
    work->started = 0;
    for (size_t i = 0; i < work->count; i++) {
        free(work->jobs[i].bytes);
        work->jobs[i].bytes = NULL;
    }
    pthread_cond_destroy(&work->turned);
    pthread_cond_destroy(&work->finished);
    pthread_cond_destroy(&work->emptied);
    pthread_mutex_destroy(&work->lock);
}
