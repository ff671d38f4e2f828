// How often lines ran: FILE.counts, which the pass writes beside FILE with coverage.counts=yes, has a
// number for each probe.

#ifndef INSTR_CLI_COVERAGE_TIMES_H
#define INSTR_CLI_COVERAGE_TIMES_H

#include "instr/cli/coverage/classes.h"

#include <stdint.h>
#include <sys/types.h>

struct cover_probe_counts {
    uint64_t id; // of the class
    uint64_t *counts;
    size_t count;
};

struct cover_times_file {
    dev_t device;
    ino_t inode;
};

struct cover_times {
    struct cover_probe_counts *list; // by id once cover_times_finish was called
    size_t count, capacity;
    struct cover_times_file *files; // that were read
    size_t file_count, file_capacity;
};

// Adds what lies beside an .exec file, once if the same file is named twice. 0, also if there is nothing; -1 after a message.
int cover_times_read(struct cover_times *times, const char *path);
// Adds up the numbers of each class.
void cover_times_finish(struct cover_times *times);
void cover_times_free(struct cover_times *times);

// Sets `times` of the lines of the classes, whose source files exist already. `paths`: where the classes
// are. CLI_OK; or CLI_FAILED after a message.
int cover_times_apply(const struct cover_times *times, struct cover_classes *classes,
                      const struct cli_paths *paths);

#endif
