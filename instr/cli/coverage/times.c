// The times of lines. A probe counts for the instruction on whose way it lies; an instruction ran as
// often as all ways on from it:
//
//      before:  a  ->  b (a jump)  -> probe: 7 times
//                                  -> c -> probe: 3 times
//      after:   a 10,  b 10,  c 3

#include "instr/cli/coverage/times.h"
#include "instr/base/array.h"
#include "instr/cli/cli.h"
#include "instr/cli/coverage/flow.h"

#include "classfile/classfile.h"
#include "classfile/inline.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

// --- the files ---

enum { MOST_PROBES = 1 << 24 }; // of a class; a class file has fewer

// Reads an element of the list of classes. 0; or -1: it is malformed, or memory ran out.
static int add_class(struct cover_times *times, const json_t *item) {
    const char *id = json_string_value(json_object_get(item, "id"));
    const json_t *counts = json_object_get(item, "counts");
    size_t n = json_array_size(counts);
    char *end;
    if (!id || !*id || !json_is_array(counts) || n > MOST_PROBES) return -1;
    uint64_t *list = calloc(n + 1, sizeof *list);
    uint64_t number = strtoull(id, &end, 16);
    if (!list || *end || !INSTR_ARRAY_RESERVE(times->list, times->capacity, times->count + 1)) {
        free(list);
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        json_int_t value = json_integer_value(json_array_get(counts, i));
        list[i] = value > 0 ? (uint64_t)value : 0;
    }
    times->list[times->count++] = (struct cover_probe_counts){number, list, n};
    return 0;
}

// Notes the file. 1: it was read before; -1: memory ran out.
static int note_file(struct cover_times *times, const struct stat *st) {
    for (size_t i = 0; i < times->file_count; i++)
        if (times->files[i].device == st->st_dev && times->files[i].inode == st->st_ino) return 1;
    if (!INSTR_ARRAY_RESERVE(times->files, times->file_capacity, times->file_count + 1)) return -1;
    times->files[times->file_count++] = (struct cover_times_file){st->st_dev, st->st_ino};
    return 0;
}

int cover_times_read(struct cover_times *times, const char *path) {
    char file[PATH_MAX], reason[CLI_REASON_SIZE];
    struct cli_bytes bytes;
    json_error_t error;
    struct stat st;
    if (snprintf(file, sizeof file, "%s.counts", path) >= PATH_MAX || stat(file, &st) != 0)
        return 0;
    int noted = note_file(times, &st);
    if (noted == 1) return 0;
    if (noted < 0) return cli_no_memory(), -1;
    if (cli_read_file(file, &bytes, reason) != 0) {
        cli_error("%s: %s", file, reason);
        return -1;
    }
    json_t *root = json_loadb((const char *)bytes.bytes, bytes.length, 0, &error);
    free(bytes.bytes);
    const json_t *classes = json_object_get(root, "classes");
    int result = json_is_array(classes) ? 0 : -1;
    for (size_t i = 0; result == 0 && i < json_array_size(classes); i++)
        result = add_class(times, json_array_get(classes, i));
    if (!root)
        cli_error("%s: line %d: %.200s", file, error.line, error.text);
    else if (result != 0)
        cli_error("%s: has no counts of probes as the pass coverage writes them", file);
    json_decref(root);
    return result;
}

static int by_id(const void *a, const void *b) {
    uint64_t x = ((const struct cover_probe_counts *)a)->id;
    uint64_t y = ((const struct cover_probe_counts *)b)->id;
    return (x > y) - (x < y);
}

// Of one class in several files: of another number of probes, the first counts.
void cover_times_finish(struct cover_times *times) {
    size_t left = 0;
    if (times->count) qsort(times->list, times->count, sizeof *times->list, by_id);
    for (size_t i = 0; i < times->count; i++) {
        struct cover_probe_counts *to = left ? &times->list[left - 1] : NULL;
        const struct cover_probe_counts *from = &times->list[i];
        if (!to || to->id != from->id) {
            times->list[left++] = *from;
            continue;
        }
        for (size_t k = 0; to->count == from->count && k < to->count; k++)
            to->counts[k] = add(to->counts[k], from->counts[k]);
        free(from->counts);
    }
    times->count = left;
}

void cover_times_free(struct cover_times *times) {
    for (size_t i = 0; i < times->count; i++) free(times->list[i].counts);
    free(times->list);
    free(times->files);
}

// --- a method ---

struct timer {
    struct cf_arena arena;
    const struct cover_probe_counts *counts;
    struct cover_lines *lines; // their `times` grow
    struct cf_error error;
};

