#include "instr/cli/coverage/delta.h"

#include "instr/base/array.h"
#include "instr/cli/cli.h"
#include "instr/cli/coverage/formats/sources.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct cover_count *to, uint32_t missed, uint32_t covered) {
    to->missed += missed;
    to->covered += covered;
}

static int add_line(struct cover_delta_file *file, uint32_t number, const struct cover_line *line) {
    if (!INSTR_ARRAY_RESERVE(file->lines, file->capacity, file->count + 1)) return -1;
    file->lines[file->count++] = (struct cover_delta_line){number, *line};
    add(&file->counts[COVER_INSTRUCTION], line->instructions.missed, line->instructions.covered);
    add(&file->counts[COVER_BRANCH], line->branches.missed, line->branches.covered);
    uint32_t covered = line->instructions.covered > 0;
    add(&file->counts[COVER_LINE], !covered, covered);
    return 0;
}

static int add_source(struct cover_delta *delta, const struct cover_source *source,
                      const struct cover_changed_file *changed) {
    const struct cover_lines *lines = &source->lines;
    if (!INSTR_ARRAY_RESERVE(delta->files, delta->capacity, delta->count + 1)) return -1;
    struct cover_delta_file *file = &delta->files[delta->count++];
    *file = (struct cover_delta_file){.path = changed->path};
    for (uint32_t number = lines->first; lines->first && number <= lines->last; number++) {
        const struct cover_line *line = &lines->line[number - lines->first];
        if (cover_total(line->instructions) == 0 || !cover_has_changed(changed, number)) continue;
        if (add_line(file, number, line) != 0) return -1;
    }
    for (int i = 0; i < COVER_COUNTERS; i++)
        add(&delta->counts[i], file->counts[i].missed, file->counts[i].covered);
    return 0;
}

// Is it a file in a language whose classes could be in the report? There is no code in what describes packages and modules.
static int is_source(const char *path) {
    static const char *const ends[] = {".java", ".kt", ".scala", ".groovy"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strcmp(name, "package-info.java") == 0 || strcmp(name, "module-info.java") == 0) return 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (cli_ends_with(path, ends[i])) return 1;
    return 0;
}

static int add_unknown(struct cover_delta *delta, const char *seen) {
    for (size_t i = 0; i < delta->changes->count; i++) {
        const struct cover_changed_file *file = &delta->changes->files[i];
        if (seen[i] || !file->count || !is_source(file->path)) continue;
        if (!INSTR_ARRAY_RESERVE(delta->unknown, delta->unknown_capacity, delta->unknown_count + 1))
            return -1;
        delta->unknown[delta->unknown_count++] = file->path;
    }
    return 0;
}

static int more_missed(const void *a, const void *b) {
    const struct cover_delta_file *x = a, *y = b;
    uint32_t m = x->counts[COVER_LINE].missed, n = y->counts[COVER_LINE].missed;
    return m != n ? (m < n ? 1 : -1) : strcmp(x->path, y->path);
}

static void claim_package(const struct cover_changes *changes, const struct cover_package *package,
                          size_t *longest) {
    for (size_t i = 0; i < package->source_count; i++)
        cover_changes_claim(changes, package->sources[i], longest);
}

struct matching {
    struct cover_delta *delta;
    const struct cover_model *model;
    const size_t *longest;     // of each changed file, as cover_changes_claim notes it
    char *seen;                // of each changed file: it is one of the report's
    struct cover_sources *all; // what git knows
};

// Where a module has its source. Without modules, the source next to the class file.
static int find_own(const struct matching *matching, const struct cover_bundle *bundle,
                    const struct cover_source *source, struct cover_place *place) {
    char near[PATH_MAX];
    const char *package = source->package->name;
    if (cover_sources_find(matching->model->sources, bundle->name, package, source->name, place))
        return cover_is_path_of(place->path, source);
    return source->class_count && realpath(source->classes[0]->location, near) &&
           cover_sources_find_near(matching->all, near, package, source->name, place);
}

// The changed file by its package. That of the module precedes: others may have one of the same package and name.
static const struct cover_changed_file *find_whole(const struct matching *matching,
                                                   const struct cover_bundle *bundle,
                                                   const struct cover_source *source) {
    const struct cover_changes *changes = matching->delta->changes;
    struct cover_place place;
    if (!find_own(matching, bundle, source, &place))
        return cover_changes_find(changes, source, matching->longest);
    const struct cover_changed_file *changed = cover_changes_at(changes, place.path);
    size_t package = strlen(source->package->name);
    return changed && package >= matching->longest[changed - changes->files] ? changed : NULL;
}

// The changed file where folders do not match packages, as Kotlin's often do not: as reports find sources. Files that have a
// source by its package are not others' as well.
static const struct cover_changed_file *find_by_name(const struct matching *matching,
                                                     const struct cover_bundle *bundle,
                                                     const struct cover_source *source) {
    const struct cover_changes *changes = matching->delta->changes;
    const char *package = source->package->name;
    struct cover_place place;
    if (find_whole(matching, bundle, source)) return NULL;
    if (!cover_sources_find(matching->model->sources, bundle->name, package, source->name,
                            &place) &&
        !cover_sources_find(matching->all, NULL, package, source->name, &place))
        return NULL;
    if (cover_is_path_of(place.path, source)) return NULL; // has been looked for
    const struct cover_changed_file *changed = cover_changes_at(changes, place.path);
    return changed && !matching->seen[changed - changes->files] ? changed : NULL;
}

