// Results of the pass alloc: gathered, sorted, as tables, as JSON, and as collapsed stacks.

#include "instr/report/alloc.h"

#include "instr/base/array.h"
#include "instr/base/hash.h"
#include "instr/base/json.h"
#include "instr/report/internal.h"
#include "instr/report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_CODE "(outside of Java code)"

enum { BLOCK = 1 << 16 };

struct instr_alloc_block {
    struct instr_alloc_block *next;
    size_t size;
    uint64_t words[]; // aligned for all that is stored here
};

void instr_alloc_report_init(struct instr_alloc_report *report, const char *pass) {
    memset(report, 0, sizeof *report);
    report->pass = pass;
}

void instr_alloc_report_free(struct instr_alloc_report *report) {
    while (report->blocks) {
        struct instr_alloc_block *block = report->blocks;
        report->blocks = block->next;
        free(block);
    }
    free(report->sites);
    free(report->classes);
    memset(report, 0, sizeof *report);
}

// --- gathering ---

void *instr_alloc_room(struct instr_alloc_report *report, size_t size) {
    size = (size + 7) & ~(size_t)7;
    if (size > report->left) {
        size_t bytes = size > BLOCK ? size : BLOCK;
        struct instr_alloc_block *block = malloc(sizeof *block + bytes);
        report->failed |= !block;
        if (!block) return NULL;
        block->next = report->blocks;
        block->size = report->left = bytes;
        report->blocks = block;
    }
    char *room = (char *)report->blocks->words + (report->blocks->size - report->left);
    report->left -= size;
    return room;
}

const char *instr_alloc_class_name(struct instr_alloc_report *report, const char *internal) {
    size_t dimensions = strspn(internal, "["), length = strlen(internal + dimensions);
    const char *element = internal + dimensions;
    const char *primitive = dimensions && length == 1 ? instr_report_primitive(*element) : NULL;
    if (dimensions && length > 2 && *element == 'L' && element[length - 1] == ';') {
        element++;
        length -= 2;
    } else if (primitive) {
        element = primitive;
        length = strlen(element);
    }
    char *name = instr_alloc_room(report, length + 2 * dimensions + 1), *c = name;
    if (!name) return "?";
    for (size_t i = 0; i < length; i++) *c++ = element[i] == '/' ? '.' : element[i];
    for (size_t i = 0; i < dimensions; i++) {
        *c++ = '[';
        *c++ = ']';
    }
    *c = '\0';
    return name;
}

void instr_alloc_report_add(struct instr_alloc_report *report,
                            const struct instr_alloc_site *site) {
    if (!INSTR_ARRAY_RESERVE(report->sites, report->capacity, report->site_count + 1)) {
        report->failed = 1;
        return;
    }
    report->sites[report->site_count++] = *site;
}

static int by_class(const void *left, const void *right) {
    const struct instr_alloc_site *a = left, *b = right;
    return strcmp(a->class_name, b->class_name);
}

static int by_name(const void *left, const void *right) {
    const struct instr_alloc_site *a = left, *b = right;
    int c = strcmp(a->site_class, b->site_class);
    if (c == 0) c = strcmp(a->site_method, b->site_method);
    if (c == 0) c = (a->site_line > b->site_line) - (a->site_line < b->site_line);
    return c ? c : by_class(left, right);
}

static int by_bytes(const void *left, const void *right) {
    const struct instr_alloc_site *a = left, *b = right;
    int c = (a->bytes < b->bytes) - (a->bytes > b->bytes);
    if (c == 0) c = (a->count < b->count) - (a->count > b->count);
    return c ? c : by_name(left, right);
}

static void add_numbers(struct instr_alloc_site *to, const struct instr_alloc_site *from) {
    to->count = instr_report_plus(to->count, from->count);
    to->bytes = instr_report_plus(to->bytes, from->bytes);
    to->live_count = instr_report_plus(to->live_count, from->live_count);
    to->live_bytes = instr_report_plus(to->live_bytes, from->live_bytes);
}

// Merges sites that compare as equal. Returns how many remain, sorted by bytes.
static size_t merge(struct instr_alloc_site *sites, size_t n,
                    int (*compare)(const void *, const void *)) {
    if (n == 0) return 0;
    size_t last = 0;
    qsort(sites, n, sizeof *sites, compare);
    for (size_t i = 1; i < n; i++) {
        if (compare(&sites[last], &sites[i]) == 0)
            add_numbers(&sites[last], &sites[i]);
        else
            sites[++last] = sites[i];
    }
    qsort(sites, last + 1, sizeof *sites, by_bytes);
    return last + 1;
}

int instr_alloc_report_finish(struct instr_alloc_report *report) {
    report->site_count = merge(report->sites, report->site_count, by_name);
    size_t n = report->site_count;
    struct instr_alloc_site *classes = malloc((n + 1) * sizeof *classes);
    if (!classes || report->failed) {
        free(classes);
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        classes[i] = report->sites[i];
        classes[i].site_class = classes[i].site_method = "";
        classes[i].site_line = 0;
    }
    free(report->classes);
    report->classes = classes;
    report->class_count = merge(classes, n, by_class);
    return 0;
}

