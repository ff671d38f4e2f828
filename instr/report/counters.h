// Results of plug-ins: counters and histograms by the place in the code that counts.

#ifndef INSTR_REPORT_COUNTERS_H
#define INSTR_REPORT_COUNTERS_H

#include "instr/report/cost.h"
#include "instr/report/kinds.h"

#include <stddef.h>
#include <stdint.h>

enum instr_counter_unit {
    INSTR_UNIT_NONE,   // it only counts
    INSTR_UNIT_NUMBER, // numbers
    INSTR_UNIT_NS      // nanoseconds
};

struct instr_counted_row {
    const char *name;
    const char *class_name; // internal or with dots
    const char *method, *descriptor;
    uint32_t line; // 0: unknown
    enum instr_counter_unit unit;
    uint64_t count, total, min, max, p50, p90, p99; // all but `count` 0 without a unit
};

// A report owns nothing: the caller keeps the array and the strings.
struct instr_counter_report {
    const char *pass; // its name
    struct instr_cost cost;
    struct instr_counted_row *rows;
    size_t row_count;
    uint64_t lost;      // events that are counted, and that the plug-in did not get
    const char **lines; // of the plug-in's own
    size_t line_count;
};

// Sorts the rows, those that counted most first.
void instr_counter_report_sort(struct instr_counter_report *report);

// The number of columns of numbers: 1 if all rows only count.
enum { INSTR_COUNTER_COLUMNS = 7 };
size_t instr_counter_columns(const struct instr_counter_report *report);
// The head of column `i`, and its number in a row as people read it; "": the row has none.
const char *instr_counter_head(size_t i);
uint64_t instr_counter_value(const struct instr_counted_row *row, size_t i);
const char *instr_counter_cell(const struct instr_counted_row *row, size_t i, char text[32]);

// Writes where a row counts: com.acme.Foo.bar(int):12.
void instr_counter_place(struct instr_output *out, const struct instr_counted_row *row, int style);

// JSON, with "cost" (cost.h) at the end if it is known: {"pass","counters":[{"counter","class","method","descriptor","line","unit","count"}],"lost","lines":[line]}
// where a row whose "unit" is not null ("number", "ns") goes on with "total","min","max","p50","p90","p99".
extern const struct instr_report_format instr_counters_format;

#endif
