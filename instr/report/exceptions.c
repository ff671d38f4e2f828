// Results of the pass exceptions: sorted and merged, as a table, and as JSON.

#include "instr/report/exceptions.h"

#include "instr/base/json.h"
#include "instr/report/internal.h"
#include "instr/report/text.h"

#include <stdlib.h>
#include <string.h>

// --- order ---

static int compare_text(const char *a, const char *b) {
    if (!a || !b) return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static int by_name(const void *left, const void *right) {
    const struct instr_exception_row *a = left, *b = right;
    int order = strcmp(a->class_name, b->class_name);
    if (!order) order = strcmp(a->site_class, b->site_class);
    if (!order) order = strcmp(a->site_method, b->site_method);
    if (!order) order = (a->site_line > b->site_line) - (a->site_line < b->site_line);
    if (!order) order = (a->fate > b->fate) - (a->fate < b->fate);
    if (!order) order = compare_text(a->caught_class, b->caught_class);
    return order ? order : compare_text(a->caught_method, b->caught_method);
}

static int by_count(const void *left, const void *right) {
    const struct instr_exception_row *a = left, *b = right;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return by_name(left, right);
}

void instr_exception_report_sort(struct instr_exception_report *report) {
    struct instr_exception_row *rows = report->rows;
    size_t merged = 0;
    if (report->row_count == 0) return;
    qsort(rows, report->row_count, sizeof *rows, by_name);
    for (size_t i = 0; i < report->row_count; i++) {
        if (merged > 0 && by_name(&rows[merged - 1], &rows[i]) == 0) {
            rows[merged - 1].count += rows[i].count;
            if (!rows[merged - 1].frame_count) {
                rows[merged - 1].frames = rows[i].frames;
                rows[merged - 1].frame_count = rows[i].frame_count;
            }
        } else {
            rows[merged++] = rows[i];
        }
    }
    report->row_count = merged;
    qsort(rows, merged, sizeof *rows, by_count);
}

// --- the table ---

static void put_totals(const struct instr_exception_report *report, struct instr_output *out,
                       size_t top) {
    uint64_t all = 0, fates[3] = {0, 0, 0};
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE];
    for (size_t i = 0; i < report->row_count; i++) {
        uint64_t *fate = &fates[report->rows[i].fate];
        all = instr_report_plus(all, report->rows[i].count);
        *fate = instr_report_plus(*fate, report->rows[i].count);
    }
    instr_report_text(out, report->pass, INSTR_PLAIN);
    instr_output_format(out, ": %s thrown, %s caught", instr_number(all, a),
                        instr_number(fates[INSTR_EXCEPTION_CAUGHT], b));
    if (fates[INSTR_EXCEPTION_LEFT])
        instr_output_format(out, ", %s left their threads",
                            instr_number(fates[INSTR_EXCEPTION_LEFT], a));
    if (fates[INSTR_EXCEPTION_UNSEEN])
        instr_output_format(out, ", %s ended in code that is not instrumented",
                            instr_number(fates[INSTR_EXCEPTION_UNSEEN], a));
    if (top && top < report->row_count)
        instr_output_format(out, "; the top %s of %s:", instr_number(top, a),
                            instr_number(report->row_count, b));
    instr_output_text(out, "\n");
}

void instr_exception_place(struct instr_output *out, const char *class_name, const char *method,
                           uint32_t line, int style) {
    instr_report_text(out, class_name, style | INSTR_DOTS);
    if (method[0]) instr_output_text(out, ".");
    instr_report_text(out, method, style);
    if (line) instr_output_format(out, ":%u", line);
}

void instr_exception_end(struct instr_output *out, const struct instr_exception_row *row,
                         int style) {
    if (row->fate == INSTR_EXCEPTION_LEFT)
        instr_output_text(out, "left its thread");
    else if (row->fate == INSTR_EXCEPTION_UNSEEN)
        instr_output_text(out, "ended in code that is not instrumented");
    else
        instr_exception_place(out, row->caught_class, row->caught_method, 0, style);
}

static void write_table(const void *content, struct instr_output *out, size_t top) {
    const struct instr_exception_report *report = content;
    char text[INSTR_NUMBER_SIZE];
    size_t width = strlen("count");
    if (top > report->row_count) top = report->row_count;
    put_totals(report, out, top);
    if (top == 0) return;
    for (size_t i = 0; i < top; i++) {
        size_t length = strlen(instr_number(report->rows[i].count, text));
        if (length > width) width = length;
    }
    instr_output_format(out, "  %*s  exception, thrown at, caught in\n", (int)width, "count");
    for (size_t i = 0; i < top; i++) {
        const struct instr_exception_row *row = &report->rows[i];
        instr_output_format(out, "  %*s  ", (int)width, instr_number(row->count, text));
        instr_report_text(out, row->class_name, INSTR_DOTS);
        instr_output_format(out, "\n  %*s    at ", (int)width, "");
        instr_exception_place(out, row->site_class, row->site_method, row->site_line, INSTR_PLAIN);
        instr_output_format(out, "\n  %*s    %s", (int)width, "",
                            row->fate == INSTR_EXCEPTION_CAUGHT ? "in " : "");
        instr_exception_end(out, row, INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
}

// --- JSON ---

static void put_row(struct instr_json *json, const struct instr_exception_row *row) {
    instr_json_open_flat(json, NULL, '{');
    instr_json_class(json, "class", row->class_name);
    instr_json_class(json, "site_class", row->site_class);
    instr_json_text(json, "site_method", row->site_method);
    instr_json_number(json, "site_line", row->site_line);
    instr_json_number(json, "count", row->count);
    if (row->fate == INSTR_EXCEPTION_CAUGHT)
        instr_json_class(json, "caught_class", row->caught_class);
    else
        instr_json_text(json, "caught_class",
                        row->fate == INSTR_EXCEPTION_UNSEEN ? INSTR_EXCEPTION_ELSEWHERE : NULL);
    instr_json_text(json, "caught_method", row->caught_method);
    instr_json_open_flat(json, "first_stack", '[');
    const char *frame = row->frames;
    for (size_t i = 0; frame && i < row->frame_count; i++, frame += strlen(frame) + 1)
        instr_json_text(json, NULL, frame);
    instr_json_close(json, ']');
    instr_json_close(json, '}');
}

static void write_json(const void *content, struct instr_output *out) {
    const struct instr_exception_report *report = content;
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", report->pass);
    instr_json_open(&json, "exceptions", '[');
    for (size_t i = 0; i < report->row_count; i++) put_row(&json, &report->rows[i]);
    instr_json_close(&json, ']');
    instr_cost_json(&report->cost, &json, "cost");
    instr_json_close(&json, '}');
}

const struct instr_report_format instr_exceptions_format = {.table = write_table,
                                                            .json = write_json};
