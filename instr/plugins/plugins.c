// The option plugin=, and the pass that it makes.

#include "instr/plugins/internal.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_pass(const struct rw_pass *pass) {
    struct instr_open_plugin *plugin = (struct instr_open_plugin *)(uintptr_t)pass->data;
    instr_plugin_close(plugin);
    free(plugin->made.text);
    free(plugin->file);
    free(plugin->options);
    free(plugin);
}

// A handle that is NULL, of another callback, or used on another thread.
static enum cf_status refuse_handle(struct cf_edit *edit, const char *plugin) {
    enum { SIZE = 256 };
    static const char reason[] = "a function of the host got a handle that is not of this callback";
    char *text = cf_arena_alloc(edit->code.cls->arena, SIZE);
    if (text) snprintf(text, SIZE, "plug-in %s: %s", plugin, reason);
    return cf_fail(&edit->error, CF_MISUSE, 0, text ? text : reason, 0);
}

static enum cf_status begin_class(struct rw_class *cls) {
    const struct instr_open_plugin *plugin = cls->pass->data;
    if (!plugin->started) return CF_OK;
    struct instr_class *of = cf_arena_alloc(cls->rewrite->cls->arena, sizeof *of);
    if (!of) return cf_fail(&cls->rewrite->cls->error, CF_NO_MEMORY, 0, "out of memory", 0);
    *of = (struct instr_class){.in = cls, .plugin = plugin};
    struct instr_plugin_callback callback = {.cls = of};
    instr_plugin_enter(&callback);
    int wanted = plugin->plugin.wants ? plugin->plugin.wants(plugin->data, of) : INSTR_YES;
    instr_plugin_leave(&callback);
    of->misused = callback.misused;
    if (wanted == INSTR_YES || of->misused) cls->memory = of;
    return CF_OK;
}

static enum cf_status edit_method(struct rw_class *cls, struct cf_edit *edit) {
    const struct instr_class *of = cls->memory;
    if (!of || rw_leave_alone(edit)) return CF_OK;
    if (of->misused) return refuse_handle(edit, cls->pass->name);
    struct instr_code code = {.of = of, .edit = edit};
    struct instr_plugin_callback callback = {.cls = of, .code = &code};
    instr_plugin_enter(&callback);
    of->plugin->plugin.rewrite(of->plugin->data, of, &code);
    instr_plugin_leave(&callback);
    if (callback.misused) refuse_handle(edit, cls->pass->name);
    return edit->error.status;
}

static const struct rw_pass pass = {
    .help = "what a plug-in counts",
    .flags = RW_OBSERVES_SPEED,
    .event_ns = 5,
    .runtime_class = "InstrCalls",
    .begin = begin_class,
    .edit = edit_method,
};

// lib/libsql-2.so: sql-2
static void name_after(const char *file, char *name, size_t size) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    size_t n = 0;
    if (strncmp(base, "lib", 3) == 0 && isalnum((unsigned char)base[3])) base += 3;
    for (; base[n] && strncmp(base + n, ".so", 3) != 0 && n + 1 < size; n++)
        name[n] = isalnum((unsigned char)base[n]) || (n && base[n] == '-') ? base[n] : '_';
    name[n] = '\0';
    if (name[0] == '_') name[0] = 'p';
}

// The length of the file name in FILE.so:OPTIONS. Only a colon behind .so ends it.
static size_t file_length(const char *value) {
    const char *end = strstr(value, ".so");
    return end ? (size_t)(end - value) + strcspn(end, ":") : strlen(value);
}

// The path from the root, if the file can be found from here.
static char *absolute(char *file) {
    char path[PATH_MAX];
    if (!realpath(file, path)) return file;
    free(file);
    return strdup(path);
}

static int make(const char *value, int late, int (*add)(void *to, const struct rw_pass *pass),
                void *to, char *error, size_t size) {
    size_t length = file_length(value);
    struct instr_open_plugin *plugin = calloc(1, sizeof *plugin);
    (void)late;
    if (!plugin) {
        snprintf(error, size, "out of memory");
        return -1;
    }
    const char *options = value[length] ? value + length + 1 : "";
    plugin->file = strndup(value, length);
    if (plugin->file) plugin->file = absolute(plugin->file);
    plugin->options = strdup(options);
    size_t room = (plugin->file ? strlen(plugin->file) : 0) + strlen(options) + 2;
    plugin->made = (struct rw_made){.kind = instr_plugin_source.key, .free = free_pass};
    plugin->made.text = malloc(room);
    plugin->pass = pass;
    plugin->pass.name = plugin->made.name;
    plugin->pass.made = &plugin->made;
    plugin->pass.data = plugin;
    plugin->made.holders = 1;
    if (!plugin->file || !plugin->options || !plugin->made.text) {
        rw_pass_release(&plugin->pass);
        snprintf(error, size, "out of memory");
        return -1;
    }
    snprintf(plugin->made.text, room, "%s%s%s", plugin->file, *options ? ":" : "", options);
    name_after(plugin->file, plugin->made.name, sizeof plugin->made.name);
    return add(to, &plugin->pass);
}

const struct instr_pass_source instr_plugin_source = {
    .key = "plugin",
    .argument = "FILE.so[:OPTIONS]",
    .help =
        "add a pass that a shared library in C decides (instr/plugin.h); OPTIONS are the plug-in's",
    .make = make,
};
