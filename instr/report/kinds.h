// The kinds of results: one row each. A kind is defined in files of its own, as
// instr_report_kind_NAME; nothing else knows which kinds there are.

#ifndef INSTR_REPORT_KINDS_H
#define INSTR_REPORT_KINDS_H

#include "instr/base/output.h"

// More rows, for builds that bring kinds of their own.
#ifndef INSTR_MORE_REPORT_KINDS
#define INSTR_MORE_REPORT_KINDS(KIND)
#endif

#define INSTR_REPORT_KINDS(KIND)                                                                   \
    KIND(methods)                                                                                  \
    KIND(alloc)                                                                                    \
    KIND(exceptions)                                                                               \
    KIND(counters)                                                                                 \
    KIND(tables)                                                                                   \
    KIND(exec)                                                                                     \
    INSTR_MORE_REPORT_KINDS(KIND)

// How a kind is printed and written: the same for the results of a running JVM and of a file.
struct instr_report_format {
    // Writes a line of totals and the first `top` rows, for people.
    void (*table)(const void *report, struct instr_output *out, size_t top);
    // Writes the whole report as one JSON object: what `read` below reads.
    void (*json)(const void *report, struct instr_output *out);
};

struct instr_reader;

// How `instr report` deals with files of a kind.
struct instr_report_kind {
    const struct instr_report_format *format;
    const char *list;                 // a JSON file with a list of this name is of this kind; or
    int (*is_file)(const char *path); // is this file, which is not JSON, of this kind?
    size_t size;                      // bytes of the structure of a report
    // Reads the file into `report`, which is zero. Returns 0; or -1 with the reason in the reader,
    // or printed. `free` follows in either case.
    int (*read)(struct instr_reader *reader, void *report);
    void (*free)(void *report);
    const char *const *orders; // the words of --sort, the default first; NULL ends them
    void (*sort)(void *report, size_t order);
    // Writes the first `top` rows, sorted by `order`, as one HTML page.
    void (*page)(const void *report, struct instr_output *out, size_t top, size_t order);
};

#define INSTR_REPORT_KIND(name) extern const struct instr_report_kind instr_report_kind_##name;
INSTR_REPORT_KINDS(INSTR_REPORT_KIND)
#undef INSTR_REPORT_KIND

#endif
