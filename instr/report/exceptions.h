// Results of the pass exceptions.

#ifndef INSTR_REPORT_EXCEPTIONS_H
#define INSTR_REPORT_EXCEPTIONS_H

#include "instr/report/cost.h"
#include "instr/report/kinds.h"

#include <stddef.h>
#include <stdint.h>

// How an exception ended.
enum instr_exception_fate {
    INSTR_EXCEPTION_CAUGHT, // by a handler of an instrumented method
    INSTR_EXCEPTION_LEFT,   // it left its thread
    INSTR_EXCEPTION_UNSEEN  // in code that is not instrumented, or it is still being thrown
};

// Exceptions of one class, from one place, that ended in one way.
struct instr_exception_row {
    const char *class_name; // internal or with dots, as all names
    const char *site_class, *site_method;
    uint32_t site_line; // 0: not known
    uint64_t count;
    enum instr_exception_fate fate;
    const char *caught_class, *caught_method; // NULL unless caught
    // Of the first stack: "com.acme.Foo.bar(Foo.java:12)", one string after the other; the first
    // one is the place.
    const char *frames;
    size_t frame_count;
};

// Owns nothing: the caller keeps the rows and the strings.
struct instr_exception_report {
    const char *pass;
    struct instr_exception_row *rows;
    size_t row_count;
    struct instr_cost cost;
};

// Merges rows that differ in nothing that is shown, and sorts them, the largest first.
void instr_exception_report_sort(struct instr_exception_report *report);

// JSON, with "cost" (cost.h) at the end if it is known: {"pass","exceptions":[{"class","site_class","site_method","site_line","count",
//        "caught_class","caught_method","first_stack"}]}
// site_line is 0 when it is not known. caught_class and caught_method are null for an exception that
// left its thread; for one that ended unseen caught_class is INSTR_EXCEPTION_ELSEWHERE. first_stack
// is a list of strings.
extern const struct instr_report_format instr_exceptions_format;
#define INSTR_EXCEPTION_ELSEWHERE "(not instrumented)"

#endif
