// Snippets on the taken edge of conditional jumps, placed at the jump:
//
//      if A; goto L    becomes    if not A: goto behind; snippet; goto L; behind:
//
// Other edges take a detour behind the method's code (internal.h), which ends with a jump back. To
// HotSpot a backward jump is a loop: it has a counter, so that the method is compiled sooner and
// also by on-stack replacement, and a safepoint poll.

#include "classfile/edit/internal.h"

// The bytes of an edge beside its snippet: a goto, and padding of a switch.
#define ROUGHLY 8

static int is_conditional(unsigned op) {
    return (op >= CF_OP_ifeq && op <= CF_OP_if_acmpne) || op == CF_OP_ifnull ||
           op == CF_OP_ifnonnull;
}

static int is_plain(const struct cf_snippet *s) {
    return s->labels_count + s->branches_count + s->handlers_count == 0 && s->depth == 0 &&
           s->lowest == 0 && !s->unreachable;
}

// Does every jump of the method reach with 16 bits?
static int is_short(const struct cf_edit *edit) {
    uint64_t length = edit->code.length + 4 * (uint64_t)edit->code.switches_count + ROUGHLY;
    for (uint32_t i = 0; i < edit->sites_count; i++) length += edit->sites[i].snippet->length;
    for (uint32_t i = 0; i < edit->edges_count; i++)
        length += edit->edges[i].snippet->length + ROUGHLY;
    for (uint32_t i = 0; i < edit->thrown_count; i++) length += edit->thrown[i]->length;
    for (uint32_t i = 0; i < edit->thrown_early_count; i++) length += edit->thrown_early[i]->length;
    return length <= 32767;
}

static int is_replaced(const struct cf_edit *edit, uint32_t sites, uint32_t pc) {
    for (uint32_t i = 0; i < sites; i++)
        if (edit->sites[i].pc == pc && edit->sites[i].where == CF_REPLACE) return 1;
    return 0;
}

static int has_replacements(const struct cf_edit *edit) {
    for (uint32_t i = 0; i < edit->sites_count; i++)
        if (edit->sites[i].where == CF_REPLACE) return 1;
    return 0;
}

static void append(struct cf_snippet *to, const struct cf_snippet *s) {
    uint8_t *p = cf_snippet_room(to, s->length);
    if (!p) return;
    memcpy(p, s->bytes, s->length);
    if (to->depth + s->peak > to->peak) to->peak = to->depth + s->peak;
    to->uses_new_locals |= s->uses_new_locals;
}

// Replaces the jump by all edges from it, `count` of them from `first` on.
static void replace(struct cf_edit *edit, const struct cf_edge *first, uint32_t count) {
    const struct cf_code *code = &edit->code;
    struct cf_snippet *s = cf_snippet_new(edit);
    uint32_t behind = cf_label(s);
    cf_branch_to(s, (enum cf_opcode)cf_opposite(code->bytes[first->pc]), behind);
    for (uint32_t i = 0; i < count; i++) append(s, first[i].snippet);
    cf_branch_to_original(s, CF_OP_goto, cf_code_index(code, first->target));
    cf_place(s, behind);
    cf_add_site(edit, first->pc, CF_REPLACE, 0, s);
}

// The target of the jump; edges to other targets are ignored.
static uint32_t target_of(const struct cf_code *code, uint32_t pc) {
    int32_t offset = (int16_t)cf_be2(code->bytes + pc + 1);
    return pc + (uint32_t)offset;
}

enum cf_status cf_place_edges(struct cf_edit *edit) {
    const struct cf_code *code = &edit->code;
    uint32_t kept = 0, count, sites = edit->sites_count;
    if (!is_short(edit)) return CF_OK;
    int may_be_replaced = has_replacements(edit);
    for (uint32_t i = 0; i < edit->edges_count; i += count) {
        const struct cf_edge *e = &edit->edges[i];
        int plain = 1;
        for (count = 0; i + count < edit->edges_count && e[count].pc == e->pc; count++)
            plain &= is_plain(e[count].snippet) && e[count].target == e->target;
        if (plain && is_conditional(code->bytes[e->pc]) && target_of(code, e->pc) == e->target &&
            !(may_be_replaced && is_replaced(edit, sites, e->pc))) {
            replace(edit, e, count);
        } else {
            memmove(&edit->edges[kept], e, count * sizeof *e);
            kept += count;
        }
    }
    edit->edges_count = kept;
    return edit->error.status;
}
