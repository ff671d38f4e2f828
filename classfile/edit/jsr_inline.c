// Inlines the subroutines of a method: finds the instructions of each subroutine, places a copy for
// each call, and adjusts jumps.

#include "classfile/edit/jsr_inline.h"

static enum cf_status fail(struct cf_inliner *in, enum cf_status status, const char *reason) {
    return cf_fail(in->error, status, in->code.offset, reason, 0);
}

// The steps that a method may take, as in the verifier. Code that a compiler makes takes a few for
// each instruction of each copy.
#define MOST_WORK (UINT64_C(1) << 28)

enum cf_status cf_inline_works(struct cf_inliner *in, uint64_t steps) {
    in->work += steps;
    if (in->work <= MOST_WORK) return CF_OK;
    return fail(in, CF_UNSUPPORTED, "subroutines that take too long to inline");
}

static int has(const uint64_t *set, uint32_t i) {
    return set[i / 64] >> i % 64 & 1;
}

static int has_any(const uint64_t *set, uint32_t from, uint32_t end) {
    for (uint32_t i = from; i < end;) {
        uint32_t next = (i / 64 + 1) * 64;
        uint64_t bits = set[i / 64] >> i % 64;
        if (next > end) bits &= (UINT64_C(1) << (end - i)) - 1;
        if (bits) return 1;
        i = next;
    }
    return 0;
}

static void put_in(uint64_t *set, uint32_t i) {
    set[i / 64] |= UINT64_C(1) << i % 64;
}

static void *zeroed(struct cf_inliner *in, size_t count, size_t size) {
    void *memory = cf_arena_zeroed(in->arena, count, size);
    if (!memory) fail(in, CF_NO_MEMORY, "out of memory");
    return memory;
}

static unsigned op_at(const struct cf_inliner *in, uint32_t i) {
    return in->code.bytes[in->code.pc[i]];
}

static int is_jsr(unsigned op) {
    return op == CF_OP_jsr || op == CF_OP_jsr_w;
}

static int is_goto(unsigned op) {
    return op == CF_OP_goto || op == CF_OP_goto_w;
}

static int is_ret(const struct cf_inliner *in, uint32_t i) {
    const uint8_t *p = in->code.bytes + in->code.pc[i];
    return p[0] == CF_OP_ret || (p[0] == CF_OP_wide && p[1] == CF_OP_ret);
}

// The index of the target of a jump with one.
static uint32_t target_of(const struct cf_inliner *in, uint32_t i) {
    return in->index[cf_branch_target(in->code.bytes, in->code.pc[i])];
}

static int is_jump(unsigned op) {
    return cf_opcodes[op].operands == CF_BRANCH2 || cf_opcodes[op].operands == CF_BRANCH4;
}

static int is_switch(unsigned op) {
    return op == CF_OP_tableswitch || op == CF_OP_lookupswitch;
}

static enum cf_status prepare(struct cf_inliner *in) {
    uint32_t targets = in->code.branches_count + 1;
    for (uint32_t i = 0; i < in->code.switches_count; i++) {
        struct cf_switch sw;
        cf_switch_open(&in->code, in->code.switches[i], &sw);
        targets += sw.count + 1;
    }
    in->last_subroutine = &in->subroutines;
    in->index = zeroed(in, in->code.length + 1, sizeof *in->index);
    in->visited = zeroed(in, in->code.count / 64 + 1, sizeof *in->visited);
    in->shared = zeroed(in, in->code.count / 64 + 1, sizeof *in->shared);
    in->to_do = zeroed(in, targets, sizeof *in->to_do);
    in->starting = zeroed(in, in->code.count, sizeof *in->starting);
    in->places = zeroed(in, in->code.count + 1, sizeof *in->places);
    if (!in->index || !in->visited || !in->shared || !in->to_do || !in->starting || !in->places)
        return CF_NO_MEMORY;
    for (uint32_t i = 0; i < in->code.count; i++) in->index[in->code.pc[i]] = (uint16_t)i;
    return CF_OK;
}

// --- which instructions belong to which subroutine ---

// The first one is the method's own code.
static enum cf_status add_subroutine(struct cf_inliner *in, uint32_t start) {
    if (in->starting[start]) return CF_OK;
    CF_TRY(cf_inline_works(in, in->code.length)); // for its sets and `reach`
    struct cf_subroutine *s = zeroed(in, 1, sizeof *s);
    if (!s || !(s->contains = zeroed(in, in->code.count / 64 + 1, sizeof *s->contains)))
        return CF_NO_MEMORY;
    s->start = start;
    if (in->subroutines) in->starting[start] = s;
    *in->last_subroutine = s;
    in->last_subroutine = &s->next;
    return CF_OK;
}

