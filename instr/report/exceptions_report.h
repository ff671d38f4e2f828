// The result of the pass exceptions: rows, and how people and programs get to read them.

#ifndef INSTR_EXCEPTIONS_REPORT_H
#define INSTR_EXCEPTIONS_REPORT_H

#include "instr/base/output.h"

#include <stddef.h>
#include <stdint.h>

// How an exception ended.
enum instr_exception_fate {
    INSTR_EXCEPTION_CAUGHT, // by a handler of an instrumented method
    INSTR_EXCEPTION_LEFT,   // it left its thread
    INSTR_EXCEPTION_UNSEEN  // in code that is not instrumented, or it is on its way yet
};

// Exceptions of one class, from one place, that ended in one way.
struct instr_exception_row {
    const char *class_name; // internal or with dots, as all names
    const char *site_class, *site_method;
    uint32_t site_line; // 0: not known
    uint64_t count;
    enum instr_exception_fate fate;
    const char *caught_class, *caught_method; // NULL unless caught
    const char *frames; // of the first stack: "com.acme.Foo.bar(Foo.java:12)", one string behind
    size_t frame_count; // the other; the place is the first one
};

// Owns nothing but what the caller gave it.
struct instr_exception_report {
    struct instr_exception_row *rows;
    size_t row_count;
};

// Makes one row of those that differ in nothing that is told, and sorts them, the largest first.
void instr_exception_report_sort(struct instr_exception_report *report);

// Writes a line of totals and the first `top` rows, for people.
void instr_exception_report_table(const struct instr_exception_report *report,
                                  struct instr_output *out, size_t top);

// Writes {"pass","exceptions":[{"class","site_class","site_method","site_line","count",
// "caught_class","caught_method","first_stack"}]}. site_line is 0 when it is not known,
// caught_class and caught_method are null for what left its thread; what ended unseen has
// INSTR_EXCEPTION_ELSEWHERE for caught_class. first_stack is a list of strings.
void instr_exception_report_json(const struct instr_exception_report *report,
                                 struct instr_output *out);
#define INSTR_EXCEPTION_ELSEWHERE "(not instrumented)"

// A page of its own, with all rows and their stacks to unfold.
void instr_exception_report_html(const struct instr_exception_report *report,
                                 struct instr_output *out, size_t top);

#endif
