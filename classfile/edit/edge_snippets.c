// Snippets on the taken edge of conditional jumps and on edges of switches, placed at the jump:
//
//      if A; goto L    becomes    if not A: goto behind; snippet; goto L; behind:
//      switch: L, M    becomes    switch: l, m; l: snippet; goto L; m: snippet; goto M
//
// Other edges take a detour behind the method's code (internal.h), which ends with a jump back. To
// HotSpot a backward jump is a loop: it has a counter, so that the method is compiled sooner and
// also by on-stack replacement, and a safepoint poll. If the operand stack is not empty there,
// HotSpot gives up on-stack replacement of the whole method. And no handler of the method covers a
// detour, so that a method that holds a monitor there is never compiled (edit.h).

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
    for (uint32_t i = 0; i < edit->thrown_count; i++) length += edit->thrown[i].snippet->length;
    for (uint32_t i = 0; i < edit->thrown_early_count; i++)
        length += edit->thrown_early[i].snippet->length;
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

// Places the edges from a switch, `count` of them from `first` on, between it and the instruction
// at `behind`.
static void place_behind(struct cf_edit *edit, const struct cf_edge *first, uint32_t count,
                         uint32_t behind) {
    struct cf_snippet *s = cf_snippet_new(edit);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || first[i].target != first[i - 1].target) {
            uint32_t label = cf_label(s);
            cf_place(s, label);
            if (edit->error.status) return;
            s->labels[label].is_target = 1;
        }
        cf_snippet_append(s, first[i].snippet);
        if (i + 1 == count || first[i + 1].target != first[i].target)
            cf_branch_to_original(s, CF_OP_goto, cf_code_index(&edit->code, first[i].target));
    }
    s->peak = 0; // the edges count themselves, with the depth at their targets
    cf_add_site(edit, behind, CF_EDGES, 0, s);
}

// In a constructor of a class with strict fields frames must follow others (bridge_frame).
static int has_bridges(struct cf_edit *edit) {
    if (!cf_is_constructor(edit->code.cls, edit->method)) return 0;
    const struct cf_strict *strict = cf_strict_of(edit->code.cls, &edit->error);
    return strict && strict->count;
}

// Where the instruction behind the switch at `pc` begins; 0: it has no place behind it.
static uint32_t behind_switch(struct cf_edit *edit, uint32_t pc) {
    struct cf_switch sw;
    if (!cf_is_switch(edit->code.bytes[pc])) return 0;
    cf_switch_open(&edit->code, pc, &sw);
    return pc + sw.length < edit->code.length && !has_bridges(edit) ? pc + sw.length : 0;
}

// Replaces the jump by all edges from it, `count` of them from `first` on.
static void replace(struct cf_edit *edit, const struct cf_edge *first, uint32_t count) {
    const struct cf_code *code = &edit->code;
    struct cf_snippet *s = cf_snippet_new(edit);
    uint32_t behind = cf_label(s);
    cf_branch_to(s, (enum cf_opcode)cf_opposite(code->bytes[first->pc]), behind);
    for (uint32_t i = 0; i < count; i++) cf_snippet_append(s, first[i].snippet);
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
    uint32_t kept = 0, count, behind, sites = edit->sites_count;
    if (!is_short(edit)) return CF_OK;
    int may_be_replaced = has_replacements(edit);
    for (uint32_t i = 0; i < edit->edges_count; i += count) {
        struct cf_edge *e = &edit->edges[i];
        int plain = 1, single = 1;
        for (count = 0; i + count < edit->edges_count && e[count].pc == e->pc; count++) {
            plain &= is_plain(e[count].snippet);
            single &= e[count].target == e->target;
        }
        plain &= !(may_be_replaced && is_replaced(edit, sites, e->pc));
        if (plain && single && is_conditional(code->bytes[e->pc]) &&
            target_of(code, e->pc) == e->target) {
            replace(edit, e, count);
            continue;
        }
        if (plain && (behind = behind_switch(edit, e->pc)) != 0) {
            place_behind(edit, e, count, behind);
            for (uint32_t k = 0; k < count; k++) e[k].behind = behind;
        }
        memmove(&edit->edges[kept], e, count * sizeof *e);
        kept += count;
    }
    edit->edges_count = kept;
    return edit->error.status;
}
