// The branches of instructions.

#include "instr/cli/coverage/flow.h"

struct jump {
    uint32_t source, target, branch;
};

struct finder {
    const struct cover_code *code;
    struct cover_instruction *list;
    const struct rw_probe *probe, *last_probe; // the next one, the end
    const uint8_t *bits;
    size_t number; // of the next probe in the class
    struct jump *jumps;
    uint32_t jumps_count, jumps_capacity;
    struct cf_error *error;
};

static int is_covered(const struct cover_instruction *insn) {
    for (uint32_t i = 0; i < insn->words; i++)
        if (insn->covered[i]) return 1;
    return 0;
}

uint32_t cover_branches_covered(const struct cover_instruction *insn) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < insn->words; i++)
        n += (uint32_t)__builtin_popcountll(insn->covered[i]);
    return n;
}

// The branch was taken, and so were the instructions that lead to it alone.
static void cover(struct finder *finder, uint32_t i, uint32_t branch) {
    for (;;) {
        struct cover_instruction *insn = &finder->list[i];
        int before = is_covered(insn);
        insn->covered[branch / 64] |= UINT64_C(1) << branch % 64;
        if (before || !insn->from) return;
        branch = insn->from_branch;
        i = insn->from - 1;
    }
}

static void add_way(struct finder *finder, uint32_t source, uint32_t target, uint32_t branch) {
    finder->list[source].branches++;
    finder->list[target].from = source + 1;
    finder->list[target].from_branch = branch;
    if (is_covered(&finder->list[target])) cover(finder, source, branch);
}

// Takes the next probe, which lies on that branch.
static int take_probe(struct finder *finder, uint32_t i, uint32_t branch) {
    int hit = cover_probe_hit(finder->bits, finder->number++);
    finder->list[i].branches++;
    if (hit) cover(finder, i, branch);
    finder->probe++;
    return hit;
}

static void add_jump(struct finder *finder, uint32_t source, uint32_t target, uint32_t branch) {
    if (finder->jumps_count == finder->jumps_capacity) {
        uint32_t capacity = finder->jumps_capacity ? finder->jumps_capacity * 2 : 32;
        struct jump *jumps = cf_arena_alloc(finder->code->cls->arena, capacity * sizeof *jumps);
        if (!jumps) {
            cf_fail(finder->error, CF_NO_MEMORY, 0, "out of memory", 0);
            return;
        }
        if (finder->jumps_count) memcpy(jumps, finder->jumps, finder->jumps_count * sizeof *jumps);
        finder->jumps = jumps;
        finder->jumps_capacity = capacity;
    }
    finder->jumps[finder->jumps_count++] = (struct jump){source, target, branch};
}

// The way to `target`: it has a probe, or it is wired when all instructions are known.
static void add_edge(struct finder *finder, uint32_t i, uint32_t target, uint32_t branch) {
    const struct rw_probe *probe = finder->probe;
    if (probe == finder->last_probe || probe->kind != RW_PROBE_EDGE || probe->instruction != i ||
        probe->target != target)
        add_jump(finder, i, target, branch);
    else if (take_probe(finder, i, branch))
        finder->list[target].entered = 1;
}

// The branches of a switch have the numbers of their targets or, where any of them has a probe, of
// their places: so JaCoCo numbers them, and its filters do not always agree.
static void add_switch(struct finder *finder, uint32_t i) {
    uint32_t *targets, *places, n = cover_switch_targets(finder->code, i, &targets, &places);
    struct cover_instruction *insn = &finder->list[i];
    const struct rw_probe *probe = finder->probe;
    int probed =
        probe < finder->last_probe && probe->kind == RW_PROBE_EDGE && probe->instruction == i;
    uint32_t most = n == 0 ? 0 : probed ? places[n - 1] : n - 1;
    if (most >= 64) {
        insn->words = most / 64 + 1;
        insn->covered = cf_arena_zeroed(finder->code->cls->arena, insn->words, sizeof(uint64_t));
    }
    if (n == 0 || !insn->covered) {
        cf_fail(finder->error, CF_NO_MEMORY, 0, "out of memory", 0);
        return;
    }
    for (uint32_t k = 0; k < n; k++) add_edge(finder, i, targets[k], probed ? places[k] : k);
}

