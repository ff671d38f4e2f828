#include "instr/retransform/patterns.h"

#include "instr/base/array.h"

#include <stdlib.h>
#include <string.h>

static void add(struct instr_patterns *patterns, const char *text) {
    char reason[INSTR_ERROR_SIZE];
    for (size_t i = 0; i < patterns->count; i++)
        if (strcmp(patterns->rows[i].text, text) == 0) return;
    if (!INSTR_ARRAY_RESERVE(patterns->rows, patterns->capacity, patterns->count + 1)) return;
    struct instr_pattern one = {strdup(text), instr_match_new(), false};
    if (one.text && one.match && instr_match_add(one.match, text, reason, sizeof reason) == 0) {
        patterns->rows[patterns->count++] = one;
        return;
    }
    free(one.text);
    instr_match_free(one.match);
}

static void add_all(struct instr_patterns *patterns, const char *texts) {
    char *copy = strdup(texts), *rest = NULL;
    for (char *p = copy ? strtok_r(copy, ":", &rest) : NULL; p; p = strtok_r(NULL, ":", &rest))
        add(patterns, p);
    free(copy);
}

void instr_patterns_add(struct instr_patterns *patterns, const struct instr_options *options,
                        const struct instr_owner *owner) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (options->passes[i].include && instr_owner_same(&options->passes[i].owner, owner))
            add_all(patterns, instr_match_text(options->passes[i].include));
}

void instr_patterns_see(struct instr_patterns *patterns, const char *name, size_t length) {
    for (size_t i = 0; i < patterns->count; i++)
        if (!patterns->rows[i].matches)
            patterns->rows[i].matches = instr_match(patterns->rows[i].match, name, length) != 0;
}

void instr_patterns_close(struct instr_patterns *patterns) {
    for (size_t i = 0; i < patterns->count; i++) {
        free(patterns->rows[i].text);
        instr_match_free(patterns->rows[i].match);
    }
    free(patterns->rows);
}
