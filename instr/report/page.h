// What all HTML pages share. A page needs no other resource: its style and its script are part of
// it, as the build makes them of the files page.css, page.js and so on (embed.py).

#ifndef INSTR_REPORT_PAGE_H
#define INSTR_REPORT_PAGE_H

#include "instr/base/output.h"

#include <stddef.h>

// Of a page with a table; without the script it still shows everything.
extern const char instr_page_css[], instr_page_js[];
// Of a flame graph.
extern const char instr_flame_css[], instr_flame_html[], instr_flame_js[];

// The beginning of a page, up to its heading: `title`, which is escaped, and `more`, which is not.
void instr_page_begin(struct instr_output *out, const char *title, const char *more,
                      const char *css);

// The end of a page; `script` NULL: it has none.
void instr_page_end(struct instr_output *out, const char *script);

// The list of totals holds totals: a number, and what it is. Neither is escaped.
void instr_page_begin_totals(struct instr_output *out);
void instr_page_total(struct instr_output *out, const char *name, const char *value);
void instr_page_end_totals(struct instr_output *out);

// A table that instr_page_js sorts and searches; `what` its rows are: "methods", "classes". The
// heads of its columns follow, then instr_page_begin_rows, rows, and instr_page_end_table.
void instr_page_begin_table(struct instr_output *out, const char *what);
// `sorted` is "ascending", "descending" or NULL; `title` may be NULL. The first column, and those
// of `text`, whose cells have the class of that name, are aligned to the left.
void instr_page_column(struct instr_output *out, const char *head, const char *title,
                       const char *sorted, int text);
void instr_page_begin_rows(struct instr_output *out);
void instr_page_end_table(struct instr_output *out);

#endif
