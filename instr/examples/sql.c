// A plug-in: counts SQL statements, and times them, where the application calls java.sql.
//
//      cc -shared -fPIC $(pkg-config --cflags instr) sql.c -o sql.so
//      instr run plugin=./sql.so -- java -jar app.jar

#include <instr/plugin.h>

#include <string.h>

static const struct instr_host *host;

static void rewrite(void *data, const struct instr_class *cls, struct instr_code *code) {
    const struct instr_value elapsed = {.size = sizeof elapsed, .what = INSTR_ELAPSED};
    struct instr_call call = {.size = sizeof call};
    (void)data;
    for (uint32_t i = 0; host->call(code, i, &call); i++) {
        if (strncmp(call.name, "execute", 7) != 0) continue;
        if (!host->matches("java.sql.*Statement", call.class_name) &&
            host->is_a(cls, call.class_name, "java.sql.Statement") != INSTR_YES)
            continue;
        struct instr_at at = {.size = sizeof at, .where = INSTR_AT_BEFORE, .call = i};
        host->count(code, &at, "statements");
        at.where = INSTR_AT_AFTER;
        host->observe(code, &at, "time", &elapsed);
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
