// The depth of the operand stack before each instruction, in slots. The stack that a snippet needs
// is added to it, so that max_stack is exact.

#include "classfile/edit.h"

#define UNKNOWN UINT16_MAX

#define NOT_KNOWN 0x7f7f

// Allocates the table of stack effects of constants. Returns 1, or 0: out of memory.
static int open_effects(struct cf_rewrite *rewrite) {
    if (rewrite->effects) return 1;
    size_t size = rewrite->cls->constant_pool_count * sizeof *rewrite->effects;
    rewrite->effects = cf_arena_alloc(rewrite->cls->arena, size);
    if (!rewrite->effects) return 0;
    memset(rewrite->effects, NOT_KNOWN & 0xff, size);
    return 1;
}

// The effect of a constant on the stack: a field's slots, or a result minus parameters. It is
// stored for the constant and for its descriptor, which other constants often share. Returns 0 if
// the constant is malformed.
static int look_up(struct cf_rewrite *rewrite, unsigned index, int *effect) {
    const struct cf_class *cls = rewrite->cls;
    int16_t *effects = rewrite->effects;
    unsigned tag = cf_tag_at(cls, index);
    if (tag < CF_TAG_FIELDREF || tag > CF_TAG_INVOKE_DYNAMIC) return 0;
    const uint8_t *pair =
        cf_entry(cls, cf_be2(cls->bytes + cls->constant_pool[index] + 3), CF_TAG_NAME_AND_TYPE);
    if (!pair || tag == CF_TAG_NAME_AND_TYPE) return 0;
    unsigned descriptor = cf_be2(pair + 2);
    struct cf_slice text = cf_utf8(cls, descriptor);
    if (!text.length || (text.bytes[0] == '(') == (tag == CF_TAG_FIELDREF)) return 0;
    *effect = effects[descriptor];
    if (*effect == NOT_KNOWN) {
        if (!cf_descriptor_effect(text, effect)) return 0;
        effects[descriptor] = (int16_t)*effect;
    }
    effects[index] = (int16_t)*effect;
    return 1;
}

// The effect of the instruction at `p` if it depends on the operand. Returns 0 if its constant is
// malformed.
static inline int varying(struct cf_rewrite *rewrite, const uint8_t *p, int *net) {
    // By opcode from getstatic to invokedynamic: what the constant tells counts once more or less,
    // and so does a receiver.
    static const struct {
        signed char sign, receiver;
    } uses[] = {{1, 0}, {-1, 0}, {1, -1}, {-1, -1}, {1, -1}, {1, -1}, {1, 0}, {1, -1}, {1, 0}};
    unsigned op = p[0], kind = op - CF_OP_getstatic;
    if (kind <= CF_OP_invokedynamic - CF_OP_getstatic) {
        unsigned index = cf_be2(p + 1);
        int effect = NOT_KNOWN;
        if (index < rewrite->cls->constant_pool_count) effect = rewrite->effects[index];
        if (effect == NOT_KNOWN && !look_up(rewrite, index, &effect)) return 0;
        *net = effect * uses[kind].sign + uses[kind].receiver;
        return 1;
    }
    *net = op == CF_OP_multianewarray ? 1 - p[3] : cf_nets[p[1]]; // or wide
    return 1;
}

// Adds up the effects that scanning could not. Returns NULL, or the instruction at which it failed.
static inline const uint8_t *sum_varying(struct cf_rewrite *rewrite, const struct cf_code *code,
                                         uint32_t from, uint32_t to, uint32_t *depth) {
    const uint16_t *pcs = code->varying + (uint16_t)from, *end = code->varying + (uint16_t)to;
    uint32_t sum = *depth;
    for (; pcs < end; pcs++) {
        int net;
        if (!varying(rewrite, code->bytes + *pcs, &net)) return code->bytes + *pcs;
        sum += (uint32_t)net;
    }
    *depth = sum;
    return NULL;
}