// Records the targets of an instruction for later; calls of subroutines are not followed.
static uint32_t push_targets(struct cf_inliner *in, uint32_t i, uint32_t n) {
    unsigned op = op_at(in, i);
    if (is_jump(op) && !is_jsr(op)) in->to_do[n++] = target_of(in, i);
    if (!is_switch(op)) return n;
    struct cf_switch sw;
    cf_switch_open(&in->code, in->code.pc[i], &sw);
    in->to_do[n++] = in->index[sw.default_pc];
    for (uint32_t k = 0; k < sw.count; k++) in->to_do[n++] = in->index[cf_switch_target(&sw, k)];
    return n;
}

// Does control go on at the next instruction? What follows jsr is where the subroutine returns to.
static int falls_through(const struct cf_inliner *in, uint32_t i) {
    unsigned op = op_at(in, i);
    return !is_ret(in, i) && (is_jsr(op) || !cf_never_falls_through(op));
}

static void reach(struct cf_inliner *in, struct cf_subroutine *s, uint32_t from) {
    uint32_t n = 0;
    in->to_do[n++] = from;
    while (n > 0) {
        for (uint32_t i = in->to_do[--n]; i < in->code.count && !has(s->contains, i); i++) {
            put_in(s->contains, i);
            if (has(in->visited, i)) put_in(in->shared, i);
            put_in(in->visited, i);
            n = push_targets(in, i, n);
            if (!falls_through(in, i)) break;
        }
    }
}

// Finds all instructions that are reachable from its start, and from the handlers of those.
static enum cf_status find_instructions(struct cf_inliner *in, struct cf_subroutine *s) {
    int more = 1;
    reach(in, s, s->start);
    while (more) {
        more = 0;
        for (uint32_t k = 0; k < in->code.exception_table_length; k++) {
            struct cf_exception e = cf_exception_at(&in->code, k);
            uint32_t handler = in->index[e.handler_pc], from = in->index[e.start_pc];
            uint32_t end = e.end_pc == in->code.length ? in->code.count : in->index[e.end_pc];
            CF_TRY(cf_inline_works(in, 1 + (end > from ? (end - from) / 64 : 0)));
            if (has(s->contains, handler) || !has_any(s->contains, from, end)) continue;
            reach(in, s, handler);
            more = 1;
        }
    }
    return CF_OK;
}

static enum cf_status find_subroutines(struct cf_inliner *in) {
    CF_TRY(add_subroutine(in, 0));
    for (uint32_t i = 0; i < in->code.count; i++)
        if (is_jsr(op_at(in, i))) CF_TRY(add_subroutine(in, target_of(in, i)));
    for (struct cf_subroutine *s = in->subroutines; s; s = s->next)
        CF_TRY(find_instructions(in, s));
    return CF_OK;
}

// --- copies and the positions of their instructions ---

static struct cf_copy *owner_of(const struct cf_inliner *in, struct cf_copy *copy, uint32_t i) {
    if (!has(copy->subroutine->contains, i)) return NULL;
    struct cf_copy *owner = copy;
    if (has(in->shared, i))
        for (struct cf_copy *c = copy->parent; c; c = c->parent)
            if (has(c->subroutine->contains, i)) owner = c;
    return owner;
}

static enum cf_status add_copy(struct cf_inliner *in, struct cf_copy *parent, uint32_t start) {
    const struct cf_subroutine *s = parent ? in->starting[start] : in->subroutines;
    uint32_t depth = parent ? parent->depth + 1 : 1;
    CF_TRY(cf_inline_works(in, depth));
    for (const struct cf_copy *c = parent; c; c = c->parent)
        if (c->subroutine == s) return fail(in, CF_UNSUPPORTED, "a subroutine that calls itself");
    struct cf_copy *copy = zeroed(in, 1, sizeof *copy);
    if (!copy || !(copy->at = zeroed(in, in->code.count + 1, sizeof *copy->at)))
        return CF_NO_MEMORY;
    copy->parent = parent;
    copy->depth = depth;
    copy->subroutine = s;
    *in->last_copy = copy;
    in->last_copy = &copy->next;
    return CF_OK;
}

