// Results of the pass alloc: a table, JSON, collapsed stacks, and a flame graph (flame.h).
//
//      struct instr_alloc_report report;
//      instr_alloc_report_init(&report, "alloc");
//      instr_alloc_report_add(&report, &site);     // any number of times
//      instr_alloc_report_finish(&report);
//      ... instr_alloc_format.table(&report, &out, 20) ...
//      instr_alloc_report_free(&report);

#ifndef INSTR_REPORT_ALLOC_H
#define INSTR_REPORT_ALLOC_H

#include "instr/report/cost.h"
#include "instr/report/kinds.h"

#include <stddef.h>
#include <stdint.h>

// What was allocated of one class at one site.
struct instr_alloc_site {
    const char *class_name; // as people write it: java.lang.String, int[]
    const char *site_class; // in the same form; "": not in Java code
    const char *site_method;
    uint32_t site_line; // 0: not known
    uint64_t count, bytes;
    uint64_t live_count, live_bytes; // of them; 0 unless `live`
};

// A stack and what was allocated there: the outermost frame first, the class last.
struct instr_alloc_stack {
    const char *const *frames;
    size_t depth;
    uint64_t count, bytes;
};

struct instr_alloc_report {
    const char *pass;
    struct instr_cost cost;
    struct instr_alloc_site *sites; // the most bytes first
    size_t site_count;
    struct instr_alloc_site *classes; // totals by class: no site
    size_t class_count;
    const struct instr_alloc_stack *stacks; // sampled ones; if there are none, sites are stacks
    size_t stack_count;
    int sampled;                      // numbers are estimates
    int live;                         // live_count and live_bytes are known
    size_t capacity;                  // of sites
    int failed;                       // out of memory
    struct instr_alloc_block *blocks; // memory that the report owns
    size_t left;                      // bytes of the first one
};

void instr_alloc_report_init(struct instr_alloc_report *report, const char *pass);
void instr_alloc_report_free(struct instr_alloc_report *report);

// Memory that lives as long as the report; NULL: out of memory, and the report fails.
void *instr_alloc_room(struct instr_alloc_report *report, size_t size);

// A class as people write it, in the report's memory: [[I is int[][], java/lang/String is
// java.lang.String. "?" when out of memory.
const char *instr_alloc_class_name(struct instr_alloc_report *report, const char *internal);

// Adds a site; its strings must live as long as the report.
void instr_alloc_report_add(struct instr_alloc_report *report, const struct instr_alloc_site *site);

// Merges what has the same site and class, computes the totals by class, and sorts. Returns 0, or
// -1: out of memory, here or before.
int instr_alloc_report_finish(struct instr_alloc_report *report);

// JSON, with "cost" (cost.h) at the end if it is known: {"pass","sites":[{"class","site_class","site_method","site_line","count","bytes"}],
//        "classes":[{"class","count","bytes"}]}
// with "live_count","live_bytes" at the end of an entry if they are known; of samples, also
//        {"sampled": true,"stacks":[{"frames":[NUMBER...],"count","bytes"}],"frames":[TEXT...]}
// where a stack has its outermost frame first, by numbers in "frames", and the class last.
extern const struct instr_report_format instr_alloc_format;

// Writes one line for each stack: frames with semicolons between them, a space, bytes. `report` is
// a struct instr_alloc_report.
void instr_alloc_stacks(const void *report, struct instr_output *out);

#endif
