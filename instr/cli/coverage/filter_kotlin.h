// Filters of what Kotlin's compiler adds.

#ifndef INSTR_CLI_COVERAGE_FILTER_KOTLIN_H
#define INSTR_CLI_COVERAGE_FILTER_KOTLIN_H

#include "instr/cli/coverage/filters.h"

// Is a synthetic method of Kotlin code one that has code of the source in it?
int cover_kotlin_is_written(const struct cover_filtering *f);

#endif
