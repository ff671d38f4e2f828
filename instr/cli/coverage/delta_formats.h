// The coverage of changed lines, as people and their services read it.

#ifndef INSTR_CLI_COVERAGE_DELTA_FORMATS_H
#define INSTR_CLI_COVERAGE_DELTA_FORMATS_H

#include "instr/base/output.h"
#include "instr/cli/coverage/delta.h"

// For a terminal: the totals, a row for each file.
void cover_delta_table(const struct cover_delta *delta, struct instr_output *out);
// The same in Markdown, for a comment on a pull request.
void cover_delta_markdown(const struct cover_delta *delta, struct instr_output *out);
// Commands that GitHub's runners read from the output of a step: a warning at each range of missed lines.
void cover_delta_github(const struct cover_delta *delta, struct instr_output *out);
// A report of GitLab's Code Quality, in JSON.
void cover_delta_gitlab(const struct cover_delta *delta, struct instr_output *out);
// A page with the changed lines, with their text as it is in the working tree.
void cover_delta_html(const struct cover_delta *delta, struct instr_output *out);

#endif
