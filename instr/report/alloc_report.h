// The result of the pass alloc, and how people and programs get to read it: a table, JSON,
// collapsed stacks, and a flame graph (flame.h). The same in the agent and in `instr report`.
//
//      struct instr_alloc_report report;
//      instr_alloc_report_init(&report, "alloc");
//      instr_alloc_report_add(&report, &site);     // any number of times
//      instr_alloc_report_finish(&report);
//      ... write ...
//      instr_alloc_report_free(&report);

#ifndef INSTR_ALLOC_REPORT_H
#define INSTR_ALLOC_REPORT_H

#include "classfile/arena.h"
#include "instr/base/output.h"

#include <stddef.h>
#include <stdint.h>

// Instances of a class that were allocated at a site.
struct instr_alloc_site {
    const char *class_name; // as people write it: java.lang.String, int[]
    const char *site_class; // the same
    const char *site_method;
    uint32_t site_line; // 0: not known
    uint64_t count, bytes;
    uint64_t live_count, live_bytes; // of them; 0 unless `live`
};

// A stack with what was allocated there: the outermost frame first, the class last.
struct instr_alloc_stack {
    const char *const *frames;
    size_t depth;
    uint64_t count, bytes;
};

struct instr_alloc_report {
    const char *pass;
    struct instr_alloc_site *sites; // the most bytes first
    size_t site_count;
    struct instr_alloc_site *classes; // the same, only with class and numbers
    size_t class_count;
    // Sampled ones. There are none: the sites are the stacks.
    const struct instr_alloc_stack *stacks;
    size_t stack_count;
    int sampled; // numbers are estimates
    int live;    // live_count and live_bytes are known
    struct cf_arena arena;
    size_t capacity; // of sites
    int failed;      // out of memory
};

void instr_alloc_report_init(struct instr_alloc_report *report, const char *pass);
void instr_alloc_report_free(struct instr_alloc_report *report);

// A class as people write it: [[I is int[][], java/lang/String is java.lang.String. In the report's
// arena; "?" when out of memory, which makes the report fail.
const char *instr_alloc_class_name(struct instr_alloc_report *report, const char *internal);
// A copy in the arena.
const char *instr_alloc_text(struct instr_alloc_report *report, const char *text);

// Adds a site; its strings must live as long as the report.
void instr_alloc_report_add(struct instr_alloc_report *report, const struct instr_alloc_site *site);

// Adds up what is the same site and class, adds up classes, and sorts. Returns 0, or -1: out of
// memory, here or before.
int instr_alloc_report_finish(struct instr_alloc_report *report);

// The first `top` sites and classes as tables for people, below a line of totals.
void instr_alloc_report_table(const struct instr_alloc_report *report, struct instr_output *out,
                              size_t top);

// {"pass","sites":[{"class","site_class","site_method","site_line","count","bytes"}],
//  "classes":[{"class","count","bytes"}]}, with "live_count","live_bytes" at their ends if known.
void instr_alloc_report_json(const struct instr_alloc_report *report, struct instr_output *out);

// One line for each stack: frames with semicolons between them, a blank, bytes.
void instr_alloc_report_stacks(const struct instr_alloc_report *report, struct instr_output *out);

// A flame graph of the bytes: one page that needs nothing else (flame.c).
void instr_alloc_report_html(const struct instr_alloc_report *report, struct instr_output *out);

// Calls `each` for every stack; without sampled ones for every site as a stack of its class, its
// method with the line, and the class allocated.
void instr_alloc_each_stack(const struct instr_alloc_report *report,
                            void (*each)(void *context, const struct instr_alloc_stack *stack),
                            void *context);

#endif
