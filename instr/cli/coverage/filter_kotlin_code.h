// Filters of what Kotlin's compiler adds to the code of methods.

#ifndef INSTR_CLI_COVERAGE_FILTER_KOTLIN_CODE_H
#define INSTR_CLI_COVERAGE_FILTER_KOTLIN_CODE_H

#include "instr/cli/coverage/filters.h"

// The branches of a?.b?.c are one for all.
void cover_filter_kotlin_safe_call(struct cover_filtering *f);
void cover_filter_kotlin_lateinit(struct cover_filtering *f);
void cover_filter_kotlin_lateinit_old(struct cover_filtering *f);
// The branch that a when without else gets, and what it does with nullable enums and strings.
void cover_filter_kotlin_when(struct cover_filtering *f);
void cover_filter_kotlin_when_string(struct cover_filtering *f);
void cover_filter_kotlin_cast(struct cover_filtering *f);
void cover_filter_kotlin_not_null(struct cover_filtering *f);
void cover_filter_kotlin_compose(struct cover_filtering *f);

#endif
