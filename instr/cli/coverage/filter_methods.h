// Filters of whole methods, and of whole classes method by method.

#ifndef INSTR_CLI_COVERAGE_FILTER_METHODS_H
#define INSTR_CLI_COVERAGE_FILTER_METHODS_H

#include "instr/cli/coverage/filters.h"

void cover_filter_synthetic_class(struct cover_filtering *f);
// Synthetic methods, but bodies of lambdas (also Scala's).
void cover_filter_synthetic(struct cover_filtering *f);
void cover_filter_bridge(struct cover_filtering *f);
// values and valueOf of enums.
void cover_filter_enum(struct cover_filtering *f);
void cover_filter_enum_constructor(struct cover_filtering *f);
void cover_filter_private_constructor(struct cover_filtering *f);
// equals, hashCode, toString and, since 0.8.15, accessors of records.
void cover_filter_record(struct cover_filtering *f);
// With an annotation whose simple name contains "Generated", also Lombok's and Groovy's.
void cover_filter_generated(struct cover_filtering *f);

#endif
