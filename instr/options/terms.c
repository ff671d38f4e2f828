#include "instr/options/terms.h"

#include "instr/options/copy.h"

#include <stdbool.h>
#include <string.h>

#define TERM(key, field, default)                                                                  \
    {                                                                                              \
        key, offsetof(struct instr_options, field), offsetof(struct instr_terms, field),           \
            sizeof(((struct instr_terms *)0)->field), default                                      \
    }

static const struct term {
    const char *key;
    size_t in_options, in_terms, size;
    bool is_default; // what the command line gives holds for owners who give nothing
} all_terms[] = {TERM("for", expiry, false), TERM("quiet", quiet, false),
                 TERM("max-overhead", max_overhead, true)};

enum { COUNT = sizeof all_terms / sizeof *all_terms };

static void take(struct instr_terms *terms, const struct instr_options *options) {
    for (const struct term *t = all_terms; t < all_terms + COUNT; t++)
        memcpy((char *)terms + t->in_terms, (const char *)options + t->in_options, t->size);
}

static void put(struct instr_options *options, const struct instr_terms *terms) {
    for (const struct term *t = all_terms; t < all_terms + COUNT; t++)
        memcpy((char *)options + t->in_options, (const char *)terms + t->in_terms, t->size);
}

void instr_option_terms_begin(struct instr_option_parser *p) {
    take(&p->start, p->options);
    bool any = false, timed = false;
    if (!p->owner.name[0]) p->terms = p->start;
    for (size_t i = 0; p->passes[i].pass; i++) {
        const struct instr_pass_options *pass = &p->passes[i];
        if (!(pass->given & INSTR_ON_ALREADY)) continue;
        p->terms = pass->terms;
        any = true;
        timed |= !instr_option_ends_alone(pass);
    }
    // The time of passes that are off by now is over.
    if (any && !timed) p->terms.expiry = p->terms.expires = 0;
    put(p->options, &p->terms);
}

// The first term that the text gives; NULL: none.
static const char *given_term(const struct instr_option_parser *p) {
    for (const struct term *t = all_terms; t < all_terms + COUNT; t++)
        if (p->given & instr_option_bit(t->key)) return t->key;
    return NULL;
}

static bool has_lease(const struct instr_pass_options *pass) {
    size_t i = 0;
    while (instr_pass_option_rows[i].key && strcmp(instr_pass_option_rows[i].key, "for") != 0) i++;
    return pass->given & 1u << i;
}

// The time of a pass that ends alone: its own one; else that of the text, if the text makes the pass or is for all passes
// of the owner.
static void settle_lease(const struct instr_option_parser *p, struct instr_pass_options *pass,
                         bool for_all) {
    bool is_new = !(pass->given & INSTR_ON_ALREADY);
    if (!instr_option_ends_alone(pass) || has_lease(pass)) return;
    if (p->given & instr_option_bit("for") && (is_new || for_all)) {
        pass->lease = p->terms.expiry;
        pass->ends = 0; // it begins anew
    } else if (is_new) {
        pass->lease = pass->pass->made->lease;
    }
}

int instr_option_terms_settle(struct instr_option_parser *p) {
    const char *given = given_term(p);
    bool any = false, named = false;
    take(&p->terms, p->options);
    if (p->given & instr_option_bit("for")) p->terms.expires = 0; // it begins anew
    for (size_t i = 0; p->passes[i].pass; i++) named |= p->passes[i].given & INSTR_GIVEN_PASS;
    for (size_t i = 0; p->passes[i].pass; i++) {
        if (!(p->passes[i].given & (INSTR_GIVEN_PASS | INSTR_ON_ALREADY))) continue;
        p->passes[i].terms = p->terms;
        settle_lease(p, &p->passes[i], !named);
        any = true;
    }
    if (p->changing && given && !any)
        return instr_option_fail(p, given, "%s has no active pass", instr_owner_text(&p->owner));
    if (p->owner.name[0]) put(p->options, &p->start);
    return 0;
}

void instr_option_terms_common(struct instr_options *options) {
    static const struct instr_terms none;
    for (const struct term *t = all_terms; options->pass_count && t < all_terms + COUNT; t++) {
        const char *first = (const char *)&options->passes[0].terms + t->in_terms;
        bool same = true;
        for (size_t i = 1; i < options->pass_count; i++)
            same &=
                memcmp((const char *)&options->passes[i].terms + t->in_terms, first, t->size) == 0;
        if (t->is_default && same && memcmp(first, (const char *)&none + t->in_terms, t->size) == 0)
            continue;
        memcpy((char *)options + t->in_options, same ? first : (const char *)&none + t->in_terms,
               t->size);
    }
}
