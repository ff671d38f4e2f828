// Puts everything that fits at every place of every method.

#include <instr/plugin.h>

#include <string.h>

static const struct instr_host *host;

// The letters of the parameters in a descriptor, "[" and "L" for objects; returns their number.
static uint32_t read_types(const char *descriptor, char types[256], char *result) {
    uint32_t n = 0;
    const char *p = descriptor + 1;
    for (; *p != ')'; p++) {
        types[n++] = *p;
        while (*p == '[') p++;
        if (*p == 'L') p = strchr(p, ';');
    }
    *result = p[1];
    return n;
}

static void put(struct instr_code *code, uint32_t where, uint32_t call, uint32_t what,
                uint32_t index, char type) {
    struct instr_value value = {.size = sizeof value, .what = what, .index = index};
    struct instr_test test = {.size = sizeof test, .is = INSTR_NOT_EQUAL, .value = &value};
    struct instr_at at = {.size = sizeof at, .where = where, .call = call, .only_if = &test};
    if (type == 'L' || type == '[')
        host->count(code, &at, "object");
    else
        host->observe(code, &at, "number", &value);
}

static void put_arguments(struct instr_code *code, uint32_t where, uint32_t call,
                          const char *descriptor) {
    char types[256], result;
    uint32_t n = read_types(descriptor, types, &result);
    for (uint32_t i = 0; i < n; i++) put(code, where, call, INSTR_ARGUMENT, i, types[i]);
}

static void put_result(struct instr_code *code, uint32_t where, uint32_t call,
                       const char *descriptor) {
    char types[256], result;
    read_types(descriptor, types, &result);
    if (result != 'V') put(code, where, call, INSTR_RESULT, 0, result);
    put(code, where, call, INSTR_ELAPSED, 0, 'J');
}

// For a number that no program passes.
static void put_early_return(struct instr_code *code, const struct instr_method_info *method) {
    struct instr_value value = {.size = sizeof value, .what = INSTR_ARGUMENT};
    struct instr_test test = {.size = sizeof test, .value = &value, .number = -987654321};
    char types[256], result;
    if (strcmp(method->name, "<init>") == 0) return;
    if (read_types(method->descriptor, types, &result) == 0) return;
    if (types[0] != 'L' && types[0] != '[') host->skip_if(code, &test);
}

static void rewrite(void *data, const struct instr_class *cls, struct instr_code *code) {
    struct instr_method_info method = {.size = sizeof method};
    struct instr_call call = {.size = sizeof call};
    struct instr_at constructed = {.size = sizeof constructed, .where = INSTR_AT_CONSTRUCTED};
    (void)data;
    (void)cls;
    host->method(code, &method);
    put_arguments(code, INSTR_AT_ENTRY, 0, method.descriptor);
    put_result(code, INSTR_AT_RETURN, 0, method.descriptor);
    put(code, INSTR_AT_THROWN, 0, INSTR_ELAPSED, 0, 'J');
    host->count(code, &constructed, "constructed");
    host->emit(code, &constructed, "event", NULL);
    put_early_return(code, &method);
    for (uint32_t i = 0; host->call(code, i, &call); i++) {
        put_arguments(code, INSTR_AT_BEFORE, i, call.descriptor);
        put_result(code, INSTR_AT_AFTER, i, call.descriptor);
    }
}

static void drain(void *data, const struct instr_event *const *events, uint32_t count,
                  uint64_t lost) {
    (void)data;
    (void)events;
    (void)count;
    (void)lost;
}

static const struct instr_plugin plugin = {
    .size = sizeof plugin, .api = INSTR_PLUGIN_API, .rewrite = rewrite, .drain = drain};

int instr_plugin_init(const struct instr_host *given, char *error, size_t size) {
    (void)error;
    (void)size;
    host = given;
    return host->add(&plugin, NULL);
}