// --- writing ---

static void json_numbers(struct instr_json *json, const struct instr_alloc_report *report,
                         const struct instr_alloc_site *site) {
    instr_json_number(json, "count", site->count);
    instr_json_number(json, "bytes", site->bytes);
    if (!report->live) return;
    instr_json_number(json, "live_count", site->live_count);
    instr_json_number(json, "live_bytes", site->live_bytes);
}

// The different frames of all stacks, numbered in the order of their first use.
struct frames {
    const char **texts;
    uint32_t *table; // 1 + number of a text, by hash; 0: free
    size_t count, size;
};

static size_t frames_in(const struct instr_alloc_report *report) {
    size_t count = 0;
    for (size_t i = 0; i < report->stack_count; i++) count += report->stacks[i].depth;
    return count;
}

// The number of a frame, which becomes one of `frames` if it is new.
static uint32_t number_of(struct frames *frames, const char *text) {
    size_t at = (size_t)instr_hash(text, strlen(text), 0) & (frames->size - 1);
    for (; frames->table[at]; at = (at + 1) & (frames->size - 1))
        if (strcmp(frames->texts[frames->table[at] - 1], text) == 0) return frames->table[at] - 1;
    frames->texts[frames->count++] = text;
    frames->table[at] = (uint32_t)frames->count;
    return (uint32_t)frames->count - 1;
}

static void write_stacks(struct instr_json *json, const struct instr_alloc_report *report,
                         struct frames *frames) {
    instr_json_open(json, "stacks", '[');
    for (size_t i = 0; i < report->stack_count; i++) {
        const struct instr_alloc_stack *stack = &report->stacks[i];
        instr_json_open_flat(json, NULL, '{');
        instr_json_open_flat(json, "frames", '[');
        for (size_t k = 0; k < stack->depth; k++)
            instr_json_number(json, NULL, number_of(frames, stack->frames[k]));
        instr_json_close(json, ']');
        instr_json_number(json, "count", stack->count);
        instr_json_number(json, "bytes", stack->bytes);
        instr_json_close(json, '}');
    }
    instr_json_close(json, ']');
    instr_json_open(json, "frames", '[');
    for (size_t i = 0; i < frames->count; i++) instr_json_text(json, NULL, frames->texts[i]);
    instr_json_close(json, ']');
}

// Without memory for the table the stacks are left out, as they are where none was sampled.
static void write_sampled(struct instr_json *json, const struct instr_alloc_report *report) {
    size_t most = frames_in(report);
    struct frames frames = {NULL, NULL, 0, 16};
    while (frames.size < 2 * most) frames.size *= 2;
    frames.texts = malloc((most + 1) * sizeof *frames.texts);
    frames.table = calloc(frames.size, sizeof *frames.table);
    if (report->sampled) instr_json_bool(json, "sampled", 1);
    if (report->stack_count && most < UINT32_MAX && frames.texts && frames.table)
        write_stacks(json, report, &frames);
    free(frames.texts);
    free(frames.table);
}

static void write_json(const void *content, struct instr_output *out) {
    const struct instr_alloc_report *report = content;
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "pass", report->pass);
    instr_json_open(&json, "sites", '[');
    for (size_t i = 0; i < report->site_count; i++) {
        const struct instr_alloc_site *site = &report->sites[i];
        instr_json_open_flat(&json, NULL, '{');
        instr_json_text(&json, "class", site->class_name);
        instr_json_text(&json, "site_class", site->site_class);
        instr_json_text(&json, "site_method", site->site_method);
        instr_json_number(&json, "site_line", site->site_line);
        json_numbers(&json, report, site);
        instr_json_close(&json, '}');
    }
    instr_json_close(&json, ']');
    instr_json_open(&json, "classes", '[');
    for (size_t i = 0; i < report->class_count; i++) {
        instr_json_open_flat(&json, NULL, '{');
        instr_json_text(&json, "class", report->classes[i].class_name);
        json_numbers(&json, report, &report->classes[i]);
        instr_json_close(&json, '}');
    }
    instr_json_close(&json, ']');
    write_sampled(&json, report);
    instr_cost_json(&report->cost, &json, "cost");
    instr_json_close(&json, '}');
}

void instr_alloc_each_stack(const struct instr_alloc_report *report,
                            void (*each)(void *context, const struct instr_alloc_stack *stack),
                            void *context) {
    for (size_t i = 0; i < report->stack_count; i++) each(context, &report->stacks[i]);
    if (report->stack_count) return;
    for (size_t i = 0; i < report->site_count; i++) {
        const struct instr_alloc_site *site = &report->sites[i];
        char method[512];
        if (site->site_line)
            snprintf(method, sizeof method, "%.480s:%u", site->site_method, site->site_line);
        else
            snprintf(method, sizeof method, "%.480s", site->site_method);
        const char *frames[] = {site->site_class, method, site->class_name};
        const char *without_site[] = {NO_CODE, site->class_name};
        struct instr_alloc_stack stack = {frames, 3, site->count, site->bytes};
        if (!*site->site_class)
            stack = (struct instr_alloc_stack){without_site, 2, site->count, site->bytes};
        each(context, &stack);
    }
}

