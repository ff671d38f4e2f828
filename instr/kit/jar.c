// Jars are zip archives (PKWARE's APPNOTE.TXT, 4.3). The central directory says what is there; the local header
// in front of each entry must agree.

#include "instr/kit/jar.h"
#include "instr/base/file.h"
#include "instr/kit/folder.h"
#include "instr/kit/inflate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    END_LENGTH = 22, // of the end of the central directory, without its comment
    MOST_COMMENT = 65535,
    MOST_MANIFEST = 1 << 16, // bytes; what is longer is not looked at
    CENTRAL_LENGTH = 46,     // of an entry's header there, without its name and more
    LOCAL_LENGTH = 30,
    STORED = 0,
    DEFLATED = 8,
    DEFLATE_RATIO = 1032 // deflate reaches no more
};

static uint32_t le2(const uint8_t *p) {
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t le4(const uint8_t *p) {
    return le2(p) | le2(p + 2) << 16;
}

__attribute__((format(printf, 2, 3))) static bool refuse(char *reason, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, INSTR_JAR_REASON_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

static bool refuse_entry(char *reason, const struct instr_jar_entry *e, const char *why) {
    int shown = e->name_length > 120 ? 120 : e->name_length;
    return refuse(reason, "its entry %.*s %s", shown, e->name, why);
}

// --- the central directory ---

// Where the directory ends; NULL: this is not a zip archive. A comment may look like such an end: the last one
// whose own comment reaches to the end of the file is it.
static const uint8_t *find_end(const struct instr_jar *jar) {
    if (jar->length < END_LENGTH) return NULL;
    size_t most = jar->length - END_LENGTH;
    if (most > MOST_COMMENT) most = MOST_COMMENT;
    for (size_t comment = 0; comment <= most; comment++) {
        const uint8_t *p = jar->bytes + jar->length - END_LENGTH - comment;
        if (memcmp(p, "PK\5\6", 4) == 0 && le2(p + 20) == comment) return p;
    }
    return NULL;
}

// Where the entries are; offsets in the archive count from `start`, before which others may have put something.
struct directory {
    size_t start, first, end;
    size_t count;
};

static bool read_end(const struct instr_jar *jar, struct directory *directory, char *reason) {
    const uint8_t *p = find_end(jar);
    if (!p) return refuse(reason, "is truncated, or not a jar: it has no central directory");
    uint32_t count = le2(p + 10), size = le4(p + 12), offset = le4(p + 16);
    if (count == 0xFFFF || size == 0xFFFFFFFF || offset == 0xFFFFFFFF)
        return refuse(reason, "is a zip64 archive, which is not supported: make it smaller");
    if (le2(p + 4) != 0 || le2(p + 6) != 0 || le2(p + 8) != count)
        return refuse(reason, "is one of several parts of an archive");
    size_t at = (size_t)(p - jar->bytes);
    if (size > at || offset > at - size)
        return refuse(reason, "is truncated: its central directory is missing");
    *directory = (struct directory){at - size - offset, at - size, at, count};
    return true;
}

static bool is_class(const struct instr_jar_entry *e) {
    return e->name_length > 6 && memcmp(e->name + e->name_length - 6, ".class", 6) == 0 &&
           memcmp(e->name, "META-INF/", e->name_length < 9 ? e->name_length : 9) != 0;
}

// A name that would lead out of a folder, or end early.
static bool is_hostile(const struct instr_jar_entry *e) {
    const char *name = e->name, *end = name + e->name_length;
    if (name == end || *name == '/' || memchr(name, '\0', e->name_length)) return true;
    for (const char *part = name; part < end;) {
        const char *slash = memchr(part, '/', (size_t)(end - part));
        size_t n = (size_t)((slash ? slash : end) - part);
        if (n == 2 && memcmp(part, "..", 2) == 0) return true;
        part += n + 1;
    }
    return false;
}

static const char *check_class(const struct instr_jar_entry *e, unsigned flags) {
    if (flags & 1) return "is encrypted";
    if (e->method != STORED && e->method != DEFLATED)
        return "is packed in another way than stored or deflated";
    if (e->size > INSTR_JAR_MOST_ENTRY_BYTES) return "is longer than 16 MB";
    if (e->method == STORED ? e->size != e->packed : e->size / DEFLATE_RATIO > e->packed)
        return "has a size that its bytes cannot have";
    return NULL;
}

// The entry's bytes, behind its local header, which must be of the same entry.
static bool find_data(const struct instr_jar *jar, const struct directory *directory,
                      struct instr_jar_entry *e, uint32_t offset) {
    size_t at = directory->start + offset;
    if (at > directory->first || directory->first - at < LOCAL_LENGTH) return false;
    const uint8_t *p = jar->bytes + at;
    size_t head = (size_t)LOCAL_LENGTH + le2(p + 26) + le2(p + 28);
    if (memcmp(p, "PK\3\4", 4) != 0 || le2(p + 8) != e->method || le2(p + 26) != e->name_length ||
        head > directory->first - at || e->packed > directory->first - at - head ||
        memcmp(p + LOCAL_LENGTH, e->name, e->name_length) != 0)
        return false;
    e->at = (uint32_t)at;
    e->data = (uint32_t)(at + head);
    return true;
}

// Reads the entry at *at of the directory and moves on.
static bool read_entry(const struct instr_jar *jar, const struct directory *directory, size_t *at,
                       struct instr_jar_entry *e, char *reason) {
    const uint8_t *p = jar->bytes + *at;
    size_t left = directory->end - *at;
    if (left < CENTRAL_LENGTH || memcmp(p, "PK\1\2", 4) != 0)
        return refuse(reason, "is malformed: its central directory has less entries than it says");
    size_t length = (size_t)CENTRAL_LENGTH + le2(p + 28) + le2(p + 30) + le2(p + 32);
    if (length > left)
        return refuse(reason, "is malformed: the last entry of its central directory is cut off");
    *e = (struct instr_jar_entry){.name = (const char *)p + CENTRAL_LENGTH,
                                  .name_length = (uint16_t)le2(p + 28),
                                  .method = (uint16_t)le2(p + 10),
                                  .crc = le4(p + 16),
                                  .packed = le4(p + 20),
                                  .size = le4(p + 24)};
    *at += length;
    if (is_hostile(e)) return refuse_entry(reason, e, "has a name that is not allowed");
    if (!find_data(jar, directory, e, le4(p + 42)))
        return refuse_entry(reason, e, "is not where the central directory says");
    const char *why = is_class(e) ? check_class(e, le2(p + 8)) : NULL;
    return why ? refuse_entry(reason, e, why) : true;
}

static int by_place(const void *a, const void *b) {
    const struct instr_jar_entry *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length) {
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int by_name(const void *a, const void *b) {
    const struct instr_jar_entry *x = a, *y = b;
    return compare_names(x->name, x->name_length, y->name, y->name_length);
}

// No byte belongs to two entries: small archives that overlap themselves unpack to huge ones.
static bool check_overlaps(const struct instr_jar *jar, char *reason) {
    qsort(jar->entries, jar->count, sizeof *jar->entries, by_place);
    for (size_t i = 1; i < jar->count; i++)
        if (jar->entries[i].at - jar->entries[i - 1].data < jar->entries[i - 1].packed ||
            jar->entries[i].at < jar->entries[i - 1].data)
            return refuse_entry(reason, &jar->entries[i], "overlaps another one");
    return true;
}

static bool ends_with(const struct instr_jar_entry *e, const char *end) {
    size_t n = strlen(end);
    return e->name_length > n && memcmp(e->name + e->name_length - n, end, n) == 0;
}

// The first line of a manifest is its version.
static bool names_jars(const struct instr_jar *jar, const struct instr_jar_entry *manifest) {
    char text[MOST_MANIFEST + 1];
    if (manifest->size > MOST_MANIFEST || check_class(manifest, 0) ||
        instr_jar_read(jar, manifest, (uint8_t *)text))
        return false;
    text[manifest->size] = '\0';
    return strcasestr(text, "\nClass-Path:") != NULL;
}

static bool leads_further(const struct instr_jar *jar, const struct instr_jar_entry *e) {
    static const char manifest[] = "META-INF/MANIFEST.MF";
    if (ends_with(e, ".jar") || ends_with(e, ".war")) return true;
    return e->name_length == sizeof manifest - 1 &&
           memcmp(e->name, manifest, sizeof manifest - 1) == 0 && names_jars(jar, e);
}

// Keeps the class files only.
static bool keep_classes(struct instr_jar *jar, char *reason) {
    size_t kept = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < jar->count; i++) {
        if (!is_class(&jar->entries[i])) {
            jar->leads_further = jar->leads_further || leads_further(jar, &jar->entries[i]);
            continue;
        }
        sum += jar->entries[i].size;
        jar->entries[kept++] = jar->entries[i];
    }
    jar->count = kept;
    if (sum > INSTR_JAR_MOST_BYTES) return refuse(reason, "has more than 512 MB of class files");
    qsort(jar->entries, kept, sizeof *jar->entries, by_name);
    for (size_t i = 1; i < kept; i++)
        if (by_name(&jar->entries[i - 1], &jar->entries[i]) == 0)
            return refuse_entry(reason, &jar->entries[i], "is there twice");
    return true;
}

static bool read_directory(struct instr_jar *jar, char *reason) {
    struct directory directory = {0};
    if (jar->length > INSTR_JAR_MOST_BYTES) return refuse(reason, "is longer than 512 MB");
    if (!read_end(jar, &directory, reason)) return false;
    jar->entries = calloc(directory.count + 1, sizeof *jar->entries);
    if (!jar->entries) return refuse(reason, "out of memory");
    for (size_t at = directory.first; jar->count < directory.count; jar->count++)
        if (!read_entry(jar, &directory, &at, &jar->entries[jar->count], reason)) return false;
    return check_overlaps(jar, reason) && keep_classes(jar, reason);
}

bool instr_jar_open(struct instr_jar *jar, const uint8_t *bytes, size_t length,
                    char reason[INSTR_JAR_REASON_SIZE]) {
    *jar = (struct instr_jar){.bytes = bytes, .length = length};
    if (read_directory(jar, reason)) return true;
    instr_jar_close(jar);
    return false;
}

// --- files ---

static bool open_folder(struct instr_jar *jar, const char *path, char *reason) {
    if (!instr_jar_read_folder(jar, path, reason)) return false;
    if (jar->count) qsort(jar->entries, jar->count, sizeof *jar->entries, by_name);
    return true;
}

bool instr_jar_open_file(struct instr_jar *jar, const char *path,
                         char reason[INSTR_JAR_REASON_SIZE]) {
    const char *why;
    struct stat st;
    *jar = (struct instr_jar){0};
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return open_folder(jar, path, reason);
    int fd = instr_file_open(path, &why);
    if (fd < 0) return refuse(reason, "%s", why);
    bool small = fstat(fd, &st) == 0 && st.st_size <= INSTR_JAR_MOST_BYTES;
    size_t length = small ? (size_t)st.st_size : 0;
    uint8_t *bytes = small ? malloc(length + 1) : NULL;
    bool is_read = bytes && instr_read_whole(fd, bytes, length);
    close(fd);
    if (is_read && instr_jar_open(jar, bytes, length, reason)) {
        jar->owned = bytes;
        return true;
    }
    free(bytes);
    if (is_read) return false;
    return refuse(reason, !small  ? "is longer than 512 MB"
                          : bytes ? "cannot be read"
                                  : "out of memory");
}

void instr_jar_close(struct instr_jar *jar) {
    free(jar->entries);
    free(jar->owned);
    *jar = (struct instr_jar){0};
}

// --- entries ---

const struct instr_jar_entry *instr_jar_find(const struct instr_jar *jar, const char *name,
                                             size_t length) {
    size_t low = 0, high = jar->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct instr_jar_entry *e = &jar->entries[middle];
        size_t shared = length < e->name_length ? length : e->name_length;
        int order = memcmp(name, e->name, shared);
        if (order == 0)
            order = compare_names(".class", 6, e->name + shared, e->name_length - shared);
        if (order == 0) return e;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *instr_jar_read(const struct instr_jar *jar, const struct instr_jar_entry *entry,
                           uint8_t *to) {
    const uint8_t *bytes = jar->bytes + entry->data;
    if (entry->method == STORED)
        memcpy(to, bytes, entry->size);
    else if (!instr_inflate(bytes, entry->packed, to, entry->size))
        return "does not inflate to the length that the jar states";
    return instr_crc32(to, entry->size) == entry->crc ? NULL
                                                      : "has another checksum than the jar states";
}

uint8_t *instr_jar_read_class(const struct instr_jar *jar, const char *name, size_t name_length,
                              size_t *length) {
    const struct instr_jar_entry *entry = instr_jar_find(jar, name, name_length);
    uint8_t *bytes = entry ? malloc(entry->size + 1u) : NULL;
    if (bytes && instr_jar_read(jar, entry, bytes) == NULL) {
        *length = entry->size;
        return bytes;
    }
    free(bytes);
    return NULL;
}
