// Writing the code array: the original instructions copied in runs, snippets between them; then the
// offsets.

#include "classfile/layout.h"

// --- the code, and where everything in it stands ---

static void fill(uint16_t *moved, uint32_t from, uint32_t to, uint32_t delta) {
    for (uint16_t *p = moved + from; p < moved + to; p += CF_FILLED)
        for (size_t i = 0; i < CF_FILLED; i++) p[i] = (uint16_t)delta;
}

// The original code from old pc `from` up to `to`, at `p`. Short runs are copied in one piece:
// there is room for it, and behind the code come (attributes, mostly) bytes of the class.
static inline uint8_t *put_run(const struct cf_layout *l, uint8_t *p, uint32_t from, uint32_t to) {
    const struct cf_code *code = &l->edit->code;
    uint32_t n = to - from, left = code->cls->length - code->offset - from;
    fill(l->moved, from, to, (uint32_t)(p - l->code) - from);
    if (n <= CF_COPIED && left >= CF_COPIED)
        memcpy(p, code->bytes + from, CF_COPIED);
    else
        memcpy(p, code->bytes + from, n);
    return p + n;
}

static inline uint8_t *put_snippet(uint8_t *p, const struct cf_snippet *s) {
    if (s->length <= CF_SNIPPET_ROOM)
        cf_snippet_copy(s, p, CF_SNIPPET_ROOM);
    else
        cf_snippet_copy(s, p, s->length);
    return p + s->length;
}

// The snippets at the pc of site `i`, from `p` on: a group. Returns the next site.
static inline uint32_t put_group(struct cf_layout *l, struct cf_group *g, uint32_t i,
                                 uint8_t **to) {
    const struct cf_site *sites = l->sites;
    uint32_t count = l->edit->sites_count, pc = sites[i].pc;
    uint8_t *p = *to;
    uint32_t at = (uint32_t)(p - l->code);
    g->pc = pc;
    g->first = i;
    g->before = g->label = g->exit = g->instruction = at;
    g->replacement = NULL;
    do {
        enum cf_where where = sites[i].where;
        l->site_at[i] = at;
        p = put_snippet(p, sites[i].snippet);
        at = (uint32_t)(p - l->code);
        // Sites come in this order, so each place lies behind all that comes before it.
        if (where <= CF_AFTER) g->before = at;
        if (where <= CF_ENTRY) g->label = at;
        if (where <= CF_BEFORE) g->exit = at;
        if (where <= CF_EXIT)
            g->instruction = at;
        else
            g->replacement = sites[i].snippet;
    } while (++i < count && sites[i].pc == pc);
    g->count = i - g->first;
    *to = p;
    return i;
}

// The bytes that the switch or widened branch at old pc `pc` takes at new pc `at`: a switch's
// padding follows its place.
static uint32_t changed_length(const struct cf_code *code, uint32_t pc, uint32_t at) {
    unsigned op = code->bytes[pc];
    if (!cf_is_switch(op)) return op == CF_OP_goto || op == CF_OP_jsr ? 5 : 8;
    struct cf_switch sw;
    cf_switch_open(code, pc, &sw);
    return sw.length - (3 - (pc & 3)) + (3 - (at & 3));
}

static uint8_t *put_body(struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    uint32_t pos = 0, i = 0, s = 0, b = 0, count = l->edit->sites_count;
    uint32_t changed = cf_next_changed(l, s, &b);
    struct cf_group *g = l->groups;
    uint8_t *p = l->code;
    for (;;) {
        uint32_t at_site = i < count ? l->sites[i].pc : UINT32_MAX;
        uint32_t pc = at_site < changed ? at_site : changed;
        if (pc == UINT32_MAX) break;
        if (pc > pos) p = put_run(l, p, pos, pc);
        pos = pc;
        const struct cf_snippet *replacement = NULL;
        if (pc == at_site) {
            i = put_group(l, g, i, &p);
            replacement = g++->replacement;
        }
        if (pc != changed && !replacement) continue;
        uint32_t at = (uint32_t)(p - l->code);
        pos += cf_instruction_length(code->bytes, pc, code->length);
        fill(l->moved, pc, pos, at - pc);
        if (pc != changed) continue;
        if (!replacement) p += changed_length(code, pc, at);
        if (cf_is_switch(code->bytes[pc]))
            s++;
        else
            b++;
        changed = cf_next_changed(l, s, &b);
    }
    p = put_run(l, p, pos, code->length);
    l->body_end = (uint32_t)(p - l->code);
    l->moved[code->length] = (uint16_t)(l->body_end - code->length);
    l->groups_count = (uint32_t)(g - l->groups);
    for (g = l->groups; g < l->groups + l->groups_count; g++) {
        l->moved[g->pc] = (uint16_t)(g->label - g->pc);
        if (g->before != g->label) code->marks[g->pc] |= CF_MARK_SPLIT;
    }
    return p;
}

