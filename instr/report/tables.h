// Results of rules: what their tables hold.

#ifndef INSTR_REPORT_TABLES_H
#define INSTR_REPORT_TABLES_H

#include "instr/report/cost.h"
#include "instr/report/kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum instr_table_number {
    INSTR_TABLE_SUM,
    INSTR_TABLE_MIN,
    INSTR_TABLE_MAX,
    INSTR_TABLE_LAST,
    INSTR_TABLE_P50,
    INSTR_TABLE_P90,
    INSTR_TABLE_P99,
    INSTR_TABLE_NUMBERS
};

struct instr_table_row {
    const char *table;     // its name, "" for @
    const char *key;       // "": the table has no keys
    const char *reduction; // "count", "sum", "min", "max", "avg", "hist", "last"
    bool metric, is_time;  // is_time: numbers are nanoseconds
    uint64_t count;
    double numbers[INSTR_TABLE_NUMBERS]; // percentiles: of hist only
};

// A report owns nothing: the caller keeps the array and the strings.
struct instr_table_report {
    const char *pass; // the rule's name
    const char *rule; // its text
    struct instr_cost cost;
    bool matched; // a method has it
    struct instr_table_row *rows;
    size_t row_count;
};

// Sorts the rows by table, those with the largest value first.
void instr_table_report_sort(struct instr_table_report *report);

// What the reduction says of a row: for avg and hist the average.
double instr_table_value(const struct instr_table_row *row);

enum { INSTR_TABLE_TEXT = 40 };
// Writes a number of a row as people read it; returns `text`.
char *instr_table_number(double number, bool is_time, char text[INSTR_TABLE_TEXT]);

// JSON, with "cost" (cost.h) at the end if it is known: {"pass","rule","matched","tables":[{"table","key","reduction","metric","unit","count","value","sum",
// "min","max","last","p50","p90","p99"}]}; "unit" is "ns" or null; what a reduction does not know is
// not there.
extern const struct instr_report_format instr_tables_format;

#endif
