// Finds the position of each instruction and snippet. The code is written during layout, and again
// as long as branches must be widened.

#include "classfile/edit/internal.h"

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

// Stable bottom-up merge sort; `less` compares elements `i` and `j`. The list is mostly sorted
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

#define MOST_ADDED 1000000 // far too long, even if a replacement were shorter than what it replaces

// Checks a snippet and counts its parts, unless it is plain. A snippet must leave the depth of the
// stack unchanged and must end by fall-through; only a replacement need not.
static enum cf_status take_unusual(struct cf_layout *l, const struct cf_snippet *s, uint32_t pc,
                                   int replaces) {
    if (s->edit != l->edit)
        return cf_fail(&l->edit->error, CF_MISUSE, 0, "a snippet of the edit of another method", 0);
    l->handlers_count += s->handlers_count;
    l->has_branches |= s->branches_count;
    if (replaces || (!s->unreachable && s->depth == 0)) return CF_OK;
    return cf_fail_snippet(s, pc, CF_MISUSE,
                           s->unreachable ? "a snippet that never falls through"
                                          : "a snippet that changes the stack's depth",
                           0);
}

static inline int is_unusual(const struct cf_layout *l, const struct cf_snippet *s) {
    return ((s->labels_count | s->branches_count | (uint32_t)s->unreachable | (uint32_t)s->depth) !=
            0) |
           (s->edit != l->edit);
}

static enum cf_status take_snippet(struct cf_layout *l, const struct cf_snippet *s) {
    l->added += s->length;
    return is_unusual(l, s) ? take_unusual(l, s, UINT32_MAX, 0) : CF_OK;
}

CF_SELDOM static enum cf_status take_unusual_sites(struct cf_layout *l) {
    for (uint32_t i = 0; i < l->edit->sites_count; i++) {
        const struct cf_snippet *s = l->sites[i].snippet;
        l->has_labels |= s->labels_count | s->branches_count;
        enum cf_where where = l->sites[i].where;
        CF_TRY(take_unusual(l, s, l->sites[i].pc, where == CF_REPLACE || where == CF_EDGES));
    }
    return CF_OK;
}

CF_SELDOM static enum cf_status sort_sites(struct cf_layout *l) {
    SORT(struct cf_site, l->sites, l->edit->sites_count, site_before, l->edit->code.cls->arena,
         return no_memory(l->edit));
    return CF_OK;
}

// Checks all snippets at instructions.
static inline enum cf_status take_sites(struct cf_layout *l) {
    struct cf_edit *edit = l->edit;
    const struct cf_site *site = edit->sites, *end = site + edit->sites_count;
    int unusual = 0, unsorted = 0;
    int32_t peak = 0;
    uint64_t added = 0;
    for (; site < end; site++) {
        const struct cf_snippet *s = site->snippet;
        unsorted |= site > edit->sites && site_before(site, site - 1);
        unusual |= is_unusual(l, s);
        added += s->length;
        peak = s->peak > peak ? s->peak : peak;
    }
    l->sites = edit->sites;
    l->added = added;
    l->sites_peak = (uint32_t)peak;
    if (unsorted) CF_TRY(sort_sites(l));
    return unusual ? take_unusual_sites(l) : CF_OK;
}

CF_SELDOM static enum cf_status sort_edges(struct cf_edit *edit) {
    SORT(struct cf_edge, edit->edges, edit->edges_count, edge_before, edit->code.cls->arena,
         return no_memory(edit));
    return CF_OK;
}

CF_SELDOM static enum cf_status make_detours(struct cf_layout *l) {
    struct cf_edit *edit = l->edit;
    struct cf_detour *d = NULL;
    l->edges = edit->edges;
    l->detours = cf_arena_alloc(edit->code.cls->arena, edit->edges_count * sizeof *l->detours);
    if (!l->detours) return no_memory(edit);
    for (uint32_t i = 0; i < edit->edges_count; i++) {
        const struct cf_edge *e = &l->edges[i];
        if (i == 0 || edge_before(&l->edges[i - 1], e)) {
            struct cf_detour fresh = {e->pc, e->target, i, 0, e->behind, 0, 0, 0, 0};
            if (i > 0 && l->edges[i - 1].pc == e->pc) fresh.label = d->label + 1;
            d = &l->detours[l->detours_count++];
            *d = fresh;
        }
        d->count++;
        if (d->behind) continue; // it is a site
        CF_TRY(take_snippet(l, e->snippet));
        l->added += 5; // the goto
    }
    return CF_OK;
}

