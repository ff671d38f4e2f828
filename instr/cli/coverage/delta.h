// The coverage of changed lines alone: what a pull request adds or changes, file by file.

#ifndef INSTR_CLI_COVERAGE_DELTA_H
#define INSTR_CLI_COVERAGE_DELTA_H

#include "instr/cli/coverage/changes.h"
#include "instr/cli/coverage/model.h"

struct cover_delta_line {
    uint32_t number;
    struct cover_line line;
};

struct cover_delta_file {
    const char *path;               // that of the changed file
    struct cover_delta_line *lines; // changed ones with code, ascending; owned
    size_t count, capacity;
    struct cover_count counts[COVER_COUNTERS]; // INSTRUCTION, BRANCH and LINE; the others are 0
};

struct cover_delta {
    const struct cover_changes *changes; // must live as long
    struct cover_delta_file *files;      // the most missed lines first
    size_t count, capacity;
    const char *
        *unknown; // changed sources that are in no report; their strings are those of `changes`
    size_t unknown_count, unknown_capacity;
    int elsewhere; // nothing of the report has changed: its sources lie in other folders than all of `unknown`
    struct cover_count counts[COVER_COUNTERS];
};

// Returns 0; -1: out of memory. It ends with cover_delta_free in either case.
int cover_delta_make(struct cover_delta *delta, const struct cover_model *model,
                     const struct cover_changes *changes);
void cover_delta_free(struct cover_delta *delta);

// Consecutive lines that were missed, at most one uncovered line without code between them.
struct cover_range cover_delta_missed(const struct cover_delta_file *file, size_t *at);

#endif
