// The formats of reports, one row each. A row is an option with the file that is written, or with
// what lies at a path, such as a folder:
//
//      FILE(name, write)   --name FILE; void write(const struct cover_model *, struct instr_output *)
//      PATH(name, make)    --name PATH; int make(const struct cover_model *, const char *path), which
//                          returns CLI_OK, or another exit status after a message
//
// The order is that of the help, and paths come last: what they show may count more (begun.h).

#ifndef INSTR_CLI_COVERAGE_FORMATS_H
#define INSTR_CLI_COVERAGE_FORMATS_H

#include "instr/base/output.h"
#include "instr/cli/coverage/model.h"

#define COVER_FORMATS(FILE, PATH)                                                                  \
    FILE(xml, cover_write_xml)                                                                     \
    FILE(csv, cover_write_csv)                                                                     \
    FILE(lcov, cover_write_lcov)                                                                   \
    FILE(cobertura, cover_write_cobertura)                                                         \
    FILE(sonar, cover_write_sonar)                                                                 \
    FILE(markdown, cover_write_markdown)                                                           \
    FILE(badge, cover_write_badge)                                                                 \
    PATH(html, cover_make_html)

// The names of a row's option, and what it does: exactly one of the functions is set.
struct cover_format {
    const char *option; // "--xml"
    void (*write)(const struct cover_model *model, struct instr_output *out);
    int (*make)(const struct cover_model *model, const char *path);
};

#endif
