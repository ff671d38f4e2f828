// Results of the pass demo, as a table and as JSON.

#include "tests/stress/demo/report.h"

#include "instr/base/json.h"
#include "instr/report/text.h"

static void write_table(const void *content, struct instr_output *out, size_t top) {
    const struct demo_report *report = content;
    char number[INSTR_NUMBER_SIZE];
    instr_output_format(out, "demo: %s classes\n", instr_number(report->count, number));
    for (size_t i = 0; i < report->count && i < top; i++) {
        instr_output_format(out, "  %9s  ", instr_number(report->rows[i].entries, number));
        instr_report_text(out, report->rows[i].class_name, INSTR_DOTS);
        instr_output_text(out, "\n");
    }
}

static void write_json(const void *content, struct instr_output *out) {
    const struct demo_report *report = content;
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", "demo");
    instr_json_open(&json, "entered", '[');
    for (size_t i = 0; i < report->count; i++) {
        instr_json_open_flat(&json, NULL, '{');
        instr_json_class(&json, "class", report->rows[i].class_name);
        instr_json_number(&json, "entries", report->rows[i].entries);
        instr_json_close(&json, '}');
    }
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
}

const struct instr_report_format demo_format = {.table = write_table, .json = write_json};
