#include "instr/cli/coverage/delta.h"

#include "instr/base/array.h"
#include "instr/cli/cli.h"

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

// Is it a file in a language whose classes could be in the report?
static int is_source(const char *path) {
    static const char *const ends[] = {".java", ".kt", ".scala", ".groovy"};
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

static int add_package(struct cover_delta *delta, const struct cover_package *package,
                       const size_t *longest, char *seen) {
    for (size_t i = 0; i < package->source_count; i++) {
        const struct cover_changed_file *changed =
            cover_changes_find(delta->changes, package->sources[i], longest);
        if (!changed) continue;
        seen[changed - delta->changes->files] = 1;
        if (add_source(delta, package->sources[i], changed) != 0) return -1;
    }
    return 0;
}

int cover_delta_make(struct cover_delta *delta, const struct cover_model *model,
                     const struct cover_changes *changes) {
    memset(delta, 0, sizeof *delta);
    delta->changes = changes;
    char *seen = calloc(changes->count + 1, 1);
    size_t *longest = calloc(changes->count + 1, sizeof *longest);
    int status = seen && longest ? 0 : -1;
    for (size_t b = 0; b < model->bundle_count && status == 0; b++)
        for (size_t p = 0; p < model->bundles[b]->package_count; p++)
            claim_package(changes, model->bundles[b]->packages[p], longest);
    for (size_t b = 0; b < model->bundle_count && status == 0; b++)
        for (size_t p = 0; p < model->bundles[b]->package_count && status == 0; p++)
            status = add_package(delta, model->bundles[b]->packages[p], longest, seen);
    if (status == 0) status = add_unknown(delta, seen);
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
