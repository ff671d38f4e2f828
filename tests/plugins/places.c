// Uses everything that a plug-in can, in the methods of the class Places.

#include <instr/plugin.h>

#include <stdio.h>
#include <string.h>

struct state {
    const struct instr_host *host;
    uint32_t jdk;
};
static struct state state;

static int start(void *data, uint32_t jdk, char *error, size_t size) {
    (void)error;
    (void)size;
    ((struct state *)data)->jdk = jdk;
    return 0;
}

static void stop(void *data) {
    fprintf(stderr, "places: stopped, JDK %u\n", ((struct state *)data)->jdk);
}

static int wants(void *data, const struct instr_class *cls) {
    const struct instr_host *host = ((struct state *)data)->host;
    const char *name = host->class_name(cls);
    return host->matches("Places", name) == INSTR_YES &&
                   strcmp(host->super_name(cls), "java.lang.Object") == 0 &&
                   strcmp(host->interface_name(cls, 0), "java.lang.Runnable") == 0 &&
                   !host->interface_name(cls, 1) &&
                   host->is_a(cls, name, "java.lang.Runnable") == INSTR_YES &&
                   host->is_a(cls, name, name) == INSTR_YES &&
                   host->is_a(cls, name, "java.lang.Object") == INSTR_YES &&
                   host->is_a(cls, "java.util.ArrayList", "java.util.List") == INSTR_YES &&
                   host->is_a(cls, "java.util.ArrayList", "java.util.Map") == INSTR_NO &&
                   host->is_a(cls, "com.acme.Absent", "java.util.Map") == INSTR_UNKNOWN &&
                   host->is_a(cls, NULL, NULL) == INSTR_UNKNOWN &&
                   host->matches(NULL, NULL) == INSTR_UNKNOWN &&
                   host->class_annotated(cls, "java.lang.Deprecated") == INSTR_YES &&
                   host->class_annotated(cls, "java.lang.Override") == INSTR_NO
               ? INSTR_YES
               : INSTR_NO;
}

static void count(struct instr_code *code, uint32_t where, const char *name) {
    struct instr_at at = {.size = sizeof at, .where = where};
    state.host->count(code, &at, name);
}

static void observe(struct instr_code *code, uint32_t where, uint32_t what, uint32_t index,
                    const char *name) {
    struct instr_at at = {.size = sizeof at, .where = where};
    struct instr_value value = {.size = sizeof value, .what = what, .index = index};
    state.host->observe(code, &at, name, &value);
}

// Counts where the argument compares so with the number.
static void count_if(struct instr_code *code, struct instr_at at, uint32_t index, uint32_t is,
                     int64_t number, const char *name) {
    struct instr_value value = {.size = sizeof value, .what = INSTR_ARGUMENT, .index = index};
    struct instr_test test = {.size = sizeof test, .is = is, .value = &value, .number = number};
    at.only_if = &test;
    state.host->count(code, &at, name);
}

static void rewrite_many(struct instr_code *code) {
    struct instr_at entry = {.size = sizeof entry, .where = INSTR_AT_ENTRY};
    static const char *const names[] = {"Z", "B", "C", "S", "I", "J", "F", "D"};
    for (uint32_t i = 0; i < 8; i++) observe(code, INSTR_AT_ENTRY, INSTR_ARGUMENT, i, names[i]);
    count_if(code, entry, 8, INSTR_EQUAL, 0, "null");
    count_if(code, entry, 8, INSTR_NOT_EQUAL, 0, "object");
    count_if(code, entry, 9, INSTR_EQUAL, 0, "no array");
    count_if(code, entry, 4, INSTR_LESS, 3, "less");
    count_if(code, entry, 4, INSTR_AT_LEAST, 3, "at least");
    count_if(code, entry, 4, INSTR_MORE, 3, "more");
    count_if(code, entry, 4, INSTR_AT_MOST, 3, "at most");
    count_if(code, entry, 5, INSTR_MORE, INT64_C(1) << 40, "large");
    observe(code, INSTR_AT_RETURN, INSTR_RESULT, 0, "result");
    observe(code, INSTR_AT_RETURN, INSTR_ELAPSED, 0, "time");
    observe(code, INSTR_AT_THROWN, INSTR_ELAPSED, 0, "time of throws");
    count(code, INSTR_AT_RETURN, "returned");
    count(code, INSTR_AT_THROWN, "thrown");
}

// The arguments of calls of many(), on the stack.
static void rewrite_caller(struct instr_code *code) {
    struct instr_call call = {.size = sizeof call};
    struct instr_value result = {.size = sizeof result, .what = INSTR_RESULT};
    struct instr_value elapsed = {.size = sizeof elapsed, .what = INSTR_ELAPSED};
    for (uint32_t i = 0; state.host->call(code, i, &call); i++) {
        struct instr_at at = {.size = sizeof at, .where = INSTR_AT_BEFORE, .call = i};
        if (strcmp(call.name, "many") != 0 || strcmp(call.class_name, "Places") != 0) continue;
        for (uint32_t k = 0; k < 8; k++) {
            struct instr_value value = {.size = sizeof value, .index = k};
            state.host->observe(code, &at, "argument", &value);
        }
        count_if(code, at, 8, INSTR_EQUAL, 0, "call with null");
        count_if(code, at, 9, INSTR_NOT_EQUAL, 0, "call with array");
        count_if(code, at, 4, INSTR_LESS, 3, "call less");
        at.where = INSTR_AT_AFTER;
        state.host->observe(code, &at, "call result", &result);
        state.host->observe(code, &at, "call time", &elapsed);
    }
}

// Calls of the method `not` are not made.
static void skip_calls(struct instr_code *code) {
    struct instr_call call = {.size = sizeof call};
    for (uint32_t i = 0; state.host->call(code, i, &call); i++)
        if (strcmp(call.name, "not") == 0) state.host->skip(code, i);
}

static void rewrite(void *data, const struct instr_class *cls, struct instr_code *code) {
    struct instr_method_info method = {.size = sizeof method};
    (void)data;
    (void)cls;
    state.host->method(code, &method);
    count(code, INSTR_AT_ENTRY, "entry");
    if (state.host->annotated(code, "java.lang.Deprecated")) count(code, INSTR_AT_ENTRY, "old");
    if (strcmp(method.name, "<init>") == 0) count(code, INSTR_AT_CONSTRUCTED, "constructed");
    if (strcmp(method.name, "<init>") == 0) count(code, INSTR_AT_THROWN, "constructor throws");
    if (strcmp(method.name, "many") == 0) rewrite_many(code);
    if (strcmp(method.name, "caller") == 0) rewrite_caller(code);
    if (strcmp(method.name, "skips") == 0) skip_calls(code);
}

static int command(void *data, const char *text, char *answer, size_t size) {
    snprintf(answer, size, "JDK %u\nheard: %s\n", ((struct state *)data)->jdk, text);
    return strcmp(text, "fail") == 0;
}

static const struct instr_plugin plugin = {.size = sizeof plugin,
                                           .api = INSTR_PLUGIN_API,
                                           .needs = INSTR_NEEDS_JVM,
                                           .jdk = 8,
                                           .start = start,
                                           .wants = wants,
                                           .stop = stop,
                                           .rewrite = rewrite,
                                           .command = command};

int instr_plugin_init(const struct instr_host *host, char *error, size_t size) {
    state.host = host;
    if (strcmp(host->options(), "a=b:c") == 0 && INSTR_HOST_HAS(host, skip))
        return host->add(&plugin, &state);
    snprintf(error, size, "wants the options a=b:c");
    return 1;
}
