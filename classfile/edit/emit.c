// Writes the code array: runs of original instructions with snippets between them, then the offsets
// of branches.

#include "classfile/edit/internal.h"

// --- code and positions ---

// Sets the labels of the old pcs from `from` to `to`; the code at `from` moves to `at`.
static inline void map(uint16_t *moved, uint32_t from, uint32_t to, uint32_t at) {
    uint16_t delta = (uint16_t)(at - from);
    for (uint16_t *p = moved + from; p < moved + to; p += CF_FILLED)
        for (size_t i = 0; i < CF_FILLED; i++) p[i] = delta;
}

// Original code is copied in pieces of this size: there is room for it in the new code, and behind
// the original code are more bytes of the class.
static inline uint32_t copied_at_a_time(const struct cf_code *code) {
    uint32_t behind = code->cls->length - code->offset - code->length;
    return behind >= CF_COPIED ? CF_COPIED : 0;
}

// Copies n bytes; up to `at_a_time` it copies that many, which is mostly faster than counting.
static inline void copy_run(uint8_t *to, const uint8_t *from, uint32_t n, uint32_t at_a_time) {
    if (n <= at_a_time)
        memcpy(to, from, CF_COPIED);
    else
        memcpy(to, from, n);
}

static inline uint8_t *put_snippet(uint8_t *p, const struct cf_snippet *s) {
    if (s->length <= CF_SNIPPET_ROOM)
        memcpy(p, s->bytes, CF_SNIPPET_ROOM);
    else
        memcpy(p, s->bytes, s->length);
    return p + s->length;
}

// The bytes of the switch or widened branch at old pc `pc` when moved to new pc `at`; the padding
// of a switch depends on its position.
static uint32_t changed_length(const struct cf_code *code, uint32_t pc, uint32_t at) {
    unsigned op = code->bytes[pc];
    if (!cf_is_switch(op)) return op == CF_OP_goto || op == CF_OP_jsr ? 5 : 8;
    struct cf_switch sw;
    cf_switch_open(code, pc, &sw);
    return sw.length - (3 - (pc & 3)) + (3 - (at & 3));
}

// Updates l->changed.
CF_SELDOM static void find_changed(struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    uint32_t s = l->next_switch, b = l->next_branch;
    uint32_t branches = l->widened ? code->branches_count : 0;
    while (b < branches && !l->widened[b]) b++;
    uint32_t at_switch = s < code->switches_count ? code->switches[s] : UINT32_MAX;
    uint32_t at_branch = b < branches ? code->branches[b].pc : UINT32_MAX;
    l->changed = at_switch < at_branch ? at_switch : at_branch;
    l->next_branch = b;
}

// Writes the original code from old pc `from` to `to` at new pc `at`; the instruction at `from` is
// replaced, or another one changes its length. Returns the new end.
CF_SELDOM static uint32_t put_changed(struct cf_layout *l, uint32_t from, uint32_t to, uint32_t at,
                                      int is_replaced) {
    const struct cf_code *code = &l->edit->code;
    while (from < to) {
        uint32_t end = l->changed < to ? l->changed : to;
        if (end > from && !is_replaced) {
            map(l->moved, from, end, at);
            copy_run(l->code + at, code->bytes + from, end - from, copied_at_a_time(code));
            at += end - from;
            from = end;
            continue;
        }
        uint32_t n = cf_instruction_length(code->bytes, from, code->length);
        map(l->moved, from, from + n, at);
        if (!is_replaced) at += changed_length(code, from, at);
        if (l->changed == from) {
            if (cf_is_switch(code->bytes[from]))
                l->next_switch++;
            else
                l->next_branch++;
            find_changed(l);
        }
        from += n;
        is_replaced = 0;
    }
    return at;
}

