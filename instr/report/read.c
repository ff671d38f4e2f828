// Reports read from JSON. The file may come from anywhere: every value is checked for its kind.

#include "instr/report/read.h"

#include "instr/report/exceptions_read.h"
#include "instr/report/read_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const long long MOST_BYTES = 1LL << 30;

int instr_reader_fail(struct instr_reader *r, const char *format, ...) {
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(r->error, r->size, "instr: %.200s: %s", r->path, reason);
    return -1;
}

// --- values ---

int instr_reader_text(struct instr_reader *r, const json_t *object, const char *key,
                      const char **text) {
    const json_t *value = json_object_get(object, key);
    *text = json_string_value(value);
    if (*text) return 0;
    return instr_reader_fail(r, "%s[%zu]: \"%s\" is %s", r->list, r->index, key,
                             value ? "not a string" : "missing");
}

// Other tools may write 1e3 or 1000.0 for a number.
int instr_reader_number(struct instr_reader *r, const json_t *object, const char *key,
                        uint64_t *number) {
    const json_t *value = json_object_get(object, key);
    *number = 0;
    if (!value) return 0;
    double real = json_is_number(value) ? json_number_value(value) : -1;
    if (!(real >= 0) || real >= 1.8e19)
        return instr_reader_fail(r, "%s[%zu]: \"%s\" is not a number from 0 up", r->list, r->index,
                                 key);
    *number = json_is_integer(value) ? (uint64_t)json_integer_value(value) : (uint64_t)real;
    return 0;
}

// --- lists ---

static int read_row(struct instr_reader *r, const json_t *object, struct instr_report_row *row) {
    if (!json_is_object(object))
        return instr_reader_fail(r, "%s[%zu] is not an object", r->list, r->index);
    if (instr_reader_text(r, object, "class", &row->class_name) != 0) return -1;
    if (instr_reader_text(r, object, "method", &row->method) != 0) return -1;
    if (instr_reader_text(r, object, "descriptor", &row->descriptor) != 0) return -1;
    const struct {
        const char *key;
        uint64_t *field;
    } numbers[] = {
        {"calls", &row->calls},     {"thrown", &row->thrown}, {"total_ns", &row->total_ns},
        {"self_ns", &row->self_ns}, {"min_ns", &row->min_ns}, {"max_ns", &row->max_ns},
        {"p50_ns", &row->p50_ns},   {"p90_ns", &row->p90_ns}, {"p99_ns", &row->p99_ns}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (instr_reader_number(r, object, numbers[i].key, numbers[i].field) != 0) return -1;
    return 0;
}

static int read_skipped(struct instr_reader *r, const json_t *object,
                        struct instr_skipped *skipped) {
    if (!json_is_object(object))
        return instr_reader_fail(r, "%s[%zu] is not an object", r->list, r->index);
    if (instr_reader_text(r, object, "class", &skipped->class_name) != 0) return -1;
    if (instr_reader_text(r, object, "method", &skipped->method) != 0) return -1;
    return instr_reader_text(r, object, "reason", &skipped->reason);
}

// Room for what the list holds, one at least.
static int begin_list(struct instr_reader *r, const json_t *list, const char *name, size_t element,
                      void **memory, size_t *count) {
    r->list = name;
    *count = 0;
    if (list && !json_is_array(list)) return instr_reader_fail(r, "\"%s\" is not a list", name);
    *memory = calloc(json_array_size(list) + 1, element);
    if (!*memory) return instr_reader_fail(r, "out of memory");
    *count = json_array_size(list);
    return 0;
}

static int read_lists(struct instr_reader *r, const json_t *root, struct instr_report *report) {
    const json_t *methods = json_object_get(root, "methods");
    const json_t *skipped = json_object_get(root, "skipped");
    void *rows = NULL, *kept = NULL;
    if (begin_list(r, methods, "methods", sizeof *report->rows, &rows, &report->row_count) != 0)
        return -1;
    report->rows = rows;
    report->without_p90 = 1;
    for (r->index = 0; r->index < report->row_count; r->index++) {
        const json_t *object = json_array_get(methods, r->index);
        if (read_row(r, object, &report->rows[r->index]) != 0) return -1;
        if (json_object_get(object, "total_ns")) report->timed = 1;
        if (json_object_get(object, "p90_ns")) report->without_p90 = 0;
    }
    if (begin_list(r, skipped, "skipped", sizeof *report->skipped, &kept, &report->skipped_count) !=
        0)
        return -1;
    struct instr_skipped *items = kept;
    report->skipped = items;
    for (r->index = 0; r->index < report->skipped_count; r->index++)
        if (read_skipped(r, json_array_get(skipped, r->index), &items[r->index]) != 0) return -1;
    return 0;
}

// --- the file ---

static FILE *open_file(struct instr_reader *r) {
    if (strcmp(r->path, "-") == 0) return stdin;
    FILE *file = fopen(r->path, "re");
    struct stat st;
    if (!file) {
        instr_reader_fail(r, "%s", strerror(errno));
        return NULL;
    }
    int bad = fstat(fileno(file), &st) != 0;
    if (bad) instr_reader_fail(r, "%s", strerror(errno));
    if (!bad && S_ISDIR(st.st_mode)) bad = instr_reader_fail(r, "%s", strerror(EISDIR));
    if (!bad && st.st_size > MOST_BYTES) bad = instr_reader_fail(r, "larger than 1 GB");
    if (!bad) return file;
    fclose(file);
    return NULL;
}

static json_t *read_json(struct instr_reader *r) {
    FILE *file = open_file(r);
    if (!file) return NULL;
    json_error_t where;
    json_t *root = json_loadf(file, JSON_ALLOW_NUL, &where);
    if (!root) instr_reader_fail(r, "line %d: %s", where.line, where.text);
    if (file != stdin) fclose(file);
    return root;
}

static int read_exceptions(struct instr_reader *r, const json_t *list,
                           struct instr_exception_report *report) {
    char reason[256];
    if (instr_exceptions_read(report, list, reason, sizeof reason) == 0) return 0;
    return instr_reader_fail(r, "%s", reason);
}

int instr_report_read(struct instr_report_file *file, const char *path, char *error, size_t size) {
    struct instr_reader r = {.path = path, .error = error, .size = size};
    memset(file, 0, sizeof *file);
    json_t *root = read_json(&r);
    if (!root) return -1;
    file->owned = root;
    file->report.pass = json_string_value(json_object_get(root, "pass"));
    file->report.jvm = json_string_value(json_object_get(root, "jvm"));
    const json_t *exceptions = json_object_get(root, "exceptions");
    int bad = !file->report.pass || !json_is_array(json_object_get(root, "methods"));
    if (file->report.pass && json_is_array(json_object_get(root, "sites")))
        bad = instr_alloc_read(&r, root, file);
    else if (file->report.pass && json_is_array(exceptions))
        bad = read_exceptions(&r, exceptions, &file->exceptions);
    else if (bad)
        instr_reader_fail(&r, "this is no result of a pass: \"pass\" or \"methods\" is missing");
    else
        bad = read_lists(&r, root, &file->report);
    if (bad) instr_report_file_free(file);
    return bad ? -1 : 0;
}

void instr_report_file_free(struct instr_report_file *file) {
    if (file->alloc) instr_alloc_report_free(&file->alloc_report);
    instr_exceptions_read_free(&file->exceptions);
    free(file->report.rows);
    free((void *)(uintptr_t)file->report.skipped);
    json_decref(file->owned);
    memset(file, 0, sizeof *file);
}
