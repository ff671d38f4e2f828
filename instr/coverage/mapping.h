// The file of coverage.mmap=yes; the probes are in a mapping of it. The kernel has what was written
// to the mapping, however the process ends; data can be lost only if the machine goes down too. All
// numbers are in the machine's byte order; the area of the probes is sparse.
//
//      0           header: magic, sizes, start time, session id
//      PROBES_AT   a byte for each probe, by number
//      TAKEN_AT    the same for probes that were moved to the files of single tests
//      CLASSES_AT  for each class: u8 id, u4 first probe, u4 probes, u4 length of the name, name

#ifndef INSTR_COVERAGE_MAPPING_H
#define INSTR_COVERAGE_MAPPING_H

#include <stddef.h>
#include <stdint.h>

#include "instr/registry.h"

#define INSTR_COVERAGE_MAP_MAGIC "instrcov"
#define INSTR_COVERAGE_MAP_PROBES (32u << 20) // the maximum

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

// Creates the file and maps it. NULL: one line is in `reason`. One at a time in a process.
uint8_t *instr_coverage_map_open(const char *path, const struct instr_coverage_map_header *header,
                                 char *reason, size_t size);
// Allocates disk space for these probes, so that writing to them cannot fail. Returns 0 if there is
// none.
int instr_coverage_map_reserve(uint32_t first, uint32_t count);
// Appends a class.
void instr_coverage_map_add(const struct instr_covered_class *covered);
// Removes the file, whose content was written elsewhere. The mapping stays.
void instr_coverage_map_remove(void);

// Appends the file of a process that has ended to an .exec file. Returns 0; or -1 with one line in
// `error`.
int instr_coverage_map_recover(const char *path, const char *exec_path, char *error, size_t size);

#endif
