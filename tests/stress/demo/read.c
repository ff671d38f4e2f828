// Results of the pass demo read from JSON, their page, and their kind.

#include "instr/report/page.h"
#include "instr/report/read.h"
#include "instr/report/text.h"
#include "tests/stress/demo/report.h"

#include <inttypes.h>
#include <stdlib.h>

static int read_row(struct instr_reader *r, const json_t *object, void *context) {
    struct demo_report *report = context;
    struct demo_row *row = &report->rows[report->count++];
    if (instr_reader_text(r, object, "class", &row->class_name) != 0) return -1;
    return instr_reader_number(r, object, "entries", &row->entries);
}

static int read_report(struct instr_reader *r, void *content) {
    struct demo_report *report = content;
    report->rows = calloc(instr_reader_count(r, "entered") + 1, sizeof *report->rows);
    if (!report->rows) return instr_reader_fail(r, "out of memory");
    return instr_reader_each(r, "entered", read_row, report);
}

static void free_report(void *content) {
    free(((struct demo_report *)content)->rows);
}

static int by_entries(const void *left, const void *right) {
    const struct demo_row *a = left, *b = right;
    return (a->entries < b->entries) - (a->entries > b->entries);
}

static void sort(void *content, size_t order) {
    struct demo_report *report = content;
    (void)order;
    qsort(report->rows, report->count, sizeof *report->rows, by_entries);
}

static void page(const void *content, struct instr_output *out, size_t top, size_t order) {
    const struct demo_report *report = content;
    char number[INSTR_NUMBER_SIZE];
    (void)order;
    instr_page_begin(out, "demo", "", instr_page_css);
    instr_page_begin_table(out, "classes");
    instr_page_column(out, "class", NULL, NULL, 1);
    instr_page_column(out, "entries", NULL, "descending", 0);
    instr_page_begin_rows(out);
    for (size_t i = 0; i < report->count && i < top; i++) {
        const struct demo_row *row = &report->rows[i];
        instr_output_text(out, "<tr><td>");
        instr_report_text(out, row->class_name, INSTR_HTML | INSTR_DOTS);
        instr_output_format(out, "</td><td data-v=\"%" PRIu64 "\">%s</td></tr>\n", row->entries,
                            instr_number(row->entries, number));
    }
    instr_page_end_table(out);
    instr_page_end(out, instr_page_js);
}

const struct instr_report_kind instr_report_kind_demo = {
    .format = &demo_format,
    .list = "entered",
    .size = sizeof(struct demo_report),
    .read = read_report,
    .free = free_report,
    .orders = (const char *const[]){"entries", NULL},
    .sort = sort,
    .page = page,
};
