// Where the source file of a report lies, as formats name it.

#ifndef INSTR_CLI_COVERAGE_FORMATS_PLACE_H
#define INSTR_CLI_COVERAGE_FORMATS_PLACE_H

#include "instr/cli/coverage/model.h"

#include <limits.h>

// Calls `take` for each source file that has lines.
void cover_each_source(const struct cover_model *model,
                       void (*take)(void *context, const struct cover_bundle *bundle,
                                    const struct cover_source *source),
                       void *context);

// The path of the file if the sources have it, without "./"; or else PACKAGE/NAME. Modified UTF-8 or
// the bytes of a path, cut at the size.
void cover_source_path(const struct cover_model *model, const struct cover_bundle *bundle,
                       const struct cover_source *source, char path[PATH_MAX]);

// How often a line ran, as formats with numbers of hits have it: 1 stands for any number if the
// model has none. `i` counts from lines->first.
uint64_t cover_hits(const struct cover_lines *lines, size_t i);

// Is there something to cover on a line?
static inline int cover_line_counts(const struct cover_line *line) {
    return cover_total(line->instructions) > 0;
}

static inline size_t cover_lines_length(const struct cover_lines *lines) {
    return lines->first ? (size_t)lines->last - lines->first + 1 : 0;
}

#endif
