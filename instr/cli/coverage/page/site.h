// The pages as a folder:
//
//      index.html                      the tree of packages and classes
//      com.acme/Shop.java.html         a page
//      instr-resources/                style, script, the data of the tree, and the list of pages

#ifndef INSTR_CLI_COVERAGE_PAGE_SITE_H
#define INSTR_CLI_COVERAGE_PAGE_SITE_H

#include "instr/base/output.h"
#include "instr/cli/coverage/page/list.h"

// Writes the folder, which may exist, on all processors. Pages of an earlier report that this one has not
// are removed. CLI_OK; or CLI_FAILED after a message.
int cover_make_site(const struct cover_page_list *list, const char *path);

// What all pages begin with, up to what lies in <head>: `shared` is the path of the folder of style
// and script; NULL: they are in the page.
void cover_put_head(const char *title, const char *shared, struct instr_output *out);
// The index without its data.
void cover_put_index(const struct cover_model *model, struct instr_output *out);
void cover_put_foot(struct instr_output *out);

#endif
