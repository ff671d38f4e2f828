// A plug-in of api 1: it holds the layout, so that one built today can be loaded tomorrow. Members are added at the end.

#include <instr/plugin.h>

#define HOLD(type, member, offset)                                                                 \
    _Static_assert(offsetof(struct type, member) == (offset), #type "." #member)
HOLD(instr_plugin, api, 4);
HOLD(instr_plugin, needs, 8);
HOLD(instr_plugin, jdk, 12);
HOLD(instr_plugin, jdk_end, 16);
HOLD(instr_plugin, start, 24);
HOLD(instr_plugin, wants, 32);
HOLD(instr_plugin, stop, 40);
HOLD(instr_plugin, rewrite, 48);
HOLD(instr_plugin, command, 56);
HOLD(instr_plugin, drain, 64);
HOLD(instr_plugin, report, 72);
HOLD(instr_event, line, 4);
HOLD(instr_event, name, 8);
HOLD(instr_event, class_name, 16);
HOLD(instr_event, method, 24);
HOLD(instr_event, descriptor, 32);
HOLD(instr_event, value, 40);
HOLD(instr_event, time, 48);
HOLD(instr_event, thread, 56);
HOLD(instr_method_info, access_flags, 4);
HOLD(instr_method_info, name, 8);
HOLD(instr_method_info, descriptor, 16);
HOLD(instr_method_info, line, 24);
HOLD(instr_call, line, 4);
HOLD(instr_call, class_name, 8);
HOLD(instr_call, name, 16);
HOLD(instr_call, descriptor, 24);
HOLD(instr_call, is_static, 32);
HOLD(instr_loader_info, is_bootstrap, 4);
HOLD(instr_loader_info, class_name, 8);
HOLD(instr_loader_info, name, 16);
HOLD(instr_value, what, 4);
HOLD(instr_value, index, 8);
HOLD(instr_test, is, 4);
HOLD(instr_test, value, 8);
HOLD(instr_test, number, 16);
HOLD(instr_at, where, 4);
HOLD(instr_at, call, 8);
HOLD(instr_at, only_if, 16);
HOLD(instr_host, api, 4);
HOLD(instr_host, options, 8);
HOLD(instr_host, add, 16);
HOLD(instr_host, class_name, 24);
HOLD(instr_host, super_name, 32);
HOLD(instr_host, interface_name, 40);
HOLD(instr_host, is_a, 48);
HOLD(instr_host, matches, 56);
HOLD(instr_host, method, 64);
HOLD(instr_host, annotated, 72);
HOLD(instr_host, call, 80);
HOLD(instr_host, count, 88);
HOLD(instr_host, observe, 96);
HOLD(instr_host, class_annotated, 104);
HOLD(instr_host, skip, 112);
HOLD(instr_host, skip_if, 120);
HOLD(instr_host, emit, 128);
HOLD(instr_host, loader, 136);
HOLD(instr_host, add_helper, 144);
HOLD(instr_host, call_helper, 152);
_Static_assert(INSTR_PLUGIN_API == 1, "keep this plug-in, and write one for the new api");
_Static_assert(INSTR_NO == 0 && INSTR_YES == 1 && INSTR_UNKNOWN == -1, "answers");
_Static_assert(INSTR_NEEDS_JVM == 1 && INSTR_NEEDS_START == 2, "needs");
_Static_assert(INSTR_AT_ENTRY == 0 && INSTR_AT_CONSTRUCTED == 1 && INSTR_AT_RETURN == 2 &&
                   INSTR_AT_THROWN == 3 && INSTR_AT_BEFORE == 4 && INSTR_AT_AFTER == 5,
               "places");
_Static_assert(INSTR_ARGUMENT == 0 && INSTR_RESULT == 1 && INSTR_ELAPSED == 2 && INSTR_THIS == 3 &&
                   INSTR_THROWN == 4,
               "values");
_Static_assert(INSTR_EQUAL == 0 && INSTR_NOT_EQUAL == 1 && INSTR_LESS == 2 && INSTR_AT_LEAST == 3 &&
                   INSTR_MORE == 4 && INSTR_AT_MOST == 5,
               "comparisons");

static const struct instr_host *host;

static void rewrite(void *data, const struct instr_class *cls, struct instr_code *code) {
    struct instr_at at = {24, INSTR_AT_ENTRY, 0, NULL};
    (void)data;
    (void)cls;
    host->count(code, &at, "entries");
}

// As large as it was in the first version of the api.
int instr_plugin_init(const struct instr_host *given, char *error, size_t size) {
    static const struct instr_plugin plugin = {.size = 56, .api = 1, .rewrite = rewrite};
    (void)error;
    (void)size;
    host = given;
    return host->size < 104 || host->api != 1 || host->add(&plugin, NULL);
}