// Hands the times of instructions on to those before them, the last ones first.
static int add_ways(struct timer *timer, const struct cover_flow *flow, uint64_t *times) {
    uint32_t n = flow->count, ready = 0;
    uint32_t *ways = cf_arena_zeroed(&timer->arena, n + 1u, sizeof *ways);
    uint32_t *stack = cf_arena_zeroed(&timer->arena, n + 1u, sizeof *stack);
    if (!ways || !stack) return -1;
    for (uint32_t i = 0; i < n; i++)
        if (flow->list[i].from) ways[flow->list[i].from - 1]++;
    for (uint32_t i = 0; i < n; i++)
        if (ways[i] == 0) stack[ready++] = i;
    while (ready > 0) {
        uint32_t i = stack[--ready], from = flow->list[i].from;
        if (!from) continue;
        times[from - 1] = add(times[from - 1], times[i]);
        if (--ways[from - 1] == 0) stack[ready++] = from - 1;
    }
    return 0;
}

static void add_to_line(struct cover_lines *lines, uint32_t line, uint64_t times) {
    if (!lines->first || line < lines->first || line > lines->last) return;
    uint64_t *to = &lines->times[line - lines->first];
    if (*to < times) *to = times;
}

static int time_method(struct timer *timer, const struct cf_class *cls, uint32_t m,
                       const uint8_t *returns, size_t *first_probe) {
    struct cover_code code;
    struct rw_probes probes;
    struct cover_flow flow;
    struct cf_error *error = &timer->error;
    if (cover_code_open(&code, cls, &cls->methods[m], returns, 1, error) != CF_OK ||
        rw_find_probes(&code.code, returns, &probes, error) != CF_OK ||
        cover_flow_find(&flow, &code, &probes, NULL, *first_probe, error) != CF_OK)
        return -1;
    uint64_t *times = cf_arena_zeroed(&timer->arena, code.count + 1u, sizeof *times);
    if (!times || *first_probe + probes.count > timer->counts->count) return -1;
    for (uint32_t i = 0; i < probes.count; i++) {
        const struct rw_probe *probe = &probes.list[i];
        uint32_t at = probe->kind == RW_PROBE_FALL ? probe->instruction - 1 : probe->instruction;
        if (at < code.count) times[at] = add(times[at], timer->counts->counts[*first_probe + i]);
    }
    *first_probe += probes.count;
    if (add_ways(timer, &flow, times) != 0) return -1;
    for (uint32_t i = 0; i < code.count; i++)
        if (code.line[i] != COVER_UNKNOWN_LINE) add_to_line(timer->lines, code.line[i], times[i]);
    return 0;
}

// --- classes ---

// A class that was read before, so what fails here is memory; its lines then have no times.
static int time_class(struct timer *timer, const struct cli_bytes *bytes) {
    struct cf_class cls;
    struct cf_inlined inlined = {NULL, 0, NULL};
    size_t probe = 0;
    cf_arena_reset(&timer->arena, 1 << 20);
    memset(&timer->error, 0, sizeof timer->error);
    if (cf_class_open(&cls, bytes->bytes, bytes->length, &timer->arena) != CF_OK ||
        cf_inline_subroutines(&cls, &inlined, &timer->error) != CF_OK)
        return -1;
    if (inlined.bytes && cf_class_open(&cls, inlined.bytes, inlined.length, &timer->arena) != CF_OK)
        return -1;
    for (uint32_t m = 0; m < cls.methods_count; m++)
        if (cls.methods[m].code &&
            time_method(timer, &cls, m, inlined.returns ? inlined.returns[m] : NULL, &probe) != 0)
            return -1;
    return 0;
}

static int apply_to_class(struct timer *timer, const struct cli_paths *paths,
                          const struct cover_class *class, struct cli_open_jar *open) {
    struct cover_lines *lines =
        class->file ? &class->file->lines : (struct cover_lines *)&class->lines;
    char reason[CLI_REASON_SIZE];
    struct cli_bytes bytes;
    if (!lines->first) return CLI_OK;
    if (!lines->times)
        lines->times = calloc((size_t)lines->last - lines->first + 1, sizeof *lines->times);
    if (!lines->times) return cli_no_memory();
    if (cli_item_read(&paths->items[class->item], open, &bytes, reason) != 0)
        return CLI_OK; // it was reported
    timer->lines = lines;
    time_class(timer, &bytes);
    free(bytes.bytes);
    return CLI_OK;
}

int cover_times_apply(const struct cover_times *times, struct cover_classes *classes,
                      const struct cli_paths *paths) {
    struct timer timer = {.counts = NULL};
    struct cli_open_jar open = {NULL};
    int status = CLI_OK;
    if (times->count == 0) return CLI_OK;
    cf_arena_init(&timer.arena);
    for (size_t i = 0; i < classes->count && status == CLI_OK; i++) {
        struct cover_probe_counts key = {.id = classes->list[i]->id};
        timer.counts = bsearch(&key, times->list, times->count, sizeof *times->list, by_id);
        if (timer.counts) status = apply_to_class(&timer, paths, classes->list[i], &open);
    }
    cli_open_jar_free(&open);
    cf_arena_free(&timer.arena);
    return status;
}
