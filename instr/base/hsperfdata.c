// The file has version 2.0: a prologue, then entries, each with offsets of its name and its value.
// The prologue names the byte order of numbers. The JVM writes while we read, so everything is
// checked.

#include "instr/base/hsperfdata.h"

#include <string.h>

enum { MAGIC = 0xcafec0c0, PROLOGUE = 32, ENTRY = 20, MOST_ENTRIES = 100000 };

struct file {
    const uint8_t *bytes;
    size_t length;
    int little;
};

static uint32_t u4(const struct file *file, size_t at) {
    const uint8_t *b = file->bytes + at;
    if (file->little)
        return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static int open_file(struct file *file, const uint8_t *bytes, size_t length) {
    *file = (struct file){bytes, length, 0};
    if (length < PROLOGUE || u4(file, 0) != MAGIC || bytes[4] > 1 || bytes[5] != 2) return 0;
    file->little = bytes[4] == 1;
    return 1;
}

// Does the entry, of `size` bytes at `at`, have this name?
static int is_named(const struct file *file, size_t at, size_t size, const char *name) {
    size_t offset = u4(file, at + 4), n = strlen(name) + 1;
    return offset < size && n <= size - offset && memcmp(file->bytes + at + offset, name, n) == 0;
}

// The entry of this name, with its size; NULL: there is none.
static const uint8_t *find(const struct file *file, const char *name, size_t *size) {
    size_t at = u4(file, 24), entries = u4(file, 28);
    for (size_t i = 0; i < entries && i < MOST_ENTRIES; i++) {
        if (at > file->length || file->length - at < ENTRY) return NULL;
        *size = u4(file, at);
        if (*size < ENTRY || *size > file->length - at) return NULL;
        if (is_named(file, at, *size, name)) return file->bytes + at;
        at += *size;
    }
    return NULL;
}

int instr_hsperfdata_string(const uint8_t *bytes, size_t length, const char *name, char *text,
                            size_t text_size) {
    struct file file;
    size_t size;
    if (!open_file(&file, bytes, length)) return 0;
    const uint8_t *entry = find(&file, name, &size);
    if (!entry) return 0;
    size_t at = (size_t)(entry - bytes), elements = u4(&file, at + 8), offset = u4(&file, at + 16);
    if (entry[12] != 'B' || offset > size || elements > size - offset) return 0;
    const char *value = (const char *)entry + offset;
    size_t n = strnlen(value, elements);
    if (n >= text_size) n = text_size - 1;
    memcpy(text, value, n);
    text[n] = '\0';
    return 1;
}

const uint8_t *instr_hsperfdata_number(const uint8_t *bytes, size_t length, const char *name) {
    struct file file;
    size_t size;
    if (!open_file(&file, bytes, length)) return NULL;
    const uint8_t *entry = find(&file, name, &size);
    if (!entry) return NULL;
    size_t offset = u4(&file, (size_t)(entry - bytes) + 16);
    int fits = entry[12] == 'J' && offset <= size && size - offset >= 8;
    return fits ? entry + offset : NULL;
}
