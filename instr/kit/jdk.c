// The module image is described by its readers only: jdk/internal/jimage/ImageHeader.java and ImageLocation.java.
// Little-endian on the machines that we run on:
//
//      header      7 u4: magic, version, flags, resources, table length, size of locations, size of strings
//      redirects   s4 for each place of the table: a seed to hash the name again with, or, negative, -1 - place
//      offsets     u4 for each place: where in the locations its attributes are
//      locations   attributes: a byte of kind (upper 5 bits) and length - 1, then a number, big-endian
//      strings     terminated by NUL
//      resources   at the offsets that the attributes say, behind all this
//
// /packages/java.sql lists the modules that have the package.

#include "instr/kit/jdk.h"
#include "instr/base/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAGIC = (int)0xCAFEDADA,
    HEADER_LENGTH = 28,
    HASH_SEED = 0x01000193,
    ATTRIBUTES = 8 // kinds of them
};
enum attribute { END, MODULE, PARENT, BASE, EXTENSION, OFFSET, COMPRESSED, UNCOMPRESSED };

static uint32_t u4(const struct instr_jdk *jdk, size_t at) {
    uint32_t value = 0;
    if (at <= jdk->length && jdk->length - at >= 4) memcpy(&value, jdk->image + at, 4);
    return value;
}

struct image {
    const struct instr_jdk *jdk;
    size_t table, offsets, locations, strings, resources;
};

static struct image image_of(const struct instr_jdk *jdk) {
    struct image i = {.jdk = jdk, .table = u4(jdk, 16)};
    i.offsets = HEADER_LENGTH + 4 * i.table;
    i.locations = i.offsets + 4 * i.table;
    i.strings = i.locations + u4(jdk, 20);
    i.resources = i.strings + u4(jdk, 24);
    return i;
}

static uint32_t hash(const char *text, uint32_t seed) {
    for (; *text; text++) seed = (seed * HASH_SEED) ^ (uint8_t)*text;
    return seed & 0x7FFFFFFF;
}

static const char *string_at(const struct image *i, uint64_t offset) {
    size_t at = i->strings + (size_t)offset;
    if (offset >= i->resources - i->strings || i->resources > i->jdk->length ||
        !memchr(i->jdk->image + at, '\0', i->resources - at))
        return "";
    return (const char *)i->jdk->image + at;
}

static void read_attributes(const struct image *i, size_t at, uint64_t attributes[ATTRIBUTES]) {
    memset(attributes, 0, ATTRIBUTES * sizeof *attributes);
    while (at < i->strings && at < i->jdk->length) {
        unsigned kind = i->jdk->image[at] >> 3, length = (i->jdk->image[at] & 7u) + 1;
        if (kind == END || kind >= ATTRIBUTES || length >= i->jdk->length - at) return;
        for (unsigned k = 1; k <= length; k++)
            attributes[kind] = attributes[kind] << 8 | i->jdk->image[at + k];
        at += length + 1;
    }
}

// Is this the path of the attributes? /MODULE/PARENT/BASE.EXTENSION, of which parts may be missing.
static bool is_path(const struct image *i, const uint64_t attributes[ATTRIBUTES],
                    const char *path) {
    char text[PATH_MAX];
    const char *module = string_at(i, attributes[MODULE]);
    const char *parent = string_at(i, attributes[PARENT]);
    const char *extension = string_at(i, attributes[EXTENSION]);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s", *module ? "/" : "", module, *module ? "/" : "",
             parent, *parent ? "/" : "", string_at(i, attributes[BASE]), *extension ? "." : "",
             extension);
    return strcmp(text, path) == 0;
}

