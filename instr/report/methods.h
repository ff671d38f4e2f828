// Results by method: calls, exceptions, times.

#ifndef INSTR_REPORT_METHODS_H
#define INSTR_REPORT_METHODS_H

#include "instr/base/json.h"
#include "instr/report/cost.h"
#include "instr/report/kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is known of one method. Times are in nanoseconds, all 0 when the pass takes none.
struct instr_method_row {
    const char *class_name; // internal or with dots
    const char *method;
    const char *descriptor;
    uint64_t calls, thrown;
    uint64_t total_ns, self_ns, min_ns, max_ns, p50_ns, p90_ns, p99_ns;
    // Are times estimates, from so many calls that were measured? `min_ns` was always measured.
    uint64_t estimated, measured;
    bool untimed; // its calls are only counted: the method has no times
};

// A method or class that was not changed, and why.
struct instr_skipped {
    const char *class_name;
    const char *method; // name and descriptor; "": the whole class
    const char *reason;
};

// A report owns nothing: the caller keeps the arrays and the strings. Strings are UTF-8 or modified
// UTF-8.
struct instr_method_report {
    const char *pass; // its name
    const char *jvm;  // name and version of the JVM; NULL: not known
    int timed;        // the rows have times
    int without_p90;  // but not this one: other tools wrote the file
    struct instr_method_row *rows;
    size_t row_count;
    const struct instr_skipped *skipped;
    size_t skipped_count;
    // Writes more below the table (`table`), or more members of the JSON object (`json`); the other
    // one is NULL. NULL: there is nothing more.
    void (*more)(const void *context, struct instr_output *table, struct instr_json *json);
    const void *more_context;
    struct instr_cost cost;
};

enum instr_order { INSTR_BY_SELF, INSTR_BY_TOTAL, INSTR_BY_CALLS, INSTR_BY_THROWN };

// Sorts the rows, the largest first, equal ones by name. Without times the first two orders are the
// same as by calls.
void instr_method_report_sort(struct instr_method_report *report, enum instr_order order);

// Writes entries of the list "skipped".
void instr_skipped_json(struct instr_json *json, const struct instr_skipped *skipped, size_t count);

// JSON, with "cost" (cost.h) at the end if it is known: {"pass","jvm","methods":[{"class","method","descriptor","calls","thrown"}],
//        "skipped":[{"class","method","reason"}]}
// where a timed method goes on with
// "total_ns","self_ns","min_ns","max_ns","p50_ns","p90_ns","p99_ns", and if its times are estimates, with
// "estimated":true and "measured", the number of calls whose time was measured.
// "timed":false says that its calls are only counted: its times are 0.
extern const struct instr_report_format instr_methods_format;

#endif
