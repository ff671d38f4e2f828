// Which classes are in scope.

#include "instr/options.h"

#include "instr/options/copy.h"
#include "rewriters/common.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EARLIER = 64 }; // scopes that a pass had before

static int begins(const char *name, size_t length, const char *with, size_t with_length) {
    return length >= with_length && memcmp(name, with, with_length) == 0;
}
#define BEGINS(name, length, literal) begins(name, length, literal, sizeof(literal) - 1)

// Classes of kits, which are in any package.
static int is_of_kit(const char *name, size_t length) {
    const char *end = name + length, *at = name;
    while ((at = memchr(at, '$', (size_t)(end - at))) &&
           !BEGINS(at, (size_t)(end - at), "$$instr$"))
        at++;
    return at != NULL;
}

int instr_scope_is_ours(const char *name, size_t length) {
    return BEGINS(name, length, "java/lang/Instr") || BEGINS(name, length, "instr/runtime/") ||
           BEGINS(name, length, "instr/woven/") || // of kits, in rewritten programs
           is_of_kit(name, length) || rw_is_gate(name, length);
}

static int matches(const struct instr_match *include, const struct instr_match *exclude,
                   const char *name, size_t length, int platform) {
    if (include ? !instr_match(include, name, length) : platform) return 0;
    return !exclude || !instr_match(exclude, name, length);
}

uint64_t instr_scope_passes(const struct instr_options *options, const char *name, size_t length,
                            int platform) {
    uint64_t found = 0;
    int in_scope = 0;
    if (instr_scope_is_ours(name, length)) return 0;
    for (size_t i = 0; i < options->pass_count && i < 64; i++) {
        const struct instr_pass_options *pass = &options->passes[i];
        // Passes that were switched on together share the sets.
        if (i == 0 || pass->include != pass[-1].include || pass->exclude != pass[-1].exclude)
            in_scope = matches(pass->include, pass->exclude, name, length, platform);
        if (in_scope) found |= UINT64_C(1) << i;
    }
    return found;
}

static int shows(const struct instr_match *include, const struct instr_match *exclude,
                 const char *name) {
    size_t length = strlen(name);
    int platform = BEGINS(name, length, "java/") || BEGINS(name, length, "jdk/") ||
                   BEGINS(name, length, "sun/");
    return matches(include, exclude, name, length, platform);
}

int instr_scope_shows(const struct instr_pass_options *pass, const char *name) {
    return shows(pass->include, pass->exclude, name);
}

int instr_pass_shows(const struct instr_pass_options *pass, const char *name) {
    return !pass->shared || instr_scope_shows(pass, name);
}

int instr_pass_reports(const struct instr_pass_options *pass, const char *name) {
    int reports = instr_pass_shows(pass, name);
    for (size_t i = 0; i < pass->earlier_count && !reports; i++)
        reports = shows(pass->earlier[i].include, pass->earlier[i].exclude, name);
    return reports;
}

int instr_scope_matches(const struct instr_options *options, const char *name, size_t length,
                        int platform) {
    if (options->pass_count) return instr_scope_passes(options, name, length, platform) != 0;
    return !instr_scope_is_ours(name, length) &&
           matches(options->include, options->exclude, name, length, platform);
}

static int same_patterns(const struct instr_match *a, const struct instr_match *b) {
    return a == b || (a && b && strcmp(instr_match_text(a), instr_match_text(b)) == 0);
}

static int is_earlier(const struct instr_pass_options *pass, const struct instr_scope *scope) {
    for (size_t i = 0; i < pass->earlier_count; i++)
        if (same_patterns(pass->earlier[i].include, scope->include) &&
            same_patterns(pass->earlier[i].exclude, scope->exclude))
            return 1;
    return 0;
}

int instr_pass_follow(struct instr_pass_options *pass, const struct instr_pass_options *before) {
    const struct instr_scope last = {before->include, before->exclude};
    int more = (!same_patterns(pass->include, last.include) ||
                !same_patterns(pass->exclude, last.exclude)) &&
               !is_earlier(before, &last);
    size_t first = more && before->earlier_count == MOST_EARLIER;
    struct instr_scope *all = calloc(before->earlier_count + 1, sizeof *all);
    if (!all) return -1;
    instr_option_forget_scopes(pass);
    pass->earlier = all;
    for (size_t i = first; i < before->earlier_count; i++)
        all[pass->earlier_count++] = before->earlier[i];
    if (more) all[pass->earlier_count++] = last;
    for (size_t i = 0; i < pass->earlier_count; i++) {
        instr_match_share(all[i].include);
        instr_match_share(all[i].exclude);
    }
    return 0;
}

int instr_scope_common(const struct instr_options *options, const struct instr_match **include,
                       const struct instr_match **exclude) {
    const struct instr_pass_options *first = NULL;
    *include = *exclude = NULL;
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_pass_options *pass = &options->passes[i];
        if (pass->only) continue;
        if (!first) first = pass;
        if (!same_patterns(pass->include, first->include) ||
            !same_patterns(pass->exclude, first->exclude))
            return 0;
    }
    *include = first ? first->include : options->include;
    *exclude = first ? first->exclude : options->exclude;
    return 1;
}
