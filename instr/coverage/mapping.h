// The file of coverage.mmap. With `yes` the probes are in a mapping of it: the kernel has what was
// written to the mapping, however the process ends. Data can be lost only if the machine goes down
// too. With `flush` the file is written by pwrite and not mapped.
//
// Access to a mapping past the end of its file raises SIGBUS. So a mapped file can be read only,
// which keeps other programs of the user from truncating it. A file of the same name is left alone:
// in containers the process id is often the same, and the file may be that of a JVM that was killed
// or that still runs.
//
// All numbers are in the machine's byte order; the area of the probes is sparse.
//
//      0           header: magic, sizes, start time, session id
//      PROBES_AT   a byte for each probe, by number
//      TAKEN_AT    the same for probes that were moved to the files of single tests (`yes`)
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

// Creates the file STEM.map; if there is one, STEM-2.map, and so on. Returns memory for the file's
// bytes up to CLASSES_AT: a mapping of the file (`mapped`), or memory for instr_coverage_map_store.
// NULL: one line is in `reason`. One at a time in a process.
uint8_t *instr_coverage_map_open(const char *stem, const struct instr_coverage_map_header *header,
                                 int mapped, char *reason, size_t size);
// Allocates disk space for these probes, so that writing to them cannot fail. Returns 0 if there is
// none.
int instr_coverage_map_reserve(uint32_t first, uint32_t count);
// Appends a class. If the disk is full, the next call of this or of instr_coverage_map_store tries
// again.
void instr_coverage_map_add(const struct instr_covered_class *covered);
// If the file is not mapped: writes the first `count` probes to it where they differ from those in
// memory, and changes the memory. A file that somebody has truncated becomes whole again. Returns 0
// if the file cannot be written: call it again later.
int instr_coverage_map_store(const uint8_t *probes, uint32_t count);
// Removes the file, whose content was written elsewhere. The memory stays.
void instr_coverage_map_remove(void);
// Removes the file and frees the memory, before anything uses it.
void instr_coverage_map_abandon(void);

// Appends the file of a process that has ended to an .exec file. Returns 0; 1 if some of its classes are
// left out, since the description of one is broken; or -1. Then one line is in `error`.
int instr_coverage_map_recover(const char *path, const char *exec_path, char *error, size_t size);

#endif
