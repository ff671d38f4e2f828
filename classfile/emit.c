// Emitting the code array: the original instructions copied in runs, snippets between them, offsets
// set.

#include "classfile/layout.h"

// The functions below write at `p` and give the place behind what they wrote; NULL: an error.
struct emitter {
    const struct cf_layout *l;
    const struct cf_code *code;
    uint8_t *out;
    struct cf_error *error;
};

// Behind the code there is room for CF_SNIPPET_ROOM bytes more, in the new code and (attributes,
// mostly) in the class: short runs are copied in one piece, what is too much is written over by
// what follows.
static inline uint8_t *put_run(const struct emitter *e, uint8_t *p, uint32_t from, uint32_t to) {
    const struct cf_code *code = e->code;
    uint32_t n = to - from, left = code->cls->length - code->offset - from;
    if (n <= CF_SNIPPET_ROOM && left >= CF_SNIPPET_ROOM)
        memcpy(p, code->bytes + from, CF_SNIPPET_ROOM);
    else
        memcpy(p, code->bytes + from, n);
    return p + n;
}

static uint8_t *fail(const struct emitter *e, enum cf_status status, const char *reason) {
    cf_fail(e->error, status, 0, reason, 0);
    return NULL;
}

static uint8_t *set_snippet_branches(const struct emitter *e, uint8_t *p,
                                     const struct cf_snippet *s) {
    for (uint32_t i = 0; i < s->branches_count; i++) {
        const struct cf_snippet_branch *b = &s->branches[i];
        uint8_t *branch = p + b->at;
        if (b->label == UINT32_MAX) {
            uint32_t distance = cf_at_label(e->l, b->pc) - (uint32_t)(branch - e->out);
            if (branch[0] == CF_OP_goto_w)
                cf_put4(branch + 1, distance);
            else if (distance + 32768 < 65536)
                cf_put2(branch + 1, distance);
            else
                return fail(e, CF_LIMIT, "a snippet's branch does not reach");
        } else {
            uint32_t at = s->labels[b->label].at;
            if (at == UINT32_MAX) return fail(e, CF_MISUSE, "label of a snippet never placed");
            cf_put2(branch + 1, at - b->at);
        }
    }
    return p + s->length;
}

static inline uint8_t *put_snippet(const struct emitter *e, uint8_t *p,
                                   const struct cf_snippet *s) {
    if (s->length <= CF_SNIPPET_ROOM)
        cf_snippet_copy(s, p, CF_SNIPPET_ROOM);
    else
        cf_snippet_copy(s, p, s->length);
    return s->branches_count ? set_snippet_branches(e, p, s) : p + s->length;
}

static inline uint8_t *put_group(const struct emitter *e, uint8_t *p, const struct cf_group *g) {
    const struct cf_site *site = e->l->sites + g->first, *end = site + g->count;
    for (; p && site < end; site++) p = put_snippet(e, p, site->snippet);
    return p;
}

// The switch at `pc`, its padding and offsets new.
static uint8_t *put_switch(const struct emitter *e, uint8_t *p, uint32_t pc) {
    struct cf_switch sw;
    cf_switch_open(e->code, pc, &sw);
    uint32_t begin = (uint32_t)(p - e->out);
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
    return p;
}

// A branch that no longer reaches with 16 bits: goto_w, jsr_w, or the opposite if around a goto_w.
static uint8_t *put_widened(const struct emitter *e, uint8_t *p, const struct cf_branch *b) {
    unsigned op = e->code->bytes[b->pc];
    if (op != CF_OP_goto && op != CF_OP_jsr) {
        p[0] = (uint8_t)cf_opposite(op);
        cf_put2(p + 1, 8);
        p += 3;
    }
    p[0] = op == CF_OP_jsr ? CF_OP_jsr_w : CF_OP_goto_w;
    cf_put4(p + 1, cf_destination(e->l, b->pc, b->target) - (uint32_t)(p - e->out));
    return p + 5;
}

