#include "instr/options/compare.h"

#include <string.h>

static int same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

int instr_same_values(const struct instr_pass_options *a, const struct instr_pass_options *b) {
    for (size_t i = 0; a->pass->options && a->pass->options[i].key; i++)
        if (!same_text(a->values ? a->values[i] : NULL, b->values ? b->values[i] : NULL)) return 0;
    return 1;
}

int instr_same_but_files(const struct instr_pass_options *a, const struct instr_pass_options *b) {
    for (size_t i = 0; a->pass->options && a->pass->options[i].key; i++)
        if (strcmp(a->pass->options[i].argument, "FILE") != 0 &&
            !same_text(a->values ? a->values[i] : NULL, b->values ? b->values[i] : NULL))
            return 0;
    return 1;
}

const struct instr_pass_options *instr_find_pass(const struct instr_options *options,
                                                 const struct rw_pass *pass) {
    for (size_t i = 0; options && i < options->pass_count; i++)
        if (options->passes[i].pass == pass) return &options->passes[i];
    return NULL;
}

const struct instr_pass_options *instr_find_pass_named(const struct instr_options *options,
                                                       const char *name) {
    for (size_t i = 0; options && i < options->pass_count; i++)
        if (strcmp(options->passes[i].pass->name, name) == 0) return &options->passes[i];
    return NULL;
}

const struct instr_pass_options *instr_find_same(const struct instr_options *options,
                                                 const struct instr_pass_options *pass) {
    for (size_t i = 0; options && i < options->pass_count; i++)
        if (options->passes[i].pass == pass->pass &&
            instr_owner_same(&options->passes[i].owner, &pass->owner))
            return &options->passes[i];
    return NULL;
}

int instr_same_rules(const struct instr_options *a, const struct instr_options *b) {
    return a->huge == b->huge && a->verify == b->verify;
}

static int is_higher(unsigned a, unsigned b) {
    return b && (!a || a > b);
}

int instr_allows_more(const struct instr_options *a, const struct instr_options *b) {
    return is_higher(a->max_classes, b->max_classes) || is_higher(a->max_methods, b->max_methods) ||
           a->interfaces > b->interfaces;
}

// The next pass that is not excluded.
static const struct instr_pass_options *next_pass(const struct instr_options *options,
                                                  uint64_t excluded, size_t *i) {
    while (*i < options->pass_count && *i < 64 && (excluded >> *i & 1)) ++*i;
    return *i < options->pass_count ? &options->passes[(*i)++] : NULL;
}

int instr_same_effect(const struct instr_options *a, uint64_t excluded_a,
                      const struct instr_options *b, uint64_t excluded_b) {
    size_t i = 0, k = 0;
    for (;;) {
        const struct instr_pass_options *p = next_pass(a, excluded_a, &i),
                                        *q = next_pass(b, excluded_b, &k);
        if (!p || !q) return !p && !q;
        if (p->pass != q->pass || p->number != q->number || !instr_same_values(p, q)) return 0;
    }
}

int instr_goes_on(const struct instr_options *before, const struct instr_pass_options *pass) {
    const struct instr_pass_options *other = instr_find_pass(before, pass->pass);
    return other && instr_same_values(other, pass);
}
