#include "instr/retransform/patterns.h"

#include "instr/base/array.h"

#include <stdlib.h>
#include <string.h>

static void add(struct instr_patterns *patterns, const char *option, const char *text) {
    char reason[INSTR_ERROR_SIZE];
    for (size_t i = 0; i < patterns->count; i++)
        if (strcmp(patterns->rows[i].text, text) == 0 &&
            strcmp(patterns->rows[i].option, option) == 0)
            return;
    if (!INSTR_ARRAY_RESERVE(patterns->rows, patterns->capacity, patterns->count + 1)) return;
    struct instr_pattern one = {option, strdup(text), instr_match_new(), false};
    if (one.text && one.match && instr_match_add(one.match, text, reason, sizeof reason) == 0) {
        patterns->rows[patterns->count++] = one;
        return;
    }
    free(one.text);
    instr_match_free(one.match);
}

// Is the pattern among those of a text?
static bool has(const char *texts, const char *pattern) {
    size_t length = strlen(pattern);
    for (const char *at = texts, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ":");
        if ((size_t)(end - at) == length && memcmp(at, pattern, length) == 0) return true;
    }
    return false;
}

// Had a pass of the owner this pattern of exclude=?
static bool was_excluded(const struct instr_options *before, const struct instr_owner *owner,
                         const char *pattern) {
    for (size_t i = 0; i < before->pass_count; i++)
        if (before->passes[i].exclude && instr_owner_same(&before->passes[i].owner, owner) &&
            has(instr_match_text(before->passes[i].exclude), pattern))
            return true;
    return false;
}

// Without those of exclude= that were there `before`; NULL: all.
static void add_all(struct instr_patterns *patterns, const char *option, const char *texts,
                    const struct instr_options *before, const struct instr_owner *owner) {
    char *copy = strdup(texts), *rest = NULL;
    for (char *p = copy ? strtok_r(copy, ":", &rest) : NULL; p; p = strtok_r(NULL, ":", &rest))
        if (!before || !was_excluded(before, owner, p)) add(patterns, option, p);
    free(copy);
}

void instr_patterns_add_text(struct instr_patterns *patterns, const char *option,
                             const char *text) {
    add_all(patterns, option, text, NULL, NULL);
}

void instr_patterns_add(struct instr_patterns *patterns, const struct instr_options *before,
                        const struct instr_options *options, const struct instr_owner *owner) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_pass_options *pass = &options->passes[i];
        if (!instr_owner_same(&pass->owner, owner)) continue;
        if (pass->include)
            add_all(patterns, "include=", instr_match_text(pass->include), NULL, NULL);
        if (pass->exclude)
            add_all(patterns, "exclude=", instr_match_text(pass->exclude), before, owner);
    }
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
