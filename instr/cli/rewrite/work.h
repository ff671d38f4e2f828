// Threads that read, rewrite and deflate classes ahead of the main thread, which writes them in their
// order. The number of bytes that are ready at a time is limited.

#ifndef INSTR_CLI_REWRITE_WORK_H
#define INSTR_CLI_REWRITE_WORK_H

#include "instr/cli/rewrite/deflate.h"
#include "instr/cli/rewrite/internal.h"

#include <pthread.h>

// A thread's own: what it reads from, and what it deflates with.
struct cli_reader {
    zip_t *archive; // NULL: files
    struct cli_deflater deflater;
};
void cli_reader_close(struct cli_reader *reader);

struct cli_job {
    size_t index;          // in the archive or the list
    const char *path;      // its whole name there
    size_t start;          // of the class's name in it
    struct cli_root *root; // NULL: the main thread does this job, and later ones wait for it
    uint64_t size;         // in bytes, as far as known
    int deflate;           // it is deflated in the archive
    // The result, after cli_work_wait.
    int done;
    int changed;
    int failed;     // skipped for `reason`; without bytes it cannot even be copied
    uint8_t *bytes; // deflated if `is_deflated`
    size_t length;
    uint64_t plain_length;
    uint32_t crc;
    int is_deflated;
    char reason[CLI_REASON_SIZE];
};

struct cli_work {
    struct cli_rewrite *rewrite;
    const struct cli_store *store; // of the archive; NULL: files
    // Reads the class of a job; for an archive also its bytes as they lie there. -1 with a reason.
    int (*read)(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                char reason[CLI_REASON_SIZE]);
    int (*read_raw)(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                    char reason[CLI_REASON_SIZE]);
    struct cli_job *jobs;
    size_t count;
    // Set by cli_work_start.
    pthread_mutex_t lock;
    pthread_cond_t turned, finished, emptied; // signal a turn, a finished job, room
    size_t next;                              // job that a thread takes next
    size_t turn;                              // job whose methods may be numbered
    size_t wanted;                            // job that the main thread waits for
    uint64_t ready;                           // bytes
    int stop;
    pthread_t threads[CLI_MOST_JOBS];
    long started;
};

// -1: no thread can be started.
int cli_work_start(struct cli_work *work);
// Waits until the job is done. Jobs must be waited for in their order. For a job without a root it
// is the caller's turn, who does it and then calls cli_work_done.
void cli_work_wait(struct cli_work *work, struct cli_job *job);
void cli_work_done(struct cli_work *work, struct cli_job *job);
// Frees the job's bytes.
void cli_work_release(struct cli_work *work, struct cli_job *job);
// Ends the threads, even if work is left, and frees their results.
void cli_work_stop(struct cli_work *work);

// Deflates `from`, or copies it if `deflate` is 0, into the job's result. -1: out of memory.
int cli_work_pack(struct cli_reader *reader, struct cli_job *job, const uint8_t *bytes,
                  size_t length, int deflate);

#endif