// Returns the new code's length so far.
static uint32_t put_body(struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    const uint8_t *old = code->bytes;
    uint8_t *fresh = l->code;
    uint16_t *moved = l->moved;
    uint32_t length = code->length, at_a_time = copied_at_a_time(code);
    // The old pc up to which everything is written, and the target of jumps to it in the new code.
    uint32_t pos = 0, label = 0, at = 0;
    int is_replaced = 0;
    struct cf_site *site = l->sites, *end = site + l->edit->sites_count;
    l->changed = UINT32_MAX;
    l->next_switch = l->next_branch = 0;
    if (code->switches_count || l->widened) find_changed(l);
    for (;; site++) {
        uint32_t pc = site < end ? site->pc : length;
        if (pc > pos || site == end) {
            uint32_t from = at;
            if (l->changed < pc || is_replaced) {
                at = put_changed(l, pos, pc, at, is_replaced);
            } else {
                map(moved, pos, pc, from);
                copy_run(fresh + from, old + pos, pc - pos, at_a_time);
                at = from + (pc - pos);
            }
            moved[pos] = (uint16_t)(label - pos);
            pos = pc;
            label = at;
            is_replaced = 0;
        }
        if (site == end) break;
        site->at = at;
        at = (uint32_t)(put_snippet(fresh + at, site->snippet) - fresh);
        // Jumps lead behind snippets that only run on fall-through.
        label = site->where <= CF_ENTRY ? at : label;
        is_replaced = site->where == CF_REPLACE;
    }
    l->body_end = at;
    moved[length] = (uint16_t)(at - length);
    return at;
}

CF_SELDOM static uint8_t *put_detours(struct cf_layout *l, uint8_t *p) {
    if (l->bridges) *p++ = CF_OP_athrow;
    for (uint32_t i = 0; i < l->detours_count; i++) {
        struct cf_detour *d = &l->detours[i];
        if (d->behind) { // in front of all that stands there
            const struct cf_site *site = &l->sites[cf_find_group(l, d->behind).first];
            d->at = site->at + site->snippet->labels[d->label].at;
            continue;
        }
        d->at = (uint32_t)(p - l->code);
        for (uint32_t k = 0; k < d->count; k++) p = put_snippet(p, l->edges[d->first + k].snippet);
        d->jump = (uint32_t)(p - l->code);
        p += d->wide ? 5 : 3;
    }
    return p;
}

// The innermost pass, which edited last, sees the exception first.
static inline uint8_t *put_exit(const struct cf_layout *l, uint8_t *p, struct cf_exit *exit) {
    exit->at = exit->end = (uint32_t)(p - l->code);
    if (!exit->count) return p;
    for (uint32_t i = exit->count; i-- > 0;) p = put_snippet(p, exit->snippets[i].snippet);
    *p++ = CF_OP_athrow;
    exit->end = (uint32_t)(p - l->code);
    return p;
}

void cf_emit_snippets(struct cf_layout *l) {
    uint8_t *p = l->code + put_body(l);
    if (l->detours_count) p = put_detours(l, p);
    if (l->bridges && l->thrown_early.count) *p++ = CF_OP_athrow;
    p = put_exit(l, p, &l->thrown_early);
    p = put_exit(l, p, &l->thrown);
    l->length = (uint32_t)(p - l->code);
}

// --- offsets ---

// The branches of the snippet at new pc `at`. `jump`: the pc of the instruction that it replaces, whose edges
// they take; UINT32_MAX: it replaces none.
static enum cf_status set_snippet(const struct cf_layout *l, uint32_t at,
                                  const struct cf_snippet *s, uint32_t jump) {
    for (uint32_t i = 0; i < s->branches_count; i++) {
        const struct cf_snippet_branch *b = &s->branches[i];
        uint8_t *branch = l->code + at + b->at;
        if (b->label == UINT32_MAX) {
            uint32_t distance = cf_destination(l, jump, b->pc) - (at + b->at);
            if (branch[0] == CF_OP_goto_w)
                cf_put4(branch + 1, distance);
            else if (distance + 32768 < 65536)
                cf_put2(branch + 1, distance);
            else
                return cf_fail_snippet(s, UINT32_MAX, CF_LIMIT, "branch does not reach", 0);
        } else {
            uint32_t label = s->labels[b->label].at;
            if (label == UINT32_MAX)
                return cf_fail_snippet(s, UINT32_MAX, CF_MISUSE, "label never placed", 0);
            cf_put2(branch + 1, label - b->at);
        }
    }
    return CF_OK;
}

static enum cf_status set_exit(const struct cf_layout *l, const struct cf_exit *exit) {
    uint32_t at = exit->at;
    for (uint32_t i = exit->count; i-- > 0;) {
        CF_TRY(set_snippet(l, at, exit->snippets[i].snippet, UINT32_MAX));
        at += exit->snippets[i].snippet->length;
    }
    return CF_OK;
}

