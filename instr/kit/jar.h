// jar.h: class files out of a jar in memory or in a file, with libc alone. The bytes may be hostile: what a
// well-made jar never has is an error, and nothing is allocated by a size that only the jar states.

#ifndef INSTR_KIT_JAR_H
#define INSTR_KIT_JAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    INSTR_JAR_MOST_BYTES = 1 << 29,       // of a jar, and of all its class files together
    INSTR_JAR_MOST_ENTRY_BYTES = 1 << 24, // of a class file
    INSTR_JAR_REASON_SIZE = 256
};

struct instr_jar_entry {
    const char *name; // in the jar's bytes, not terminated
    uint16_t name_length, method;
    uint32_t crc, packed, size; // size: of the class file
    uint32_t at, data;          // offsets in the jar: of its local header; of its bytes
};

struct instr_jar {
    const uint8_t *bytes;
    size_t length;
    uint8_t *owned;                  // what is freed with the jar; NULL: the caller's
    struct instr_jar_entry *entries; // the class files, by name; not those of META-INF
    size_t count;
    bool leads_further; // it has jars within, or its manifest names other jars (Class-Path)
};

// Opens a jar in memory, which the caller keeps. Refuses a jar that is truncated, has zip64 or several parts,
// overlapping entries, encrypted class files or two of one name, or a name with .. or a NUL. Returns true; or
// false with `reason`, which does not name the jar.
bool instr_jar_open(struct instr_jar *jar, const uint8_t *bytes, size_t length,
                    char reason[INSTR_JAR_REASON_SIZE]);
// The same for a file, which is read whole, or for a folder: its class files and those below.
bool instr_jar_open_file(struct instr_jar *jar, const char *path,
                         char reason[INSTR_JAR_REASON_SIZE]);
void instr_jar_close(struct instr_jar *jar);

// The class file NAME.class; NULL: there is none.
const struct instr_jar_entry *instr_jar_find(const struct instr_jar *jar, const char *name,
                                             size_t length);

// Reads entry->size bytes to `to`, and checks them. Returns NULL, or what is wrong.
const char *instr_jar_read(const struct instr_jar *jar, const struct instr_jar_entry *entry,
                           uint8_t *to);

// The class file of this internal name, checked, from malloc; NULL: there is none, or it cannot be read.
uint8_t *instr_jar_read_class(const struct instr_jar *jar, const char *name, size_t name_length,
                              size_t *length);

#endif
