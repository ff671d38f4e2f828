// Lines, counted.

#include "instr/cli/coverage/lines.h"

#include <stdlib.h>
#include <string.h>

void cover_sum(struct cover_count *to, struct cover_count from) {
    to->missed += from.missed;
    to->covered += from.covered;
}

void cover_add(struct cover_count to[COVER_COUNTERS],
               const struct cover_count from[COVER_COUNTERS]) {
    for (int i = 0; i < COVER_COUNTERS; i++) cover_sum(&to[i], from[i]);
}

static int has_code(const struct cover_line *line) {
    return line->instructions.missed || line->instructions.covered;
}

static void add_line(struct cover_line *to, const struct cover_line *from) {
    cover_sum(&to->instructions, from->instructions);
    cover_sum(&to->branches, from->branches);
    uint32_t begun = (uint32_t)to->begun + from->begun;
    to->begun = (uint16_t)(begun < UINT16_MAX ? begun : UINT16_MAX);
    to->never_yes |= from->never_yes;
    to->never_no |= from->never_no;
}

static void count_line(struct cover_count *count, const struct cover_line *line) {
    if (line->instructions.covered)
        count->covered++;
    else if (line->instructions.missed)
        count->missed++;
}

// --- lines that are being counted ---

int cover_line_set_init(struct cover_line_set *set) {
    set->at = calloc(COVER_LINES, sizeof *set->at);
    set->used = malloc(COVER_LINES * sizeof *set->used);
    set->count = 0;
    return set->at && set->used ? 0 : -1;
}

void cover_line_set_free(struct cover_line_set *set) {
    free(set->at);
    free(set->used);
}

void cover_line_set_add(struct cover_line_set *set, uint32_t number,
                        const struct cover_line *line) {
    if (!has_code(&set->at[number])) set->used[set->count++] = (uint16_t)number;
    add_line(&set->at[number], line);
}

void cover_line_set_add_all(struct cover_line_set *set, const struct cover_line_set *more) {
    for (uint32_t i = 0; i < more->count; i++)
        cover_line_set_add(set, more->used[i], &more->at[more->used[i]]);
}

void cover_line_set_clear(struct cover_line_set *set) {
    for (uint32_t i = 0; i < set->count; i++) memset(&set->at[set->used[i]], 0, sizeof *set->at);
    set->count = 0;
}

void cover_line_set_put(struct cover_line_set *set, uint32_t number,
                        const struct cover_line *line) {
    if (!has_code(&set->at[number])) set->used[set->count++] = (uint16_t)number;
    set->at[number] = *line;
}

struct cover_count cover_line_set_count(const struct cover_line_set *set) {
    struct cover_count count = {0, 0};
    for (uint32_t i = 0; i < set->count; i++) count_line(&count, &set->at[set->used[i]]);
    return count;
}

uint32_t cover_line_set_begun(const struct cover_line_set *set, uint32_t *lines) {
    uint32_t begun = 0;
    *lines = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct cover_line *line = &set->at[set->used[i]];
        begun += line->begun;
        *lines += line->begun && !line->instructions.covered;
    }
    return begun;
}

int cover_line_set_take(struct cover_line_set *set, struct cover_lines *lines) {
    uint32_t first = COVER_LINES, last = 0;
    memset(lines, 0, sizeof *lines);
    lines->zero = set->at[0];
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->used[i] && set->used[i] < first) first = set->used[i];
        if (set->used[i] > last) last = set->used[i];
    }
    if (last > 0) lines->line = calloc(last - first + 1, sizeof *lines->line);
    for (uint32_t i = 0; lines->line && i < set->count; i++)
        if (set->used[i]) lines->line[set->used[i] - first] = set->at[set->used[i]];
    cover_line_set_clear(set);
    if (last == 0) return 0;
    if (!lines->line) return -1;
    lines->first = first;
    lines->last = last;
    return 0;
}

// --- lines of the model ---

void cover_lines_add(struct cover_lines *lines, const struct cover_lines *more) {
    add_line(&lines->zero, &more->zero);
    if (!more->first) return;
    for (uint32_t i = more->first; i <= more->last; i++)
        add_line(&lines->line[i - lines->first], &more->line[i - more->first]);
}

struct cover_count cover_lines_count(const struct cover_lines *lines) {
    struct cover_count count = {0, 0};
    count_line(&count, &lines->zero);
    if (!lines->first) return count;
    for (uint32_t i = 0; i <= lines->last - lines->first; i++) count_line(&count, &lines->line[i]);
    return count;
}

void cover_lines_free(struct cover_lines *lines) {
    free(lines->line);
    free(lines->times);
    memset(lines, 0, sizeof *lines);
}
