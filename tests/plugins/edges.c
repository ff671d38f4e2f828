// Conditions on fractions, arguments of constructors at each place, `this` at each place, and a call that is skipped
// twice.

#include <instr/plugin.h>

#include <stdio.h>
#include <string.h>

static const struct instr_host *host;

static const struct instr_value first = {.size = sizeof first};
static const struct instr_value second = {.size = sizeof second, .index = 1};

// "1 less than 1", for each value, comparison and number.
static void compare(struct instr_code *code, const struct instr_value *value, uint32_t is,
                    int64_t number) {
    const struct instr_test test = {
        .size = sizeof test, .is = is, .value = value, .number = number};
    const struct instr_at at = {.size = sizeof at, .only_if = &test};
    char name[64];
    snprintf(name, sizeof name, "%u %u %d", value->index, is, (int)number);
    host->count(code, &at, name);
}

static void put_arguments(struct instr_code *code, uint32_t where, const char *name) {
    const struct instr_at at = {.size = sizeof at, .where = where};
    host->observe(code, &at, name, &first);
    host->observe(code, &at, name, &second);
}

// Counts where there is an object.
static void put_this(struct instr_code *code, uint32_t where, const char *name) {
    static const struct instr_value self = {.size = sizeof self, .what = INSTR_THIS};
    const struct instr_test test = {
        .size = sizeof test, .is = INSTR_NOT_EQUAL, .value = &self, .number = 0};
    struct instr_call call = {.size = sizeof call};
    struct instr_at at = {.size = sizeof at, .where = where, .only_if = &test};
    if (where != INSTR_AT_BEFORE && where != INSTR_AT_AFTER) host->count(code, &at, name);
    for (; where >= INSTR_AT_BEFORE && host->call(code, at.call, &call); at.call++)
        if (strcmp(call.name, "checked") == 0) host->count(code, &at, name);
}

static void put_this_everywhere(struct instr_code *code, const char *method) {
    static const char *const places[] = {"entry",  "constructed", "return",
                                         "thrown", "before",      "after"};
    int constructs = strcmp(method, "<init>") == 0;
    for (uint32_t where = INSTR_AT_ENTRY; where <= INSTR_AT_AFTER; where++) {
        char name[64];
        int early = where == INSTR_AT_ENTRY || where == INSTR_AT_THROWN;
        snprintf(name, sizeof name, "%s %s", method, places[where]);
        if (constructs ? !early : where != INSTR_AT_CONSTRUCTED) put_this(code, where, name);
    }
}

static void skip_twice(struct instr_code *code) {
    struct instr_call call = {.size = sizeof call};
    for (uint32_t i = 0; host->call(code, i, &call); i++)
        if (strcmp(call.name, "checked") == 0 && (host->skip(code, i) || host->skip(code, i)))
            fprintf(stderr, "edges: not skipped\n");
}

static void rewrite(void *data, const struct instr_class *cls, struct instr_code *code) {
    struct instr_method_info method = {.size = sizeof method};
    (void)data;
    host->method(code, &method);
    enum { STATIC = 8 };
    if (strcmp(host->class_name(cls), "Moved") == 0 && !(method.access_flags & STATIC))
        put_this_everywhere(code, method.name);
    if (strcmp(host->class_name(cls), "Edges") != 0) return;
    if (strcmp(method.name, "<init>") == 0) {
        put_arguments(code, INSTR_AT_ENTRY, "entry");
        put_arguments(code, INSTR_AT_CONSTRUCTED, "constructed");
        put_arguments(code, INSTR_AT_RETURN, "return");
        put_arguments(code, INSTR_AT_THROWN, "thrown");
    }
    if (strcmp(method.name, "main") == 0) skip_twice(code);
    if (strcmp(method.name, "compared") != 0) return;
    for (uint32_t is = 0; is <= INSTR_AT_MOST; is++)
        for (int64_t number = -1; number <= 1; number++) {
            compare(code, &first, is, number);
            compare(code, &second, is, number);
        }
}

static const struct instr_plugin plugin = {
    .size = sizeof plugin, .api = INSTR_PLUGIN_API, .rewrite = rewrite};

int instr_plugin_init(const struct instr_host *given, char *error, size_t size) {
    (void)error;
    (void)size;
    host = given;
    return host->add(&plugin, NULL);
}
