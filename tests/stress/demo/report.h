// Results of the pass demo: entries by class.

#ifndef TESTS_STRESS_DEMO_REPORT_H
#define TESTS_STRESS_DEMO_REPORT_H

#include "instr/report/kinds.h"

#include <stddef.h>
#include <stdint.h>

struct demo_row {
    const char *class_name;
    uint64_t entries;
};

struct demo_report {
    struct demo_row *rows;
    size_t count;
};

// JSON: {"pass","entered":[{"class","entries"}]}
extern const struct instr_report_format demo_format;

#endif