CF_SELDOM static enum cf_status set_snippets(const struct cf_layout *l) {
    for (uint32_t i = 0; i < l->edit->sites_count; i++) {
        const struct cf_site *site = &l->sites[i];
        uint32_t jump = site->where == CF_REPLACE ? site->pc : UINT32_MAX;
        CF_TRY(set_snippet(l, site->at, site->snippet, jump));
    }
    for (uint32_t i = 0; i < l->detours_count; i++) {
        const struct cf_detour *d = &l->detours[i];
        uint32_t at = d->at;
        for (uint32_t k = 0; k < d->count && !d->behind; k++) {
            CF_TRY(set_snippet(l, at, l->edges[d->first + k].snippet, UINT32_MAX));
            at += l->edges[d->first + k].snippet->length;
        }
    }
    CF_TRY(set_exit(l, &l->thrown_early));
    return set_exit(l, &l->thrown);
}

// Writes the switch at `pc` with new padding and offsets.
static void put_switch(const struct cf_layout *l, uint32_t pc) {
    const struct cf_code *code = &l->edit->code;
    struct cf_switch sw;
    cf_switch_open(code, pc, &sw);
    uint32_t begin = cf_at_instruction(l, pc);
    uint8_t *p = l->code + begin;
    *p++ = code->bytes[pc];
    while (((uint32_t)(p - l->code) & 3) != 0) *p++ = 0;
    cf_put4(p, cf_destination(l, pc, sw.default_pc) - begin);
    p += 4;
    if (sw.is_table) {
        cf_put4(p, (uint32_t)sw.low);
        cf_put4(p + 4, (uint32_t)sw.low + sw.count - 1);
        p += 8;
    } else {
        cf_put4(p, sw.count);
        p += 4;
    }
    for (uint32_t i = 0; i < sw.count; i++) {
        if (!sw.is_table) {
            cf_put4(p, (uint32_t)cf_switch_match(&sw, i));
            p += 4;
        }
        cf_put4(p, cf_destination(l, pc, cf_switch_target(&sw, i)) - begin);
        p += 4;
    }
}

CF_SELDOM static void set_switches(const struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    for (uint32_t i = 0; i < code->switches_count; i++) {
        if (!cf_group_at(l, code->switches[i]).is_replaced) put_switch(l, code->switches[i]);
    }
}

// Writes a branch that no longer fits 16 bits: goto_w, jsr_w, or the opposite if around a goto_w.
CF_SELDOM static void put_widened(const struct cf_layout *l, const struct cf_branch *b,
                                  uint32_t at) {
    unsigned op = l->edit->code.bytes[b->pc];
    uint8_t *p = l->code + at;
    if (op != CF_OP_goto && op != CF_OP_jsr) {
        p[0] = (uint8_t)cf_opposite(op);
        cf_put2(p + 1, 8);
        p += 3;
    }
    p[0] = op == CF_OP_jsr ? CF_OP_jsr_w : CF_OP_goto_w;
    cf_put4(p + 1, cf_destination(l, b->pc, b->target) - (uint32_t)(p - l->code));
}

static void set_branches(const struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    const struct cf_branch *b = code->branches, *end = b + code->branches_count;
    for (uint32_t i = 0; b < end; b++, i++) {
        const struct cf_group g = cf_group_at(l, b->pc);
        if (g.is_replaced) continue;
        uint32_t at = g.count ? g.instruction : cf_at_label(l, b->pc);
        uint32_t distance = cf_destination(l, b->pc, b->target) - at;
        if (cf_is_widened(l, i))
            put_widened(l, b, at);
        else if (code->bytes[b->pc] >= CF_OP_goto_w) // jsr_w
            cf_put4(l->code + at + 1, distance);
        else
            cf_put2(l->code + at + 1, distance);
    }
}

CF_SELDOM static void set_detours(const struct cf_layout *l) {
    for (uint32_t i = 0; i < l->detours_count; i++) {
        const struct cf_detour *d = &l->detours[i];
        uint8_t *p = l->code + d->jump;
        uint32_t distance = cf_at_label(l, d->target) - d->jump;
        if (d->behind) continue;
        p[0] = d->wide ? CF_OP_goto_w : CF_OP_goto;
        if (d->wide)
            cf_put4(p + 1, distance);
        else
            cf_put2(p + 1, distance);
    }
}

enum cf_status cf_emit_branches(const struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    if (code->switches_count) set_switches(l);
    if (code->branches_count) set_branches(l);
    if (l->detours_count) set_detours(l);
    return l->has_branches ? set_snippets(l) : CF_OK;
}
