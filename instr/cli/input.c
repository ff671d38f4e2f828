// Files and jars that the tool reads. The sizes in a jar's directory are believed only when the
// bytes are there.

#include "instr/cli/input.h"
#include "instr/base/file.h"
#include "instr/base/array.h"
#include "instr/base/output.h"
#include "instr/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zip.h>

static const uint64_t MOST_INPUT = UINT64_C(1) << 30;

static int fail(char reason[CLI_REASON_SIZE], const char *text) {
    snprintf(reason, CLI_REASON_SIZE, "%s", text);
    return -1;
}

// --- files ---

// Reads to the end in growing steps: the length of a pipe is unknown, and that of a file may change.
int cli_read_descriptor(int fd, struct cli_bytes *out, char reason[CLI_REASON_SIZE]) {
    size_t capacity = 0, length = 0, first = 1 << 16;
    struct stat st;
    uint8_t *bytes = NULL;
    ssize_t n = 1;
    if (fstat(fd, &st) == 0 && st.st_size > 0 && (size_t)st.st_size < CLI_MOST_BYTES)
        first = (size_t)st.st_size + 1;
    while (n > 0 && length <= CLI_MOST_BYTES) {
        if (!INSTR_ARRAY_RESERVE(bytes, capacity, length ? length + 1 : first)) {
            free(bytes);
            return fail(reason, "out of memory");
        }
        n = read(fd, bytes + length, capacity - length);
        if (n > 0) length += (size_t)n;
        if (n < 0 && errno == EINTR) n = 1;
    }
    *out = (struct cli_bytes){bytes, length};
    if (n == 0) return 0;
    fail(reason, n < 0 ? strerror(errno) : "larger than 512 MB");
    free(bytes);
    return -1;
}

int cli_read_file(const char *path, struct cli_bytes *bytes, char reason[CLI_REASON_SIZE]) {
    if (strcmp(path, "-") == 0) return cli_read_descriptor(STDIN_FILENO, bytes, reason);
    const char *why;
    int fd = instr_file_open(path, &why);
    if (fd < 0) return fail(reason, why);
    int result = cli_read_descriptor(fd, bytes, reason);
    close(fd);
    return result;
}

// 0; or an errno.
static int copy_input(int to) {
    static char piece[1 << 16];
    uint64_t length = 0;
    for (;;) {
        ssize_t n = read(STDIN_FILENO, piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : 0;
        if ((length += (uint64_t)n) > MOST_INPUT) return EFBIG;
        for (ssize_t done = 0; done < n;) {
            ssize_t m = write(to, piece + done, (size_t)(n - done));
            if (m < 0 && errno != EINTR) return errno;
            if (m > 0) done += m;
        }
    }
}

int cli_keep_input(void) {
    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0) return CLI_OK;
    int fd = memfd_create("instr-input", MFD_CLOEXEC), error = fd < 0 ? errno : copy_input(fd);
    if (!error && (lseek(fd, 0, SEEK_SET) < 0 || dup2(fd, STDIN_FILENO) < 0)) error = errno;
    if (fd >= 0) close(fd);
    return error ? cli_error("standard input: %s", strerror(error)) : CLI_OK;
}

int cli_file_starts_with(const char *path, const char *start, size_t length) {
    char found[8];
    int standard = strcmp(path, "-") == 0;
    int fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return 0;
    ssize_t n = pread(fd, found, length, standard ? lseek(fd, 0, SEEK_CUR) : 0);
    close(fd);
    return n == (ssize_t)length && memcmp(found, start, length) == 0;
}

int cli_write_file(const char *path, const struct cli_bytes *bytes) {
    struct instr_output out;
    instr_output_open(&out, path);
    instr_output_bytes(&out, bytes->bytes, bytes->length);
    return cli_output_close(&out);
}

// --- jars ---

