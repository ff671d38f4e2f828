#include "rewriters/probes.h"

// What is known about a position.
enum {
    TARGET = 1,
    MULTI_TARGET = 2,
    SUCCESSOR = 4, // the instruction before it falls through
    LINE = 8,      // a line begins here
    CALLS = 16,    // and a method is called in it
    DONE = 32,     // already seen as a target of the current switch
    // The position behind the call of a subroutine, to which the subroutine returns.
    RETURNED = 64,
    MULTI_RETURNED = 128
};

struct flow {
    const struct cf_code *code;
    const uint8_t *returns; // by pc, or NULL
    uint8_t *at;            // by pc
    struct rw_probes *probes;
    struct cf_error *error;
    int line_zero; // it is a line
};

static void set_target(struct flow *flow, uint32_t pc) {
    uint8_t *at = &flow->at[pc];
    *at |= *at & (TARGET | SUCCESSOR) ? TARGET | MULTI_TARGET : TARGET;
}

static void set_successor(struct flow *flow, uint32_t pc) {
    uint8_t *at = &flow->at[pc];
    *at |= *at & TARGET ? SUCCESSOR | MULTI_TARGET : SUCCESSOR;
}

static int is_return_of_subroutine(const struct flow *flow, uint32_t pc) {
    return flow->returns && flow->returns[pc];
}

// --- what leads where ---

// Calls `each` for the distinct targets of a switch, the default first.
static void each_target(struct flow *flow, const struct cf_switch *sw,
                        void (*each)(struct flow *flow, uint32_t pc, uint32_t target)) {
    uint32_t target = sw->default_pc;
    for (uint32_t i = 0;; i++) {
        if (!(flow->at[target] & DONE)) each(flow, sw->pc, target);
        flow->at[target] |= DONE;
        if (i == sw->count) break;
        target = cf_switch_target(sw, i);
    }
    flow->at[sw->default_pc] &= (uint8_t)~DONE;
    for (uint32_t i = 0; i < sw->count; i++) flow->at[cf_switch_target(sw, i)] &= (uint8_t)~DONE;
}

static void target_of_switch(struct flow *flow, uint32_t pc, uint32_t target) {
    (void)pc;
    set_target(flow, target);
}

// A line that begins outside of the code is ignored.
static void find_lines(struct flow *flow) {
    const struct cf_code *code = flow->code;
    struct cf_error ignored = {.status = CF_OK};
    struct cf_walk walk = cf_walk_attributes(code->cls, code->attributes, code->attributes_count,
                                             code->end, &ignored);
    struct cf_attribute a;
    while (cf_next_attribute(&walk, &a)) {
        if (!CF_IS(a.name, "LineNumberTable") || a.length < 2) continue;
        const uint8_t *p = code->cls->bytes + a.info;
        uint32_t count = cf_be2(p);
        if ((a.length - 2) / 4 < count) count = (a.length - 2) / 4;
        for (p += 2; count-- > 0; p += 4)
            if (cf_be2(p) < code->length && (cf_be2(p + 2) || flow->line_zero))
                flow->at[cf_be2(p)] |= LINE;
    }
}

static void find_targets(struct flow *flow) {
    const struct cf_code *code = flow->code;
    set_target(flow, 0);
    for (uint32_t i = 0; i < code->branches_count; i++) {
        uint32_t target = code->branches[i].target;
        if (is_return_of_subroutine(flow, code->branches[i].pc))
            flow->at[target] |= flow->at[target] & RETURNED ? MULTI_RETURNED : RETURNED;
        else
            set_target(flow, target);
    }
    for (uint32_t i = 0; i < code->switches_count; i++) {
        struct cf_switch sw;
        cf_switch_open(code, code->switches[i], &sw);
        each_target(flow, &sw, target_of_switch);
    }
    for (uint32_t i = 0; i < code->exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(code, i);
        set_target(flow, e.start_pc);
        set_target(flow, e.handler_pc);
    }
}

static int is_call(unsigned op) {
    return op >= CF_OP_invokevirtual && op <= CF_OP_invokedynamic;
}