static uint8_t *put_detours(struct cf_layout *l, uint8_t *p) {
    if (l->bridges) *p++ = CF_OP_athrow;
    for (uint32_t i = 0; i < l->detours_count; i++) {
        struct cf_detour *d = &l->detours[i];
        d->at = (uint32_t)(p - l->code);
        for (uint32_t k = 0; k < d->count; k++) p = put_snippet(p, l->edges[d->first + k].snippet);
        d->jump = (uint32_t)(p - l->code);
        p += d->wide ? 5 : 3;
    }
    return p;
}

// The innermost pass, which edited last, sees the exception first.
static inline uint8_t *put_exit(struct cf_layout *l, uint8_t *p, struct cf_exit *exit) {
    exit->at = exit->end = (uint32_t)(p - l->code);
    if (!exit->count) return p;
    for (uint32_t i = exit->count; i-- > 0;) p = put_snippet(p, exit->snippets[i]);
    *p++ = CF_OP_athrow;
    exit->end = (uint32_t)(p - l->code);
    return p;
}

void cf_emit_snippets(struct cf_layout *l) {
    uint8_t *p = put_body(l);
    if (l->detours_count) p = put_detours(l, p);
    if (l->bridges && l->thrown_early.count) *p++ = CF_OP_athrow;
    p = put_exit(l, p, &l->thrown_early);
    p = put_exit(l, p, &l->thrown);
    l->length = (uint32_t)(p - l->code);
}

// --- offsets ---

static enum cf_status fail(const struct cf_layout *l, enum cf_status status, const char *reason) {
    return cf_fail(&l->edit->error, status, 0, reason, 0);
}

// Of the snippet at new pc `at`.
static enum cf_status set_snippet(const struct cf_layout *l, uint32_t at,
                                  const struct cf_snippet *s) {
    for (uint32_t i = 0; i < s->branches_count; i++) {
        const struct cf_snippet_branch *b = &s->branches[i];
        uint8_t *branch = l->code + at + b->at;
        if (b->label == UINT32_MAX) {
            uint32_t distance = cf_at_label(l, b->pc) - (at + b->at);
            if (branch[0] == CF_OP_goto_w)
                cf_put4(branch + 1, distance);
            else if (distance + 32768 < 65536)
                cf_put2(branch + 1, distance);
            else
                return fail(l, CF_LIMIT, "a snippet's branch does not reach");
        } else {
            uint32_t label = s->labels[b->label].at;
            if (label == UINT32_MAX) return fail(l, CF_MISUSE, "label of a snippet never placed");
            cf_put2(branch + 1, label - b->at);
        }
    }
    return CF_OK;
}

static enum cf_status set_exit(const struct cf_layout *l, const struct cf_exit *exit) {
    uint32_t at = exit->at;
    for (uint32_t i = exit->count; i-- > 0;) {
        CF_TRY(set_snippet(l, at, exit->snippets[i]));
        at += exit->snippets[i]->length;
    }
    return CF_OK;
}

static enum cf_status set_snippets(const struct cf_layout *l) {
    for (uint32_t i = 0; i < l->edit->sites_count; i++)
        CF_TRY(set_snippet(l, l->site_at[i], l->sites[i].snippet));
    for (uint32_t i = 0; i < l->detours_count; i++) {
        const struct cf_detour *d = &l->detours[i];
        uint32_t at = d->at;
        for (uint32_t k = 0; k < d->count; k++) {
            CF_TRY(set_snippet(l, at, l->edges[d->first + k].snippet));
            at += l->edges[d->first + k].snippet->length;
        }
    }
    CF_TRY(set_exit(l, &l->thrown_early));
    return set_exit(l, &l->thrown);
}

// The switch at `pc`, its padding and offsets new.
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

static void set_switches(const struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    for (uint32_t i = 0; i < code->switches_count; i++) {
        const struct cf_group *g = cf_group_at(l, code->switches[i]);
        if (!g || !g->replacement) put_switch(l, code->switches[i]);
    }
}

// A branch that no longer reaches with 16 bits: goto_w, jsr_w, or the opposite if around a goto_w.
static void put_widened(const struct cf_layout *l, const struct cf_branch *b, uint32_t at) {
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
        const struct cf_group *g = cf_group_at(l, b->pc);
        if (g && g->replacement) continue;
        uint32_t at = g ? g->instruction : cf_at_label(l, b->pc);
        uint32_t distance = cf_destination(l, b->pc, b->target) - at;
        if (cf_is_widened(l, i))
            put_widened(l, b, at);
        else if (code->bytes[b->pc] >= CF_OP_goto_w) // jsr_w
            cf_put4(l->code + at + 1, distance);
        else
            cf_put2(l->code + at + 1, distance);
    }
}

static void set_detours(const struct cf_layout *l) {
    for (uint32_t i = 0; i < l->detours_count; i++) {
        const struct cf_detour *d = &l->detours[i];
        uint8_t *p = l->code + d->jump;
        uint32_t distance = cf_at_label(l, d->target) - d->jump;
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