int64_t cli_store_read(const struct cli_store *store, uint64_t at, void *to, size_t n) {
    if (at >= store->length) return 0;
    if (n > store->length - at) n = (size_t)(store->length - at);
    if (store->fd < 0) {
        memcpy(to, store->bytes + at, n);
        return (int64_t)n;
    }
    size_t done = 0;
    while (done < n) {
        ssize_t got = pread(store->fd, (char *)to + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break; // the file became shorter
        done += (size_t)got;
    }
    return (int64_t)done;
}

static uint32_t le4(const uint8_t *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int is_at(const struct cli_store *store, uint64_t at, const char signature[4]) {
    char found[4];
    return cli_store_read(store, at, found, 4) == 4 && memcmp(found, signature, 4) == 0;
}

uint64_t cli_store_start(const struct cli_store *store) {
    enum { END = 22, TAIL = END + UINT16_MAX }; // the record at the end, and its comment
    uint64_t from = store->length > TAIL ? store->length - TAIL : 0, start = 0;
    uint8_t *tail = malloc(TAIL);
    int64_t n = tail ? cli_store_read(store, from, tail, TAIL) : 0;
    for (int64_t i = n - END; i >= 0; i--) {
        const uint8_t *end = tail + i;
        if (memcmp(end, "PK\5\6", 4) != 0 || i + END + (end[20] | end[21] << 8) != n) continue;
        uint64_t at = from + (uint64_t)i, size = le4(end + 12), offset = le4(end + 16);
        if (size + offset < at && is_at(store, at - size, "PK\1\2")) start = at - size - offset;
        break;
    }
    free(tail);
    return start;
}

// How many bytes stand before the archive that its offsets do not count.
static uint64_t start_of(const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // does not wait for a pipe's writer
    if (fd < 0) return 0;
    struct cli_store store = {fd, NULL, 0};
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) store.length = (uint64_t)st.st_size;
    uint64_t start = cli_store_start(&store);
    close(fd);
    return start;
}

static int open_source(zip_source_t *source, zip_error_t *error, struct zip **jar,
                       char reason[CLI_REASON_SIZE]) {
    *jar = source ? zip_open_from_source(source, ZIP_RDONLY, error) : NULL;
    if (source && !*jar) zip_source_free(source);
    if (*jar) return 0;
    snprintf(reason, CLI_REASON_SIZE, "cannot be opened as a jar: %s", zip_error_strerror(error));
    zip_error_fini(error);
    return -1;
}

int cli_open_jar(const char *path, struct zip **jar, char reason[CLI_REASON_SIZE]) {
    zip_error_t error;
    zip_error_init(&error);
    return open_source(zip_source_file_create(path, start_of(path), -1, &error), &error, jar,
                       reason);
}

int cli_open_jar_bytes(const struct cli_bytes *bytes, struct zip **jar,
                       char reason[CLI_REASON_SIZE]) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(bytes->bytes, bytes->length, 1, &error);
    if (!source) free(bytes->bytes);
    return open_source(source, &error, jar, reason);
}

void cli_close_jar(struct zip *jar) {
    if (jar) zip_discard(jar);
}

// Reads `length` bytes and makes sure that there are no more, which also checks the checksum.
static int read_exactly(zip_file_t *file, uint8_t *bytes, size_t length,
                        char reason[CLI_REASON_SIZE]) {
    size_t done = 0;
    uint8_t more;
    while (done < length) {
        zip_int64_t n = zip_fread(file, bytes + done, length - done);
        if (n < 0) return fail(reason, zip_error_strerror(zip_file_get_error(file)));
        if (n == 0) return fail(reason, "shorter than the jar says");
        done += (size_t)n;
    }
    zip_int64_t n = zip_fread(file, &more, 1);
    if (n < 0) return fail(reason, zip_error_strerror(zip_file_get_error(file)));
    return n == 0 ? 0 : fail(reason, "longer than the jar says");
}

// Bytes of jars in jars that are unpacked in all, where each counts for some at least: the same jar packed
// sixteen times into another, and that again, makes millions of them in a file of 50 KB.
static const uint64_t MOST_NESTED = UINT64_C(8) << 30, LEAST_NESTED = 512 << 10;

enum cli_nested_room cli_nested_take(struct cli_nested *nested, struct zip *jar, size_t index) {
    struct zip_stat st;
    uint64_t size = zip_stat_index(jar, index, 0, &st) == 0 ? st.size : 0;
    if (nested->is_full) return CLI_NESTED_STILL_FULL;
    nested->bytes += size > LEAST_NESTED ? size : LEAST_NESTED;
    if (nested->bytes <= MOST_NESTED) return CLI_NESTED_ROOM;
    nested->is_full = 1;
    return CLI_NESTED_FULL;
}

int cli_read_entry(struct zip *jar, size_t index, struct cli_bytes *out,
                   char reason[CLI_REASON_SIZE]) {
    zip_stat_t st;
    zip_stat_init(&st);
    if (zip_stat_index(jar, index, 0, &st) != 0) return fail(reason, zip_strerror(jar));
    if (!(st.valid & ZIP_STAT_SIZE)) return fail(reason, "its length is unknown");
    if (st.size > CLI_MOST_BYTES) return fail(reason, "larger than 512 MB");
    zip_file_t *file = zip_fopen_index(jar, index, 0);
    if (!file) return fail(reason, zip_strerror(jar));
    out->length = (size_t)st.size;
    out->bytes = malloc(out->length + 1);
    int result = out->bytes ? read_exactly(file, out->bytes, out->length, reason)
                            : fail(reason, "out of memory");
    zip_fclose(file);
    if (result != 0) free(out->bytes);
    return result;
}