static void put_stack(void *context, const struct instr_alloc_stack *stack) {
    struct instr_output *out = context;
    for (size_t i = 0; i < stack->depth; i++) {
        if (i) instr_output_text(out, ";");
        instr_report_text(out, stack->frames[i], INSTR_PLAIN);
    }
    instr_output_format(out, " %" PRIu64 "\n", stack->bytes);
}

void instr_alloc_stacks(const void *report, struct instr_output *out) {
    instr_alloc_each_stack(report, put_stack, out);
}

// --- the tables ---

// The width of a column of numbers under its head.
static int width(uint64_t largest, const char *head) {
    char number[INSTR_NUMBER_SIZE];
    size_t a = strlen(instr_number(largest, number)), b = strlen(head);
    return (int)(a > b ? a : b);
}

struct widths {
    int bytes, count, live_bytes, live_count;
};

static void put_numbers(const struct instr_alloc_report *report, struct instr_output *out,
                        const struct widths *w, const struct instr_alloc_site *site) {
    char bytes[INSTR_NUMBER_SIZE], count[INSTR_NUMBER_SIZE];
    instr_output_format(out, "  %*s  %*s", w->bytes, instr_number(site->bytes, bytes), w->count,
                        instr_number(site->count, count));
    if (report->live)
        instr_output_format(out, "  %*s  %*s", w->live_bytes, instr_number(site->live_bytes, bytes),
                            w->live_count, instr_number(site->live_count, count));
}

static void put_head(const struct instr_alloc_report *report, struct instr_output *out,
                     const struct widths *w, const char *rest) {
    instr_output_format(out, "  %*s  %*s", w->bytes, "bytes", w->count, "objects");
    if (report->live)
        instr_output_format(out, "  %*s  %*s", w->live_bytes, "live", w->live_count, "objects");
    instr_output_format(out, "  %s\n", rest);
}

static void put_site(struct instr_output *out, const struct instr_alloc_site *site) {
    instr_report_text(out, site->class_name, INSTR_PLAIN);
    instr_output_text(out, "  ");
    if (!*site->site_class) {
        instr_output_text(out, NO_CODE);
        return;
    }
    instr_report_text(out, site->site_class, INSTR_PLAIN);
    instr_output_text(out, ".");
    instr_report_text(out, site->site_method, INSTR_PLAIN);
    if (site->site_line) instr_output_format(out, ":%u", site->site_line);
}

static void put_table(const struct instr_alloc_report *report, struct instr_output *out,
                      const struct instr_alloc_site *rows, size_t n, int sites) {
    struct instr_alloc_site largest = {0};
    for (size_t i = 0; i < n; i++) {
        if (rows[i].bytes > largest.bytes) largest.bytes = rows[i].bytes;
        if (rows[i].count > largest.count) largest.count = rows[i].count;
        if (rows[i].live_bytes > largest.live_bytes) largest.live_bytes = rows[i].live_bytes;
        if (rows[i].live_count > largest.live_count) largest.live_count = rows[i].live_count;
    }
    const struct widths w = {width(largest.bytes, "bytes"), width(largest.count, "objects"),
                             width(largest.live_bytes, "live"),
                             width(largest.live_count, "objects")};
    put_head(report, out, &w, sites ? "class  site" : "class");
    for (size_t i = 0; i < n; i++) {
        put_numbers(report, out, &w, &rows[i]);
        instr_output_text(out, "  ");
        if (sites)
            put_site(out, &rows[i]);
        else
            instr_report_text(out, rows[i].class_name, INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
}

static void write_table(const void *content, struct instr_output *out, size_t top) {
    const struct instr_alloc_report *report = content;
    struct instr_alloc_site all = {0};
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], d[INSTR_NUMBER_SIZE];
    const char *about = report->sampled ? "about " : "";
    for (size_t i = 0; i < report->class_count; i++) add_numbers(&all, &report->classes[i]);
    instr_report_text(out, report->pass, INSTR_PLAIN);
    instr_output_format(out, ": %s%s object%s, %s bytes, %s class%s, %s site%s", about,
                        instr_number(all.count, a), all.count == 1 ? "" : "s",
                        instr_number(all.bytes, b), instr_number(report->class_count, c),
                        report->class_count == 1 ? "" : "es", instr_number(report->site_count, d),
                        report->site_count == 1 ? "" : "s");
    if (report->live)
        instr_output_format(out, "; live: about %s object%s, %s bytes",
                            instr_number(all.live_count, a), all.live_count == 1 ? "" : "s",
                            instr_number(all.live_bytes, b));
    size_t sites = top < report->site_count ? top : report->site_count;
    size_t classes = top < report->class_count ? top : report->class_count;
    if (top > 0 && sites < report->site_count)
        instr_output_format(out, "; the top %s:", instr_number(sites, a));
    instr_output_text(out, "\n");
    if (sites == 0) return;
    put_table(report, out, report->sites, sites, 1);
    put_table(report, out, report->classes, classes, 0);
}

const struct instr_report_format instr_alloc_format = {.table = write_table, .json = write_json};
