// Filters of what Kotlin's compiler adds: to whole methods here, to code in filter_kotlin_code.h and
// filter_coroutine.h.

#ifndef INSTR_CLI_COVERAGE_FILTER_KOTLIN_H
#define INSTR_CLI_COVERAGE_FILTER_KOTLIN_H

#include "instr/cli/coverage/filters.h"

// Is a synthetic method of Kotlin code one that has code of the source in it? (Release 0.8.6.)
int cover_kotlin_is_written(const struct cover_filtering *f);

// What has no line of the source.
void cover_filter_kotlin_generated(struct cover_filtering *f);
void cover_filter_kotlin_accessor(struct cover_filtering *f);
// What the plug-in for serialization adds.
void cover_filter_kotlin_serializable(struct cover_filtering *f);
void cover_filter_kotlin_enum(struct cover_filtering *f);
void cover_filter_kotlin_overloads(struct cover_filtering *f);
void cover_filter_kotlin_static(struct cover_filtering *f);
// The instance methods of value classes, and what boxes them.
void cover_filter_kotlin_value_class(struct cover_filtering *f);
void cover_filter_kotlin_boxed(struct cover_filtering *f);
void cover_filter_kotlin_default_methods(struct cover_filtering *f);
// The checks of the mask in methods with default arguments.
void cover_filter_kotlin_default_arguments(struct cover_filtering *f);
// Code that was inlined from elsewhere, by the SMAP of the class.
void cover_filter_kotlin_inline(struct cover_filtering *f);

#endif