// Code behind an end is no successor of it, if it has a label: javac writes none, and JaCoCo counts
// such code as reached.
static int follows(const struct cover_code *code, uint32_t i) {
    return i > 0 &&
           (!code->labelled[i] || !cf_never_falls_through(code->code.bytes[code->code.pc[i - 1]]));
}

static void add_instruction(struct finder *finder, uint32_t i) {
    const struct cover_code *code = finder->code;
    const struct rw_probe *probe = finder->probe;
    unsigned op = code->op[i];
    if (probe < finder->last_probe && probe->kind == RW_PROBE_FALL && probe->instruction == i)
        finder->list[i].entered |= (uint8_t)take_probe(finder, i - 1, 0);
    else if (follows(code, i))
        add_way(finder, i - 1, i, 0);
    probe = finder->probe;
    if (cover_is_switch(op))
        add_switch(finder, i);
    else if (cover_is_jump(op))
        add_edge(finder, i, cover_target(code, i), 1);
    else if (probe < finder->last_probe && probe->kind == RW_PROBE_END && probe->instruction == i)
        take_probe(finder, i, 0);
}

// Of constants only classes, method handles and the like, which are resolved when they are loaded.
static int may_throw(const struct cover_code *code, uint32_t i) {
    const uint8_t *p = code->code.bytes + code->code.pc[i];
    if (*p < CF_OP_ldc || *p > CF_OP_ldc2_w) return cf_flags[code->op[i]] & CF_MAY_THROW;
    unsigned tag = cf_tag_at(code->cls, *p == CF_OP_ldc ? p[1] : cf_be2(p + 1));
    return tag > CF_TAG_STRING || tag == CF_TAG_CLASS;
}

static int may_end(const struct cover_code *code, uint32_t i) {
    unsigned op = code->op[i];
    return cover_is_jump(op) || cover_is_switch(op) || cf_is_return(op) || op == CF_OP_ret ||
           may_throw(code, i);
}

// Behind a probe that was hit, all instructions up to the first that may throw have run. If none of
// their ways on is covered, an exception came.
static void find_begun(const struct cover_code *code, struct cover_instruction *list) {
    for (uint32_t i = 0; i < code->count; i++) {
        if (!list[i].entered) continue;
        for (uint32_t k = i; k < code->count && !is_covered(&list[k]); k++) {
            list[k].begun = 1;
            if (may_end(code, k)) break;
        }
    }
}

enum cf_status cover_flow_find(struct cover_flow *flow, const struct cover_code *code,
                               const struct rw_probes *probes, const uint8_t *bits,
                               size_t first_probe, struct cf_error *error) {
    uint32_t n = code->count;
    struct cover_instruction *list = cf_arena_zeroed(code->cls->arena, n, sizeof *list);
    uint64_t *covered = cf_arena_zeroed(code->cls->arena, n, sizeof *covered);
    if (!list || !covered) return cf_fail(error, CF_NO_MEMORY, 0, "out of memory", 0);
    for (uint32_t i = 0; i < n; i++) {
        list[i].words = 1;
        list[i].covered = &covered[i];
    }
    struct finder finder = {.code = code,
                            .list = list,
                            .probe = probes->list,
                            .last_probe = probes->list + probes->count,
                            .bits = bits,
                            .number = first_probe,
                            .error = error};
    for (uint32_t i = 0; i < n && !error->status; i++) add_instruction(&finder, i);
    for (uint32_t i = 0; i < finder.jumps_count && !error->status; i++)
        add_way(&finder, finder.jumps[i].source, finder.jumps[i].target, finder.jumps[i].branch);
    find_begun(code, list);
    *flow = (struct cover_flow){list, n};
    return error->status;
}
