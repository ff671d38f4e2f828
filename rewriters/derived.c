#include "rewriters/derived.h"
#include "rewriters/keeps_this.h"

// The number of instructions that a path is followed back; it mostly ends much earlier.
#define FAR 64

#define NONE UINT32_MAX

struct place {      // before an instruction
    uint32_t fall;  // the probe on falling through to it; NONE
    uint32_t edge;  // the first probe on a jump to it, others by `next`; NONE
    uint32_t edges; // the number of these probes
    uint32_t jumps; // the number of jumps to it; a switch counts as one
    uint32_t jump;  // one of them
    int is_entered; // it is an exception handler
};

struct ways {
    const struct cf_code *code;
    const struct rw_probes *probes;
    struct place *places; // by instruction
    uint32_t *next;       // by probe
    uint16_t *index;      // of an instruction by its pc
    int keeps_this;       // local 0 is always `this`
};

static unsigned op_at(const struct ways *w, uint32_t i) {
    return w->code->bytes[w->code->pc[i]];
}

// --- instructions ---

static int is_own_field(const struct cf_code *code, uint32_t pc) {
    struct cf_slice class_name, name, descriptor;
    return cf_reference(code->cls, cf_be2(code->bytes + pc + 1), &class_name, &name, &descriptor) &&
           cf_slice_equal(class_name, cf_this_name(code->cls));
}

static int is_number(const struct cf_code *code, uint32_t pc) {
    const uint8_t *p = code->bytes + pc;
    unsigned tag = cf_tag_at(code->cls, p[0] == CF_OP_ldc ? p[1] : cf_be2(p + 1));
    return tag == CF_TAG_INTEGER || tag == CF_TAG_FLOAT || tag == CF_TAG_LONG ||
           tag == CF_TAG_DOUBLE;
}

// Does the instruction always continue at the next one?
static int goes_on(const struct ways *w, uint32_t i) {
    const struct cf_code *code = w->code;
    uint32_t pc = code->pc[i];
    unsigned op = code->bytes[pc];
    if (op == CF_OP_ldc || op == CF_OP_ldc_w || op == CF_OP_ldc2_w) return is_number(code, pc);
    if (op < CF_OP_iaload) return 1; // constants, loads
    if (op == CF_OP_getfield)
        return w->keeps_this && i > 0 && op_at(w, i - 1) == CF_OP_aload_0 &&
               w->places[i].jumps == 0 && !w->places[i].is_entered && is_own_field(code, pc);
    if (op >= CF_OP_istore && op <= CF_OP_astore_3) return 1;
    if (op == CF_OP_idiv || op == CF_OP_ldiv || op == CF_OP_irem || op == CF_OP_lrem) return 0;
    if (op == CF_OP_wide || op == CF_OP_goto || op == CF_OP_goto_w) return 1;
    return op >= CF_OP_pop && op <= CF_OP_dcmpg; // the stack, arithmetic, iinc, conversions
}

// --- paths to an instruction ---

static void add_jump(struct ways *w, uint32_t from_pc, uint32_t to_pc) {
    struct place *to = &w->places[w->index[to_pc]];
    // Jumps are in code order: those of one switch are adjacent.
    if (to->jumps > 0 && to->jump == w->index[from_pc]) return;
    to->jumps++;
    to->jump = w->index[from_pc];
}

static void find_jumps(struct ways *w) {
    const struct cf_code *code = w->code;
    for (uint32_t i = 0; i < code->branches_count; i++)
        add_jump(w, code->branches[i].pc, code->branches[i].target);
    for (uint32_t i = 0; i < code->switches_count; i++) {
        struct cf_switch sw;
        cf_switch_open(code, code->switches[i], &sw);
        add_jump(w, sw.pc, sw.default_pc);
        for (uint32_t k = 0; k < sw.count; k++) add_jump(w, sw.pc, cf_switch_target(&sw, k));
    }
    for (uint32_t i = 0; i < code->exception_table_length; i++)
        w->places[w->index[cf_exception_at(code, i).handler_pc]].is_entered = 1;
}

