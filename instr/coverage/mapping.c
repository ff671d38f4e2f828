#include "instr/coverage/mapping.h"

#include "instr/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "instr/coverage/exec_reader.h"

enum { MAX_NAMES = 10000 };

static struct {
    char path[PATH_MAX];
    int fd, mapped;
    uint8_t *memory; // NULL: none
    struct instr_coverage_map_header header;
    // The classes, as the file has them from CLASSES_AT on; if it is mapped, those it lacks.
    pthread_mutex_t lock; // for the fields below
    uint8_t *classes;
    size_t length, capacity; // of the classes
    size_t written;          // of these bytes; the disk may be full for a while
    size_t before;           // bytes of the file's classes that are not in memory
} map = {.fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static uint8_t *fail(char *reason, size_t size) {
    snprintf(reason, size, "%.400s: %s", map.path, strerror(errno));
    if (map.fd >= 0) instr_coverage_map_abandon();
    return NULL;
}

static uint8_t *map_memory(void) {
    int flags = map.mapped ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, INSTR_COVERAGE_MAP_CLASSES_AT, PROT_READ | PROT_WRITE, flags,
                        map.mapped ? map.fd : -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

// STEM.map, STEM-2.map, and so on: the first name that is not taken.
static int create(const char *stem, int mapped) {
    int fd = -1;
    errno = EEXIST;
    for (int i = 1; fd < 0 && errno == EEXIST && i <= MAX_NAMES; i++) {
        char number[16] = "";
        if (i > 1) snprintf(number, sizeof number, "-%d", i);
        int n = snprintf(map.path, sizeof map.path, "%s%s.map", stem, number);
        if (n >= (int)sizeof map.path)
            errno = ENAMETOOLONG;
        else
            fd = open(map.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mapped ? 0444 : 0666);
    }
    return fd;
}

uint8_t *instr_coverage_map_open(const char *stem, const struct instr_coverage_map_header *header,
                                 int mapped, char *reason, size_t size) {
    instr_exec_make_folders(stem);
    map.fd = create(stem, mapped);
    map.mapped = mapped;
    map.header = *header;
    map.length = map.written = map.before = 0;
    if (map.fd < 0 || ftruncate(map.fd, INSTR_COVERAGE_MAP_CLASSES_AT) != 0 ||
        pwrite(map.fd, header, sizeof *header, 0) != (ssize_t)sizeof *header ||
        !(map.memory = map_memory()))
        return fail(reason, size);
    return map.memory;
}

static int allocate(off_t at, uint32_t count) {
    int error;
    do error = posix_fallocate(map.fd, at, count);
    while (error == EINTR);
    return error == 0;
}

int instr_coverage_map_reserve(uint32_t first, uint32_t count) {
    if (count > INSTR_COVERAGE_MAP_PROBES || first > INSTR_COVERAGE_MAP_PROBES - count) return 0;
    return allocate(INSTR_COVERAGE_MAP_PROBES_AT + (off_t)first, count) &&
           (!map.mapped || allocate(INSTR_COVERAGE_MAP_TAKEN_AT + (off_t)first, count));
}

static off_t end_of_classes(void) {
    return INSTR_COVERAGE_MAP_CLASSES_AT + (off_t)(map.before + map.written);
}

// Writes the classes that the file lacks. Each reader of the file ignores an incomplete one at the
// end. Returns 0 if some are left.
static int write_classes_left(void) {
    while (map.written < map.length) {
        ssize_t n =
            pwrite(map.fd, map.classes + map.written, map.length - map.written, end_of_classes());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        map.written += (size_t)n;
    }
    if (!map.mapped) return 1;
    map.before += map.length;
    map.length = map.written = 0;
    return 1;
}

static int has_room(size_t more) {
    if (map.capacity - map.length >= more) return 1;
    size_t capacity = 2 * map.capacity + more;
    uint8_t *larger = realloc(map.classes, capacity);
    if (!larger) return 0;
    map.classes = larger;
    map.capacity = capacity;
    return 1;
}

void instr_coverage_map_add(const struct instr_covered_class *covered) {
    struct instr_coverage_map_class head = {covered->id, covered->first, covered->count,
                                            (uint32_t)strlen(covered->name)};
    if (map.fd < 0) return;
    pthread_mutex_lock(&map.lock);
    if (has_room(sizeof head + head.name_length)) {
        memcpy(map.classes + map.length, &head, sizeof head);
        memcpy(map.classes + map.length + sizeof head, covered->name, head.name_length);
        map.length += sizeof head + head.name_length;
    }
    write_classes_left();
    pthread_mutex_unlock(&map.lock);
}

// Makes a file that somebody has truncated whole, but for its probes: `memory` says that none was
// written. The file has its full length last. Returns 0 if that fails.
static int restore(uint8_t *memory, uint32_t count) {
    struct stat s;
    ssize_t header = sizeof map.header;
    if (map.mapped || fstat(map.fd, &s) != 0 || s.st_size >= end_of_classes()) return 1;
    memset(memory, 0, count);
    map.written = 0;
    return ftruncate(map.fd, 0) == 0 &&
           pwrite(map.fd, &map.header, sizeof map.header, 0) == header && write_classes_left() &&
           ftruncate(map.fd, end_of_classes()) == 0;
}

int instr_coverage_map_store(const uint8_t *probes, uint32_t count) {
    enum { BLOCK = 4096 };
    uint8_t *memory = map.memory + INSTR_COVERAGE_MAP_PROBES_AT;
    pthread_mutex_lock(&map.lock);
    int whole = restore(memory, count);
    if (whole) write_classes_left();
    pthread_mutex_unlock(&map.lock);
    if (!whole) return 0;
    for (uint32_t at = 0; at < count; at += BLOCK) {
        size_t n = count - at < BLOCK ? count - at : BLOCK;
        if (memcmp(memory + at, probes + at, n) == 0) continue;
        if (pwrite(map.fd, probes + at, n, INSTR_COVERAGE_MAP_PROBES_AT + (off_t)at) != (ssize_t)n)
            return 0;
        memcpy(memory + at, probes + at, n);
    }
    return 1;
}

void instr_coverage_map_remove(void) {
    struct stat own, named;
    if (map.fd < 0 || fstat(map.fd, &own) != 0 || stat(map.path, &named) != 0) return;
    // Another JVM may have taken the name after somebody removed our file.
    if (own.st_dev == named.st_dev && own.st_ino == named.st_ino) unlink(map.path);
}

void instr_coverage_map_abandon(void) {
    instr_coverage_map_remove();
    close(map.fd);
    if (map.memory) munmap(map.memory, INSTR_COVERAGE_MAP_CLASSES_AT);
    free(map.classes);
    map.fd = -1;
    map.memory = map.classes = NULL;
    map.length = map.capacity = map.written = map.before = 0;
}

// --- recovering ---

struct file {
    const uint8_t *bytes;
    size_t length;
};

static int is_whole(const struct file *f) {
    const struct instr_coverage_map_header *header = (const void *)f->bytes;
    return f->length >= INSTR_COVERAGE_MAP_CLASSES_AT &&
           memcmp(header->magic, INSTR_COVERAGE_MAP_MAGIC, sizeof header->magic) == 0 &&
           header->version == 1 && header->probes == INSTR_COVERAGE_MAP_PROBES &&
           header->session_length <= sizeof header->session;
}

static int write_class(const struct file *f, struct instr_exec_file *out,
                       const struct instr_coverage_map_class *head, const uint8_t *name) {
    char *text = malloc((size_t)head->name_length + 1);
    uint8_t *hits = malloc((size_t)head->count + 1);
    if (text && hits) {
        memcpy(text, name, head->name_length);
        text[head->name_length] = '\0';
        const uint8_t *probes = f->bytes + INSTR_COVERAGE_MAP_PROBES_AT + head->first;
        const uint8_t *taken = f->bytes + INSTR_COVERAGE_MAP_TAKEN_AT + head->first;
        for (uint32_t i = 0; i < head->count; i++) hits[i] = probes[i] | taken[i];
        instr_exec_write_probes(out, head->id, text, hits, head->count);
    }
    int good = text && hits;
    free(text);
    free(hits);
    return good;
}

// `name`: what there is of it.
static int is_broken(const struct instr_coverage_map_class *head, const uint8_t *name,
                     size_t length) {
    return head->name_length > INSTR_EXEC_UTF_MAX || head->count > INSTR_COVERAGE_MAP_PROBES ||
           head->first > INSTR_COVERAGE_MAP_PROBES - head->count ||
           !instr_exec_is_text((const char *)name, length);
}

// An incomplete class at the end, left by a process that was killed, is ignored. A broken one is left out,
// since its name would make the whole .exec file unreadable, and so is all behind it. Returns where it is;
// the length of the file: there is none; or 0: out of memory.
static size_t write_classes(const struct file *f, struct instr_exec_file *out, size_t *count) {
    size_t at = INSTR_COVERAGE_MAP_CLASSES_AT, name;
    struct instr_coverage_map_class head;
    for (*count = 0; f->length - at >= sizeof head; at = name + head.name_length, ++*count) {
        memcpy(&head, f->bytes + at, sizeof head);
        name = at + sizeof head;
        size_t left = f->length - name, length = head.name_length < left ? head.name_length : left;
        if (is_broken(&head, f->bytes + name, length)) return at;
        if (length < head.name_length) break;
        if (!write_class(f, out, &head, f->bytes + name)) return 0;
    }
    return f->length;
}

static int recover(const char *path, const struct file *f, const struct stat *st,
                   const char *exec_path, char *error, size_t size) {
    const struct instr_coverage_map_header *header = (const void *)f->bytes;
    struct instr_exec_file out;
    char session[sizeof header->session + 1];
    instr_exec_open(&out, exec_path, 1);
    memcpy(session, header->session, header->session_length);
    session[header->session_length] = '\0';
    char text[3 * sizeof session];
    uint64_t end = (uint64_t)st->st_mtim.tv_sec * 1000 + (uint64_t)st->st_mtim.tv_nsec / 1000000;
    struct instr_exec_session s = {text, instr_exec_text(session, text, sizeof text), header->start,
                                   end > header->start ? end : header->start};
    instr_exec_write_session(&out, &s);
    size_t count, end_of_good = write_classes(f, &out, &count);
    if (instr_exec_close(&out, error, size) != 0) return -1;
    if (end_of_good == f->length) return 0;
    if (!end_of_good)
        snprintf(error, size, "out of memory");
    else
        snprintf(
            error, size,
            "%.300s: byte %zu: not the description of a class; only what stands before it, %zu "
            "class%s, was recovered",
            path, end_of_good, count, count == 1 ? "" : "es");
    return end_of_good ? 1 : -1;
}

int instr_coverage_map_recover(const char *path, const char *exec_path, char *error, size_t size) {
    struct stat st;
    struct file f = {NULL, 0};
    const char *why = NULL;
    int fd = instr_file_open(path, &why), result = -1;
    if (fd < 0 || fstat(fd, &st) != 0) {
        snprintf(error, size, "%.400s: %s", path, why ? why : strerror(errno));
    } else if (st.st_size >= INSTR_COVERAGE_MAP_CLASSES_AT) {
        f.length = (size_t)st.st_size;
        f.bytes = mmap(NULL, f.length, PROT_READ, MAP_PRIVATE, fd, 0);
        if (f.bytes == MAP_FAILED) f.bytes = NULL;
    }
    if (fd >= 0 && f.bytes && is_whole(&f))
        result = recover(path, &f, &st, exec_path, error, size);
    else if (fd >= 0)
        snprintf(error, size, "%.400s: not a file of coverage.mmap, or truncated", path);
    if (f.bytes) munmap((void *)(uintptr_t)f.bytes, f.length);
    if (fd >= 0) close(fd);
    return result;
}
