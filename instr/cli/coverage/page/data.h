// The packages and classes of a report as a script: `var COVER = {...}`, which coverage.js shows.

#ifndef INSTR_CLI_COVERAGE_PAGE_DATA_H
#define INSTR_CLI_COVERAGE_PAGE_DATA_H

#include "instr/base/output.h"
#include "instr/cli/coverage/page/list.h"

// It may stand in a file of its own or in an element: no name in it ends the element.
void cover_put_data(const struct cover_page_list *list, struct instr_output *out);

#endif
