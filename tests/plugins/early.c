// Leaves methods of the class Early at their entry where the last argument is larger than 3, or null; and
// times calls in it.

#include <instr/plugin.h>

#include <string.h>

static const struct instr_host *host;

static int wants(void *data, const struct instr_class *cls) {
    (void)data;
    return strcmp(host->class_name(cls), "Early") == 0;
}

static void count(struct instr_code *code, uint32_t where, const char *name) {
    const struct instr_at at = {.size = sizeof at, .where = where};
    host->count(code, &at, name);
}

static void skip_if(struct instr_code *code, uint32_t index, uint32_t is, int64_t number) {
    const struct instr_value value = {.size = sizeof value, .what = INSTR_ARGUMENT, .index = index};
    const struct instr_test test = {
        .size = sizeof test, .is = is, .value = &value, .number = number};
    host->skip_if(code, &test);
}

// Two counters and a histogram, each of the time of the same call.
static void time_calls(struct instr_code *code) {
    const struct instr_value elapsed = {.size = sizeof elapsed, .what = INSTR_ELAPSED};
    const struct instr_test slow = {
        .size = sizeof slow, .is = INSTR_AT_LEAST, .value = &elapsed, .number = 0};
    struct instr_call call = {.size = sizeof call};
    for (uint32_t i = 0; host->call(code, i, &call); i++) {
        struct instr_at at = {
            .size = sizeof at, .where = INSTR_AT_AFTER, .call = i, .only_if = &slow};
        if (strcmp(call.name, "number") != 0) continue;
        host->count(code, &at, "slow");
        host->count(code, &at, "slow again");
        host->observe(code, &at, "time", &elapsed);
    }
}

static void rewrite(void *data, const struct instr_class *cls, struct instr_code *code) {
    const struct instr_value elapsed = {.size = sizeof elapsed, .what = INSTR_ELAPSED};
    const struct instr_at at_return = {.size = sizeof at_return, .where = INSTR_AT_RETURN};
    struct instr_method_info method = {.size = sizeof method};
    (void)data;
    (void)cls;
    host->method(code, &method);
    time_calls(code);
    if (strcmp(method.name, "<init>") == 0 || strcmp(method.name, "main") == 0) return;
    if (strcmp(method.name, "always") == 0) {
        host->skip_if(code, NULL);
    } else if (strcmp(method.name, "twoReasons") == 0) {
        skip_if(code, 0, INSTR_EQUAL, 2);
        skip_if(code, 0, INSTR_MORE, 4);
    } else if (strcmp(method.name, "text") == 0) {
        skip_if(code, 0, INSTR_EQUAL, 0);
    } else {
        const char *comma = strchr(method.descriptor, ')');
        skip_if(code, comma - method.descriptor == 1 + 1 ? 0 : 1, INSTR_MORE, 3);
    }
    // Put there later, and run before it.
    count(code, INSTR_AT_ENTRY, "entered");
    count(code, INSTR_AT_RETURN, "returned");
    count(code, INSTR_AT_THROWN, "thrown");
    host->observe(code, &at_return, "returned after", &elapsed);
}

static const struct instr_plugin plugin = {
    .size = sizeof plugin, .api = INSTR_PLUGIN_API, .wants = wants, .rewrite = rewrite};

int instr_plugin_init(const struct instr_host *given, char *error, size_t size) {
    (void)error;
    (void)size;
    host = given;
    return host->add(&plugin, NULL);
}
