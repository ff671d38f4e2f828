// Archives in files or in memory, read and written through sources of libzip.

#ifndef INSTR_CLI_REWRITE_STORE_H
#define INSTR_CLI_REWRITE_STORE_H

#include "instr/cli/input.h"

#include <zip.h>

// Output of one thread, which may seek back: in memory (fd -1), or to a file through a buffer.
struct cli_sink {
    int fd;
    int error;      // errno of the first failure
    uint8_t *bytes; // everything, or the part of a file from `base` on
    size_t used, capacity;
    uint64_t base, at;
    uint64_t length; // of everything written
};

int cli_sink_write(struct cli_sink *sink, const void *bytes, size_t n);
// Writes the buffer. -1: sink->error.
int cli_sink_flush(struct cli_sink *sink);
void cli_sink_free(struct cli_sink *sink);

// An archive that libzip reads from `store` and, when it is closed, writes to `sink` (NULL: it is
// only read). Both must outlive it. NULL: `error` says why; the caller finishes it.
zip_t *cli_store_open(const struct cli_store *store, struct cli_sink *sink, zip_error_t *error);

#endif