static void find_falls(struct flow *flow) {
    const struct cf_code *code = flow->code;
    uint32_t line = UINT32_MAX;
    int falls = 0;
    for (uint32_t i = 0; i < code->count; i++) {
        uint32_t pc = code->pc[i];
        unsigned op = code->bytes[pc];
        if (falls) set_successor(flow, pc);
        if (flow->at[pc] & LINE) line = pc;
        if (is_call(op) && line != UINT32_MAX) flow->at[line] |= CALLS;
        falls = !cf_never_falls_through(op);
    }
}

// --- the probes ---

static void add(struct flow *flow, enum rw_probe_kind kind, uint32_t instruction, uint32_t target) {
    struct rw_probes *probes = flow->probes;
    if (probes->count == probes->capacity) {
        uint32_t capacity = probes->capacity ? probes->capacity * 2 : 16;
        struct rw_probe *list =
            cf_arena_alloc(flow->code->cls->arena, (size_t)capacity * sizeof *list);
        if (!list) {
            cf_fail(flow->error, CF_NO_MEMORY, 0, "out of memory", 0);
            return;
        }
        if (probes->count) memcpy(list, probes->list, probes->count * sizeof *list);
        probes->list = list;
        probes->capacity = capacity;
    }
    struct rw_probe probe = {kind, instruction, target};
    probes->list[probes->count++] = probe;
}

static void add_edge(struct flow *flow, uint32_t pc, uint32_t target) {
    unsigned multi = is_return_of_subroutine(flow, pc) ? MULTI_RETURNED : MULTI_TARGET;
    if (!(flow->at[target] & multi)) return;
    add(flow, RW_PROBE_EDGE, cf_code_index(flow->code, pc), cf_code_index(flow->code, target));
}

static void add_all(struct flow *flow) {
    const struct cf_code *code = flow->code;
    const struct cf_branch *branch = code->branches;
    const struct cf_branch *last = branch + code->branches_count;
    for (uint32_t i = 0; i < code->count && !flow->error->status; i++) {
        uint32_t pc = code->pc[i];
        unsigned op = code->bytes[pc], at = flow->at[pc];
        if (at & SUCCESSOR && at & (MULTI_TARGET | CALLS)) add(flow, RW_PROBE_FALL, i, 0);
        if (cf_is_return(op) || op == CF_OP_athrow) {
            add(flow, RW_PROBE_END, i, 0);
        } else if (op == CF_OP_tableswitch || op == CF_OP_lookupswitch) {
            struct cf_switch sw;
            cf_switch_open(code, pc, &sw);
            each_target(flow, &sw, add_edge);
        } else {
            while (branch < last && branch->pc < pc) branch++;
            if (branch < last && branch->pc == pc) add_edge(flow, pc, branch->target);
        }
    }
}

static enum cf_status find(const struct cf_code *code, const uint8_t *returns, int line_zero,
                           struct rw_probes *probes, struct cf_error *error) {
    struct flow flow = {code, returns, NULL, probes, error, line_zero};
    memset(probes, 0, sizeof *probes);
    if (code->has_jsr)
        return cf_fail(error, CF_UNSUPPORTED, code->offset, "has subroutines (jsr, ret)", 0);
    flow.at = cf_arena_zeroed(code->cls->arena, code->length + 1, 1);
    if (!flow.at) return cf_fail(error, CF_NO_MEMORY, 0, "out of memory", 0);
    find_lines(&flow);
    find_targets(&flow);
    find_falls(&flow);
    add_all(&flow);
    return error->status;
}

enum cf_status rw_find_probes(const struct cf_code *code, const uint8_t *returns,
                              struct rw_probes *probes, struct cf_error *error) {
    return find(code, returns, 0, probes, error);
}

enum cf_status rw_find_probes_with_line_zero(const struct cf_code *code, const uint8_t *returns,
                                             struct rw_probes *probes, struct cf_error *error) {
    return find(code, returns, 1, probes, error);
}
