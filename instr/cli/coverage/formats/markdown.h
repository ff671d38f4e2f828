// A report in GitHub's and GitLab's Markdown, for a pull request.

#ifndef INSTR_CLI_COVERAGE_FORMATS_MARKDOWN_H
#define INSTR_CLI_COVERAGE_FORMATS_MARKDOWN_H

#include "instr/base/output.h"
#include "instr/cli/coverage/model.h"

void cover_write_markdown(const struct cover_model *model, struct instr_output *out);

#endif