// The original code with all that is anchored in it.
static uint8_t *put_body(const struct emitter *e, uint8_t *p) {
    const struct cf_layout *l = e->l;
    const struct cf_code *code = e->code;
    uint32_t pos = 0, s = 0, b = 0, changed = cf_next_changed(l, s, &b);
    const struct cf_group *g = l->groups, *end = g + l->groups_count;
    while (p) {
        uint32_t at_group = g < end ? g->pc : UINT32_MAX;
        uint32_t pc = at_group < changed ? at_group : changed;
        if (pc == UINT32_MAX) return put_run(e, p, pos, code->length);
        p = put_run(e, p, pos, pc);
        pos = pc;
        const struct cf_snippet *replacement = NULL;
        if (pc == at_group) {
            p = put_group(e, p, g);
            replacement = g++->replacement;
        }
        if (pc != changed && !replacement) continue;
        pos += cf_instruction_length(code->bytes, pc, code->length);
        if (pc != changed) continue;
        if (cf_is_switch(code->bytes[pc])) {
            if (!replacement && p) p = put_switch(e, p, pc);
            s++;
        } else {
            if (!replacement && p) p = put_widened(e, p, &code->branches[b]);
            b++;
        }
        changed = cf_next_changed(l, s, &b);
    }
    return p;
}

// Sets the offsets of the branches that kept their form.
static void set_branches(const struct emitter *e) {
    const struct cf_layout *l = e->l;
    const struct cf_branch *b = e->code->branches, *end = b + e->code->branches_count;
    const uint8_t *bytes = e->code->bytes;
    for (uint32_t i = 0; b < end; b++, i++) {
        if (cf_is_widened(l, i)) continue;
        const struct cf_group *g = cf_group_at(l, b->pc);
        if (g && g->replacement) continue;
        uint32_t at = g ? g->instruction : cf_at_label(l, b->pc);
        uint32_t distance = cf_destination(l, b->pc, b->target) - at;
        if (bytes[b->pc] >= CF_OP_goto_w) // jsr_w
            cf_put4(e->out + at + 1, distance);
        else
            cf_put2(e->out + at + 1, distance);
    }
}

static uint8_t *put_detours(const struct emitter *e, uint8_t *p) {
    const struct cf_layout *l = e->l;
    if (l->bridges) *p++ = CF_OP_athrow;
    for (uint32_t i = 0; p && i < l->detours_count; i++) {
        const struct cf_detour *d = &l->detours[i];
        for (uint32_t k = 0; p && k < d->count; k++)
            p = put_snippet(e, p, l->edges[d->first + k].snippet);
        if (!p) return NULL;
        uint32_t distance = cf_at_label(l, d->target) - (uint32_t)(p - e->out);
        p[0] = d->wide ? CF_OP_goto_w : CF_OP_goto;
        if (d->wide)
            cf_put4(p + 1, distance);
        else
            cf_put2(p + 1, distance);
        p += d->wide ? 5 : 3;
    }
    return p;
}

// The innermost pass, which edited last, sees the exception first.
static inline uint8_t *put_exit(const struct emitter *e, uint8_t *p, const struct cf_exit *exit) {
    if (!exit->count) return p;
    for (uint32_t i = exit->count; p && i-- > 0;) p = put_snippet(e, p, exit->snippets[i]);
    if (!p) return NULL;
    *p = CF_OP_athrow;
    return p + 1;
}

enum cf_status cf_emit_code(const struct cf_layout *l, uint8_t *out) {
    struct emitter e = {l, &l->edit->code, out, &l->edit->error};
    uint8_t *p = put_body(&e, out);
    if (p && e.code->branches_count) set_branches(&e);
    if (p && l->detours_count) p = put_detours(&e, p);
    if (p && l->bridges && l->thrown_early.count) *p++ = CF_OP_athrow;
    if (p) p = put_exit(&e, p, &l->thrown_early);
    if (p) p = put_exit(&e, p, &l->thrown);
    if (!p) return e.error->status;
    uint32_t length = (uint32_t)(p - out);
    if (length != l->length)
        return cf_fail(e.error, CF_MISUSE, 0, "layout and code disagree by %u bytes",
                       length - l->length);
    return CF_OK;
}