// The bytes of a resource; NULL: it is not there, or compressed.
static const uint8_t *find(const struct instr_jdk *jdk, const char *path, size_t *length) {
    struct image i = image_of(jdk);
    uint64_t attributes[ATTRIBUTES];
    if (i.table == 0) return NULL;
    size_t place = hash(path, HASH_SEED) % i.table;
    int32_t redirect = (int32_t)u4(jdk, HEADER_LENGTH + 4 * place);
    if (redirect == 0) return NULL;
    place =
        redirect < 0 ? (size_t)(-1 - (int64_t)redirect) : hash(path, (uint32_t)redirect) % i.table;
    read_attributes(&i, i.locations + u4(jdk, i.offsets + 4 * place), attributes);
    if (place >= i.table || !is_path(&i, attributes, path) || attributes[COMPRESSED]) return NULL;
    size_t behind = jdk->length - i.resources;
    if (attributes[OFFSET] > behind || attributes[UNCOMPRESSED] > behind - attributes[OFFSET])
        return NULL;
    *length = (size_t)attributes[UNCOMPRESSED];
    return jdk->image + i.resources + attributes[OFFSET];
}

// The class file of a class: /MODULE/NAME.class. The list of a package's modules names also those that only have
// packages below it, by flags that mean the opposite from JDK 28 on: each is tried.
static const uint8_t *find_in_modules(const struct instr_jdk *jdk, const char *name, size_t length,
                                      size_t *found_length) {
    enum { ENTRY_LENGTH = 8 }; // u4 flags; u4: the module's name
    char path[PATH_MAX] = "/packages/";
    size_t n = strlen(path), size = 0;
    const char *slash = memrchr(name, '/', length);
    for (const char *c = name; slash && c < slash && n + 1 < sizeof path; c++)
        path[n++] = *c == '/' ? '.' : *c;
    const uint8_t *list = find(jdk, path, &size), *bytes = NULL;
    struct image i = image_of(jdk);
    for (size_t at = 0; list && !bytes && at + ENTRY_LENGTH <= size; at += ENTRY_LENGTH) {
        size_t entry = (size_t)(list - jdk->image) + at;
        snprintf(path, sizeof path, "/%s/%.*s.class", string_at(&i, u4(jdk, entry + 4)),
                 (int)length, name);
        bytes = find(jdk, path, found_length);
    }
    return bytes;
}

static bool open_image(struct instr_jdk *jdk, const char *path) {
    const char *why;
    struct stat st;
    int fd = instr_file_open(path, &why);
    if (fd < 0) return false;
    bool has_size = fstat(fd, &st) == 0 && st.st_size > HEADER_LENGTH;
    void *map =
        has_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (map == MAP_FAILED) return false;
    jdk->image = map;
    jdk->length = (size_t)st.st_size;
    struct image i = image_of(jdk);
    if (u4(jdk, 0) == (uint32_t)MAGIC && i.resources < jdk->length) return true;
    instr_jdk_close(jdk);
    return false;
}

bool instr_jdk_open(struct instr_jdk *jdk, const char *home) {
    static const char *const jars[] = {"jre/lib/rt.jar", "lib/rt.jar"};
    char path[PATH_MAX], reason[INSTR_JAR_REASON_SIZE];
    memset(jdk, 0, sizeof *jdk);
    snprintf(path, sizeof path, "%s/lib/modules", home);
    if (open_image(jdk, path)) return true;
    for (size_t i = 0; i < sizeof jars / sizeof *jars; i++) {
        snprintf(path, sizeof path, "%s/%s", home, jars[i]);
        if (instr_jar_open_file(&jdk->jar, path, reason)) return true;
    }
    return false;
}

void instr_jdk_close(struct instr_jdk *jdk) {
    if (jdk->image) munmap((void *)(uintptr_t)jdk->image, jdk->length);
    instr_jar_close(&jdk->jar);
    memset(jdk, 0, sizeof *jdk);
}

uint8_t *instr_jdk_read(const struct instr_jdk *jdk, const char *name, size_t name_length,
                        size_t *length) {
    if (!jdk->image) return instr_jar_read_class(&jdk->jar, name, name_length, length);
    const uint8_t *bytes = find_in_modules(jdk, name, name_length, length);
    uint8_t *copy = bytes ? malloc(*length + 1) : NULL;
    if (copy) memcpy(copy, bytes, *length);
    return copy;
}
