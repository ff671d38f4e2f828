// Filters of what Kotlin's compiler adds to suspending functions.

#ifndef INSTR_CLI_COVERAGE_FILTER_COROUTINE_H
#define INSTR_CLI_COVERAGE_FILTER_COROUTINE_H

#include "instr/cli/coverage/filters.h"

void cover_filter_coroutine(struct cover_filtering *f);
void cover_filter_coroutine_old(struct cover_filtering *f);

#endif
