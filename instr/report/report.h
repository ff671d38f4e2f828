// The result of a pass, and how people and programs get to read it: a table, a file (JSON), and, in
// the command line tool, a page (report_html.h).

#ifndef INSTR_REPORT_H
#define INSTR_REPORT_H

#include "instr/base/json.h"
#include "instr/base/output.h"

#include <stddef.h>
#include <stdint.h>

// What is known of one method. Times are in nanoseconds, all 0 when the pass takes none.
struct instr_report_row {
    const char *class_name; // internal or with dots
    const char *method;
    const char *descriptor;
    uint64_t calls, thrown;
    uint64_t total_ns, self_ns, min_ns, max_ns, p50_ns, p90_ns, p99_ns;
};

// What was kept as it was.
struct instr_skipped {
    const char *class_name;
    const char *method; // name and descriptor; "": the whole class
    const char *reason;
};

// A report owns nothing: whoever fills it keeps the arrays and the strings. Strings are UTF-8 or
// modified UTF-8.
struct instr_report {
    const char *pass; // its name
    const char *jvm;  // name and version of the JVM; NULL: not known
    int timed;        // the rows have times
    int without_p90;  // but not this one, of other tools
    struct instr_report_row *rows;
    size_t row_count;
    const struct instr_skipped *skipped;
    size_t skipped_count;
    // Writes more members of the JSON object, behind these; NULL: there are none.
    void (*more)(const void *context, struct instr_json *json);
    const void *more_context;
};

enum instr_order { INSTR_BY_SELF, INSTR_BY_TOTAL, INSTR_BY_CALLS, INSTR_BY_THROWN };

// Sorts the rows, the largest first, equal ones by name. Without times the first two are the same
// as by calls.
void instr_report_sort(struct instr_report *report, enum instr_order order);

// Writes the first `top` rows as a table for people, below a line of totals.
void instr_report_table(const struct instr_report *report, struct instr_output *out, size_t top);

// Writes the whole report as JSON:
//      {"pass","jvm","methods":[{"class","method","descriptor","calls","thrown"}],
//       "skipped":[{"class","method","reason"}]}
// where a timed method goes on with
// "total_ns","self_ns","min_ns","max_ns","p50_ns","p90_ns","p99_ns".
void instr_report_json(const struct instr_report *report, struct instr_output *out);

// The same to the file `path`, which appears whole or not at all (see output.h). Returns 0; or -1
// with one line in `error`.
int instr_report_write(const struct instr_report *report, const char *path, char *error,
                       size_t size);

enum { // styles, added up
    INSTR_PLAIN = 0,
    INSTR_DOTS = 1, // slashes become dots
    INSTR_HTML = 2  // escaped for HTML
};
// Writes text without control characters and others that could play tricks on a reader.
void instr_report_text(struct instr_output *out, const char *text, int style);

// The beginning of a page of its own, up to its <body>: a title, a style sheet; nothing comes from
// elsewhere.
void instr_report_page(struct instr_output *out, const char *title, const char *style);
// A figure of its list of totals, and what it is; neither is escaped.
void instr_report_total(struct instr_output *out, const char *name, const char *value);

// Writes a method the way people read it: com.acme.Foo.bar(int, String).
void instr_report_method(const struct instr_report_row *row, struct instr_output *out, int style);

enum { INSTR_DURATION_SIZE = 16 };
// Writes a duration with three digits and its unit ("1.25 ms") into `text`; returns `text`.
char *instr_duration(uint64_t nanoseconds, char text[INSTR_DURATION_SIZE]);

enum { INSTR_NUMBER_SIZE = 32 };
// Writes a number with commas ("1,234") into `text`; returns `text`.
char *instr_number(uint64_t number, char text[INSTR_NUMBER_SIZE]);

#endif
