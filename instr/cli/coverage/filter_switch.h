// Filters of what compilers write for switches on strings and patterns, and for assert.

#ifndef INSTR_CLI_COVERAGE_FILTER_SWITCH_H
#define INSTR_CLI_COVERAGE_FILTER_SWITCH_H

#include "instr/cli/coverage/filters.h"

// The first of javac's two switches: by hash code, which finds the number for the second.
void cover_filter_string_switch(struct cover_filtering *f);
// The one switch of the Eclipse compiler, and of Kotlin since 1.5.
void cover_filter_string_switch_ecj(struct cover_filtering *f);
void cover_filter_string_switch_ecj_old(struct cover_filtering *f);
// The default branch that a compiler adds to a switch that has all cases.
void cover_filter_exhaustive_switch(struct cover_filtering *f);
void cover_filter_record_pattern(struct cover_filtering *f);
void cover_filter_assert(struct cover_filtering *f);

#endif
