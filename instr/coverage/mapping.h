// coverage_map.h: the file of coverage.mmap=yes, a mapping of which holds the probes. The kernel
// has what was written to it, however the process ends; only when the machine goes down with it
// something may be lost. All numbers in the machine's byte order; the probes' area is sparse.
//
//      0           header: magic, sizes, when it was begun, the session's name
//      PROBES_AT   a byte for each probe, by number
//      TAKEN_AT    the same: those that were taken out for the tests' own files
//      CLASSES_AT  for each class: u8 id, u4 first probe, u4 probes, u4 length of the name, name

#ifndef INSTR_COVERAGE_MAP_H
#define INSTR_COVERAGE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "instr/registry.h"

#define INSTR_COVERAGE_MAP_MAGIC "instrcov"
#define INSTR_COVERAGE_MAP_PROBES (32u << 20) // the most there can be

enum {
    INSTR_COVERAGE_MAP_PROBES_AT = 4096,
    INSTR_COVERAGE_MAP_TAKEN_AT = INSTR_COVERAGE_MAP_PROBES_AT + (32 << 20),
    INSTR_COVERAGE_MAP_CLASSES_AT = INSTR_COVERAGE_MAP_TAKEN_AT + (32 << 20)
};

struct instr_coverage_map_header {
    char magic[8];
    uint32_t version, probes; // 1; INSTR_COVERAGE_MAP_PROBES
    uint64_t start;           // milliseconds since 1970
    uint32_t session_length;
    char session[1024];
};

struct instr_coverage_map_class {
    uint64_t id;
    uint32_t first, count, name_length;
};

// Makes the file and maps it. NULL: one line is in `reason`. One at a time in a process.
uint8_t *instr_coverage_map_open(const char *path, const struct instr_coverage_map_header *header,
                                 char *reason, size_t size);
// Makes sure of the memory for these probes, so that writing to it cannot fail. 0: there is none.
int instr_coverage_map_reserve(uint32_t first, uint32_t count);
// Notes a class.
void instr_coverage_map_add(const struct instr_covered_class *covered);
// Removes the file: what is in it was written elsewhere. The mapping stays.
void instr_coverage_map_remove(void);

// Another file than the open one: that of a process that has ended. Writes it to an .exec file,
// appended. Returns 0; or -1 with one line in `error`.
int instr_coverage_map_recover(const char *path, const char *exec_path, char *error, size_t size);

#endif
