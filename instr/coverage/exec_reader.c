#include "instr/coverage/exec_reader.h"

#include "instr/base/array.h"
#include "instr/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- errors ---

__attribute__((format(printf, 3, 4))) static int
fail_at(struct instr_exec_reader *r, uint64_t position, const char *format, ...) {
    if (r->failed) return -1;
    char reason[192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(r->error, sizeof r->error, "%.256s: byte %" PRIu64 ": %s", r->path, position, reason);
    r->failed = 1;
    return -1;
}

static int fail_file(struct instr_exec_reader *r, const char *why) {
    if (r->failed) return -1;
    snprintf(r->error, sizeof r->error, "%.300s: %s", r->path, why);
    r->failed = 1;
    return -1;
}

static int fail_cut(struct instr_exec_reader *r) {
    r->cut = !r->failed;
    return fail_at(r, r->position, "the file ends within a block");
}

// --- bytes ---

// Reads more of the file. 1: there is more; 0: the end; -1: failed.
static int fill(struct instr_exec_reader *r) {
    if (r->failed) return -1;
    ssize_t n;
    do n = read(r->fd, r->buffer, sizeof r->buffer);
    while (n < 0 && errno == EINTR);
    if (n < 0) return fail_file(r, strerror(errno));
    r->at = 0;
    r->filled = (size_t)n;
    return n > 0;
}

static int take(struct instr_exec_reader *r, void *to, size_t length) {
    uint8_t *p = to;
    while (length > 0) {
        if (r->at == r->filled) {
            int more = fill(r);
            if (more <= 0) return more < 0 ? -1 : fail_cut(r);
        }
        size_t there = r->filled - r->at, n = length < there ? length : there;
        memcpy(p, r->buffer + r->at, n);
        r->at += n;
        r->position += n;
        p += n;
        length -= n;
    }
    return 0;
}

static int take_number(struct instr_exec_reader *r, size_t bytes, uint64_t *number) {
    uint8_t b[8];
    if (take(r, b, bytes) != 0) return -1;
    *number = 0;
    for (size_t i = 0; i < bytes; i++) *number = *number << 8 | b[i];
    return 0;
}

// --- the parts of a block ---

// The length of the well-formed start of a string, by the rules of DataInputStream.readUTF, so that
// Java can read what passes here.
static size_t well_formed(const uint8_t *s, size_t length) {
    size_t i = 0;
    while (i < length) {
        size_t n = s[i] < 0x80 ? 1 : s[i] >> 5 == 6 ? 2 : s[i] >> 4 == 14 ? 3 : 0;
        if (n == 0 || n > length - i) break;
        if (n > 1 && s[i + 1] >> 6 != 2) break;
        if (n > 2 && s[i + 2] >> 6 != 2) break;
        i += n;
    }
    return i;
}

bool instr_exec_is_text(const char *text, size_t length) {
    return well_formed((const uint8_t *)text, length) == length && !memchr(text, '\0', length);
}

static int take_text(struct instr_exec_reader *r, const char *what, const char **text,
                     size_t *length) {
    uint64_t n;
    if (take_number(r, 2, &n) != 0) return -1;
    if (!INSTR_ARRAY_RESERVE(r->text, r->text_size, (size_t)n + 1))
        return fail_at(r, r->position, "out of memory");
    uint64_t start = r->position;
    if (take(r, r->text, (size_t)n) != 0) return -1;
    r->text[n] = '\0';
    size_t good = well_formed((const uint8_t *)r->text, (size_t)n);
    if (good < n) return fail_at(r, start + good, "%s is not modified UTF-8", what);
    if (memchr(r->text, '\0', (size_t)n)) return fail_at(r, start, "%s contains a NUL", what);
    *text = r->text;
    *length = (size_t)n;
    return 0;
}

static int take_varint(struct instr_exec_reader *r, size_t *number) {
    uint64_t start = r->position, n = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint8_t byte;
        if (take(r, &byte, 1) != 0) return -1;
        n |= (uint64_t)(byte & 0x7F) << shift;
        if (byte & 0x80) continue;
        if (n > INT32_MAX) break;
        *number = (size_t)n;
        return 0;
    }
    return fail_at(r, start, "the number of probes is out of range");
}

