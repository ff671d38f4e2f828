// Pages of an earlier report in the same folder, of source files that are no longer in it.

#ifndef INSTR_CLI_COVERAGE_PAGE_STALE_H
#define INSTR_CLI_COVERAGE_PAGE_STALE_H

#include "instr/base/output.h"
#include "instr/cli/coverage/page/list.h"

#define COVER_PAGE_NAMES "pages.txt" // in the folder of style and script: the pages, a line each

// Removes the pages that `names`, the list of an earlier report, has and this one has not, and folders that
// are then empty. Nothing outside of the folder `path` is removed, whatever the list says. What cannot be
// removed stays: links to it are gone.
void cover_remove_stale(const struct cover_page_list *list, const char *path, const char *names);
// Writes the list.
void cover_put_names(const struct cover_page_list *list, struct instr_output *out);

#endif
