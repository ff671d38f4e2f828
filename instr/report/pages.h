// The files that pages consist of, as strings (embed.py). A page needs no other resource.

#ifndef INSTR_REPORT_PAGES_H
#define INSTR_REPORT_PAGES_H

// Of a table; without the script it still shows everything.
extern const char instr_page_css[], instr_page_js[];

// Of a flame graph.
extern const char instr_flame_css[], instr_flame_html[], instr_flame_js[];

#endif
