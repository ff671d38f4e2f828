// Results by method read from JSON, and their kind.

#include "instr/report/internal.h"
#include "instr/report/read.h"

#include <stdlib.h>

static int read_row(struct instr_reader *r, const json_t *object, void *context) {
    struct instr_method_report *report = context;
    struct instr_method_row *row = &report->rows[report->row_count++];
    const struct {
        const char *key;
        uint64_t *field;
    } numbers[] = {
        {"calls", &row->calls},     {"thrown", &row->thrown}, {"total_ns", &row->total_ns},
        {"self_ns", &row->self_ns}, {"min_ns", &row->min_ns}, {"max_ns", &row->max_ns},
        {"p50_ns", &row->p50_ns},   {"p90_ns", &row->p90_ns}, {"p99_ns", &row->p99_ns}};
    if (instr_reader_text(r, object, "class", &row->class_name) != 0 ||
        instr_reader_text(r, object, "method", &row->method) != 0 ||
        instr_reader_text(r, object, "descriptor", &row->descriptor) != 0)
        return -1;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (instr_reader_number(r, object, numbers[i].key, numbers[i].field) != 0) return -1;
    row->estimated = json_is_true(json_object_get(object, "estimated"));
    if (row->estimated && instr_reader_number(r, object, "measured", &row->measured) != 0)
        return -1;
    row->untimed = json_is_false(json_object_get(object, "timed"));
    if (json_object_get(object, "total_ns")) report->timed = 1;
    if (json_object_get(object, "p90_ns")) report->without_p90 = 0;
    return 0;
}

struct skipped_list {
    struct instr_skipped *items;
    size_t count;
};

static int read_skipped(struct instr_reader *r, const json_t *object, void *context) {
    struct skipped_list *list = context;
    struct instr_skipped *skipped = &list->items[list->count++];
    if (instr_reader_text(r, object, "class", &skipped->class_name) != 0) return -1;
    if (instr_reader_text(r, object, "method", &skipped->method) != 0) return -1;
    return instr_reader_text(r, object, "reason", &skipped->reason);
}

static int read_report(struct instr_reader *r, void *content) {
    struct instr_method_report *report = content;
    struct skipped_list skipped = {0};
    report->pass = json_string_value(json_object_get(r->root, "pass"));
    instr_reader_cost(r, &report->cost);
    report->jvm = json_string_value(json_object_get(r->root, "jvm"));
    report->without_p90 = 1;
    report->rows = calloc(instr_reader_count(r, "methods") + 1, sizeof *report->rows);
    skipped.items = calloc(instr_reader_count(r, "skipped") + 1, sizeof *skipped.items);
    report->skipped = skipped.items;
    if (!report->rows || !skipped.items) return instr_reader_fail(r, "out of memory");
    if (instr_reader_each(r, "methods", read_row, report) != 0) return -1;
    if (instr_reader_each(r, "skipped", read_skipped, &skipped) != 0) return -1;
    report->skipped_count = skipped.count;
    return 0;
}

static void free_report(void *content) {
    struct instr_method_report *report = content;
    free(report->rows);
    free((void *)(uintptr_t)report->skipped);
}

static void sort(void *content, size_t order) {
    instr_method_report_sort(content, (enum instr_order)order);
}

const struct instr_report_kind instr_report_kind_methods = {
    .format = &instr_methods_format,
    .list = "methods",
    .size = sizeof(struct instr_method_report),
    .read = read_report,
    .free = free_report,
    .orders = (const char *const[]){"self", "total", "calls", "thrown", NULL},
    .sort = sort,
    .page = instr_methods_page,
};