static uint32_t goto_size(const struct cf_inliner *in) {
    return in->wide ? 5 : 3;
}

static uint32_t size_of(const struct cf_inliner *in, uint32_t i, uint32_t new_pc) {
    unsigned op = op_at(in, i);
    uint32_t size = (uint32_t)(in->code.pc[i + 1] - in->code.pc[i]);
    if (is_jsr(op)) return 1 + goto_size(in);
    if (is_ret(in, i) || is_goto(op)) return goto_size(in);
    if (is_switch(op)) return size - (3 - (in->code.pc[i] & 3)) + (3 - (new_pc & 3));
    return size;
}

uint32_t cf_inline_join(const struct cf_inliner *in, struct cf_copy *copy, uint32_t i) {
    if (!falls_through(in, i) || i + 1 == in->code.count || owner_of(in, copy, i + 1) == copy)
        return CF_NOWHERE;
    return copy->at[i] + size_of(in, i, copy->at[i]);
}

static enum cf_status lay_out_copy(struct cf_inliner *in, struct cf_copy *copy, uint32_t *pc) {
    CF_TRY(cf_inline_works(in, (uint64_t)in->code.count * copy->depth));
    for (uint32_t i = 0; i < in->code.count; i++) {
        copy->at[i] = CF_NOWHERE;
        if (owner_of(in, copy, i) != copy) continue;
        copy->at[i] = *pc;
        *pc += size_of(in, i, *pc);
        uint32_t behind = *pc;
        if (cf_inline_join(in, copy, i) != CF_NOWHERE) *pc += goto_size(in);
        if (*pc > 65535)
            return fail(in, CF_UNSUPPORTED, "would pass 65,535 bytes without its subroutines");
        if (!is_jsr(op_at(in, i))) continue;
        struct cf_copy **place = in->last_copy;
        CF_TRY(add_copy(in, copy, target_of(in, i)));
        (*place)->return_pc = behind;
        (*place)->called_at = copy->at[i] + 1;
    }
    copy->end = *pc;
    return CF_OK;
}

static enum cf_status lay_out(struct cf_inliner *in) {
    uint32_t pc = 0;
    in->copies = NULL;
    in->last_copy = &in->copies;
    CF_TRY(add_copy(in, NULL, 0));
    for (struct cf_copy *copy = in->copies; copy; copy = copy->next)
        CF_TRY(lay_out_copy(in, copy, &pc));
    in->length = pc;
    in->bytes = zeroed(in, pc + 1, 1);
    in->returns = zeroed(in, pc + 1, 1);
    return in->bytes && in->returns ? CF_OK : CF_NO_MEMORY;
}

// --- the new code ---

// Where a jump of the copy to instruction i leads. CF_NOWHERE: it is broken.
uint32_t cf_inline_target(const struct cf_inliner *in, struct cf_copy *copy, uint32_t i) {
    const struct cf_copy *owner = owner_of(in, copy, i);
    return owner ? owner->at[i] : CF_NOWHERE;
}

// A jump's operand at `operand` bytes behind its opcode. CF_LIMIT: it does not reach.
static enum cf_status put_offset(struct cf_inliner *in, uint32_t pc, uint32_t at, unsigned size,
                                 uint32_t target) {
    int64_t offset = (int64_t)target - pc;
    if (target >= in->length) return fail(in, CF_UNSUPPORTED, "a subroutine that leads nowhere");
    if (size == 2 && (offset < INT16_MIN || offset > INT16_MAX)) return CF_LIMIT;
    if (size == 2)
        cf_put2(in->bytes + at, (uint32_t)offset);
    else
        cf_put4(in->bytes + at, (uint32_t)offset);
    return CF_OK;
}

static enum cf_status put_goto(struct cf_inliner *in, uint32_t pc, uint32_t target) {
    in->bytes[pc] = in->wide ? CF_OP_goto_w : CF_OP_goto;
    return put_offset(in, pc, pc + 1, in->wide ? 4 : 2, target);
}

// The local variable that the instruction takes or keeps a return address in; CF_NOWHERE: none.
static uint32_t address_local(const struct cf_inliner *in, uint32_t i) {
    const uint8_t *p = in->code.bytes + in->code.pc[i];
    unsigned op = p[0] == CF_OP_wide ? p[1] : p[0];
    if (op >= CF_OP_astore_0 && op <= CF_OP_astore_3) return op - CF_OP_astore_0;
    if (op != CF_OP_astore && op != CF_OP_ret) return CF_NOWHERE;
    return p[0] == CF_OP_wide ? cf_be2(p + 2) : p[1];
}

