// The line numbers of a method, by pc.

#include "classfile/format/lines.h"

#include <string.h>

// Enters the lines of one table at the pcs where they begin.
static void put_entries(const struct cf_code *code, const struct cf_attribute *table,
                        uint16_t *lines) {
    struct cf_error error = {0};
    struct cf_reader r = cf_read(code->cls, table->info, table->length, &error);
    for (uint32_t n = cf_u2(&r); n > 0 && !error.status; n--) {
        uint32_t pc = cf_u2(&r), line = cf_u2(&r);
        if (!error.status && pc < code->length) lines[pc] = (uint16_t)line;
    }
}

const uint16_t *cf_lines(const struct cf_code *code) {
    struct cf_error error = {0};
    uint16_t *lines = cf_arena_zeroed(code->cls->arena, code->length + 1, sizeof *lines);
    if (!lines) return NULL;
    struct cf_walk walk =
        cf_walk_attributes(code->cls, code->attributes, code->attributes_count, code->end, &error);
    for (struct cf_attribute a; cf_next_attribute(&walk, &a);)
        if (CF_IS(a.name, "LineNumberTable")) put_entries(code, &a, lines);
    for (uint32_t pc = 1; pc < code->length; pc++)
        if (!lines[pc]) lines[pc] = lines[pc - 1];
    return lines;
}
