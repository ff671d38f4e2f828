// Classes become the tree that reports read: packages, source files and their sums.

#ifndef INSTR_CLI_COVERAGE_TREE_H
#define INSTR_CLI_COVERAGE_TREE_H

#include "instr/cli/coverage/classes.h"
#include "instr/cli/coverage/model.h"

// Makes a bundle of classes in the order of JaCoCo's reports. The lines of the classes go to their
// source files. The bundle ends with cover_bundle_free, before the classes. `name` stays the
// caller's. NULL: out of memory.
struct cover_bundle *cover_bundle_make(const char *name, struct cover_classes *classes,
                                       enum cover_release release);
void cover_bundle_free(struct cover_bundle *bundle);

// Count anew what they hold.
void cover_sum_source(struct cover_source *source);
void cover_sum_package(struct cover_package *package);

#endif
