#include "instr/coverage/exec_writer.h"

#include "instr/coverage/exec_reader.h"
#include "instr/base/file.h"
#include "instr/base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// --- the id of a class ---

// In the reflected form bit 63 is x^0 and bit 0 is x^63; the polynomial is x^64 + x^4 + x^3 + x +
// 1. Multiplying by its lower part reduces terms of x^64 and above.
static uint64_t times_polynomial(uint64_t a) {
    return a ^ a >> 1 ^ a >> 3 ^ a >> 4;
}

// Takes eight bytes at once. The bits that the shifts above move out of a word, at most four, are
// terms of x^64 and above again, and are reduced once more.
static uint64_t crc_word(uint64_t crc, const uint8_t bytes[8]) {
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++) word |= (uint64_t)bytes[i] << 8 * i;
    word ^= crc;
    return times_polynomial(word) ^ times_polynomial(word << 63 ^ word << 61 ^ word << 60);
}

static uint64_t crc_byte(uint64_t crc, uint8_t byte) {
    return crc >> 8 ^ times_polynomial((crc ^ byte) << 56);
}

uint64_t instr_exec_class_id(const uint8_t *bytes, size_t length) {
    uint64_t crc = 0;
    size_t i = 0;
    if (length >= 8) {
        uint8_t first[8];
        memcpy(first, bytes, 8);
        // Early releases of JaCoCo lowered the version to read classes of Java 9; the ids still
        // have the lowered version.
        if (first[6] == 0 && first[7] == 53) first[7] = 52;
        crc = crc_word(0, first);
        for (i = 8; length - i >= 8; i += 8) crc = crc_word(crc, bytes + i);
    }
    for (; i < length; i++) crc = crc_byte(crc, bytes[i]);
    return crc;
}

// --- text ---

// Writes a character in modified UTF-8. Returns the number of bytes, at most 6.
static size_t put_modified(uint32_t c, char bytes[8]) {
    if (c == 0) {
        memcpy(bytes, "\xC0\x80", 2);
        return 2;
    }
    if (c < 0x10000) return instr_utf8_put(c, bytes);
    c -= 0x10000;
    instr_utf8_put(0xD800 + (c >> 10), bytes);
    instr_utf8_put(0xDC00 + (c & 0x3FF), bytes + 3);
    return 6;
}

size_t instr_exec_text(const char *text, char *to, size_t size) {
    const char *end = text + strlen(text);
    size_t used = 0;
    while (text < end) {
        char bytes[8];
        size_t n = put_modified(instr_utf8_next(&text, end), bytes);
        if (n >= size - used) break;
        memcpy(to + used, bytes, n);
        used += n;
    }
    to[used] = '\0';
    return used;
}

// --- the file ---

static void write_number(struct instr_exec_file *file, uint64_t number, unsigned bytes) {
    uint8_t b[8];
    for (unsigned i = 0; i < bytes; i++) b[i] = (uint8_t)(number >> 8 * (bytes - 1 - i));
    instr_output_bytes(&file->out, b, bytes);
}

static void write_header(struct instr_exec_file *file) {
    write_number(file, INSTR_EXEC_HEADER, 1);
    write_number(file, INSTR_EXEC_MAGIC, 2);
    write_number(file, INSTR_EXEC_VERSION, 2);
}

static void start(struct instr_exec_file *file) {
    file->fd = -1;
    file->before = 0;
    file->end = NULL;
    file->problem[0] = '\0';
}

// Waits for other writers that append, but not forever. On file systems without locks nothing is
// locked. The lock belongs to the open file description: closing another descriptor of the file in
// this process must not release it.
static int lock(int fd) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct timespec wait = {0, 100000}; // others may write the short session of a test
    for (int i = 0; i < 1000; i++) {
        if (fcntl(fd, F_OFD_SETLK, &whole) == 0) return 0;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) return 0;
        nanosleep(&wait, NULL);
        if (wait.tv_nsec < 10000000) wait.tv_nsec += 100000;
    }
    errno = EAGAIN;
    return -1;
}

// Opens and locks the file at `path`, and tries again if the file was replaced in the meantime.
static int open_locked(const char *path) {
    for (int i = 0; i < 100; i++) {
        char target[PATH_MAX];
        if (instr_file_follow(path, target) != 0) return -1;
        int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | instr_file_flags(target);
        int fd = open(target, flags, 0666);
        if (fd < 0) return -1;
        struct stat held, named;
        int locked = lock(fd) == 0, error = errno;
        int same = locked && fstat(fd, &held) == 0 && stat(target, &named) == 0 &&
                   held.st_dev == named.st_dev && held.st_ino == named.st_ino;
        if (same) return fd;
        close(fd);
        errno = error;
        if (!locked) return -1;
    }
    errno = EAGAIN;
    return -1;
}

// How much of the file need not be read. Others may have truncated the file.
static int64_t known_length(const struct instr_exec_file *file) {
    const struct instr_exec_end *end = file->end;
    struct stat st;
    int same = end && fstat(file->fd, &st) == 0 && st.st_dev == end->device &&
               st.st_ino == end->inode && st.st_size >= end->length;
    return same ? end->length : 0;
}

static enum instr_exec_found read_from(struct instr_exec_file *file, const char *path, int64_t from,
                                       struct instr_exec_reader *reader) {
    enum instr_exec_found found;
    instr_exec_read_descriptor(reader, file->fd, path);
    reader->position = reader->whole = (uint64_t)from;
    if (lseek(file->fd, from, SEEK_SET) != from) file->out.failed = errno;
    do found = instr_exec_read(reader);
    while (found > INSTR_EXEC_NOTHING);
    instr_exec_read_close(reader);
    return found;
}

