// Class files where they lie. Sizes told by a jar are believed only when the bytes are there.

#include "instr/cli/input.h"
#include "instr/cli/rewrite/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zip.h>

static int fail(char reason[CLI_REASON_SIZE], const char *text) {
    snprintf(reason, CLI_REASON_SIZE, "%s", text);
    return -1;
}

// --- files ---

// Reads to the end, in growing steps: the length of a pipe is not known, and that of a file may
// change.
static int read_all(FILE *file, struct cli_bytes *out, char reason[CLI_REASON_SIZE]) {
    size_t capacity = 1 << 16;
    struct stat st;
    if (fstat(fileno(file), &st) == 0 && st.st_size > 0 && (size_t)st.st_size < CLI_MOST_BYTES)
        capacity = (size_t)st.st_size + 1;
    uint8_t *bytes = malloc(capacity);
    size_t length = 0;
    while (bytes) {
        length += fread(bytes + length, 1, capacity - length, file);
        if (length < capacity || length > CLI_MOST_BYTES) break;
        capacity *= 2;
        uint8_t *more = realloc(bytes, capacity);
        if (!more) free(bytes);
        bytes = more;
    }
    int error = errno;
    if (!bytes) return fail(reason, "out of memory");
    out->bytes = bytes;
    out->length = length;
    if (!ferror(file) && length <= CLI_MOST_BYTES) return 0;
    free(bytes);
    return fail(reason, ferror(file) ? strerror(error) : "larger than 512 MB");
}

int cli_read_file(const char *path, struct cli_bytes *bytes, char reason[CLI_REASON_SIZE]) {
    int is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    if (!file) return fail(reason, strerror(errno));
    int result = read_all(file, bytes, reason);
    if (!is_stdin) fclose(file);
    return result;
}

// --- jars ---

// How many bytes stand before the archive, which does not count them.
static uint64_t start_of(const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe does not hold it up
    if (fd < 0) return 0;
    struct cli_store store = {fd, NULL, 0};
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) store.length = (uint64_t)st.st_size;
    uint64_t start = cli_store_start(&store);
    close(fd);
    return start;
}

int cli_open_jar(const char *path, struct zip **jar, char reason[CLI_REASON_SIZE]) {
    int code = 0;
    zip_error_t error;
    uint64_t start = start_of(path);
    if (start == 0) {
        *jar = zip_open(path, ZIP_RDONLY, &code);
        zip_error_init_with_code(&error, code);
    } else {
        zip_error_init(&error);
        zip_source_t *source = zip_source_file_create(path, start, -1, &error);
        *jar = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
        if (source && !*jar) zip_source_free(source);
    }
    if (*jar) return 0;
    snprintf(reason, CLI_REASON_SIZE, "no jar: %s", zip_error_strerror(&error));
    zip_error_fini(&error);
    return -1;
}

void cli_close_jar(struct zip *jar) {
    if (jar) zip_discard(jar);
}

size_t cli_jar_entries(struct zip *jar) {
    zip_int64_t n = zip_get_num_entries(jar, 0);
    return n > 0 ? (size_t)n : 0;
}

const char *cli_jar_name(struct zip *jar, size_t index) {
    return zip_get_name(jar, index, ZIP_FL_ENC_RAW);
}

// Reads `length` bytes, and makes sure that there are no more (which also checks the checksum).
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

int cli_read_entry(struct zip *jar, size_t index, struct cli_bytes *out,
                   char reason[CLI_REASON_SIZE]) {
    zip_stat_t st;
    zip_stat_init(&st);
    if (zip_stat_index(jar, index, 0, &st) != 0) return fail(reason, zip_strerror(jar));
    if (!(st.valid & ZIP_STAT_SIZE)) return fail(reason, "its length is not known");
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

long long cli_find_entry(struct zip *jar, const char *name) {
    zip_int64_t index = zip_name_locate(jar, name, ZIP_FL_ENC_RAW);
    if (index >= 0) return index;
    char *path = malloc(strlen(name) + sizeof ".class");
    if (!path) return -1;
    strcpy(path, name);
    for (char *c = path; *c; c++)
        if (*c == '.') *c = '/';
    strcat(path, ".class");
    index = zip_name_locate(jar, path, ZIP_FL_ENC_RAW);
    free(path);
    return index;
}
