// Finding the place of each instruction and snippet.

#include "classfile/layout.h"

static enum cf_status no_memory(struct cf_edit *edit) {
    return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

static int site_before(const struct cf_site *a, const struct cf_site *b) {
    if (a->pc != b->pc) return a->pc < b->pc;
    if (a->where != b->where) return a->where < b->where;
    return a->order < b->order;
}

static int edge_before(const struct cf_edge *a, const struct cf_edge *b) {
    return a->pc != b->pc ? a->pc < b->pc : a->target < b->target;
}

// Stable merge sort, bottom up; `less` compares elements `i` and `j`. Mostly the list is sorted
// already.
#define SORT(type, list, count, less, arena, failed)                                               \
    do {                                                                                           \
        uint32_t sorted_ = 1;                                                                      \
        while (sorted_ < (count) && !less(&(list)[sorted_], &(list)[sorted_ - 1])) sorted_++;      \
        if (sorted_ >= (count)) break;                                                             \
        type *other_ = cf_arena_alloc(arena, (count) * sizeof(type));                              \
        if (!other_) failed;                                                                       \
        for (uint32_t width_ = 1; width_ < (count); width_ *= 2) {                                 \
            for (uint32_t lo_ = 0; lo_ < (count); lo_ += 2 * width_) {                             \
                uint32_t mid_ = lo_ + width_ < (count) ? lo_ + width_ : (count);                   \
                uint32_t hi_ = lo_ + 2 * width_ < (count) ? lo_ + 2 * width_ : (count);            \
                uint32_t a_ = lo_, b_ = mid_;                                                      \
                for (uint32_t k_ = lo_; k_ < hi_; k_++)                                            \
                    other_[k_] = a_ < mid_ && (b_ >= hi_ || !less(&(list)[b_], &(list)[a_]))       \
                                     ? (list)[a_++]                                                \
                                     : (list)[b_++];                                               \
            }                                                                                      \
            memcpy((list), other_, (count) * sizeof(type));                                        \
        }                                                                                          \
    } while (0)

static enum cf_status sort_sites(struct cf_layout *l) {
    struct cf_edit *edit = l->edit;
    l->sites = edit->sites;
    SORT(struct cf_site, l->sites, edit->sites_count, site_before, edit->code.cls->arena,
         return no_memory(edit));
    l->edges = edit->edges;
    SORT(struct cf_edge, l->edges, edit->edges_count, edge_before, edit->code.cls->arena,
         return no_memory(edit));
    return CF_OK;
}

static enum cf_status make_groups(struct cf_layout *l) {
    struct cf_edit *edit = l->edit;
    struct cf_arena *arena = edit->code.cls->arena;
    l->groups = l->first_groups;
    l->site_at = l->first_site_at;
    if (edit->sites_count > 4) {
        l->groups = cf_arena_alloc(arena, edit->sites_count * sizeof *l->groups);
        l->site_at = cf_arena_alloc(arena, edit->sites_count * sizeof *l->site_at);
        if (!l->groups || !l->site_at) return no_memory(edit);
    }
    struct cf_group *g = NULL;
    for (uint32_t i = 0; i < edit->sites_count; i++) {
        const struct cf_site *site = &l->sites[i];
        if (!g || site->pc != g->pc) {
            g = &l->groups[l->groups_count++];
            g->pc = site->pc;
            g->first = i;
            g->count = 0;
            g->replacement = NULL;
        }
        g->count++;
        if (site->where == CF_REPLACE) g->replacement = site->snippet;
        l->handlers_count += site->snippet->handlers_count;
        if (site->snippet->labels_count | site->snippet->branches_count) l->has_labels = 1;
    }
    return CF_OK;
}

static enum cf_status make_detours(struct cf_layout *l) {
    struct cf_edit *edit = l->edit;
    if (!edit->edges_count) return CF_OK;
    l->detours = cf_arena_alloc(edit->code.cls->arena, edit->edges_count * sizeof *l->detours);
    if (!l->detours) return no_memory(edit);
    for (uint32_t i = 0; i < edit->edges_count; i++) {
        const struct cf_edge *e = &l->edges[i];
        if (i == 0 || edge_before(&l->edges[i - 1], e)) {
            struct cf_detour fresh = {e->pc, e->target, i, 0, 0, 0, 0};
            l->detours[l->detours_count++] = fresh;
        }
        l->detours[l->detours_count - 1].count++;
        l->handlers_count += e->snippet->handlers_count;
    }
    return CF_OK;
}

const struct cf_group *cf_find_group(const struct cf_layout *l, uint32_t pc) {
    uint32_t low = 0, high = l->groups_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->groups[middle].pc == pc) return &l->groups[middle];
        if (l->groups[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct cf_detour *cf_detour_of(const struct cf_layout *l, uint32_t pc, uint32_t target) {
    uint32_t low = 0, high = l->detours_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct cf_detour *d = &l->detours[middle];
        if (d->pc == pc && d->target == target) return d;
        if (d->pc < pc || (d->pc == pc && d->target < target))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

// Gives the sites of a group from the i-th on, up to `where`, their places; returns the next one.
static inline uint32_t place_sites(struct cf_layout *l, uint32_t i, uint32_t end,
                                   enum cf_where where, uint32_t *at) {
    for (; i < end && l->sites[i].where <= where; i++) {
        l->site_at[i] = *at;
        *at += l->sites[i].snippet->length;
    }
    return i;
}

// Gives the snippets of a group their places, from new pc `at` on; returns where the instruction
// begins.
static uint32_t place_group(struct cf_layout *l, struct cf_group *g, uint32_t at) {
    uint32_t i = g->first, end = i + g->count;
    i = place_sites(l, i, end, CF_AFTER, &at);
    g->before = at;
    i = place_sites(l, i, end, CF_ENTRY, &at);
    g->label = g->exit = g->instruction = at;
    if (i == end) return at;
    i = place_sites(l, i, end, CF_BEFORE, &at);
    g->exit = at;
    i = place_sites(l, i, end, CF_EXIT, &at);
    g->instruction = at;
    if (i < end) l->site_at[i] = at; // the replacement
    return at;
}

// The bytes that the switch at `pc` takes when it begins at new pc `at`: its padding follows the
// place.
static uint32_t switch_length(const struct cf_switch *sw, uint32_t at) {
    return sw->length - (3 - (sw->pc & 3)) + (3 - (at & 3));
}

// Sixteen at a time, beyond `to` too: what follows is filled later, and the list is that much
// longer.
#define FILLED 16

static void fill(uint16_t *moved, uint32_t from, uint32_t to, uint32_t delta) {
    for (uint16_t *p = moved + from; p < moved + to; p += FILLED)
        for (size_t i = 0; i < FILLED; i++) p[i] = (uint16_t)delta;
}

static uint32_t widened_by(const struct cf_code *code, uint32_t pc) {
    unsigned op = code->bytes[pc];
    return op == CF_OP_goto || op == CF_OP_jsr ? 2 : 5;
}

uint32_t cf_next_changed(const struct cf_layout *l, uint32_t s, uint32_t *b) {
    const struct cf_code *code = &l->edit->code;
    uint32_t branches = l->widened ? code->branches_count : 0;
    while (*b < branches && !l->widened[*b]) ++*b;
    uint32_t at_switch = s < code->switches_count ? code->switches[s] : UINT32_MAX;
    uint32_t at_branch = *b < branches ? code->branches[*b].pc : UINT32_MAX;
    return at_switch < at_branch ? at_switch : at_branch;
}

// How much longer the switch or widened branch at `pc` becomes at new pc `at`.
static uint32_t grows_by(const struct cf_code *code, uint32_t pc, uint32_t at) {
    if (!cf_is_switch(code->bytes[pc])) return widened_by(code, pc);
    struct cf_switch sw;
    cf_switch_open(code, pc, &sw);
    return switch_length(&sw, at) - sw.length;
}

// One pass over all that changes the distance between old and new pcs. `delta` may wrap: it is
// added to pcs in unsigned arithmetic.
static void place_body(struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    uint32_t delta = 0, pos = 0, s = 0, b = 0, changed = cf_next_changed(l, s, &b);
    struct cf_group *g = l->groups, *end = g + l->groups_count;
    for (;;) {
        uint32_t at_group = g < end ? g->pc : UINT32_MAX;
        uint32_t pc = at_group < changed ? at_group : changed;
        if (pc == UINT32_MAX) break;
        fill(l->moved, pos, pc + 1, delta);
        const struct cf_snippet *replacement = NULL;
        if (pc == at_group) {
            delta = place_group(l, g, pc + delta) - pc;
            l->moved[pc] = (uint16_t)(g->label - pc);
            if (g->before != g->label) code->marks[pc] |= CF_MARK_SPLIT;
            replacement = g++->replacement;
            if (replacement)
                delta += replacement->length - cf_instruction_length(code->bytes, pc, code->length);
        }
        if (pc == changed) {
            if (!replacement) delta += grows_by(code, pc, pc + delta);
            if (cf_is_switch(code->bytes[pc]))
                s++;
            else
                b++;
            changed = cf_next_changed(l, s, &b);
        }
        pos = pc + 1;
    }
    fill(l->moved, pos, code->length + 1, delta);
    l->body_end = code->length + delta;
}

static uint32_t place_exit(struct cf_exit *exit, uint32_t at) {
    exit->at = at;
    if (exit->count) {
        for (uint32_t i = 0; i < exit->count; i++) at += exit->snippets[i]->length;
        at++; // athrow
    }
    exit->end = at;
    return at;
}

static void place_rest(struct cf_layout *l) {
    uint32_t at = l->body_end + (l->bridges && l->detours_count);
    for (uint32_t i = 0; i < l->detours_count; i++) {
        struct cf_detour *d = &l->detours[i];
        d->at = at;
        for (uint32_t k = 0; k < d->count; k++) at += l->edges[d->first + k].snippet->length;
        d->jump = at;
        at += d->wide ? 5 : 3;
    }
    at = place_exit(&l->thrown_early, at + (l->bridges && l->thrown_early.count));
    l->length = place_exit(&l->thrown, at);
}

static int too_far(uint32_t from, uint32_t to) {
    int64_t distance = (int64_t)to - (int64_t)from;
    return distance < -32768 || distance > 32767;
}

static int is_replaced(const struct cf_layout *l, uint32_t pc) {
    const struct cf_group *g = cf_group_at(l, pc);
    return g && g->replacement;
}

// Marks the branches that no longer reach. *changed: whether there are any.
static enum cf_status widen(struct cf_layout *l, int *changed) {
    const struct cf_code *code = &l->edit->code;
    *changed = 0;
    if (!l->widened) l->widened = cf_arena_zeroed(code->cls->arena, code->branches_count + 1, 1);
    if (!l->widened) return no_memory(l->edit);
    for (uint32_t i = 0; i < code->branches_count; i++) {
        const struct cf_branch *b = &code->branches[i];
        if (l->widened[i] || cf_opcodes[code->bytes[b->pc]].operands == CF_BRANCH4) continue;
        if (!too_far(cf_at_instruction(l, b->pc), cf_destination(l, b->pc, b->target))) continue;
        if (is_replaced(l, b->pc)) continue;
        l->widened[i] = 1;
        *changed = 1;
    }
    for (uint32_t i = 0; i < l->detours_count; i++) {
        struct cf_detour *d = &l->detours[i];
        if (d->wide || !too_far(d->jump, cf_at_label(l, d->target))) continue;
        d->wide = 1;
        *changed = 1;
    }
    return CF_OK;
}

static enum cf_status check_length(struct cf_layout *l) {
    struct cf_edit *edit = l->edit;
    if (l->length > 65535)
        return cf_fail(&edit->error, CF_LIMIT, 0, "would grow to %u bytes (limit 65,535)",
                       l->length);
    if (l->length > edit->code_limit)
        return cf_fail(&edit->error, CF_LIMIT, 0,
                       "would grow to %u bytes, and the JVM compiles none above 8,000 (huge=yes "
                       "instruments it all the same)",
                       l->length);
    return CF_OK;
}

static void take_exit(struct cf_layout *l, struct cf_exit *exit, const struct cf_snippet **snippets,
                      uint32_t count) {
    exit->snippets = snippets;
    exit->count = count;
    for (uint32_t i = 0; i < count; i++) l->handlers_count += snippets[i]->handlers_count;
}

static enum cf_status find_bridges(struct cf_layout *l) {
    struct cf_edit *edit = l->edit;
    const struct cf_class *cls = edit->code.cls;
    if (!l->detours_count && !edit->thrown_early_count) return CF_OK;
    if (!cf_is_constructor(cls, edit->method)) return CF_OK;
    const struct cf_strict *strict = cf_strict_of(cls, &edit->error);
    l->bridges = strict && strict->count;
    return edit->error.status;
}

enum cf_status cf_layout_make(struct cf_layout *l, struct cf_edit *edit) {
    const struct cf_code *code = &edit->code;
    int changed = 0;
    memset(l, 0, offsetof(struct cf_layout, first_groups));
    l->edit = edit;
    CF_TRY(sort_sites(l));
    CF_TRY(make_groups(l));
    CF_TRY(make_detours(l));
    CF_TRY(find_bridges(l));
    l->moved = cf_arena_alloc(code->cls->arena, (code->length + 1 + FILLED) * sizeof *l->moved);
    if (!l->moved) return no_memory(edit);
    take_exit(l, &l->thrown, edit->thrown, edit->thrown_count);
    take_exit(l, &l->thrown_early, edit->thrown_early, edit->thrown_early_count);
    // Widening only ever adds bytes, so this ends.
    do {
        place_body(l);
        place_rest(l);
        CF_TRY(check_length(l));
        if (l->length <= 32767) break;
        CF_TRY(widen(l, &changed));
    } while (changed);
    return CF_OK;
}
