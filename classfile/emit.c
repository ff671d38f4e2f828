// Emitting the code array: the original instructions copied in runs, snippets between them, offsets
// set.

#include "classfile/layout.h"

struct emitter {
    const struct cf_layout *l;
    const struct cf_code *code;
    uint8_t *out;
    uint32_t at; // new pc
    struct cf_error *error;
};

// Behind the code there is room for CF_SNIPPET_ROOM bytes more, in the new code and (attributes,
// mostly) in the class: short runs are copied in one piece, what is too much is written over by
// what follows.
static inline void copy_run(struct emitter *e, uint32_t from, uint32_t to) {
    uint32_t n = to - from, left = e->code->cls->length - e->code->offset - from;
    if (n <= CF_SNIPPET_ROOM && left >= CF_SNIPPET_ROOM)
        memcpy(e->out + e->at, e->code->bytes + from, CF_SNIPPET_ROOM);
    else
        memcpy(e->out + e->at, e->code->bytes + from, n);
    e->at += n;
}

static enum cf_status put_branches(struct emitter *e, const struct cf_snippet *s) {
    uint8_t *p = e->out + e->at;
    for (uint32_t i = 0; i < s->branches_count; i++) {
        const struct cf_snippet_branch *b = &s->branches[i];
        if (b->label == UINT32_MAX) {
            uint32_t distance = cf_at_label(e->l, b->pc) - (e->at + b->at);
            if (p[b->at] == CF_OP_goto_w)
                cf_put4(p + b->at + 1, distance);
            else if (distance + 32768 < 65536)
                cf_put2(p + b->at + 1, distance);
            else
                return cf_fail(e->error, CF_LIMIT, 0, "a snippet's branch does not reach", 0);
        } else {
            uint32_t at = s->labels[b->label].at;
            if (at == UINT32_MAX)
                return cf_fail(e->error, CF_MISUSE, 0, "label of a snippet never placed", 0);
            cf_put2(p + b->at + 1, at - b->at);
        }
    }
    return CF_OK;
}

static inline enum cf_status put_snippet(struct emitter *e, const struct cf_snippet *s) {
    if (s->length <= CF_SNIPPET_ROOM)
        memcpy(e->out + e->at, s->bytes, CF_SNIPPET_ROOM);
    else
        memcpy(e->out + e->at, s->bytes, s->length);
    if (s->branches_count) CF_TRY(put_branches(e, s));
    e->at += s->length;
    return CF_OK;
}

static enum cf_status put_group(struct emitter *e, const struct cf_group *g) {
    for (uint32_t i = g->first; i < g->first + g->count; i++)
        CF_TRY(put_snippet(e, e->l->sites[i].snippet));
    return CF_OK;
}

// The switch at `pc`, its padding and offsets new.
static void put_switch(struct emitter *e, uint32_t pc) {
    struct cf_switch sw;
    cf_switch_open(e->code, pc, &sw);
    uint32_t begin = e->at;
    uint8_t *p = e->out + begin;
    *p++ = e->code->bytes[pc];
    while (((uint32_t)(p - e->out) & 3) != 0) *p++ = 0;
    cf_put4(p, cf_destination(e->l, pc, sw.default_pc) - begin);
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
        cf_put4(p, cf_destination(e->l, pc, cf_switch_target(&sw, i)) - begin);
        p += 4;
    }
    e->at = (uint32_t)(p - e->out);
}

// A branch that no longer reaches with 16 bits: goto_w, jsr_w, or the opposite if around a goto_w.
static void put_widened(struct emitter *e, const struct cf_branch *b) {
    unsigned op = e->code->bytes[b->pc];
    uint8_t *p = e->out + e->at;
    if (op != CF_OP_goto && op != CF_OP_jsr) {
        p[0] = (uint8_t)cf_opposite(op);
        cf_put2(p + 1, 8);
        p += 3;
        e->at += 3;
    }
    p[0] = op == CF_OP_jsr ? CF_OP_jsr_w : CF_OP_goto_w;
    cf_put4(p + 1, cf_destination(e->l, b->pc, b->target) - e->at);
    e->at += 5;
}

