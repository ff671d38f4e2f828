// Bytes that an archive is read from and written to.
//
// libzip writes an archive back to the source that it was read from. This source reads one file and
// writes another: so libzip copies every unchanged entry with its compressed bytes, attributes,
// times and comments, and only the changed entries pass through this tool.

#include "instr/cli/rewrite/store.h"
#include "instr/cli/rewrite/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 1 << 14, SINK_BUFFER = 1 << 20 };

// --- sinks ---

static int fail_sink(struct cli_sink *sink, int error) {
    if (!sink->error) sink->error = error;
    return -1;
}

int cli_sink_flush(struct cli_sink *sink) {
    if (sink->error) return -1;
    if (sink->fd < 0) return 0;
    size_t done = 0;
    while (done < sink->used) {
        ssize_t n =
            pwrite(sink->fd, sink->bytes + done, sink->used - done, (off_t)(sink->base + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_sink(sink, errno);
        done += (size_t)n;
    }
    sink->base += sink->used;
    sink->used = 0;
    return 0;
}

// Makes room so that `n` bytes fit from `offset` on.
static int reserve(struct cli_sink *sink, size_t offset, size_t n) {
    if (n <= sink->capacity && offset <= sink->capacity - n) return 0;
    size_t capacity = sink->capacity ? sink->capacity : SINK_BUFFER;
    while (capacity < offset + n) capacity *= 2;
    uint8_t *bytes = realloc(sink->bytes, capacity);
    if (!bytes) return fail_sink(sink, ENOMEM);
    sink->bytes = bytes;
    sink->capacity = capacity;
    return 0;
}

int cli_sink_write(struct cli_sink *sink, const void *bytes, size_t n) {
    if (cli_interrupted) return fail_sink(sink, EINTR);
    if (sink->error) return -1;
    int inside = sink->at >= sink->base && sink->at - sink->base <= sink->used;
    if (sink->fd >= 0 && (!inside || sink->at - sink->base + n > SINK_BUFFER)) {
        if (cli_sink_flush(sink) != 0) return -1;
        sink->base = sink->at;
    }
    size_t offset = (size_t)(sink->at - sink->base);
    if (reserve(sink, offset, n) != 0) return -1;
    if (offset > sink->used) memset(sink->bytes + sink->used, 0, offset - sink->used);
    memcpy(sink->bytes + offset, bytes, n);
    if (offset + n > sink->used) sink->used = offset + n;
    sink->at += n;
    if (sink->at > sink->length) sink->length = sink->at;
    return 0;
}

void cli_sink_free(struct cli_sink *sink) {
    free(sink->bytes);
    sink->bytes = NULL;
    sink->used = sink->capacity = 0;
}

// --- the source of libzip ---

struct both {
    const struct cli_store *store;
    struct cli_sink *sink; // NULL: only read
    uint64_t start;        // of the archive in the store; for libzip that is 0
    uint64_t at;
    uint64_t window_at; // of what is in the window; libzip reads headers piece by piece
    size_t window_used;
    zip_error_t error;
    uint8_t window[WINDOW];
};

static zip_int64_t fail_both(struct both *both, int code, int error) {
    zip_error_set(&both->error, code, error);
    return -1;
}

static zip_int64_t read_both(struct both *both, void *to, uint64_t n) {
    if (n >= WINDOW) {
        int64_t got = cli_store_read(both->store, both->start + both->at, to, (size_t)n);
        if (got < 0) return fail_both(both, ZIP_ER_READ, errno);
        both->at += (uint64_t)got;
        return got;
    }
    if (both->at < both->window_at || both->at + n > both->window_at + both->window_used) {
        int64_t got = cli_store_read(both->store, both->start + both->at, both->window, WINDOW);
        if (got < 0) return fail_both(both, ZIP_ER_READ, errno);
        both->window_at = both->at;
        both->window_used = (size_t)got;
    }
    size_t offset = (size_t)(both->at - both->window_at), left = both->window_used - offset;
    if (n > left) n = left;
    memcpy(to, both->window + offset, (size_t)n);
    both->at += n;
    return (zip_int64_t)n;
}

// Copies what stands before the first entry, such as a shell script that starts the jar.
static int write_prefix(struct both *both) {
    uint8_t piece[4096];
    uint64_t at = 0;
    for (;;) {
        int64_t n = cli_store_read(both->store, at, piece, sizeof piece);
        if (n < 0) return -1;
        if (at < both->start && (uint64_t)n > both->start - at) n = (int64_t)(both->start - at);
        int whole = at < both->start; // all of it is in front of the archive, whatever it contains
        const uint8_t *found = !whole && n >= 4 ? memmem(piece, (size_t)n, "PK\3\4", 4) : NULL;
        size_t plain = found   ? (size_t)(found - piece)
                       : whole ? (size_t)n
                       : n > 3 ? (size_t)n - 3
                               : 0;
        if (plain > 0 && cli_sink_write(both->sink, piece, plain) != 0) return -1;
        if (found || plain == 0) return 0;
        at += plain;
    }
}

static zip_int64_t stat_both(struct both *both, void *data, uint64_t n) {
    if (n < sizeof(zip_stat_t)) return fail_both(both, ZIP_ER_INVAL, 0);
    zip_stat_t *st = data;
    zip_stat_init(st);
    st->valid = ZIP_STAT_SIZE;
    st->size = both->store->length - both->start;
    return sizeof *st;
}

static zip_int64_t seek_both(struct both *both, void *data, uint64_t n, uint64_t *at,
                             uint64_t length) {
    zip_int64_t to = zip_source_seek_compute_offset(*at, length, data, n, &both->error);
    if (to < 0) return -1;
    *at = (uint64_t)to;
    return 0;
}

static zip_int64_t write_both(struct both *both, const void *data, uint64_t n) {
    if (cli_sink_write(both->sink, data, (size_t)n) != 0)
        return fail_both(both, ZIP_ER_WRITE, both->sink->error);
    return (zip_int64_t)n;
}

static zip_int64_t commands(const struct both *both) {
    zip_int64_t read = zip_source_make_command_bitmap(
        ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
        ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, -1);
    if (!both->sink) return read;
    return read | zip_source_make_command_bitmap(ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE,
                                                 ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
                                                 ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE,
                                                 ZIP_SOURCE_REMOVE, -1);
}

static zip_int64_t on_command(void *context, void *data, zip_uint64_t n, zip_source_cmd_t command) {
    struct both *both = context;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS: return commands(both);
    case ZIP_SOURCE_OPEN: both->at = 0; return 0;
    case ZIP_SOURCE_READ: return read_both(both, data, n);
    case ZIP_SOURCE_SEEK:
        return seek_both(both, data, n, &both->at, both->store->length - both->start);
    case ZIP_SOURCE_TELL: return (zip_int64_t)both->at;
    case ZIP_SOURCE_STAT: return stat_both(both, data, n);
    case ZIP_SOURCE_BEGIN_WRITE:
        if (write_prefix(both) == 0) return 0;
        return fail_both(both, ZIP_ER_WRITE, both->sink->error);
    case ZIP_SOURCE_WRITE: return write_both(both, data, n);
    case ZIP_SOURCE_SEEK_WRITE:
        return seek_both(both, data, n, &both->sink->at, both->sink->length);
    case ZIP_SOURCE_TELL_WRITE: return (zip_int64_t)both->sink->at;
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE: return 0;
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&both->error, data, n);
    case ZIP_SOURCE_FREE: free(both); return 0;
    default: return fail_both(both, ZIP_ER_OPNOTSUPP, 0);
    }
}

zip_t *cli_store_open(const struct cli_store *store, struct cli_sink *sink, zip_error_t *error) {
    struct both *both = calloc(1, sizeof *both);
    if (!both) {
        zip_error_set(error, ZIP_ER_MEMORY, 0);
        return NULL;
    }
    both->store = store;
    both->sink = sink;
    both->start = cli_store_start(store);
    zip_error_init(&both->error);
    zip_source_t *source = zip_source_function_create(on_command, both, error);
    if (!source) {
        free(both);
        return NULL;
    }
    zip_t *archive = zip_open_from_source(source, sink ? 0 : ZIP_RDONLY, error);
    if (!archive) zip_source_free(source);
    return archive;
}