// The bits are read in pieces, so that a large number alone does not cost memory.
static int take_bits(struct instr_exec_reader *r, size_t probes) {
    size_t bytes = probes / 8 + (probes % 8 != 0), done = 0;
    while (done < bytes) {
        size_t n = bytes - done < sizeof r->buffer ? bytes - done : sizeof r->buffer;
        if (!INSTR_ARRAY_RESERVE(r->bits, r->bits_size, done + n))
            return fail_at(r, r->position, "out of memory");
        if (take(r, r->bits + done, n) != 0) return -1;
        done += n;
    }
    if (probes % 8 != 0) r->bits[bytes - 1] &= (uint8_t)((1u << probes % 8) - 1);
    return 0;
}

// --- blocks ---

static int read_header(struct instr_exec_reader *r) {
    uint64_t start = r->position, magic, version;
    if (take_number(r, 2, &magic) != 0) return -1;
    if (magic != INSTR_EXEC_MAGIC) return fail_at(r, start, "not JaCoCo execution data");
    if (take_number(r, 2, &version) != 0) return -1;
    if (version == INSTR_EXEC_VERSION) return 0;
    return fail_at(r, start + 2, "format version 0x%04x, expected 0x%04x", (unsigned)version,
                   (unsigned)INSTR_EXEC_VERSION);
}

static int read_session(struct instr_exec_reader *r) {
    struct instr_exec_session *s = &r->session;
    if (take_text(r, "the id of a session", &s->id, &s->id_length) != 0) return -1;
    return take_number(r, 8, &s->start) != 0 ? -1 : take_number(r, 8, &s->dump);
}

static int read_class(struct instr_exec_reader *r) {
    struct instr_exec_class *c = &r->class;
    if (take_number(r, 8, &c->id) != 0 ||
        take_text(r, "the name of a class", &c->name, &c->name_length) != 0 ||
        take_varint(r, &c->probes) != 0 || take_bits(r, c->probes) != 0)
        return -1;
    c->bits = r->bits;
    return 0;
}

enum instr_exec_found instr_exec_read(struct instr_exec_reader *r) {
    if (r->failed) return INSTR_EXEC_BAD;
    for (;;) {
        if (r->at == r->filled) {
            int more = fill(r);
            if (more <= 0) return more < 0 ? INSTR_EXEC_BAD : INSTR_EXEC_NOTHING;
        }
        uint8_t type = 0;
        if (take(r, &type, 1) != 0) return INSTR_EXEC_BAD;
        if (!r->begun && type != INSTR_EXEC_HEADER) {
            fail_at(r, 0, "not JaCoCo execution data");
            return INSTR_EXEC_BAD;
        }
        int bad = type == INSTR_EXEC_HEADER    ? read_header(r)
                  : type == INSTR_EXEC_SESSION ? read_session(r)
                  : type == INSTR_EXEC_CLASS
                      ? read_class(r)
                      : fail_at(r, r->position - 1, "unknown block type 0x%02x", (unsigned)type);
        if (bad) return INSTR_EXEC_BAD;
        r->begun = 1;
        r->whole = r->position;
        if (type == INSTR_EXEC_SESSION) return INSTR_EXEC_FOUND_SESSION;
        if (type == INSTR_EXEC_CLASS) return INSTR_EXEC_FOUND_CLASS;
    }
}

// --- the file ---

void instr_exec_read_descriptor(struct instr_exec_reader *r, int fd, const char *path) {
    memset(r, 0, offsetof(struct instr_exec_reader, buffer));
    r->fd = fd;
    r->path = path;
}

int instr_exec_read_open(struct instr_exec_reader *r, const char *path) {
    int standard = strcmp(path, "-") == 0;
    const char *why = NULL;
    int fd = standard ? STDIN_FILENO : instr_file_open(path, &why);
    instr_exec_read_descriptor(r, fd, standard ? "standard input" : path);
    if (fd < 0) return fail_file(r, why);
    r->owned = !standard;
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) return fail_file(r, strerror(EISDIR));
    return 0;
}

void instr_exec_read_close(struct instr_exec_reader *r) {
    if (r->owned) close(r->fd);
    r->owned = 0;
    r->failed = 1;
    free(r->text);
    free(r->bits);
    r->text = NULL;
    r->bits = NULL;
    r->text_size = r->bits_size = 0;
}
