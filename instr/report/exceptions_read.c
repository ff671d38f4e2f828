// Results of the pass exceptions read from JSON, and their kind.

#include "instr/report/internal.h"
#include "instr/report/read.h"

#include <stdlib.h>
#include <string.h>

// The frames, one string after the other.
static int read_frames(struct instr_reader *r, const json_t *object,
                       struct instr_exception_row *row) {
    static const char key[] = "first_stack";
    const json_t *list = json_object_get(object, key), *frame;
    size_t i, length = 0, at = 0;
    if (!list || json_is_null(list)) return 0;
    if (!json_is_array(list)) return instr_reader_fail_at(r, key, "not a list");
    json_array_foreach(list, i, frame) {
        if (!json_is_string(frame)) return instr_reader_fail_at(r, key, "not a list of strings");
        length += strlen(json_string_value(frame)) + 1;
    }
    char *frames = malloc(length + 1);
    if (!frames) return instr_reader_fail(r, "out of memory");
    json_array_foreach(list, i, frame) {
        size_t n = strlen(json_string_value(frame)) + 1;
        memcpy(frames + at, json_string_value(frame), n);
        at += n;
    }
    row->frames = frames;
    row->frame_count = json_array_size(list);
    return 0;
}

static int read_row(struct instr_reader *r, const json_t *object, void *context) {
    struct instr_exception_report *report = context;
    struct instr_exception_row *row = &report->rows[report->row_count++];
    uint64_t line;
    if (instr_reader_text(r, object, "class", &row->class_name) != 0 ||
        instr_reader_text(r, object, "site_class", &row->site_class) != 0 ||
        instr_reader_text(r, object, "site_method", &row->site_method) != 0 ||
        instr_reader_number(r, object, "site_line", &line) != 0 ||
        instr_reader_number(r, object, "count", &row->count) != 0 ||
        instr_reader_optional(r, object, "caught_class", &row->caught_class) != 0 ||
        instr_reader_optional(r, object, "caught_method", &row->caught_method) != 0)
        return -1;
    row->site_line = line > UINT32_MAX ? 0 : (uint32_t)line;
    row->fate = !row->caught_class    ? INSTR_EXCEPTION_LEFT
                : !row->caught_method ? INSTR_EXCEPTION_UNSEEN
                                      : INSTR_EXCEPTION_CAUGHT;
    return read_frames(r, object, row);
}

static int read_report(struct instr_reader *r, void *content) {
    struct instr_exception_report *report = content;
    report->pass = json_string_value(json_object_get(r->root, "pass"));
    instr_reader_cost(r, &report->cost);
    report->rows = calloc(instr_reader_count(r, "exceptions") + 1, sizeof *report->rows);
    if (!report->rows) return instr_reader_fail(r, "out of memory");
    return instr_reader_each(r, "exceptions", read_row, report);
}

static void free_report(void *content) {
    struct instr_exception_report *report = content;
    for (size_t i = 0; i < report->row_count; i++) free((void *)(uintptr_t)report->rows[i].frames);
    free(report->rows);
}

static void sort(void *content, size_t order) {
    (void)order;
    instr_exception_report_sort(content);
}

const struct instr_report_kind instr_report_kind_exceptions = {
    .format = &instr_exceptions_format,
    .list = "exceptions",
    .size = sizeof(struct instr_exception_report),
    .read = read_report,
    .free = free_report,
    .orders = (const char *const[]){"count", NULL},
    .sort = sort,
    .page = instr_exceptions_page,
};
