// Packages and classes, those with the most missed instructions first.

#ifndef INSTR_CLI_COVERAGE_FORMATS_WORST_H
#define INSTR_CLI_COVERAGE_FORMATS_WORST_H

#include "instr/cli/coverage/model.h"

struct cover_item {
    const struct cover_bundle *bundle;
    const struct cover_package *package;
    const struct cover_class *class; // NULL: the package
    const struct cover_count *counts;
};

// Lists that have something to cover: packages, or classes. The caller frees them with free(). NULL:
// out of memory.
struct cover_item *cover_worst_packages(const struct cover_model *model, size_t *count);
struct cover_item *cover_worst_classes(const struct cover_model *model, size_t *count);

// What is covered of a counter in percent, 0 to 100, rounded down; 100 only if all is, and if there
// is nothing to cover.
unsigned cover_percent(struct cover_count count);

// "instructions", "branches", ...
extern const char *const cover_counter_names[COVER_COUNTERS];

#endif
