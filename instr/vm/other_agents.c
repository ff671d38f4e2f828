#include "instr/vm/other_agents.h"

#include "instr/base/array.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COMMAND_LINE (1024 * 1024)

struct search {
    void (*each)(void *context, const char *kind, const char *name);
    void *context;
};

// The path of our own library.
static const char *own_path(void) {
    Dl_info info;
    return dladdr((const void *)&instr_agents_each, &info) && info.dli_fname ? info.dli_fname : "";
}

// Does the library itself have an entry point, not just a library that it depends on?
static int has_entry(const char *path) {
    static const char *const entries[] = {"Agent_OnLoad", "Agent_OnAttach"};
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    int found = 0;
    if (!library) return 0;
    for (int i = 0; i < 2 && !found; i++) {
        Dl_info info;
        void *entry = dlsym(library, entries[i]);
        found =
            entry && dladdr(entry, &info) && info.dli_fname && strcmp(info.dli_fname, path) == 0;
    }
    dlclose(library);
    return found;
}

struct paths {
    char **items;
    size_t count, capacity;
};

// Only copies the names: the dynamic linker's lock is held here, and dlopen would need it.
static int note_library(struct dl_phdr_info *info, size_t size, void *context) {
    struct paths *paths = context;
    (void)size;
    if (!info->dlpi_name || !info->dlpi_name[0]) return 0;
    if (!INSTR_ARRAY_RESERVE(paths->items, paths->capacity, paths->count + 1)) return 1;
    char *copy = strdup(info->dlpi_name);
    if (!copy) return 1;
    paths->items[paths->count++] = copy;
    return 0;
}

static void each_library(const struct search *search) {
    struct paths paths = {NULL, 0, 0};
    dl_iterate_phdr(note_library, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        if (strcmp(paths.items[i], own_path()) != 0 && has_entry(paths.items[i]))
            search->each(search->context, "library", paths.items[i]);
        free(paths.items[i]);
    }
    free(paths.items);
}

// Reports the agent of an option; cuts `word` before the agent's own options.
static void report_option(const struct search *search, char *word) {
    static const char *const starts[] = {"-javaagent:", "-agentpath:", "-agentlib:"};
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(starts[i]);
        if (strncmp(word, starts[i], n) != 0) continue;
        char *equals = strchr(word, '=');
        if (equals) *equals = '\0';
        if (strcmp(word + n, own_path()) != 0) search->each(search->context, "option", word);
    }
}

static void each_option(const struct search *search) {
    FILE *file = fopen("/proc/self/cmdline", "re");
    char *line = malloc(MAX_COMMAND_LINE + 1);
    size_t n = file && line ? fread(line, 1, MAX_COMMAND_LINE, file) : 0;
    if (file) fclose(file);
    if (line) line[n] = '\0';
    for (size_t i = 0; i < n;) {
        size_t length = strlen(line + i);
        report_option(search, line + i);
        i += length + 1;
    }
    free(line);
    const char *more = getenv("JAVA_TOOL_OPTIONS");
    char *copy = more ? strdup(more) : NULL, *place = NULL;
    for (char *word = copy ? strtok_r(copy, " \t\n", &place) : NULL; word;
         word = strtok_r(NULL, " \t\n", &place))
        report_option(search, word);
    free(copy);
}

void instr_agents_each(void (*each)(void *context, const char *kind, const char *name),
                       void *context) {
    struct search search = {each, context};
    each_library(&search);
    each_option(&search);
}

static int is_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL, *name = context;
    return slash && strcmp(slash + 1, name) == 0;
}

int instr_agents_java(void) {
    static char name[] = "libinstrument.so";
    return dl_iterate_phdr(is_library, name);
}

int instr_agents_debugger(void) {
    static char name[] = "libjdwp.so";
    return dl_iterate_phdr(is_library, name);
}