// Finds the end of the last complete block and truncates the file there.
static void check_before(struct instr_exec_file *file, const char *path) {
    struct instr_exec_reader reader;
    int64_t known = known_length(file);
    enum instr_exec_found found = read_from(file, path, known, &reader);
    // The file may have other content by now, so that no position in it is known.
    if (found != INSTR_EXEC_NOTHING && known > 0) found = read_from(file, path, 0, &reader);
    file->before = (int64_t)reader.whole;
    if (found == INSTR_EXEC_NOTHING) return;
    if (!reader.cut || reader.whole == 0)
        snprintf(file->problem, sizeof file->problem, "%.500s; nothing was appended", reader.error);
    else if (ftruncate(file->fd, file->before) != 0)
        file->out.failed = errno;
}

static void open_to_append(struct instr_exec_file *file, const char *path) {
    file->fd = open_locked(path);
    int error = errno;
    instr_output_descriptor(&file->out, file->fd);
    snprintf(file->out.path, sizeof file->out.path, "%s", path);
    if (file->fd < 0)
        file->out.failed = error;
    else
        check_before(file, path);
}

void instr_exec_make_folders(const char *path) {
    char folder[PATH_MAX];
    if (strlen(path) >= sizeof folder) return;
    strcpy(folder, path);
    for (char *c = folder + 1; folder[0] && *c; c++) {
        if (*c != '/') continue;
        *c = '\0';
        mkdir(folder, 0777);
        *c = '/';
    }
}

void instr_exec_open(struct instr_exec_file *file, const char *path, int append) {
    struct stat st;
    if (stat(path, &st) != 0 && errno == ENOENT) instr_exec_make_folders(path);
    int regular = stat(path, &st) != 0 ? errno == ENOENT : S_ISREG(st.st_mode);
    start(file);
    if (append && regular)
        open_to_append(file, path);
    else
        instr_output_open(&file->out, path);
    write_header(file);
}

void instr_exec_open_again(struct instr_exec_file *file, const char *path,
                           struct instr_exec_end *end) {
    start(file);
    file->end = end;
    open_to_append(file, path);
    write_header(file);
}

void instr_exec_open_descriptor(struct instr_exec_file *file, int fd) {
    start(file);
    instr_output_descriptor(&file->out, fd);
    write_header(file);
}

static void note_end(struct instr_exec_file *file) {
    struct stat st;
    if (fstat(file->fd, &st) != 0) return;
    file->end->device = st.st_dev;
    file->end->inode = st.st_ino;
    file->end->length = st.st_size;
}

int instr_exec_close(struct instr_exec_file *file, char *error, size_t size) {
    if (file->problem[0]) file->out.fd = -1; // the buffer is discarded
    int status = instr_output_close(&file->out, error, size);
    if (file->problem[0]) {
        snprintf(error, size, "%.*s", (int)size - 1, file->problem); // truncated if too long
        status = -1;
    }
    if (file->fd < 0) return status;
    // Removes what was written in part. If this fails too, the next writer will do it.
    int restored = status == 0 || file->problem[0] ? 0 : ftruncate(file->fd, file->before);
    if (status == 0 && file->end) note_end(file);
    if (close(file->fd) != 0 && status == 0 && restored == 0) {
        snprintf(error, size, "%.300s: %s", file->out.path, strerror(errno));
        status = -1;
    }
    file->fd = -1;
    return status;
}

void instr_exec_abandon(struct instr_exec_file *file) {
    char error[512];
    file->out.failed = ECANCELED;
    instr_exec_close(file, error, sizeof error); // the error is ECANCELED
}

// --- blocks ---

static void write_text(struct instr_exec_file *file, const char *text, size_t length) {
    write_number(file, length, 2);
    instr_output_bytes(&file->out, text, length);
}

int instr_exec_write_session(struct instr_exec_file *file,
                             const struct instr_exec_session *session) {
    if (session->id_length > INSTR_EXEC_UTF_MAX) return 0;
    write_number(file, INSTR_EXEC_SESSION, 1);
    write_text(file, session->id, session->id_length);
    write_number(file, session->start, 8);
    write_number(file, session->dump, 8);
    return 1;
}

static void begin_class(struct instr_exec_file *file, uint64_t id, const char *name,
                        size_t name_length, size_t probes) {
    write_number(file, INSTR_EXEC_CLASS, 1);
    write_number(file, id, 8);
    write_text(file, name, name_length);
    for (; probes > 0x7F; probes >>= 7) write_number(file, 0x80 | (probes & 0x7F), 1);
    write_number(file, probes, 1);
}

static int any(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (bytes[i]) return 1;
    return 0;
}

int instr_exec_write_class(struct instr_exec_file *file, const struct instr_exec_class *class) {
    size_t bytes = class->probes / 8 + (class->probes % 8 != 0);
    if (class->name_length > INSTR_EXEC_UTF_MAX || class->probes > INT32_MAX ||
        !any(class->bits, bytes))
        return 0;
    begin_class(file, class->id, class->name, class->name_length, class->probes);
    instr_output_bytes(&file->out, class->bits, bytes);
    return 1;
}

int instr_exec_write_probes(struct instr_exec_file *file, uint64_t id, const char *name,
                            const uint8_t *probes, size_t count) {
    size_t length = strlen(name);
    if (length > INSTR_EXEC_UTF_MAX || count > INT32_MAX || !any(probes, count)) return 0;
    begin_class(file, id, name, length, count);
    for (size_t i = 0; i < count; i += 8) {
        uint8_t bits = 0;
        for (unsigned k = 0; k < 8 && i + k < count; k++)
            bits |= (uint8_t)((probes[i + k] != 0) << k);
        write_number(file, bits, 1);
    }
    return 1;
}