struct cf_group cf_find_group(const struct cf_layout *l, uint32_t pc) {
    const struct cf_site *sites = l->sites;
    uint32_t low = 0, high = l->edit->sites_count, i;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sites[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t label = cf_at_label(l, pc);
    struct cf_group g = {low, 0, label, label, label, 0};
    if (low < l->edit->sites_count && sites[low].pc == pc) g.above = g.before = sites[low].at;
    for (i = low; i < l->edit->sites_count && sites[i].pc == pc; i++) {
        if (sites[i].where <= CF_AFTER) g.before = sites[i].at + sites[i].snippet->length;
        g.is_replaced = sites[i].where == CF_REPLACE;
        g.instruction = sites[i].at + (g.is_replaced ? 0 : sites[i].snippet->length);
    }
    g.count = i - low;
    return g;
}

CF_SELDOM uint32_t cf_replaced_new(const struct cf_layout *l, uint32_t pc) {
    const struct cf_group g = cf_find_group(l, pc);
    if (!g.is_replaced) return g.instruction;
    const struct cf_class *cls = l->edit->code.cls;
    const struct cf_snippet *s = l->sites[g.first + g.count - 1].snippet;
    struct cf_slice made = cf_class_name(cls, cf_be2(l->edit->code.bytes + pc + 1));
    uint32_t found = s->length;
    int is_same = 0;
    for (uint32_t at = 0, n; at < s->length; at += n) {
        n = cf_instruction_length(s->bytes, at, s->length);
        if (!n) break;
        if (s->bytes[at] != CF_OP_new) continue;
        struct cf_slice other =
            cf_pool_class_name(&l->edit->rewrite->pool, cf_be2(s->bytes + at + 1));
        int same = cf_slice_equal(made, other);
        if (same || !is_same) found = at;
        is_same |= same;
    }
    if (found < s->length) return g.instruction + found;
    cf_fail_snippet(s, pc, CF_MISUSE, "a `new` replaced by what has none", 0);
    return 0;
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

static int too_far(uint32_t from, uint32_t to) {
    int64_t distance = (int64_t)to - (int64_t)from;
    return distance < -32768 || distance > 32767;
}

// Marks the branches that no longer reach. *changed: whether there are any.
CF_SELDOM static enum cf_status widen(struct cf_layout *l, int *changed) {
    const struct cf_code *code = &l->edit->code;
    if (!l->widened) l->widened = cf_arena_zeroed(code->cls->arena, code->branches_count + 1, 1);
    if (!l->widened) return no_memory(l->edit);
    for (uint32_t i = 0; i < code->branches_count; i++) {
        const struct cf_branch *b = &code->branches[i];
        if (l->widened[i] || cf_opcodes[code->bytes[b->pc]].operands == CF_BRANCH4) continue;
        if (!too_far(cf_at_instruction(l, b->pc), cf_destination(l, b->pc, b->target))) continue;
        if (cf_group_at(l, b->pc).is_replaced) continue;
        l->widened[i] = 1;
        *changed = 1;
    }
    for (uint32_t i = 0; i < l->detours_count; i++) {
        struct cf_detour *d = &l->detours[i];
        if (d->behind || d->wide || !too_far(d->jump, cf_at_label(l, d->target))) continue;
        d->wide = 1;
        *changed = 1;
    }
    return CF_OK;
}

static enum cf_status too_long(struct cf_edit *edit, uint32_t length) {
    return cf_fail(&edit->error, CF_LIMIT, 0, "would grow to %u bytes (limit 65,535)", length);
}

static enum cf_status check_length(struct cf_layout *l) {
    struct cf_edit *edit = l->edit;
    if (l->length > 65535) return too_long(edit, l->length);
    if (l->length > edit->code_limit)
        return cf_fail(&edit->error, CF_LIMIT, 0,
                       "would grow to %u bytes, and the JVM compiles none above 8,000 (huge=yes "
                       "instruments it all the same)",
                       l->length);
    return CF_OK;
}

static inline enum cf_status take_exit(struct cf_layout *l, struct cf_exit *exit,
                                       const struct cf_thrown *snippets, uint32_t count) {
    exit->snippets = snippets;
    exit->count = count;
    for (uint32_t i = 0; i < count; i++) CF_TRY(take_snippet(l, snippets[i].snippet));
    l->added++; // athrow
    return CF_OK;
}

CF_SELDOM static enum cf_status find_bridges(struct cf_layout *l) {
    struct cf_edit *edit = l->edit;
    const struct cf_class *cls = edit->code.cls;
    if (!cf_is_constructor(cls, edit->method)) return CF_OK;
    const struct cf_strict *strict = cf_strict_of(cls, &edit->error);
    l->bridges = strict && strict->count;
    if (l->bridges) l->added += 2;
    return edit->error.status;
}

// The maximum number of bytes of the new code. A widened `if` takes five more.
static inline uint32_t most_bytes(const struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    uint32_t most = code->length + (uint32_t)l->added + 3 * code->switches_count;
    return most <= 32767 ? most : most + 5 * code->branches_count;
}

enum cf_status cf_layout_make(struct cf_layout *l, struct cf_edit *edit, uint32_t before,
                              uint32_t behind, struct cf_buffer *out) {
    const struct cf_code *code = &edit->code;
    struct cf_arena *arena = code->cls->arena;
    int changed;
    memset(&l->widened, 0, sizeof *l - offsetof(struct cf_layout, widened));
    l->edit = edit;
    if (edit->early_returns_count) CF_TRY(cf_finish_early_returns(edit));
    if (edit->snippets_throw) l->guards = cf_guards(edit, 0) + cf_guards(edit, 1);
    if (edit->edges_count) {
        CF_TRY(sort_edges(edit));
        CF_TRY(cf_place_edges(edit));
    }
    CF_TRY(take_sites(l));
    if (edit->edges_count) CF_TRY(make_detours(l));
    CF_TRY(take_exit(l, &l->thrown, edit->thrown, edit->thrown_count));
    CF_TRY(take_exit(l, &l->thrown_early, edit->thrown_early, edit->thrown_early_count));
    if (l->detours_count | l->thrown_early.count) CF_TRY(find_bridges(l));
    if (l->added > MOST_ADDED) return too_long(edit, code->length + (uint32_t)l->added);
    l->moved = cf_arena_alloc(arena, (code->length + 1 + CF_FILLED) * sizeof *l->moved);
    uint8_t *room = cf_room(out, before + most_bytes(l) + CF_COPIED + behind);
    if (!l->moved || !room) return no_memory(edit);
    l->code = room + before;
    // Widening only ever adds bytes, so this ends.
    do {
        changed = 0;
        cf_emit_snippets(l);
        CF_TRY(check_length(l));
        if (l->length > 32767) CF_TRY(widen(l, &changed));
    } while (changed);
    out->length += before + l->length;
    return cf_emit_branches(l);
}
