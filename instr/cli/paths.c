// The classes that lie below some paths.

#include "instr/cli/paths.h"
#include "instr/cli/cli.h"
#include "instr/cli/input.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int named_like_a_jar(const char *path) {
    static const char *const ends[] = {".jar", ".war", ".ear", ".zip", ".jmod"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(path, ends[i])) return 1;
    return 0;
}

static int begins_like_a_jar(const char *path) {
    char start[2] = "";
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    size_t n = fread(start, 1, sizeof start, file);
    fclose(file);
    return n == 2 && memcmp(start, "PK", 2) == 0;
}

static int add_item(struct cli_paths *paths, const char *jar, size_t index, const char *name) {
    if (paths->count == paths->capacity) {
        size_t capacity = paths->capacity ? paths->capacity * 2 : 256;
        struct cli_item *items = realloc(paths->items, capacity * sizeof *items);
        if (!items) return -1;
        paths->items = items;
        paths->capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy) return -1;
    paths->items[paths->count++] = (struct cli_item){jar, index, copy};
    return 0;
}

static const char *add_jar_name(struct cli_paths *paths, const char *path) {
    char **jars = realloc(paths->jars, (paths->jars_count + 1) * sizeof *jars);
    if (!jars) return NULL;
    paths->jars = jars;
    jars[paths->jars_count] = strdup(path);
    return jars[paths->jars_count] ? jars[paths->jars_count++] : NULL;
}

static void fail(struct cli_paths *paths, const char *path, const char *reason) {
    cli_error("instr: %s: %s", path, reason);
    paths->failures++;
}

static int add_jar(struct cli_paths *paths, const char *path) {
    char reason[CLI_REASON_SIZE];
    struct zip *jar;
    if (cli_open_jar(path, &jar, reason) != 0) {
        fail(paths, path, reason);
        return 0;
    }
    const char *jar_name = add_jar_name(paths, path);
    int result = jar_name ? 0 : -1;
    size_t entries = cli_jar_entries(jar), within = 0;
    for (size_t i = 0; i < entries && result == 0; i++) {
        const char *name = cli_jar_name(jar, i);
        if (name && ends_with(name, ".class")) result = add_item(paths, jar_name, i, name);
        if (name && named_like_a_jar(name)) within++;
    }
    cli_close_jar(jar);
    if (within)
        cli_error("instr: %s: %zu jar%s within %s not looked into; unpack %s for that", path,
                  within, within == 1 ? "" : "s", within == 1 ? "is" : "are",
                  within == 1 ? "it" : "them");
    return result;
}

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int add_found(struct cli_paths *paths, const FTSENT *entry) {
    switch (entry->fts_info) {
    case FTS_F:
        if (ends_with(entry->fts_name, ".class")) return add_item(paths, NULL, 0, entry->fts_path);
        return named_like_a_jar(entry->fts_name) ? add_jar(paths, entry->fts_path) : 0;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS: fail(paths, entry->fts_path, strerror(entry->fts_errno)); return 0;
    default: return 0;
    }
}

static int add_directory(struct cli_paths *paths, const char *path) {
    char *copy = strdup(path);
    char *const roots[] = {copy, NULL};
    FTS *walk = copy ? fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name) : NULL;
    int result = walk ? 0 : -1;
    for (const FTSENT *entry; result == 0 && (entry = fts_read(walk));)
        result = add_found(paths, entry);
    if (walk) fts_close(walk);
    free(copy);
    return result;
}

int cli_paths_add(struct cli_paths *paths, const char *path) {
    struct stat st;
    if (stat(path, &st) != 0) {
        fail(paths, path, strerror(errno));
        return 0;
    }
    if (S_ISDIR(st.st_mode)) return add_directory(paths, path);
    if (!S_ISREG(st.st_mode)) {
        fail(paths, path, "is neither a file nor a directory");
        return 0;
    }
    if (named_like_a_jar(path) || begins_like_a_jar(path)) return add_jar(paths, path);
    return add_item(paths, NULL, 0, path);
}

void cli_paths_free(struct cli_paths *paths) {
    for (size_t i = 0; i < paths->count; i++) free(paths->items[i].name);
    for (size_t i = 0; i < paths->jars_count; i++) free(paths->jars[i]);
    free(paths->items);
    free(paths->jars);
    memset(paths, 0, sizeof *paths);
}
