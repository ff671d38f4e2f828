// The page of a source file: its classes and methods, and its lines.

#ifndef INSTR_CLI_COVERAGE_PAGE_SOURCE_H
#define INSTR_CLI_COVERAGE_PAGE_SOURCE_H

#include "instr/base/output.h"
#include "instr/cli/coverage/page/list.h"

// What lies in <body>, without scripts. Several threads may write pages of one list. If the source
// cannot be read the page says so. `single`: all pages are one file, in which a line is
// #FOLDER/FILE/L12.
void cover_put_page(const struct cover_page_list *list, const struct cover_page *page, int single,
                    struct instr_output *out);

// Totals: the list of counters with bars.
void cover_put_totals(const struct cover_count *counts, struct instr_output *out);

#endif