static int add_sources(struct matching *matching,
                       const struct cover_changed_file *find(const struct matching *matching,
                                                             const struct cover_bundle *bundle,
                                                             const struct cover_source *source)) {
    for (size_t b = 0; b < matching->model->bundle_count; b++) {
        const struct cover_bundle *bundle = matching->model->bundles[b];
        for (size_t p = 0; p < bundle->package_count; p++) {
            const struct cover_package *package = bundle->packages[p];
            for (size_t i = 0; i < package->source_count; i++) {
                const struct cover_changed_file *changed =
                    find(matching, bundle, package->sources[i]);
                if (!changed) continue;
                matching->seen[changed - matching->delta->changes->files] = 1;
                if (add_source(matching->delta, package->sources[i], changed) != 0) return -1;
            }
        }
    }
    return 0;
}

// Does a changed source of which the report has no class lie in this folder?
static int has_unknown(const struct matching *matching, const char *folder, const char *top) {
    const struct cover_delta *delta = matching->delta;
    char path[PATH_MAX];
    for (size_t i = 0; i < delta->unknown_count; i++) {
        int length = snprintf(path, sizeof path, "%s/%s", top, delta->unknown[i]);
        if (length < 0 || (size_t)length >= sizeof path ||
            strncmp(path, folder, strlen(folder)) == 0)
            return 1;
    }
    return 0;
}

static int find_any(const struct matching *matching, const struct cover_bundle *bundle,
                    const struct cover_source *source, struct cover_place *place) {
    return find_own(matching, bundle, source, place) ||
           cover_sources_find(matching->all, NULL, source->package->name, source->name, place);
}

// The folder that the package of the source file at `path` lies in, with a slash at its end, in the working tree `top`. Where
// the path is a link: with `followed` that of the file it leads to, which may have any name. 0: it is not there.
static int find_folder(const char *path, const char *package, int followed, const char *top,
                       char folder[PATH_MAX]) {
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (!realpath(path, folder) || (!followed && !realpath(parent, folder))) return 0;
    size_t length = strlen(folder), above = strlen(top), names = strlen(package);
    if (followed) length = (size_t)(strrchr(folder, '/') - folder);
    if (length + 2 > PATH_MAX) return 0;
    if (length == 0 || folder[length - 1] != '/') folder[length++] = '/';
    folder[length] = '\0';
    if (strncmp(folder, top, above) != 0 || folder[above] != '/') return 0;
    if (!names || length < names + 2 || folder[length - names - 2] != '/') return 1;
    char *start = folder + length - names - 1;
    if (memcmp(start, package, names) == 0) *start = '\0';
    return 1;
}

// Do the sources of the report lie in the working tree, and none of the changed ones in their folders?
static int is_elsewhere(const struct matching *matching) {
    char top[PATH_MAX], folder[PATH_MAX], last[PATH_MAX] = "";
    struct cover_place place;
    if (!matching->delta->changes->top || !realpath(matching->delta->changes->top, top)) return 0;
    if (strcmp(top, "/") == 0) *top = '\0';
    for (size_t b = 0; b < matching->model->bundle_count; b++) {
        const struct cover_bundle *bundle = matching->model->bundles[b];
        for (size_t p = 0; p < bundle->package_count; p++) {
            const struct cover_package *package = bundle->packages[p];
            for (size_t i = 0; i < 2 * package->source_count; i++) {
                const struct cover_source *source = package->sources[i / 2];
                if (!find_any(matching, bundle, source, &place) ||
                    !find_folder(place.path, package->name, i % 2, top, folder) ||
                    strcmp(folder, last) == 0)
                    continue;
                if (has_unknown(matching, folder, top)) return 0;
                memcpy(last, folder, strlen(folder) + 1);
            }
        }
    }
    return *last != '\0';
}

int cover_delta_make(struct cover_delta *delta, const struct cover_model *model,
                     const struct cover_changes *changes) {
    memset(delta, 0, sizeof *delta);
    delta->changes = changes;
    char *seen = calloc(changes->count + 1, 1);
    size_t *longest = calloc(changes->count + 1, sizeof *longest);
    struct matching matching = {delta, model, longest, seen, cover_sources_new(NULL, COVER_TAB)};
    int status = seen && longest && matching.all ? 0 : -1;
    if (status == 0 && changes->sources &&
        cover_sources_add_names(matching.all, changes->top, changes->sources,
                                changes->sources_length) != CLI_OK)
        status = -1;
    for (size_t b = 0; b < model->bundle_count && status == 0; b++)
        for (size_t p = 0; p < model->bundles[b]->package_count; p++)
            claim_package(changes, model->bundles[b]->packages[p], longest);
    if (status == 0) status = add_sources(&matching, find_whole);
    if (status == 0) status = add_sources(&matching, find_by_name);
    if (status == 0) status = add_unknown(delta, seen);
    if (status == 0 && !delta->count && delta->unknown_count)
        delta->elsewhere = is_elsewhere(&matching);
    cover_sources_free(matching.all);
    free(longest);
    free(seen);
    if (delta->count) qsort(delta->files, delta->count, sizeof *delta->files, more_missed);
    return status;
}

void cover_delta_free(struct cover_delta *delta) {
    for (size_t i = 0; i < delta->count; i++) free(delta->files[i].lines);
    free(delta->files);
    free(delta->unknown);
    memset(delta, 0, sizeof *delta);
}

static int is_missed(const struct cover_delta_line *line) {
    return line->line.instructions.covered == 0;
}

struct cover_range cover_delta_missed(const struct cover_delta_file *file, size_t *at) {
    while (*at < file->count && !is_missed(&file->lines[*at])) ++*at;
    if (*at == file->count) return (struct cover_range){0, 0};
    struct cover_range range = {file->lines[*at].number, file->lines[*at].number};
    while (++*at < file->count && is_missed(&file->lines[*at]) &&
           file->lines[*at].number <= range.last + 2)
        range.last = file->lines[*at].number;
    return range;
}