static void find_probes(struct ways *w) {
    for (uint32_t n = 0; n < w->probes->count; n++) {
        const struct rw_probe *probe = &w->probes->list[n];
        if (probe->kind == RW_PROBE_FALL) {
            w->places[probe->instruction].fall = n;
        } else if (probe->kind == RW_PROBE_EDGE) {
            struct place *to = &w->places[probe->target];
            w->next[n] = to->edge;
            to->edge = n;
            to->edges++;
        }
    }
}

static enum cf_status open_ways(struct ways *w, struct cf_error *error) {
    const struct cf_code *code = w->code;
    struct cf_arena *arena = code->cls->arena;
    w->places = cf_arena_zeroed(arena, code->count, sizeof *w->places);
    w->next = cf_arena_zeroed(arena, w->probes->count, sizeof *w->next);
    w->index = cf_arena_zeroed(arena, code->length, sizeof *w->index);
    if (!w->places || !w->next || !w->index)
        return cf_fail(error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < code->count; i++) {
        w->index[code->pc[i]] = (uint16_t)i;
        w->places[i].fall = w->places[i].edge = NONE;
    }
    w->keeps_this = rw_keeps_this(code);
    find_jumps(w);
    find_probes(w);
    return CF_OK;
}

// --- paths back ---

static int falls_in(const struct ways *w, uint32_t i) {
    return i > 0 && !cf_never_falls_through(op_at(w, i - 1));
}

// The place at or before instruction i where each path in has a probe, and from which the only path
// leads to i; NONE.
static uint32_t find_join(const struct ways *w, uint32_t i) {
    for (unsigned step = 0; step < FAR && i > 0; step++) {
        const struct place *p = &w->places[i];
        int falls = falls_in(w, i);
        if (p->is_entered) return NONE;
        if (p->jumps == p->edges && (!falls || p->fall != NONE) && (p->jumps || falls)) return i;
        if (p->jumps == 0 && falls && goes_on(w, i - 1))
            i--;
        else if (p->jumps == 1 && p->edges == 0 && !falls && goes_on(w, p->jump))
            i = p->jump;
        else
            return NONE;
    }
    return NONE;
}

static uint32_t join_of(const struct ways *w, const struct rw_probe *probe) {
    uint32_t i = probe->instruction;
    switch (probe->kind) {
    case RW_PROBE_FALL: return goes_on(w, i - 1) ? find_join(w, i - 1) : NONE;
    case RW_PROBE_EDGE: return goes_on(w, i) ? find_join(w, i) : NONE; // a goto
    default: return find_join(w, i);
    }
}

static enum cf_status add(struct rw_implications *to, struct cf_arena *arena, uint32_t probe,
                          uint32_t by, struct cf_error *error) {
    if (to->count == to->capacity) {
        uint32_t capacity = to->capacity ? to->capacity * 2 : 32;
        struct rw_implication *list = cf_arena_alloc(arena, (size_t)capacity * sizeof *list);
        if (!list) return cf_fail(error, CF_NO_MEMORY, 0, "out of memory", 0);
        if (to->count) memcpy(list, to->list, to->count * sizeof *list);
        to->list = list;
        to->capacity = capacity;
    }
    struct rw_implication implication = {probe, by};
    to->list[to->count++] = implication;
    return CF_OK;
}

enum cf_status rw_add_implications(struct rw_implications *to, const struct rw_implications *more,
                                   uint32_t first, struct cf_arena *arena, struct cf_error *error) {
    for (uint32_t i = 0; i < more->count; i++)
        CF_TRY(add(to, arena, first + more->list[i].probe, first + more->list[i].by, error));
    return CF_OK;
}

enum cf_status rw_find_derived(const struct cf_code *code, const struct rw_probes *probes,
                               struct rw_implications *implications, struct cf_error *error) {
    struct ways w = {code, probes, NULL, NULL, NULL, 0};
    struct cf_arena *arena = code->cls->arena;
    if (probes->count < 2) return CF_OK;
    CF_TRY(open_ways(&w, error));
    for (uint32_t n = 0; n < probes->count; n++) {
        uint32_t join = join_of(&w, &probes->list[n]);
        if (join == NONE) continue;
        const struct place *p = &w.places[join];
        if (p->fall != NONE) CF_TRY(add(implications, arena, n, p->fall, error));
        for (uint32_t edge = p->edge; edge != NONE; edge = w.next[edge])
            CF_TRY(add(implications, arena, n, edge, error));
    }
    return CF_OK;
}