// The original code with all that is anchored in it.
static enum cf_status put_body(struct emitter *e) {
    const struct cf_layout *l = e->l;
    const struct cf_code *code = e->code;
    uint32_t pos = 0, g = 0, s = 0, b = 0;
    uint32_t branches = l->widened ? code->branches_count : 0;
    for (;;) {
        while (b < branches && !l->widened[b]) b++;
        uint32_t at_group = g < l->groups_count ? l->groups[g].pc : UINT32_MAX;
        uint32_t at_switch = s < code->switches_count ? code->switches[s] : UINT32_MAX;
        uint32_t at_branch = b < branches ? code->branches[b].pc : UINT32_MAX;
        uint32_t pc = at_group < at_switch ? at_group : at_switch;
        if (at_branch < pc) pc = at_branch;
        if (pc == UINT32_MAX) break;
        copy_run(e, pos, pc);
        pos = pc;
        int replaced = 0;
        if (pc == at_group) {
            CF_TRY(put_group(e, &l->groups[g]));
            replaced = l->groups[g++].replacement != NULL;
        }
        if (pc == at_switch) {
            if (!replaced) put_switch(e, pc);
            s++;
        }
        if (pc == at_branch) {
            if (!replaced) put_widened(e, &code->branches[b]);
            b++;
        }
        if (replaced || pc == at_switch || pc == at_branch)
            pos = pc + cf_instruction_length(code->bytes, pc, code->length);
    }
    copy_run(e, pos, code->length);
    return CF_OK;
}

// Sets the offsets of the branches that kept their form.
static void set_branches(struct emitter *e) {
    const struct cf_layout *l = e->l;
    const struct cf_code *code = e->code;
    for (uint32_t i = 0; i < code->branches_count; i++) {
        const struct cf_branch *b = &code->branches[i];
        if (cf_is_widened(l, i)) continue;
        uint32_t at = l->label[b->pc];
        if (code->marks[b->pc] & CF_MARK_EDIT) {
            const struct cf_group *g = cf_group_at(l, b->pc);
            if (g->replacement) continue;
            at = g->instruction;
        }
        uint32_t distance = cf_destination(l, b->pc, b->target) - at;
        if (code->bytes[b->pc] >= CF_OP_goto_w) // jsr_w
            cf_put4(e->out + at + 1, distance);
        else
            cf_put2(e->out + at + 1, distance);
    }
}

static enum cf_status put_detours(struct emitter *e) {
    const struct cf_layout *l = e->l;
    for (uint32_t i = 0; i < l->detours_count; i++) {
        const struct cf_detour *d = &l->detours[i];
        for (uint32_t k = 0; k < d->count; k++)
            CF_TRY(put_snippet(e, l->edges[d->first + k].snippet));
        uint8_t *p = e->out + e->at;
        uint32_t distance = cf_at_label(l, d->target) - e->at;
        p[0] = d->wide ? CF_OP_goto_w : CF_OP_goto;
        if (d->wide)
            cf_put4(p + 1, distance);
        else
            cf_put2(p + 1, distance);
        e->at += d->wide ? 5 : 3;
    }
    return CF_OK;
}

// The innermost pass, which edited last, sees the exception first.
static enum cf_status put_exit(struct emitter *e, const struct cf_exit *exit) {
    if (!exit->count) return CF_OK;
    for (uint32_t i = exit->count; i-- > 0;) CF_TRY(put_snippet(e, exit->snippets[i]));
    e->out[e->at++] = CF_OP_athrow;
    return CF_OK;
}

enum cf_status cf_emit_code(const struct cf_layout *l, uint8_t *out) {
    struct emitter e = {l, &l->edit->code, out, 0, &l->edit->error};
    CF_TRY(put_body(&e));
    set_branches(&e);
    CF_TRY(put_detours(&e));
    CF_TRY(put_exit(&e, &l->thrown_early));
    CF_TRY(put_exit(&e, &l->thrown));
    if (e.at != l->length)
        return cf_fail(e.error, CF_MISUSE, 0, "layout and code disagree by %u bytes",
                       e.at - l->length);
    return CF_OK;
}
