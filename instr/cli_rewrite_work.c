// Threads that work ahead of the one that writes.

#include "instr/cli_rewrite_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_READY ((uint64_t)64 << 20)

// Level 1 takes a third of the time of zlib's default and makes classes some 4 % larger.
enum { DEFLATE_LEVEL = 1 };

// --- one job ---

static int deflate_all(struct cli_reader *reader, const uint8_t *bytes, size_t length,
                       uint8_t **out, size_t *out_length) {
    z_stream *stream = &reader->stream;
    int status = reader->has_stream ? deflateReset(stream)
                                    : deflateInit2(stream, DEFLATE_LEVEL, Z_DEFLATED, -MAX_WBITS, 8,
                                                   Z_DEFAULT_STRATEGY);
    if (status != Z_OK) return -1;
    reader->has_stream = 1;
    size_t most = deflateBound(stream, length);
    *out = malloc(most);
    if (!*out || length > UINT32_MAX || most > UINT32_MAX) {
        free(*out);
        return -1;
    }
    union { // zlib reads through a pointer that is not const
        const uint8_t *in;
        Bytef *next;
    } from = {.in = bytes};
    stream->next_in = from.next;
    stream->avail_in = (uInt)length;
    stream->next_out = *out;
    stream->avail_out = (uInt)most;
    if (deflate(stream, Z_FINISH) != Z_STREAM_END) {
        free(*out);
        return -1;
    }
    *out_length = most - stream->avail_out;
    return 0;
}

void cli_reader_close(struct cli_reader *reader) {
    if (reader->archive) zip_discard(reader->archive);
    if (reader->has_stream) deflateEnd(&reader->stream);
}

int cli_work_pack(struct cli_reader *reader, struct cli_job *job, const uint8_t *bytes,
                  size_t length, int wanted) {
    job->crc = (uint32_t)crc32_z(0, bytes, length);
    job->plain_length = length;
    job->is_deflated = wanted;
    if (wanted) return deflate_all(reader, bytes, length, &job->bytes, &job->length);
    job->bytes = malloc(length + 1);
    job->length = length;
    if (job->bytes) memcpy(job->bytes, bytes, length);
    return job->bytes ? 0 : -1;
}

static void fail_job(struct cli_job *job, const char *reason) {
    job->failed = 1;
    if (reason != job->reason) snprintf(job->reason, sizeof job->reason, "%s", reason);
}

// The methods get their numbers in the order of the jobs.
static int take_turn(struct cli_work *work, size_t i) {
    pthread_mutex_lock(&work->lock);
    while (work->turn != i && !work->stop) pthread_cond_wait(&work->changed, &work->lock);
    int stop = work->stop;
    pthread_mutex_unlock(&work->lock);
    return !stop;
}

static void pass_turn(struct cli_work *work, size_t i) {
    pthread_mutex_lock(&work->lock);
    if (work->turn == i) work->turn++;
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->lock);
}

// What a job that stays as it is hands over: its bytes as they lie in the archive.
static void keep_raw(struct cli_work *work, struct cli_reader *reader, struct cli_job *job) {
    struct cli_bytes raw;
    char reason[CLI_REASON_SIZE];
    if (!work->read_raw) return;
    if (work->read_raw(reader, job, &raw, reason) != 0) {
        fail_job(job, job->failed ? job->reason : reason);
        return;
    }
    job->bytes = raw.bytes;
    job->length = raw.length;
}

static void rewrite_job(struct cli_work *work, struct cli_rewriter *rewriter,
                        struct cli_reader *reader, struct cli_job *job) {
    struct cli_bytes in = {NULL, 0}, out = {NULL, 0};
    struct cli_class class = {.name = job->path + job->start, .root = job->root};
    int opened = -1;
    if (job->size > CLI_MOST_CLASS)
        fail_job(job, "larger than 100 MB");
    else if (work->read(reader, job, &in, job->reason) != 0) {
        in.bytes = NULL;
        fail_job(job, job->reason);
    } else {
        class.bytes = in.bytes;
        class.length = in.length;
        opened = cli_class_open(rewriter, &class, job->reason);
        if (opened != 0) fail_job(job, job->reason);
    }
    int mine = take_turn(work, (size_t)(job - work->jobs));
    if (mine && opened == 0) cli_class_number(rewriter, &class);
    pass_turn(work, (size_t)(job - work->jobs));
    if (mine && opened == 0) {
        int result = cli_class_rewrite(rewriter, &class, &out, job->reason);
        if (result < 0) fail_job(job, job->reason);
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

// The next job for a thread; NULL: there is none left. One that is waited for is always taken,
// so that a full store cannot stop everything.
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
        pthread_cond_wait(&work->changed, &work->lock);
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
    pthread_cond_init(&work->changed, NULL);
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
    pthread_cond_broadcast(&work->changed);
    while (!(job->root ? job->done : work->turn == i) && !cli_interrupted) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1; // a signal wakes nobody
        pthread_cond_timedwait(&work->changed, &work->lock, &until);
    }
    pthread_mutex_unlock(&work->lock);
}

void cli_work_done(struct cli_work *work, struct cli_job *job) {
    size_t i = (size_t)(job - work->jobs);
    pthread_mutex_lock(&work->lock);
    job->done = 1;
    if (work->turn == i) work->turn++;
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->lock);
}

void cli_work_release(struct cli_work *work, struct cli_job *job) {
    pthread_mutex_lock(&work->lock);
    if (job->root && job->done == 1) {
        work->ready -= job->size;
        job->done = 2; // released
        pthread_cond_broadcast(&work->changed);
    }
    pthread_mutex_unlock(&work->lock);
    free(job->bytes);
    job->bytes = NULL;
}

void cli_work_stop(struct cli_work *work) {
    pthread_mutex_lock(&work->lock);
    work->stop = 1;
    pthread_cond_broadcast(&work->changed);
    pthread_mutex_unlock(&work->lock);
    for (long i = 0; i < work->started; i++) pthread_join(work->threads[i], NULL);
    work->started = 0;
    for (size_t i = 0; i < work->count; i++) {
        free(work->jobs[i].bytes);
        work->jobs[i].bytes = NULL;
    }
    pthread_cond_destroy(&work->changed);
    pthread_mutex_destroy(&work->lock);
}
