// Lines, counted: those of a method or a class while it is analysed, and those of the model.

#ifndef INSTR_CLI_COVERAGE_LINES_H
#define INSTR_CLI_COVERAGE_LINES_H

#include "instr/cli/coverage/model.h"

// Adds counters.
void cover_sum(struct cover_count *to, struct cover_count from);
void cover_add(struct cover_count to[COVER_COUNTERS],
               const struct cover_count from[COVER_COUNTERS]);

// --- lines that are being counted ---

enum { COVER_LINES = 65536 };

struct cover_line_set {
    struct cover_line *at; // COVER_LINES of them, by number
    uint16_t *used;        // the numbers of those that are not zero
    uint32_t count;        // of `used`
};

// Returns 0; -1: out of memory.
int cover_line_set_init(struct cover_line_set *set);
void cover_line_set_free(struct cover_line_set *set);
// Adds what lies on line `number`, which has at least one instruction.
void cover_line_set_add(struct cover_line_set *set, uint32_t number, const struct cover_line *line);
// Adds all lines of `more`.
void cover_line_set_add_all(struct cover_line_set *set, const struct cover_line_set *more);
// Empties the set.
void cover_line_set_clear(struct cover_line_set *set);
// Puts a line in place of line `number`.
void cover_line_set_put(struct cover_line_set *set, uint32_t number, const struct cover_line *line);
// How many lines were missed, and covered.
struct cover_count cover_line_set_count(const struct cover_line_set *set);
// How many instructions have begun (model.h), and on how many missed lines.
uint32_t cover_line_set_begun(const struct cover_line_set *set, uint32_t *lines);
// Makes lines of the model from the set, and empties it. Returns 0; -1: out of memory.
int cover_line_set_take(struct cover_line_set *set, struct cover_lines *lines);

// --- lines of the model ---

// Adds all lines of `more`, which lie between the first and the last of `lines`.
void cover_lines_add(struct cover_lines *lines, const struct cover_lines *more);
// How many lines were missed, and covered.
struct cover_count cover_lines_count(const struct cover_lines *lines);
void cover_lines_free(struct cover_lines *lines);

#endif
