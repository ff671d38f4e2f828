// Early returns at a method's entry: behind a snippet that has pushed the result come the exits of
// the passes that have entered, and the return.

#include "classfile/edit/internal.h"

static enum cf_opcode return_of(char type) {
    switch (type) {
    case 'V': return CF_OP_return;
    case 'J': return CF_OP_lreturn;
    case 'F': return CF_OP_freturn;
    case 'D': return CF_OP_dreturn;
    case 'L':
    case '[': return CF_OP_areturn;
    default: return CF_OP_ireturn;
    }
}

static enum cf_opcode return_from(const struct cf_edit *edit) {
    struct cf_slice result = cf_result_type(cf_member_descriptor(edit->code.cls, edit->method));
    return return_of(result.length ? (char)result.bytes[0] : 'V');
}

static int32_t slots_of(enum cf_opcode op) {
    return op == CF_OP_return ? 0 : op == CF_OP_lreturn || op == CF_OP_dreturn ? 2 : 1;
}

void cf_keep_exit(struct cf_edit *edit, const struct cf_snippet *s) {
    struct cf_site *sites =
        cf_one_more(edit, edit->unplaced, edit->unplaced_count, 0, sizeof *sites);
    if (!sites || s == &edit->nowhere) return;
    struct cf_site site = {0, CF_EXIT, -edit->nesting, 0, s};
    edit->unplaced = sites;
    sites[edit->unplaced_count++] = site;
}

void cf_insert_early_return(struct cf_edit *edit, struct cf_snippet *s, uint32_t go_on) {
    if (cf_edit_constructor(edit) != CF_OK || s == &edit->nowhere) return;
    if (edit->constructor) {
        cf_fail_snippet(s, 0, CF_UNSUPPORTED, "a constructor cannot return at its entry", 0);
        return;
    }
    if (s->unreachable || s->depth != slots_of(return_from(edit)) || go_on >= s->labels_count ||
        !s->labels[go_on].is_target || s->labels[go_on].depth != 0) {
        cf_fail_snippet(s, 0, CF_MISUSE,
                        "an early return ends with the result, and branches to the method", 0);
        return;
    }
    struct cf_early_return *list =
        cf_one_more(edit, edit->early_returns, edit->early_returns_count, 0, sizeof *list);
    if (!list) return;
    struct cf_early_return early = {s, go_on, edit->nesting, 0};
    edit->early_returns = list;
    list[edit->early_returns_count++] = early;
    cf_insert_entry(edit, s);
}

// Of the exits at one return, and all returns have the same, those of passes that have entered.
const struct cf_site *cf_next_early_exit(const struct cf_edit *edit,
                                         const struct cf_early_return *early,
                                         const struct cf_site *last) {
    int placed = edit->code.returns_count > 0;
    const struct cf_site *sites = placed ? edit->sites : edit->unplaced, *next = NULL;
    uint32_t count = placed ? edit->sites_count : edit->unplaced_count,
             pc = placed ? edit->code.returns[0] : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct cf_site *site = &sites[i];
        if (site->pc != pc || site->where != CF_EXIT || -site->order > early->nesting) continue;
        if (last && (site->order < last->order || (site->order == last->order && site <= last)))
            continue;
        if (!next || site->order < next->order) next = site;
    }
    return next;
}

enum cf_status cf_finish_early_returns(struct cf_edit *edit) {
    for (uint32_t i = 0; i < edit->early_returns_count; i++) {
        struct cf_early_return *early = &edit->early_returns[i];
        const struct cf_site *site = NULL;
        early->own_length = early->snippet->length;
        while ((site = cf_next_early_exit(edit, early, site)))
            cf_snippet_append(early->snippet, site->snippet);
        cf_op(early->snippet, return_from(edit));
        cf_place(early->snippet, early->go_on);
    }
    return edit->error.status;
}
