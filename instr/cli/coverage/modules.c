// Modules by the layout of their folders:
//
//      Maven       target/classes                  src/main/java, ..., target/generated-sources/*
//      Gradle      build/classes/java/main, ...    src/main/java, ..., src/main/kotlin
//      Ant         build/classes, bin              src
//      Eclipse     bin                             src
//      IDEA        out/production/MODULE           MODULE/src, src

#include "instr/cli/coverage/modules.h"
#include "instr/base/array.h"
#include "instr/cli/cli.h"
#include "instr/cli/paths.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DEPTH = 8, NAMES = 5 };

static int is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// --- what a folder holds ---

static int add_path(struct cover_paths *paths, const char *path) {
    char *copy = strdup(path);
    if (!copy || !INSTR_ARRAY_RESERVE(paths->list, paths->capacity, paths->count + 1)) {
        free(copy);
        return -1;
    }
    paths->list[paths->count++] = copy;
    return 0;
}

static int is_class_file(void *context, const FTSENT *entry) {
    (void)context;
    return entry->fts_info == FTS_F && cli_ends_with(entry->fts_name, ".class");
}

static int has_classes(const char *path) {
    return is_folder(path) && cli_walk(path, CLI_LINKS_FOLLOWED, is_class_file, NULL) == 1;
}

// Adds FOLDER/PART if it has class files. 1: it has; 0; or -1.
static int add_classes(struct cover_module *module, const char *folder, const char *part) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s%s", folder, part) >= PATH_MAX || !has_classes(path))
        return 0;
    return add_path(&module->classes, path) == 0 ? 1 : -1;
}

// Calls `take` for each folder FOLDER/PART/NAME. The sum of its results; or -1.
static int each_folder(const char *folder, const char *part,
                       int (*take)(void *context, const char *path, const char *name),
                       void *context) {
    char path[PATH_MAX];
    int found = 0;
    if (snprintf(path, sizeof path, "%s%s", folder, part) >= PATH_MAX || !is_folder(path)) return 0;
    char *const roots[] = {path, NULL};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; walk && found >= 0 && (entry = fts_read(walk));) {
        if (entry->fts_info != FTS_D || entry->fts_level != 1) continue;
        fts_set(walk, entry, FTS_SKIP);
        int result = take(context, entry->fts_path, entry->fts_name);
        found = result < 0 ? -1 : found + result;
    }
    if (walk) fts_close(walk);
    return found;
}

static int add_main(void *module, const char *path, const char *name) {
    (void)name;
    return add_classes(module, path, "/main");
}

static int add_sources(struct cover_module *module, const char *folder) {
    static const char *const usual[] = {
        "/src/main/java",   "/src/main/kotlin",          "/src/main/scala",
        "/src/main/groovy", "/target/generated-sources", "/build/generated/sources"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (snprintf(path, sizeof path, "%s%s", folder, usual[i]) >= PATH_MAX) return 0;
        if (is_folder(path) && add_path(&module->sources, path) != 0) return -1;
    }
    if (module->sources.count > 0) return 0;
    if (snprintf(path, sizeof path, "%s/src", folder) >= PATH_MAX || !is_folder(path)) return 0;
    return add_path(&module->sources, path);
}

// --- modules ---

static int free_module(struct cover_module *module, int result) {
    for (size_t i = 0; i < module->classes.count; i++) free(module->classes.list[i]);
    for (size_t i = 0; i < module->sources.count; i++) free(module->sources.list[i]);
    free(module->classes.list);
    free(module->sources.list);
    free(module->name);
    return result;
}

// "./libs/core" is libs/core; "." the name of the current folder.
static char *module_name(const char *folder) {
    char path[PATH_MAX];
    if (strncmp(folder, "./", 2) == 0) return strdup(folder + 2);
    const char *slash = getcwd(path, sizeof path) ? strrchr(path, '/') : NULL;
    return strdup(slash && slash[1] ? slash + 1 : folder);
}

static int add_module(struct cover_modules *modules, struct cover_module *module) {
    if (!module->name || !INSTR_ARRAY_RESERVE(modules->list, modules->capacity, modules->count + 1))
        return free_module(module, -1);
    modules->list[modules->count++] = *module;
    return 0;
}

struct project {
    struct cover_modules *modules;
    const char *folder;
};

// A module of a project of IDEA, which has the classes of all in one place. 1: it has some; 0; or -1.
static int add_idea_module(void *context, const char *path, const char *name) {
    const struct project *project = context;
    struct cover_module module = {NULL};
    char folder[PATH_MAX];
    int found = add_classes(&module, path, "");
    if (found <= 0 || snprintf(folder, sizeof folder, "%s/%s", project->folder, name) >= PATH_MAX)
        return free_module(&module, found < 0 ? -1 : 0);
    module.name = module_name(folder);
    if (add_sources(&module, folder) != 0 ||
        (module.sources.count == 0 && add_sources(&module, project->folder) != 0))
        return free_module(&module, -1);
    return add_module(project->modules, &module) == 0 ? 1 : -1;
}

