#include "instr/options/copy.h"

#include "instr/options/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void instr_option_forget_patterns(struct instr_match **field) {
    instr_match_free(*field);
    *field = NULL;
}

void instr_option_share_patterns(struct instr_match **field, struct instr_match *patterns) {
    instr_match_share(patterns);
    instr_match_free(*field);
    *field = patterns;
}

void instr_option_forget_scopes(struct instr_pass_options *pass) {
    for (size_t i = 0; i < pass->earlier_count; i++) {
        instr_match_free(pass->earlier[i].include);
        instr_match_free(pass->earlier[i].exclude);
    }
    free(pass->earlier);
    pass->earlier = NULL;
    pass->earlier_count = 0;
}

void instr_option_free_pass(struct instr_pass_options *pass) {
    const struct rw_pass *of = pass->pass;
    instr_option_forget_patterns(&pass->only);
    instr_option_forget_patterns(&pass->supertypes);
    instr_option_forget_patterns(&pass->include);
    instr_option_forget_patterns(&pass->exclude);
    instr_option_forget_scopes(pass);
    free(pass->file);
    for (size_t i = 0; pass->values && of->options[i].key; i++) free(pass->values[i]);
    free(pass->values);
    pass->file = NULL;
    pass->values = NULL;
    rw_pass_release(of);
}

// Copies what the field of an option owns.
static int copy_field(const struct instr_option_row *row, void *field) {
    char **text = field;
    if (row->kind == INSTR_KIND_PATTERNS) instr_match_share(*(struct instr_match **)field);
    int is_text = row->kind == INSTR_KIND_FILE || row->kind == INSTR_KIND_SOCKET;
    return !is_text || !*text || (*text = strdup(*text)) ? 0 : -1;
}

static int copy_pass(struct instr_pass_options *to, const struct instr_pass_options *from) {
    const struct rw_option *own = from->pass->options;
    size_t count = 0;
    int result = 0;
    *to = *from;
    for (const struct instr_option_row *row = instr_pass_option_rows; row->key; row++)
        result |= copy_field(row, (char *)to + row->offset);
    instr_match_share(to->only);
    instr_match_share(to->supertypes);
    rw_pass_hold(to->pass);
    to->earlier = NULL;
    to->earlier_count = 0;
    if (from->earlier_count) result |= instr_pass_follow(to, from);
    while (own && own[count].key) count++;
    to->values = from->values ? calloc(count, sizeof *to->values) : NULL;
    if (from->values && !to->values) return -1;
    for (size_t i = 0; from->values && i < count; i++)
        if (from->values[i] && !(to->values[i] = strdup(from->values[i]))) return -1;
    return result;
}

int instr_options_copy(struct instr_options *options, const struct instr_options *base) {
    size_t most = base->pass_count + rw_pass_count() + 1;
    int result = 0;
    *options = *base;
    options->pass_count = 0;
    options->passes = calloc(most, sizeof *options->passes);
    for (const struct instr_option_row *row = instr_option_rows; row->key; row++)
        result |= copy_field(row, (char *)options + row->offset);
    if (!options->passes) result = -1;
    while (result == 0 && options->pass_count < base->pass_count) {
        size_t i = options->pass_count++;
        result = copy_pass(&options->passes[i], &base->passes[i]);
    }
    if (result != 0) instr_options_free(options);
    return result;
}

bool instr_option_ends_alone(const struct instr_pass_options *pass) {
    return pass->late && pass->pass->made && pass->pass->made->lease;
}

uint64_t instr_pass_ends(const struct instr_pass_options *pass) {
    uint64_t own = __atomic_load_n(&pass->ends, __ATOMIC_RELAXED),
             all = __atomic_load_n(&pass->terms.expires, __ATOMIC_RELAXED);
    if (instr_option_ends_alone(pass)) return own;
    return own && (!all || own < all) ? own : all;
}

int instr_pass_is_of_command(const struct instr_pass_options *pass) {
    return pass->pass->made && pass->pass->made->of_command;
}

// Which passes a copy is without.
struct leaving {
    uint64_t places;                 // a bit for each
    const struct rw_pass *pass;      // NULL: those that end until `now`
    const struct instr_owner *owner; // NULL: any
    uint64_t now;                    // 0: none of them
};

static int leaves(const struct leaving *leaving, const struct instr_pass_options *on) {
    uint64_t ends = instr_pass_ends(on);
    if (!leaving->pass) return ends && ends <= leaving->now;
    return on->pass == leaving->pass &&
           (!leaving->owner || instr_owner_same(&on->owner, leaving->owner));
}

static int copy_without(struct instr_options *options, const struct instr_options *base,
                        const struct leaving *leaving) {
    if (instr_options_copy(options, base) != 0) return -1;
    size_t left = 0;
    for (size_t i = 0; i < options->pass_count; i++) {
        struct instr_pass_options *on = &options->passes[i];
        if ((leaving->places >> i & 1) || leaves(leaving, on))
            instr_option_free_pass(on);
        else
            options->passes[left++] = *on;
    }
    options->pass_count = left;
    return 0;
}

int instr_options_without_owner(struct instr_options *options, const struct instr_options *base,
                                const struct rw_pass *pass, const struct instr_owner *owner) {
    return copy_without(options, base, &(struct leaving){.pass = pass, .owner = owner});
}

int instr_options_without_ended(struct instr_options *options, const struct instr_options *base,
                                uint64_t now) {
    return copy_without(options, base, &(struct leaving){.now = now});
}

int instr_options_without_places(struct instr_options *options, const struct instr_options *base,
                                 uint64_t places) {
    return copy_without(options, base, &(struct leaving){.places = places});
}

int instr_options_without(struct instr_options *options, const struct instr_options *base,
                          const struct rw_pass *pass) {
    return instr_options_without_owner(options, base, pass, NULL);
}

// Adds patterns to a set that others share. NULL is an empty set.
static struct instr_match *more_patterns(const struct instr_match *match, const char *patterns,
                                         char *error, size_t size) {
    struct instr_match *more = instr_match_new();
    if (!more) snprintf(error, size, "out of memory");
    if (more && (!match || instr_match_add(more, instr_match_text(match), error, size) == 0) &&
        instr_match_add(more, patterns, error, size) == 0)
        return more;
    instr_match_free(more);
    return NULL;
}

int instr_options_exclude(struct instr_options *options, const char *patterns, char *error,
                          size_t size) {
    // Passes that share a set go on sharing one.
    struct instr_match *last = instr_match_share(options->exclude);
    struct instr_match *more = more_patterns(last, patterns, error, size);
    int result = more ? 0 : -1;
    if (more) instr_option_share_patterns(&options->exclude, more);
    for (size_t i = 0; result == 0 && i < options->pass_count; i++) {
        struct instr_match **field = &options->passes[i].exclude;
        if (*field != last) {
            instr_option_share_patterns(&last, *field);
            instr_match_free(more);
            more = more_patterns(last, patterns, error, size);
            if (!more) result = -1;
        }
        if (more) instr_option_share_patterns(field, more);
    }
    instr_match_free(last);
    instr_match_free(more);
    return result;
}

void instr_options_free(struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++) instr_option_free_pass(&options->passes[i]);
    free(options->passes);
    instr_match_free(options->include);
    instr_match_free(options->exclude);
    free(options->stats);
    free(options->facts);
    free(options->verify_dump);
    free(options->control);
    memset(options, 0, sizeof *options);
}
