// Filters of what compilers write for try: closing of resources, copies of finally blocks, and the
// handlers that leave monitors.

#ifndef INSTR_CLI_COVERAGE_FILTER_TRY_H
#define INSTR_CLI_COVERAGE_FILTER_TRY_H

#include "instr/cli/coverage/filters.h"

// try-with-resources of javac 11 and later, of javac 7 to 10, and of the Eclipse compiler.
void cover_filter_resources(struct cover_filtering *f);
void cover_filter_resources_old(struct cover_filtering *f);
void cover_filter_resources_ecj(struct cover_filtering *f);
void cover_filter_finally(struct cover_filtering *f);
void cover_filter_synchronized(struct cover_filtering *f);

#endif
