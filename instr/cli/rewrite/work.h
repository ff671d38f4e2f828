// Threads that read, rewrite and deflate classes ahead of the one that writes them in their order.
// So many bytes at most lie ready at a time.

#ifndef INSTR_CLI_REWRITE_WORK_H
#define INSTR_CLI_REWRITE_WORK_H

#include "instr/cli/cli.h"
#include "instr/cli/rewrite/rewrite.h"
#include "instr/cli/rewrite/deflate.h"

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
    struct cli_root *root; // NULL: not for the threads; what is behind it waits until it is done
    uint64_t size;         // that it has, or will have
    int deflate;           // it was deflated, and shall be again
    // The result, once it is waited for.
    int done;
    int changed;
    int failed;     // kept, with `reason`; no bytes: not even that is possible
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
    // Reads the class of a job; and, for an archive, its bytes as they lie there. -1 with a reason.
    int (*read)(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                char reason[CLI_REASON_SIZE]);
    int (*read_raw)(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                    char reason[CLI_REASON_SIZE]);
    struct cli_job *jobs;
    size_t count;
    // Set by cli_work_start.
    pthread_mutex_t lock;
    pthread_cond_t turned, finished, emptied; // whoever waits for: a turn, a job, room
    size_t next;                              // job to be taken
    size_t turn;                              // job whose methods may be numbered
    size_t wanted;                            // job that is waited for
    uint64_t ready;                           // bytes
    int stop;
    pthread_t threads[CLI_MOST_JOBS];
    long started;
};

// The bytes of a job's entry as they lie in the archive, not inflated and not checked: what is
// broken stays so. -1 with a reason.
int cli_entry_raw(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                  char reason[CLI_REASON_SIZE]);
// The same inflated, with the length and the checksum that the archive tells.
int cli_entry_class(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                    char reason[CLI_REASON_SIZE]);

// -1: no thread can be started.
int cli_work_start(struct cli_work *work);
// Waits until the job is done. The jobs must be asked for in their order; one without a root is
// the caller's to do, and to be given to cli_work_done afterwards.
void cli_work_wait(struct cli_work *work, struct cli_job *job);
void cli_work_done(struct cli_work *work, struct cli_job *job);
// Frees the job's bytes.
void cli_work_release(struct cli_work *work, struct cli_job *job);
// Ends the threads, whatever is left to do, and frees what they made.
void cli_work_stop(struct cli_work *work);

// Deflates `from`, or copies it if `deflate` is 0, into the job's result. -1: out of memory.
int cli_work_pack(struct cli_reader *reader, struct cli_job *job, const uint8_t *bytes,
                  size_t length, int deflate);

#endif
