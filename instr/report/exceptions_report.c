// The result of the pass exceptions: sorted and added up, as a table, and as JSON.

#include "instr/report/exceptions_report.h"

#include "instr/base/json.h"
#include "instr/report/report.h"

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
    size_t kept = 0;
    if (report->row_count == 0) return;
    qsort(rows, report->row_count, sizeof *rows, by_name);
    for (size_t i = 0; i < report->row_count; i++) {
        if (kept > 0 && by_name(&rows[kept - 1], &rows[i]) == 0) {
            rows[kept - 1].count += rows[i].count;
            if (!rows[kept - 1].frame_count) {
                rows[kept - 1].frames = rows[i].frames;
                rows[kept - 1].frame_count = rows[i].frame_count;
            }
        } else {
            rows[kept++] = rows[i];
        }
    }
    report->row_count = kept;
    qsort(rows, kept, sizeof *rows, by_count);
}

// --- the table ---

static void put_totals(const struct instr_exception_report *report, struct instr_output *out,
                       size_t top) {
    uint64_t all = 0, fates[3] = {0, 0, 0};
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE];
    for (size_t i = 0; i < report->row_count; i++) {
        all += report->rows[i].count;
        fates[report->rows[i].fate] += report->rows[i].count;
    }
    instr_output_format(out, "exceptions: %s thrown, %s caught", instr_number(all, a),
                        instr_number(fates[INSTR_EXCEPTION_CAUGHT], b));
    if (fates[INSTR_EXCEPTION_LEFT])
        instr_output_format(out, ", %s left their threads",
                            instr_number(fates[INSTR_EXCEPTION_LEFT], a));
    if (fates[INSTR_EXCEPTION_UNSEEN])
        instr_output_format(out, ", %s ended in code that is not instrumented",
                            instr_number(fates[INSTR_EXCEPTION_UNSEEN], a));
    if (top < report->row_count)
        instr_output_format(out, "; the top %s of %s:", instr_number(top, a),
                            instr_number(report->row_count, b));
    instr_output_text(out, "\n");
}

static void put_place(struct instr_output *out, const char *class_name, const char *method,
                      uint32_t line, int style) {
    instr_report_text(out, class_name, style | INSTR_DOTS);
    if (method[0]) instr_output_text(out, ".");
    instr_report_text(out, method, style);
    if (line) instr_output_format(out, ":%u", line);
}

static void put_end(struct instr_output *out, const struct instr_exception_row *row, int style) {
    if (row->fate == INSTR_EXCEPTION_LEFT)
        instr_output_text(out, "left its thread");
    else if (row->fate == INSTR_EXCEPTION_UNSEEN)
        instr_output_text(out, "ended in code that is not instrumented");
    else
        put_place(out, row->caught_class, row->caught_method, 0, style);
}

void instr_exception_report_table(const struct instr_exception_report *report,
                                  struct instr_output *out, size_t top) {
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
        put_place(out, row->site_class, row->site_method, row->site_line, INSTR_PLAIN);
        instr_output_format(out, "\n  %*s    %s", (int)width, "",
                            row->fate == INSTR_EXCEPTION_CAUGHT ? "in " : "");
        put_end(out, row, INSTR_PLAIN);
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

void instr_exception_report_json(const struct instr_exception_report *report,
                                 struct instr_output *out) {
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", "exceptions");
    instr_json_open(&json, "exceptions", '[');
    for (size_t i = 0; i < report->row_count; i++) put_row(&json, &report->rows[i]);
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
}
