// Says what it sees of the classes of Looks, and counts calls of go() where the class is a Looks$Job.

#include <instr/plugin.h>

#include <stdio.h>
#include <string.h>

static const struct instr_host *host;
static char seen[8192];

static void say(const char *a, const char *b, const char *c, int answer) {
    size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%s %s %s %s\n", a, b, c,
             answer == INSTR_YES  ? "yes"
             : answer == INSTR_NO ? "no"
                                  : "unknown");
}

static void say_loader(const struct instr_class *cls) {
    struct instr_loader_info info = {.size = sizeof info};
    int known = host->loader(cls, &info);
    say("loader", info.class_name ? info.class_name : "-", info.name ? info.name : "-",
        known ? info.is_bootstrap : INSTR_UNKNOWN);
}

static int wants(void *data, const struct instr_class *cls) {
    const char *name = host->class_name(cls);
    (void)data;
    if (strcmp(name, "java.util.ArrayList") == 0) {
        say_loader(cls);
        say("boot", "List", "", host->is_a(cls, name, "java.util.Collection"));
        say("boot", "other", "", host->is_a(cls, "java.util.HashMap", "java.util.Map"));
        return INSTR_NO;
    }
    if (strncmp(name, "Looks$", 6) != 0) return INSTR_NO;
    if (strcmp(name, "Looks$Other") == 0) say_loader(cls);
    if (strcmp(name, "Looks$Caller") == 0) return INSTR_YES;
    int answer = host->is_a(cls, name, "Looks$Job");
    say("class", name, "", answer);
    return answer == INSTR_YES;
}

static void say_calls(const struct instr_class *cls, struct instr_code *code) {
    struct instr_call call = {.size = sizeof call};
    for (uint32_t i = 0; host->call(code, i, &call); i++) {
        say("call", call.class_name, "Job", host->is_a(cls, call.class_name, "Looks$Job"));
        say("call", call.class_name, "Iterable",
            host->is_a(cls, call.class_name, "java.lang.Iterable"));
    }
}

static void rewrite(void *data, const struct instr_class *cls, struct instr_code *code) {
    const struct instr_at at = {.size = sizeof at, .where = INSTR_AT_ENTRY};
    struct instr_method_info method = {.size = sizeof method};
    (void)data;
    host->method(code, &method);
    if (strcmp(method.name, "calls") == 0) say_calls(cls, code);
    if (strcmp(method.name, "go") == 0) host->count(code, &at, "jobs");
}

static void report(void *data, char *text, size_t size) {
    (void)data;
    snprintf(text, size, "%s", seen);
}

static const struct instr_plugin plugin = {.size = sizeof plugin,
                                           .api = INSTR_PLUGIN_API,
                                           .wants = wants,
                                           .rewrite = rewrite,
                                           .report = report};

int instr_plugin_init(const struct instr_host *given, char *error, size_t size) {
    (void)error;
    (void)size;
    host = given;
    return host->add(&plugin, NULL);
}
