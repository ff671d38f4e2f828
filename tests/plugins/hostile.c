// Plug-ins that do something wrong, one for each value of CASE.

#include <instr/plugin.h>

#include <stdio.h>
#include <string.h>

static const struct instr_host *host;

#if CASE >= 43
// Each function with these handles.
static void ask_all(const struct instr_class *cls, struct instr_code *code) {
    const struct instr_at at = {.size = sizeof at};
    const struct instr_value value = {.size = sizeof value};
    struct instr_method_info method = {.size = sizeof method};
    struct instr_call call = {.size = sizeof call};
    struct instr_loader_info loader = {.size = sizeof loader};
    host->class_name(cls);
    host->super_name(cls);
    host->interface_name(cls, 0);
    host->is_a(cls, "Shop", "java.util.Map");
    host->class_annotated(cls, "java.lang.Deprecated");
    host->loader(cls, &loader);
    host->method(code, &method);
    host->annotated(code, "java.lang.Deprecated");
    host->call(code, 0, &call);
    host->count(code, &at, "x");
    host->observe(code, &at, "x", &value);
    host->skip(code, 0);
    host->skip_if(code, NULL);
    host->emit(code, &at, "x", NULL);
    host->call_helper(code, &at, "com.acme.Absent", "x", NULL, 0);
}
#endif

#if CASE == 45
static int wants(void *data, const struct instr_class *cls) {
    (void)data;
    (void)cls;
    ask_all(NULL, NULL);
    return INSTR_YES;
}
#endif

#if CASE == 46
#include <pthread.h>

struct handles {
    const struct instr_class *cls;
    struct instr_code *code;
};

static void *ask_elsewhere(void *data) {
    const struct handles *handles = data;
    ask_all(handles->cls, handles->code);
    return NULL;
}
#endif

static void rewrite(void *data, const struct instr_class *cls, struct instr_code *code) {
    struct instr_at at = {.size = sizeof at};
    struct instr_value value = {.size = sizeof value, .what = INSTR_ARGUMENT, .index = 99};
    (void)data;
    (void)cls;
#if CASE == 20
    at.where = 77;
#elif CASE == 21
    at.where = INSTR_AT_BEFORE;
    at.call = 99999;
#elif CASE == 22
    host->observe(code, &at, "x", &value);
#elif CASE == 23
    value.what = INSTR_ELAPSED;
    host->observe(code, &at, "x", &value);
#elif CASE == 24
    value.what = INSTR_RESULT;
    host->observe(code, &at, "x", &value);
#elif CASE == 25
    host->count(code, &at, "");
#elif CASE == 26
    host->observe(code, &at, "x", NULL);
#elif CASE == 27
    at.size = 4;
#elif CASE == 28
    host->skip(code, 99999);
#elif CASE == 29
    host->skip(code, 0); // of <init>
#elif CASE == 30
    host->skip_if(code, NULL);
#elif CASE == 31 || CASE == 32
    struct instr_test test = {.size = CASE == 31 ? 8 : sizeof test, .value = &value};
    value.what = INSTR_ELAPSED;
    host->skip_if(code, &test);
#elif CASE == 33
    host->emit(code, &at, "x", NULL);
#elif CASE == 34
    host->call_helper(code, &at, "com.acme.Absent", "x", NULL, 0);
#elif CASE == 35
    value.what = INSTR_THROWN;
    host->observe(code, &at, "x", &value);
#elif CASE == 36
    value.what = INSTR_THIS;
    host->observe(code, &at, "x", &value); // of <init>
#elif CASE == 37
    host->method(code, NULL);
    host->call(code, 0, NULL);
    host->annotated(code, NULL);
    host->class_annotated(cls, NULL);
    host->loader(cls, NULL);
    host->is_a(cls, NULL, NULL);
    host->matches(NULL, NULL);
    host->call_helper(code, NULL, NULL, NULL, NULL, 9);
#elif CASE == 38
    host->emit(code, NULL, NULL, NULL);
#elif CASE == 39
    host->skip_if(code, &(struct instr_test){.size = sizeof(struct instr_test)});
#elif CASE == 42
    struct instr_method_info method = {.size = sizeof method};
    struct instr_test test = {.size = sizeof test, .is = INSTR_NOT_EQUAL, .value = &value};
    host->method(code, &method);
    if (strcmp(method.name, "<init>") != 0) return;
    at.where = INSTR_AT_BEFORE; // super()
    at.only_if = &test;
    value.what = INSTR_THIS;
#elif CASE == 43
    ask_all(NULL, NULL);
#elif CASE == 44 // of the method before
    static const struct instr_class *old_class;
    static struct instr_code *old_code;
    const struct instr_class *now_class = old_class;
    struct instr_code *now_code = old_code;
    old_class = cls;
    old_code = (struct instr_code *)((char *)code + 1);
    if (now_class) ask_all(now_class, now_code);
#elif CASE == 46
    struct handles handles = {cls, code};
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask_elsewhere, &handles) == 0) pthread_join(thread, NULL);
    at.size = 4;
#elif CASE == 41 // not hostile
    at.where = INSTR_AT_CONSTRUCTED;
    int constructed = host->count(code, &at, "constructed");
    at.where = INSTR_AT_ENTRY;
    host->count(code, &at, constructed == 0 ? "constructor" : "no constructor");
    return;
#endif
    host->count(code, &at, "x");
}

#if CASE == 10
static int start(void *data, uint32_t jdk, char *error, size_t size) {
    (void)data;
    (void)jdk;
    snprintf(error, size, "has no licence\nand more");
    return 1;
}
static void stop(void *data) {
    (void)data;
    fprintf(stderr, "stopped\n");
}
#endif

static const struct instr_plugin plugin = {
#if CASE == 2
    .size = sizeof plugin,
    .api = 2,
#elif CASE == 3
    .size = 16,
    .api = INSTR_PLUGIN_API,
#else
    .size = sizeof plugin,
    .api = INSTR_PLUGIN_API,
#endif
#if CASE == 45
    .wants = wants,
#endif
#if CASE == 10
    .start = start,
    .stop = stop,
#elif CASE == 11
    .needs = 0x100,
#elif CASE == 12
    .jdk = 99,
#elif CASE == 13
    .jdk_end = 7,
#elif CASE == 14
    .needs = INSTR_NEEDS_START,
#endif
#if CASE != 4
    .rewrite = rewrite,
#endif
};

#if CASE != 1
int instr_plugin_init(const struct instr_host *given, char *error, size_t size) {
    host = given;
    (void)error;
    (void)size;
#if CASE == 5
    return 3; // and no sentence
#elif CASE == 6
    snprintf(error, size, "the moon is full");
    return 3;
#elif CASE == 7
    return 0; // and nothing was added
#elif CASE == 8
    return host->add(NULL, NULL);
#elif CASE == 15
    return host->add_helper("no class", 9) || host->add(&plugin, NULL);
#elif CASE == 16
    return host->add_helper(NULL, 0) || host->add(&plugin, NULL);
#elif CASE == 9
    host->add(&plugin, NULL);
    return host->add(&plugin, NULL);
#else
#if CASE == 40 // not hostile
    fprintf(stderr, "%zu bytes of options\n", strlen(host->options()));
#endif
    return host->add(&plugin, NULL);
#endif
}
#endif
