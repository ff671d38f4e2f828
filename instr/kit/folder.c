#include "instr/kit/folder.h"
#include "instr/base/array.h"
#include "instr/base/file.h"
#include "instr/kit/inflate.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reading {
    struct instr_jar *jar;
    size_t capacity, entry_capacity;
    size_t prefix; // of paths: the folder and its slash
    char *reason;
};

static bool refuse(const struct reading *r, const char *path, const char *why) {
    snprintf(r->reason, INSTR_JAR_REASON_SIZE, "%.160s %s", path, why);
    return false;
}

bool instr_read_whole(int fd, uint8_t *bytes, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t n = read(fd, bytes + done, length - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

// Makes room for `more` bytes behind those that are there.
static bool make_room(struct reading *r, size_t more) {
    struct instr_jar *jar = r->jar;
    return INSTR_ARRAY_RESERVE(jar->owned, r->capacity, jar->length + more) &&
           INSTR_ARRAY_RESERVE(jar->entries, r->entry_capacity, jar->count + 1);
}

// Puts name and content of an open file at the end of the bytes.
static bool add_open(struct reading *r, int fd, const char *path) {
    struct instr_jar *jar = r->jar;
    struct stat st;
    size_t name = strlen(path + r->prefix);
    if (fstat(fd, &st) != 0) return refuse(r, path, "cannot be read");
    size_t size = (size_t)st.st_size;
    if (size > INSTR_JAR_MOST_ENTRY_BYTES) return refuse(r, path, "is longer than 16 MB");
    if (name + size > INSTR_JAR_MOST_BYTES - jar->length)
        return refuse(r, path, "is too much: the folder has more than 512 MB of class files");
    if (!make_room(r, name + size)) return refuse(r, path, "does not fit into memory");
    uint8_t *bytes = jar->owned + jar->length;
    memcpy(bytes, path + r->prefix, name);
    if (!instr_read_whole(fd, bytes + name, size)) return refuse(r, path, "cannot be read");
    jar->entries[jar->count++] = (struct instr_jar_entry){.name_length = (uint16_t)name,
                                                          .at = (uint32_t)jar->length,
                                                          .data = (uint32_t)(jar->length + name),
                                                          .crc = instr_crc32(bytes + name, size),
                                                          .packed = (uint32_t)size,
                                                          .size = (uint32_t)size};
    jar->length += name + size;
    return true;
}

static bool add_file(struct reading *r, const char *path) {
    const char *why, *name = path + r->prefix;
    size_t length = strlen(name);
    if (length < 7 || strcmp(name + length - 6, ".class") != 0) return true;
    if (strncmp(name, "META-INF/", 9) == 0) return true;
    int fd = instr_file_open(path, &why);
    if (fd < 0) return refuse(r, path, why);
    bool ok = add_open(r, fd, path);
    close(fd);
    return ok;
}

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool walk(struct reading *r, char *path) {
    char *const roots[] = {path, NULL};
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    bool ok = tree || refuse(r, path, "cannot be read");
    for (const FTSENT *e; ok && (e = fts_read(tree));) {
        if (e->fts_info == FTS_F) ok = add_file(r, e->fts_path);
        if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
            ok = refuse(r, e->fts_path, strerror(e->fts_errno));
    }
    if (tree) fts_close(tree);
    return ok;
}

bool instr_jar_read_folder(struct instr_jar *jar, const char *folder,
                           char reason[INSTR_JAR_REASON_SIZE]) {
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    char *path = strndup(folder, length);
    struct reading r = {jar, 0, 0, length + 1, reason};
    *jar = (struct instr_jar){0};
    bool ok = path ? walk(&r, path) : refuse(&r, folder, "does not fit into memory");
    free(path);
    jar->bytes = jar->owned;
    for (size_t i = 0; i < jar->count; i++)
        jar->entries[i].name = (const char *)jar->bytes + jar->entries[i].at;
    if (!ok) instr_jar_close(jar);
    return ok;
}