// Looks at a folder as that of a module.
static int examine(struct cover_modules *modules, const char *folder) {
    struct cover_module module = {NULL};
    int maven = add_classes(&module, folder, "/target/classes");
    int gradle = each_folder(folder, "/build/classes", add_main, &module);
    int idea = 0, ant = 0;
    struct project project = {modules, folder};
    if (!maven && !gradle) idea = each_folder(folder, "/out/production", add_idea_module, &project);
    if (!maven && !gradle && !idea) ant = add_classes(&module, folder, "/build/classes");
    if (!maven && !gradle && !idea && !ant) ant = add_classes(&module, folder, "/bin");
    if (maven < 0 || gradle < 0 || idea < 0 || ant < 0) return free_module(&module, -1);
    if (module.classes.count == 0) return free_module(&module, 0);
    module.name = module_name(folder);
    if (add_sources(&module, folder) != 0) return free_module(&module, -1);
    return add_module(modules, &module);
}

// Folders in which there are no modules.
static int is_left_out(const FTSENT *entry) {
    static const char *const names[] = {"node_modules", "src", "target", "build", "bin", "out"};
    if (entry->fts_level == 0) return 0;
    if (entry->fts_name[0] == '.' || entry->fts_level > MOST_DEPTH) return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(entry->fts_name, names[i]) == 0) return 1;
    return 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct cover_module *)a)->name, ((const struct cover_module *)b)->name);
}

int cover_modules_find(struct cover_modules *modules) {
    char here[] = ".";
    char *const roots[] = {here, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    int result = 0;
    *modules = (struct cover_modules){NULL};
    for (FTSENT *entry; walk && result == 0 && (entry = fts_read(walk));) {
        if (entry->fts_info != FTS_D) continue;
        if (is_left_out(entry))
            fts_set(walk, entry, FTS_SKIP);
        else
            result = examine(modules, entry->fts_path);
    }
    if (walk) fts_close(walk);
    if (modules->count) qsort(modules->list, modules->count, sizeof *modules->list, by_name);
    return result;
}

void cover_modules_free(struct cover_modules *modules) {
    for (size_t i = 0; i < modules->count; i++) free_module(&modules->list[i], 0);
    free(modules->list);
}

static const char *short_path(const char *path) {
    return strncmp(path, "./", 2) == 0 && path[2] ? path + 2 : path;
}

void cover_modules_say(const struct cover_modules *modules) {
    char names[1024] = "";
    size_t n = 0;
    const struct cover_module *first = modules->list;
    if (modules->count == 1) {
        cli_error("class files: %s%s; sources: %s%s", short_path(first->classes.list[0]),
                  first->classes.count > 1 ? " and others" : "",
                  first->sources.count ? short_path(first->sources.list[0]) : "none were found",
                  first->sources.count > 1 ? " and others" : "");
        return;
    }
    for (size_t i = 0; i < modules->count && i < NAMES && n < sizeof names - 1; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%.150s", i ? ", " : "",
                              modules->list[i].name);
    cli_error("class files of %zu modules: %s%s", modules->count, names,
              modules->count > NAMES ? ", ..." : "");
}

// --- a command line of java ---

// The value of an option for the class path; NULL: it is not one.
static const char *class_path_of(int argc, char *const *argv, int *i) {
    const char *word = argv[*i];
    if (strncmp(word, "--class-path=", 13) == 0) return word + 13;
    if (strcmp(word, "-cp") != 0 && strcmp(word, "-classpath") != 0 &&
        strcmp(word, "--class-path") != 0)
        return NULL;
    return *i + 1 < argc ? argv[++*i] : "";
}

// Adds those of its elements that are folders, or archives.
static int add_class_path(struct cover_module *module, const char *path, int folders) {
    char *copy = strdup(path), *rest = copy;
    int result = copy ? 0 : -1;
    for (const char *part; result == 0 && (part = strsep(&rest, ":"));) {
        const char *name = *part ? part : ".";
        if (folders ? is_folder(name) : !is_folder(name) && access(name, R_OK) == 0)
            result = add_path(&module->classes, name);
    }
    free(copy);
    return result;
}

int cover_modules_of_java(struct cover_modules *modules, int argc, char *const *argv) {
    struct cover_module module = {.name = strdup("java")};
    const char *path = getenv("CLASSPATH"), *jar = NULL;
    int result = 0;
    *modules = (struct cover_modules){NULL};
    for (int i = 1; i < argc && !jar && argv[i][0] == '-'; i++) {
        const char *given = class_path_of(argc, argv, &i);
        if (given) path = given;
        if (strcmp(argv[i], "-jar") == 0 && i + 1 < argc) jar = argv[i + 1];
    }
    if (jar) result = add_path(&module.classes, jar);
    if (!jar) result = add_class_path(&module, path ? path : ".", 1);
    if (!jar && result == 0 && module.classes.count == 0)
        result = add_class_path(&module, path ? path : ".", 0);
    if (result == 0) result = add_sources(&module, ".");
    if (result != 0 || module.classes.count == 0) return free_module(&module, result);
    return add_module(modules, &module);
}