// The call from which ret returns: that of the outermost copy that has the instruction. With nested
// calls ret could also return from an outer one, if it uses the address stored for that: the
// address must have been stored by the subroutine itself.
static enum cf_status put_ret(struct cf_inliner *in, const struct cf_copy *copy, uint32_t i) {
    const struct cf_copy *found = NULL;
    for (const struct cf_copy *c = copy; c; c = c->parent)
        if (has(c->subroutine->contains, i)) found = c;
    if (!found || !found->parent) return fail(in, CF_UNSUPPORTED, "ret outside of a subroutine");
    if (copy->parent->parent && address_local(in, i) != address_local(in, found->subroutine->start))
        return fail(in, CF_UNSUPPORTED, "ret that may end another subroutine");
    in->returns[copy->at[i]] = 1;
    return put_goto(in, copy->at[i], found->return_pc);
}

static enum cf_status put_switch(struct cf_inliner *in, struct cf_copy *copy, uint32_t i) {
    struct cf_switch sw;
    uint32_t pc = copy->at[i], at = pc + 4 - (pc & 3), step;
    cf_switch_open(&in->code, in->code.pc[i], &sw);
    const uint8_t *from = in->code.bytes + in->code.pc[i] + 4 - (in->code.pc[i] & 3);
    in->bytes[pc] = in->code.bytes[in->code.pc[i]];
    memcpy(in->bytes + at, from, sw.pc + sw.length - (uint32_t)(from - in->code.bytes));
    CF_TRY(put_offset(in, pc, at, 4, cf_inline_target(in, copy, in->index[sw.default_pc])));
    step = sw.is_table ? 4 : 8;
    at += (uint32_t)(sw.cases - from) + step - 4;
    for (uint32_t k = 0; k < sw.count; k++, at += step)
        CF_TRY(put_offset(in, pc, at, 4,
                          cf_inline_target(in, copy, in->index[cf_switch_target(&sw, k)])));
    return CF_OK;
}

static enum cf_status put_instruction(struct cf_inliner *in, struct cf_copy *copy, uint32_t i) {
    unsigned op = op_at(in, i);
    uint32_t pc = copy->at[i];
    if (is_ret(in, i)) return put_ret(in, copy, i);
    if (is_switch(op)) return put_switch(in, copy, i);
    if (is_goto(op)) return put_goto(in, pc, cf_inline_target(in, copy, target_of(in, i)));
    if (is_jsr(op)) {
        in->bytes[pc] = CF_OP_aconst_null; // instead of the return address
        return CF_OK;                      // the jump is put by the copy that it leads to
    }
    memcpy(in->bytes + pc, in->code.bytes + in->code.pc[i],
           (size_t)(in->code.pc[i + 1] - in->code.pc[i]));
    if (is_jump(op))
        return put_offset(in, pc, pc + 1, 2, cf_inline_target(in, copy, target_of(in, i)));
    return CF_OK;
}

static enum cf_status put_code(struct cf_inliner *in) {
    for (struct cf_copy *copy = in->copies; copy; copy = copy->next) {
        if (copy->parent)
            CF_TRY(
                put_goto(in, copy->called_at, cf_inline_target(in, copy, copy->subroutine->start)));
        CF_TRY(cf_inline_works(in, (uint64_t)in->code.count * copy->depth));
        for (uint32_t i = 0; i < in->code.count; i++) {
            if (copy->at[i] == CF_NOWHERE) continue;
            uint32_t join = cf_inline_join(in, copy, i);
            CF_TRY(put_instruction(in, copy, i));
            if (join != CF_NOWHERE) CF_TRY(put_goto(in, join, cf_inline_target(in, copy, i + 1)));
        }
    }
    return CF_OK;
}

// With short jumps, or if these do not reach, with long ones.
enum cf_status cf_inline_code(struct cf_inliner *in) {
    CF_TRY(prepare(in));
    CF_TRY(find_subroutines(in));
    for (in->wide = 0;; in->wide = 1) {
        CF_TRY(lay_out(in));
        enum cf_status status = put_code(in);
        if (status == CF_LIMIT && in->wide)
            return fail(in, CF_UNSUPPORTED, "a jump that does not reach without subroutines");
        if (status != CF_LIMIT) return status;
    }
}
