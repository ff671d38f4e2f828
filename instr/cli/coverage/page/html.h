// The report as pages: a folder of them, or one file if the path ends with .html.

#ifndef INSTR_CLI_COVERAGE_PAGE_HTML_H
#define INSTR_CLI_COVERAGE_PAGE_HTML_H

#include "instr/cli/coverage/model.h"

// CLI_OK; or CLI_FAILED after a message.
int cover_make_html(const struct cover_model *model, const char *path);

#endif
