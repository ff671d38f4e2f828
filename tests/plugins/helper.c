// Adds calls of com.acme.probe.Probe and Steps, whose bytes are in probe.h, to the methods of Helped. Options:
// "future", the bytes are of a later JDK; "other", they are another version of the class; "hidden", it also
// brings a class that is not public.

#include <instr/plugin.h>

#include <stdio.h>
#include <string.h>

#include "probe.h"

static const struct instr_host *host;

static int wants(void *data, const struct instr_class *cls) {
    const char *name = host->class_name(cls);
    (void)data;
    return strcmp(name, "Helped") == 0 || strcmp(name, "java.util.BitSet") == 0;
}

static const struct instr_value values[] = {
    {.size = sizeof *values, .what = INSTR_ARGUMENT, .index = 0},
    {.size = sizeof *values, .what = INSTR_ARGUMENT, .index = 1},
    {.size = sizeof *values, .what = INSTR_ARGUMENT, .index = 2},
    {.size = sizeof *values, .what = INSTR_ARGUMENT, .index = 3},
    {.size = sizeof *values, .what = INSTR_ARGUMENT, .index = 4},
    {.size = sizeof *values, .what = INSTR_ARGUMENT, .index = 5},
    {.size = sizeof *values, .what = INSTR_RESULT},
    {.size = sizeof *values, .what = INSTR_ELAPSED},
    {.size = sizeof *values, .what = INSTR_THIS},
    {.size = sizeof *values, .what = INSTR_THROWN},
};
enum { RESULT = 6, ELAPSED, THIS, THROWN, NONE };

// `which` are indexes into `values`.
static void call(struct instr_code *code, const struct instr_at *at, const char *method,
                 uint32_t count, const int *which) {
    const struct instr_value *chosen[8];
    for (uint32_t i = 0; i < count; i++) chosen[i] = &values[which[i]];
    host->call_helper(code, at, "com.acme.probe.Probe", method, chosen, count);
}

// At calls: the arguments are on the stack.
static void put_at_calls(struct instr_code *code) {
    struct instr_call found = {.size = sizeof found};
    for (uint32_t i = 0; host->call(code, i, &found); i++) {
        struct instr_at at = {.size = sizeof at, .where = INSTR_AT_BEFORE, .call = i};
        if (strcmp(found.name, "number") != 0) continue;
        call(code, &at, "called", 3, (const int[]){0, 1, 1});
        at.where = INSTR_AT_AFTER;
        call(code, &at, "returned", 2, (const int[]){RESULT, ELAPSED});
    }
}

static void rewrite(void *data, const struct instr_class *cls, struct instr_code *code) {
    const struct instr_test some = {.size = sizeof some, .is = INSTR_MORE, .value = &values[0]};
    struct instr_at at = {.size = sizeof at, .where = INSTR_AT_ENTRY};
    struct instr_method_info method = {.size = sizeof method};
    (void)data;
    (void)cls;
    host->method(code, &method);
    if (strcmp(method.name, "flip") == 0 && strcmp(method.descriptor, "(I)V") == 0)
        call(code, &at, "bit", 1, (const int[]){0});
    if (strcmp(method.name, "all") == 0) put_at_calls(code);
    if (strcmp(method.name, "failing") == 0) {
        call(code, &at, "fails", 1, (const int[]){0});
        call(code, &at, "deep", 0, NULL);
    }
    if (strcmp(method.name, "run") == 0) call(code, &at, "runs", 1, (const int[]){THIS});
    if (strcmp(method.name, "number") == 0) {
        at.only_if = &some;
        call(code, &at, "called", 3, (const int[]){0, 1, THIS});
        at.where = INSTR_AT_RETURN;
        call(code, &at, "returned", 2, (const int[]){RESULT, ELAPSED});
    }
    if (strcmp(method.name, "changed") == 0) {
        const struct instr_value *const first = &values[0];
        at.where = INSTR_AT_RETURN;
        call(code, &at, "bit", 1, (const int[]){0});
        host->call_helper(code, &at, "com.acme.probe.Steps", "step", &first, 1);
    }
    if (strcmp(method.name, "throwing") == 0) {
        at.where = INSTR_AT_THROWN;
        call(code, &at, "thrown", 7, (const int[]){THROWN, 0, 1, 2, 3, 4, 5});
    }
}

static const struct instr_plugin plugin = {
    .size = sizeof plugin, .api = INSTR_PLUGIN_API, .wants = wants, .rewrite = rewrite};

int instr_plugin_init(const struct instr_host *given, char *error, size_t size) {
    static unsigned char bytes[sizeof probe + 1];
    int other = strcmp(given->options(), "other") == 0;
    (void)error;
    (void)size;
    host = given;
    memcpy(bytes, probe, sizeof probe);
    if (strcmp(host->options(), "future") == 0) bytes[7] = 250;
    if (other) bytes[7]--;
    if (strcmp(host->options(), "hidden") == 0) host->add_helper(hidden, sizeof hidden);
    return host->add_helper(bytes, sizeof probe) || host->add_helper(steps, sizeof steps) ||
           host->add(&plugin, NULL);
}