int cf_depth_change(struct cf_rewrite *rewrite, const struct cf_code *code, uint32_t start,
                    uint32_t end, uint32_t *depth) {
    uint32_t from = code->changes[start], to = code->changes[end];
    *depth += (to >> 16) - (from >> 16);
    if ((uint16_t)from < (uint16_t)to)
        if (!open_effects(rewrite) || sum_varying(rewrite, code, from, to, depth)) return 0;
    *depth = (uint16_t)*depth;
    return 1;
}

static enum cf_status no_memory(struct cf_edit *edit) {
    return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

static enum cf_status malformed(struct cf_edit *edit, const uint8_t *p) {
    return cf_fail(&edit->error, CF_MALFORMED, edit->code.offset,
                   "instruction names constant %u, which does not hold together", cf_be2(p + 1));
}

static enum cf_status bad_depth(struct cf_edit *edit, uint32_t pc, int depth) {
    cf_fail(&edit->error, CF_MALFORMED, pc, "operand stack of %u slots", (uint32_t)depth);
    edit->error.at_pc = 1;
    return CF_MALFORMED;
}

// Reads edit->places.
static enum cf_status read_places(struct cf_edit *edit) {
    struct cf_frame_reader frames;
    uint32_t depth, n = 0;
    if (edit->places) return CF_OK;
    CF_TRY(cf_frames_open(&frames, &edit->code, 0, &edit->error));
    struct cf_place *places =
        cf_arena_alloc(edit->code.cls->arena, (frames.left + 1) * sizeof *places);
    if (!places) return no_memory(edit);
    while (cf_frames_next_depth(&frames, &depth)) {
        struct cf_place place = {(uint16_t)frames.frame.pc,
                                 (uint16_t)(depth < 65535 ? depth : 65535)};
        places[n++] = place;
    }
    edit->places = places;
    edit->places_count = n;
    return edit->error.status;
}

static enum cf_status from_frames(struct cf_edit *edit) {
    CF_TRY(read_places(edit));
    for (uint32_t i = 0; i < edit->places_count; i++) {
        edit->depths[edit->places[i].pc] = edit->places[i].depth;
        edit->code.marks[edit->places[i].pc] |= CF_MARK_FRAME;
    }
    return CF_OK;
}

struct pass {
    struct cf_edit *edit;
    uint32_t next_branch, next_switch;
    int again; // a target before its branch was found
};

static void reach(struct pass *p, uint32_t from, uint32_t target, uint32_t depth) {
    uint16_t *place = &p->edit->depths[target];
    if (*place != UNKNOWN) return;
    *place = (uint16_t)depth;
    if (target <= from) p->again = 1;
}

static void reach_targets(struct pass *p, uint32_t pc, uint32_t depth) {
    const struct cf_code *code = &p->edit->code;
    unsigned op = code->bytes[pc];
    if (op == CF_OP_tableswitch || op == CF_OP_lookupswitch) {
        struct cf_switch sw;
        cf_switch_open(code, pc, &sw);
        reach(p, pc, sw.default_pc, depth);
        for (uint32_t i = 0; i < sw.count; i++) reach(p, pc, cf_switch_target(&sw, i), depth);
    } else if (cf_opcodes[op].operands == CF_BRANCH2 || cf_opcodes[op].operands == CF_BRANCH4) {
        while (code->branches[p->next_branch].pc != pc) p->next_branch++;
        reach(p, pc, code->branches[p->next_branch].target, depth);
        // What a subroutine leaves on the stack: jsr comes back with what was there before it.
        if (op == CF_OP_jsr || op == CF_OP_jsr_w)
            reach(p, pc, pc + cf_opcodes[op].length, depth - 1);
    }
}

// One walk in code order. `linear`: frames have the depth where control does not fall through.
CF_SELDOM static enum cf_status walk(struct pass *p, int with_frames) {
    struct cf_edit *edit = p->edit;
    const struct cf_code *code = &edit->code;
    uint16_t *depths = edit->depths;
    int depth = depths[0];
    p->next_branch = 0;
    for (uint32_t i = 0; i < code->count; i++) {
        uint32_t pc = code->pc[i];
        if (depths[pc] != UNKNOWN) depth = depths[pc];
        if (depth == UNKNOWN) continue;
        depths[pc] = (uint16_t)depth;
        unsigned op = code->bytes[pc];
        int net = cf_nets[op];
        if (net == CF_EFFECT_VARIES && !varying(edit->rewrite, code->bytes + pc, &net))
            return malformed(edit, code->bytes + pc);
        depth += net;
        if (depth < 0 || depth > code->max_stack) return bad_depth(edit, pc, depth);
        if (!with_frames) reach_targets(p, pc, (uint32_t)depth);
        if (cf_never_falls_through(op)) depth = UNKNOWN;
    }
    return CF_OK;
}

// --- depths at single places, without walking the whole method ---

enum cf_status cf_depth_start(struct cf_depth *d, struct cf_edit *edit) {
    const struct cf_code *code = &edit->code;
    memset(d, 0, sizeof *d);
    d->edit = edit;
    // Without frames, what a branch or a handler leads to is known only after a walk over
    // everything.
    d->whole = !code->stack_map_table &&
               (code->branches_count || code->switches_count || code->exception_table_length);
    if (d->whole) return cf_edit_depths(edit);
    if (!open_effects(edit->rewrite)) return no_memory(edit);
    return code->stack_map_table ? read_places(edit) : CF_OK;
}

// Advances to the last frame at or before `pc`.
static void go_to_frame(struct cf_depth *d, uint32_t pc) {
    const struct cf_edit *edit = d->edit;
    const struct cf_place *next = edit->places + d->next_place,
                          *end = edit->places + edit->places_count;
    if (next == end || next->pc > pc) return;
    while (next < end && next->pc <= pc) next++;
    d->next_place = (uint32_t)(next - edit->places);
    d->pc = next[-1].pc;
    d->depth = next[-1].depth;
}

// The depth found by walking the whole method.
CF_SELDOM static enum cf_status from_walk(struct cf_edit *edit, uint32_t pc, uint32_t *result) {
    CF_TRY(cf_edit_depths(edit));
    *result = edit->depths[pc] == UNKNOWN ? 0 : edit->depths[pc];
    return CF_OK;
}

enum cf_status cf_depth_at(struct cf_depth *d, uint32_t pc, uint32_t *result) {
    struct cf_edit *edit = d->edit;
    const struct cf_code *code = &edit->code;
    if (d->whole) return from_walk(edit, pc, result);
    if (edit->places_count) go_to_frame(d, pc);
    // A block without branches into it.
    uint32_t from = code->changes[d->pc], to = code->changes[pc];
    uint32_t depth = d->depth + (to >> 16) - (from >> 16);
    if ((uint16_t)from < (uint16_t)to) {
        const uint8_t *bad = sum_varying(edit->rewrite, code, from, to, &depth);
        if (bad) return malformed(edit, bad);
    }
    d->pc = pc;
    *result = d->depth = (uint16_t)depth;
    // Not so: what is never reached, or what the verifier will refuse.
    return *result <= code->max_stack ? CF_OK : from_walk(edit, pc, result);
}

enum cf_status cf_edit_depths(struct cf_edit *edit) {
    if (edit->depths) return CF_OK;
    const struct cf_code *code = &edit->code;
    if (!open_effects(edit->rewrite)) return no_memory(edit);
    size_t size = (code->length + 1) * sizeof *edit->depths;
    edit->depths = cf_arena_alloc(code->cls->arena, size);
    if (!edit->depths) return no_memory(edit);
    memset(edit->depths, 0xff, size);
    edit->depths[0] = 0;
    if (code->stack_map_table) CF_TRY(from_frames(edit));
    for (uint32_t i = 0; i < code->exception_table_length; i++)
        edit->depths[cf_exception_at(code, i).handler_pc] = 1;
    struct pass p = {.edit = edit};
    // Without frames a loop may be entered at its end; each round makes known at least one more
    // block. Real code needs as many rounds as loops are nested; only made-up code needs a
    // thousand.
    uint32_t rounds = 0;
    do {
        if (++rounds > 1000)
            return cf_fail(&edit->error, CF_UNSUPPORTED, code->offset,
                           "too many loops inside loops", 0);
        p.again = 0;
        CF_TRY(walk(&p, code->stack_map_table != 0));
    } while (p.again);
    return CF_OK;
}
