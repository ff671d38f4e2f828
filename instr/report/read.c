// Results read from JSON: the file, and values of its lists.

#include "instr/report/read.h"

#include "instr/base/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const long long MOST_BYTES = 1LL << 30;

int instr_reader_fail(struct instr_reader *r, const char *format, ...) {
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(r->error, r->size, "%.200s: %s", r->path, reason);
    return -1;
}

// --- values ---

int instr_reader_fail_at(struct instr_reader *r, const char *key, const char *what) {
    return instr_reader_fail(r, "%s[%zu]: \"%s\" is %s", r->list, r->index, key, what);
}

int instr_reader_optional(struct instr_reader *r, const json_t *object, const char *key,
                          const char **text) {
    const json_t *value = json_object_get(object, key);
    *text = json_string_value(value);
    if (*text || !value || json_is_null(value)) return 0;
    return instr_reader_fail_at(r, key, "not a string");
}

int instr_reader_text(struct instr_reader *r, const json_t *object, const char *key,
                      const char **text) {
    const json_t *value = json_object_get(object, key);
    *text = json_string_value(value);
    if (*text) return 0;
    return instr_reader_fail_at(r, key, value ? "not a string" : "missing");
}

// Other tools may write 1e3 or 1000.0 for a number.
int instr_reader_number(struct instr_reader *r, const json_t *object, const char *key,
                        uint64_t *number) {
    const json_t *value = json_object_get(object, key);
    *number = 0;
    if (!value || json_is_null(value)) return 0;
    double real = json_is_number(value) ? json_number_value(value) : -1;
    if (!(real >= 0) || real >= 1.8e19)
        return instr_reader_fail_at(r, key, "not a number from 0 up");
    *number = json_is_integer(value) ? (uint64_t)json_integer_value(value) : (uint64_t)real;
    return 0;
}

size_t instr_reader_count(const struct instr_reader *r, const char *list) {
    return json_array_size(json_object_get(r->root, list));
}

int instr_reader_each(struct instr_reader *r, const char *list,
                      int (*read)(struct instr_reader *r, const json_t *object, void *context),
                      void *context) {
    const json_t *array = json_object_get(r->root, list);
    if (array && !json_is_array(array)) return instr_reader_fail(r, "\"%s\" is not a list", list);
    r->list = list;
    for (r->index = 0; r->index < json_array_size(array); r->index++) {
        const json_t *object = json_array_get(array, r->index);
        if (!json_is_object(object))
            return instr_reader_fail(r, "%s[%zu] is not an object", list, r->index);
        if (read(r, object, context) != 0) return -1;
    }
    return 0;
}

void instr_reader_cost(const struct instr_reader *r, struct instr_cost *cost) {
    const json_t *object = json_object_get(r->root, "cost");
    const struct {
        const char *key;
        uint64_t *field;
    } numbers[] = {{"code_ns", &cost->code_ns},           {"compilers_ns", &cost->compilers_ns},
                   {"rewriting_ns", &cost->rewriting_ns}, {"classes", &cost->classes},
                   {"methods", &cost->methods},           {"bytes", &cost->bytes}};
    *cost = (struct instr_cost){.known = json_is_object(object)};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const json_t *number = json_object_get(object, numbers[i].key);
        json_int_t value = json_is_integer(number) ? json_integer_value(number) : -1;
        cost->known &= value >= 0;
        *numbers[i].field = value >= 0 ? (uint64_t)value : 0;
    }
}

// --- the file ---

static FILE *open_file(struct instr_reader *r) {
    const char *why = NULL;
    struct stat st;
    if (strcmp(r->path, "-") == 0) return stdin;
    int fd = instr_file_open(r->path, &why);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!why && (!file || fstat(fd, &st) != 0)) why = strerror(errno);
    if (!why && st.st_size > MOST_BYTES) why = "larger than 1 GB";
    if (!why) return file;
    instr_reader_fail(r, "%s", why);
    if (file)
        fclose(file);
    else if (fd >= 0)
        close(fd);
    return NULL;
}

static int read_json(struct instr_reader *r) {
    FILE *file = open_file(r);
    if (!file) return -1;
    json_error_t where;
    r->root = json_loadf(file, JSON_ALLOW_NUL, &where);
    if (!r->root) instr_reader_fail(r, "line %d: %s", where.line, where.text);
    if (file != stdin) fclose(file);
    return r->root ? 0 : -1;
}

static const struct instr_report_kind *find_kind(struct instr_reader *r,
                                                 const struct instr_report_kind *const *kinds) {
    int has_pass = json_is_string(json_object_get(r->root, "pass"));
    for (size_t i = 0; has_pass && kinds[i]; i++)
        if (kinds[i]->list && json_is_array(json_object_get(r->root, kinds[i]->list)))
            return kinds[i];
    instr_reader_fail(r, "not the result of a pass: \"%s\" is missing",
                      has_pass ? kinds[0]->list : "pass");
    return NULL;
}

const struct instr_report_kind *instr_reader_use(struct instr_reader *r, const char *path,
                                                 json_t *root,
                                                 const struct instr_report_kind *const *kinds,
                                                 char *error, size_t size) {
    *r = (struct instr_reader){
        .path = path, .root = json_incref(root), .error = error, .size = size};
    return find_kind(r, kinds);
}

const struct instr_report_kind *instr_reader_open(struct instr_reader *r, const char *path,
                                                  const struct instr_report_kind *const *kinds,
                                                  char *error, size_t size) {
    *r = (struct instr_reader){.path = path, .error = error, .size = size};
    for (size_t i = 0; kinds[i]; i++)
        if (kinds[i]->is_file && kinds[i]->is_file(path)) return kinds[i];
    return read_json(r) == 0 ? find_kind(r, kinds) : NULL;
}

void instr_reader_close(struct instr_reader *r) {
    json_decref(r->root);
    r->root = NULL;
}
