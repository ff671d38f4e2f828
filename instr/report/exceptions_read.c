// Results of the pass exceptions read from JSON. The file may come from anywhere: every value is
// checked for its kind.

#include "instr/report/exceptions_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    size_t index; // of the row
    char *reason;
    size_t size;
};

static int fail(struct reader *r, const char *key, const char *what) {
    snprintf(r->reason, r->size, "exceptions[%zu]: \"%s\" is %s", r->index, key, what);
    return -1;
}

// With `may_be_null`, null and what is missing are NULL.
static int read_text(struct reader *r, const json_t *row, const char *key, int may_be_null,
                     const char **text) {
    const json_t *value = json_object_get(row, key);
    *text = json_string_value(value);
    if (*text || (may_be_null && (!value || json_is_null(value)))) return 0;
    return fail(r, key, value ? "not a string" : "missing");
}

static int read_number(struct reader *r, const json_t *row, const char *key, uint64_t most,
                       uint64_t *number) {
    const json_t *value = json_object_get(row, key);
    *number = 0;
    if (!value || json_is_null(value)) return 0;
    double real = json_is_number(value) ? json_number_value(value) : -1;
    if (!(real >= 0) || real > (double)most) return fail(r, key, "not a number from 0 up");
    *number = json_is_integer(value) ? (uint64_t)json_integer_value(value) : (uint64_t)real;
    return 0;
}

// The frames, one string behind the other.
static int read_frames(struct reader *r, const json_t *row, struct instr_exception_row *to) {
    const json_t *list = json_object_get(row, "first_stack"), *frame;
    size_t i, length = 0, at = 0;
    if (!list || json_is_null(list)) return 0;
    if (!json_is_array(list)) return fail(r, "first_stack", "not a list");
    json_array_foreach(list, i, frame) {
        if (!json_is_string(frame)) return fail(r, "first_stack", "not a list of strings");
        length += strlen(json_string_value(frame)) + 1;
    }
    char *frames = malloc(length + 1);
    if (!frames) return fail(r, "first_stack", "too long for the memory there is");
    json_array_foreach(list, i, frame) {
        size_t n = strlen(json_string_value(frame)) + 1;
        memcpy(frames + at, json_string_value(frame), n);
        at += n;
    }
    to->frames = frames;
    to->frame_count = json_array_size(list);
    return 0;
}

static int read_row(struct reader *r, const json_t *row, struct instr_exception_row *to) {
    uint64_t line;
    if (!json_is_object(row)) return fail(r, "", "not an object");
    if (read_text(r, row, "class", 0, &to->class_name) != 0 ||
        read_text(r, row, "site_class", 0, &to->site_class) != 0 ||
        read_text(r, row, "site_method", 0, &to->site_method) != 0 ||
        read_number(r, row, "site_line", UINT32_MAX, &line) != 0 ||
        read_number(r, row, "count", UINT64_MAX / 2, &to->count) != 0 ||
        read_text(r, row, "caught_class", 1, &to->caught_class) != 0 ||
        read_text(r, row, "caught_method", 1, &to->caught_method) != 0)
        return -1;
    to->site_line = (uint32_t)line;
    to->fate = !to->caught_class    ? INSTR_EXCEPTION_LEFT
               : !to->caught_method ? INSTR_EXCEPTION_UNSEEN
                                    : INSTR_EXCEPTION_CAUGHT;
    return read_frames(r, row, to);
}

int instr_exceptions_read(struct instr_exception_report *report, const json_t *list, char *reason,
                          size_t size) {
    struct reader r = {0, reason, size};
    report->row_count = 0;
    report->rows = calloc(json_array_size(list) + 1, sizeof *report->rows);
    if (!report->rows) {
        snprintf(reason, size, "out of memory");
        return -1;
    }
    for (; r.index < json_array_size(list); r.index++) {
        if (read_row(&r, json_array_get(list, r.index), &report->rows[r.index]) != 0) {
            instr_exceptions_read_free(report);
            return -1;
        }
        report->row_count++;
    }
    return 0;
}

void instr_exceptions_read_free(struct instr_exception_report *report) {
    for (size_t i = 0; i < report->row_count; i++) free((void *)(uintptr_t)report->rows[i].frames);
    free(report->rows);
    report->rows = NULL;
    report->row_count = 0;
}
