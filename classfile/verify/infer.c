// Verification by type inference (JVMS 4.10.2), for classes below version 50 and for what of that
// version has no frames. The state at each place where control meets is the merge of the states that
// reach it, and the verifier walks the code until no state changes any more.
//
// The verifier walks a subroutine (jsr, ret; JVMS 4.10.2.5) once for all its callers. A state in it
// carries which locals it has touched: ret returns only these, and the others are those of the jsr.

#include "classfile/verify/internal.h"

enum {
    NOWHERE = UINT16_MAX + 1, // above any pc
    MOST_WORDS = 1 << 23      // of all states
};

struct state {
    uint32_t pc;
    uint8_t reached, changed, this_uninitialized, no_return;
    uint32_t locals_used, depth, subroutines_count;
    cf_vtype *locals, *stack;
    uint32_t *subroutines;
    uint32_t ret; // of a jsr: where it returns from; NOWHERE: not known
};

struct inference {
    struct cf_verifier *v;
    struct state *states; // by pc
    uint32_t count;
    uint32_t *state_of;  // by pc: index + 1; 0: none
    uint32_t row, words; // row: words of a subroutine
    // The rest of the state at hand.
    cf_vtype *top;
    int no_return;
    uint32_t
        *subroutines; // entered, and not left: a row each, the entry and bits of touched locals
    uint32_t subroutines_count;
};

static void *take(struct inference *n, size_t count, size_t size) {
    n->words += (uint32_t)(count * size / 4);
    if (n->words > MOST_WORDS || count * size / 4 > MOST_WORDS) {
        cf_v_give_up(n->v, CF_LIMIT, "code is too large to check");
        return NULL;
    }
    void *memory = cf_arena_zeroed(n->v->cls->arena, count ? count : 1, size);
    if (!memory) cf_v_give_up(n->v, CF_NO_MEMORY, "out of memory");
    return memory;
}

// --- merging types ---

static cf_vtype objects(unsigned dimensions) {
    return dimensions ? CF_V_ARRAY_OF(dimensions, CF_KNOWN_OBJECT)
                      : cf_v_known_class(CF_KNOWN_OBJECT);
}

static cf_vtype merge_arrays(cf_vtype a, cf_vtype b) {
    unsigned x = CF_V_DIMENSIONS(a), y = CF_V_DIMENSIONS(b);
    int x_letter = CF_V_IS_LETTER(CF_V_ELEMENT(a)), y_letter = CF_V_IS_LETTER(CF_V_ELEMENT(b));
    if (x == y && !x_letter && !y_letter) return CF_V_ARRAY_OF(x, CF_KNOWN_NOTHING);
    if (x == y) return objects(x - 1);
    return x < y ? objects(x - (unsigned)x_letter) : objects(y - (unsigned)y_letter);
}

// Of the classes of which something is known one may be above the other.
static cf_vtype merge_classes(const struct cf_verifier *v, cf_vtype a, cf_vtype b) {
    unsigned x = CF_V_TAG(a) - CF_V_CLASS, y = CF_V_TAG(b) - CF_V_CLASS;
    if (x == CF_KNOWN_OBJECT) return a;
    if (y == CF_KNOWN_OBJECT) return b;
    for (unsigned k = y; k; k = v->known_super[k])
        if (k == x) return a;
    for (unsigned k = x; k; k = v->known_super[k])
        if (k == y) return b;
    return cf_v_known_class(CF_KNOWN_NOTHING);
}

// TOP: nothing takes both.
static cf_vtype merge_type(const struct cf_verifier *v, cf_vtype old, cf_vtype type) {
    unsigned a = CF_V_TAG(old), b = CF_V_TAG(type);
    if (cf_v_is_same(v, old, type)) return old;
    if (a < CF_V_NULL || b < CF_V_NULL) return CF_V_TOP;
    if (b == CF_V_NULL) return old;
    if (a == CF_V_NULL) return type;
    if (a != CF_V_ARRAY && b != CF_V_ARRAY) return merge_classes(v, old, type);
    if (a == CF_V_CLASS + CF_KNOWN_OBJECT) return old;
    cf_vtype made = a == b ? merge_arrays(old, type) : objects(0);
    return cf_v_is_same(v, old, made) ? old : made; // or what goes round in a loop never settles
}

// --- merging states ---

static uint32_t depth_of(const struct inference *n) {
    return (uint32_t)(n->top - n->v->stack) - CF_V_SLACK;
}

// What both are in, in the same order; the locals that either has touched.
static int merge_subroutines(struct inference *n, struct state *s) {
    uint32_t kept = 0, next = 0;
    uint64_t most = (uint64_t)s->subroutines_count * (n->subroutines_count + n->row);
    if (!cf_v_works(n->v, most)) return 0;
    for (uint32_t i = 0; i < s->subroutines_count; i++) {
        uint32_t *sub = s->subroutines + i * n->row, k = next;
        while (k < n->subroutines_count && n->subroutines[k * n->row] != *sub) k++;
        if (k == n->subroutines_count) continue;
        next = k + 1;
        for (uint32_t w = 1; w < n->row; w++) {
            uint32_t more = n->subroutines[k * n->row + w] & ~sub[w];
            sub[w] |= more;
            if (more) s->changed = 1;
        }
        memmove(s->subroutines + kept++ * n->row, sub, n->row * sizeof *sub);
    }
    if (kept != s->subroutines_count) s->changed = 1;
    s->subroutines_count = kept;
    return 1;
}

static int first_time(struct inference *n, struct state *s, const cf_vtype *stack, uint32_t depth) {
    struct cf_verifier *v = n->v;
    s->reached = s->changed = 1;
    s->locals = take(n, v->locals_used, sizeof *s->locals);
    s->stack = take(n, depth, sizeof *s->stack);
    s->subroutines = take(n, n->subroutines_count * n->row, sizeof *s->subroutines);
    if (!s->locals || !s->stack || !s->subroutines) return 0;
    memcpy(s->locals, v->locals, v->locals_used * sizeof *s->locals);
    memcpy(s->stack, stack, depth * sizeof *s->stack);
    memcpy(s->subroutines, n->subroutines, n->subroutines_count * n->row * sizeof *s->subroutines);
    s->locals_used = v->locals_used;
    s->depth = depth;
    s->this_uninitialized = v->this_uninitialized != 0;
    s->no_return = n->no_return != 0;
    s->subroutines_count = n->subroutines_count;
    return 1;
}

static int merge_into(struct inference *n, struct state *s, const cf_vtype *stack, uint32_t depth) {
    struct cf_verifier *v = n->v;
    if (!cf_v_works(n->v, 1 + s->locals_used + depth)) return 0;
    if (!s->reached) return first_time(n, s, stack, depth);
    if (depth != s->depth) {
        cf_v_fail(v, "operand stack has two depths at pc %u", s->pc);
        return 0;
    }
    for (uint32_t i = 0; i < depth; i++) {
        cf_vtype merged = merge_type(v, s->stack[i], stack[i]);
        if (merged == s->stack[i]) continue;
        if (merged == CF_V_TOP) {
            cf_v_mismatch(v, "operand stack where control meets", stack[i], s->stack[i]);
            return 0;
        }
        s->stack[i] = merged;
        s->changed = 1;
    }
    for (uint32_t i = 0; i < s->locals_used; i++) {
        cf_vtype here = i < v->locals_used ? v->locals[i] : CF_V_TOP;
        cf_vtype merged = merge_type(v, s->locals[i], here);
        if (merged == s->locals[i]) continue;
        s->locals[i] = merged;
        s->changed = 1;
    }
    if (s->this_uninitialized < v->this_uninitialized || s->no_return < n->no_return)
        s->changed = 1;
    s->this_uninitialized |= v->this_uninitialized != 0;
    s->no_return |= n->no_return != 0;
    return merge_subroutines(n, s);
}

static int merge_at(struct inference *n, uint32_t pc) {
    struct cf_verifier *v = n->v;
    if (pc >= v->code.length || !(v->marks[pc] & CF_V_START)) {
        cf_v_fail(v,
                  pc == v->code.length ? "control falls off the end of the code"
                                       : "branch to pc %u, which is not an instruction",
                  pc);
        return 0;
    }
    uint32_t depth = depth_of(n);
    return merge_into(n, &n->states[n->state_of[pc] - 1], n->top - depth, depth);
}

static int merge_handlers(struct inference *n) {
    struct cf_verifier *v = n->v;
    if (!cf_v_works(n->v, v->code.exception_table_length)) return 0;
    for (uint32_t i = 0; i < v->code.exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(&v->code, i);
        if (v->pc < e.start_pc || v->pc >= e.end_pc) continue;
        cf_vtype caught = cf_v_caught(v, e.catch_type);
        if (!caught) return 0;
        if (!merge_into(n, &n->states[n->state_of[e.handler_pc] - 1], &caught, 1)) return 0;
    }
    v->unmatched = 0;
    return 1;
}

static int load(struct inference *n, struct state *s) {
    struct cf_verifier *v = n->v;
    uint64_t masks = (uint64_t)s->subroutines_count * n->row;
    if (!cf_v_works(v, 1 + v->locals_used + s->locals_used + s->depth + masks)) return 0;
    memcpy(v->locals, s->locals, s->locals_used * sizeof *v->locals);
    for (uint32_t i = s->locals_used; i < v->locals_used; i++) v->locals[i] = CF_V_TOP;
    v->locals_used = s->locals_used;
    n->top = v->stack + CF_V_SLACK;
    memcpy(n->top, s->stack, s->depth * sizeof *n->top);
    n->top += s->depth;
    v->this_uninitialized = s->this_uninitialized;
    n->no_return = s->no_return;
    n->subroutines_count = s->subroutines_count;
    memcpy(n->subroutines, s->subroutines, masks * sizeof *s->subroutines);
    v->unmatched = 1;
    v->pc = s->pc;
    return 1;
}

// --- subroutines ---

static void touch(struct inference *n, uint32_t local) {
    if (local >= n->v->code.max_locals) return; // running the instruction has failed
    for (uint32_t i = 0; i < n->subroutines_count; i++)
        n->subroutines[i * n->row + 1 + local / 32] |= 1u << (local & 31);
}

// The locals that the instruction at `p`, which has been run, reads or sets.
static void touch_operands(struct inference *n, const uint8_t *p) {
    const struct cf_vrow *row = &cf_v_rows[p[*p == CF_OP_wide]];
    uint32_t type = row->needed & 0xFF, last = cf_locals_needed(p);
    if (!last--) return;
    touch(n, last);
    if (type >= CF_V_LONG && type <= CF_V_DOUBLE_2) touch(n, last - 1);
}

// New objects do not get into subroutines, nor out of them.
static void forget_new_objects(struct inference *n) {
    struct cf_verifier *v = n->v;
    for (uint32_t i = 0; i < v->locals_used; i++)
        if (CF_V_TAG(v->locals[i]) == CF_V_UNINITIALIZED) v->locals[i] = CF_V_TOP;
    for (cf_vtype *p = v->stack + CF_V_SLACK; p < n->top; p++)
        if (CF_V_TAG(*p) == CF_V_UNINITIALIZED) *p = CF_V_TOP;
}

static int call_subroutine(struct inference *n, uint32_t entry) {
    struct cf_verifier *v = n->v;
    if (!cf_v_works(v, n->subroutines_count + n->row + v->locals_used + depth_of(n))) return 0;
    for (uint32_t i = 0; i < n->subroutines_count; i++)
        if (n->subroutines[i * n->row] == entry)
            return cf_v_fail(v, "subroutine at pc %u calls itself", entry), 0;
    struct state *jsr = &n->states[n->state_of[v->pc] - 1];
    if (jsr->ret != NOWHERE) n->states[n->state_of[jsr->ret] - 1].changed = 1;
    uint32_t *sub = n->subroutines + n->subroutines_count++ * n->row;
    memset(sub, 0, n->row * sizeof *sub);
    *sub = entry;
    if (depth_of(n) >= v->old_stack)
        return cf_v_fail(v, "operand stack passes max_stack %u", v->old_stack), 0;
    *n->top++ = CF_V_MAKE(CF_V_RETURN_ADDRESS, entry);
    forget_new_objects(n);
    return merge_at(n, entry);
}

// To behind one jsr: what the subroutine has touched comes from here, all else from the jsr.
static int return_to(struct inference *n, struct state *jsr, uint32_t ret, uint32_t index) {
    struct cf_verifier *v = n->v;
    if (jsr->ret != NOWHERE && jsr->ret != ret)
        return cf_v_fail(v, "two rets come back to the jsr at pc %u", jsr->pc), 0;
    jsr->ret = ret;
    if (!jsr->reached) return 1; // reaching it will come back here
    const uint32_t *touched = n->subroutines + index * n->row + 1;
    uint32_t used = v->locals_used > jsr->locals_used ? v->locals_used : jsr->locals_used;
    for (uint32_t i = 0; i < used; i++)
        if (!(touched[i / 32] >> (i & 31) & 1))
            v->locals[i] = i < jsr->locals_used ? jsr->locals[i] : CF_V_TOP;
    v->locals_used = used;
    n->subroutines_count = index;
    unsigned length = v->code.bytes[jsr->pc] == CF_OP_jsr ? 3 : 5;
    return merge_at(n, jsr->pc + length);
}

static int return_from_subroutine(struct inference *n, struct state *here) {
    struct cf_verifier *v = n->v;
    const uint8_t *p = v->code.bytes + v->pc;
    uint32_t local = p[0] == CF_OP_wide ? cf_be2(p + 2) : p[1], ret = v->pc;
    cf_vtype address = local < v->code.max_locals ? v->locals[local] : CF_V_TOP;
    if (CF_V_TAG(address) != CF_V_RETURN_ADDRESS)
        return cf_v_fail(v, "local variable %u holds no return address", local), 0;
    if (!cf_v_works(v, n->count)) return 0;
    for (uint32_t i = 0; i < n->count; i++) {
        struct state *jsr = &n->states[i];
        unsigned op = v->code.bytes[jsr->pc];
        if ((op != CF_OP_jsr && op != CF_OP_jsr_w) ||
            cf_branch_target(v->code.bytes, jsr->pc) != CF_V_PAYLOAD(address))
            continue;
        if (!load(n, here)) return 0;
        v->unmatched = 0;
        touch(n, local);
        forget_new_objects(n);
        uint32_t index = n->subroutines_count;
        while (index > 0 && n->subroutines[(index - 1) * n->row] != CF_V_PAYLOAD(address)) index--;
        if (index == 0) return cf_v_fail(v, "ret from a subroutine that was not called", 0), 0;
        if (!cf_v_works(n->v, 1 + v->locals_used) || !return_to(n, jsr, ret, index - 1)) return 0;
        v->pc = ret;
    }
    return 1;
}

// --- going through the code ---

static int follow_switch(struct inference *n) {
    struct cf_verifier *v = n->v;
    struct cf_switch sw;
    if (cf_v_open_switch(v, &sw) != CF_OK || !merge_at(n, sw.default_pc)) return 0;
    for (uint32_t i = 0; i < sw.count; i++)
        if (cf_v_check_order(v, &sw, i) != CF_OK || !merge_at(n, cf_switch_target(&sw, i)))
            return 0;
    return 1;
}

// An object that was made at the same place before, and is not initialised, is lost.
static int forget_last_object(struct inference *n) {
    struct cf_verifier *v = n->v;
    cf_vtype object = CF_V_MAKE(CF_V_UNINITIALIZED, v->pc);
    if (!cf_v_works(v, v->locals_used + depth_of(n))) return 0;
    for (cf_vtype *p = v->stack + CF_V_SLACK; p < n->top; p++)
        if (*p == object)
            return cf_v_fail(v, "new while the object made before is not initialized", 0), 0;
    for (uint32_t i = 0; i < v->locals_used; i++)
        if (v->locals[i] == object) {
            v->locals[i] = CF_V_TOP;
            touch(n, i);
            v->unmatched = 1;
        }
    return 1;
}

// What only this way of verification looks at, before an instruction runs: what it takes for a
// reference everywhere but in loads, stores and tests for null is initialised.
static int check_before(struct inference *n, unsigned op) {
    struct cf_verifier *v = n->v;
    int is_comparison = op == CF_OP_if_acmpeq || op == CF_OP_if_acmpne;
    int references = op == CF_OP_monitorenter || op == CF_OP_monitorexit ? 1 : 2 * is_comparison;
    if (cf_is_return(op) && n->no_return)
        return cf_v_fail(v, "return where the object may not be initialized", 0), 0;
    for (int i = 0; i < references; i++)
        if (CF_V_TAG(n->top[-1 - i]) < CF_V_NULL)
            return cf_v_bad_top(v, n->top - i, "operand stack holds no reference"), 0;
    return op != CF_OP_new || forget_last_object(n);
}

// An object has been initialised: its handler may see it so, and `this` is never to be returned
// then.
static int after_initialization(struct inference *n, uint32_t pc, int was_uninitialized) {
    struct cf_verifier *v = n->v;
    uint32_t next = v->pc;
    int no_return = n->no_return;
    v->pc = pc;
    if (was_uninitialized && !v->this_uninitialized) n->no_return = 1;
    int merged = merge_handlers(n);
    n->no_return = no_return;
    v->pc = next;
    return merged;
}

static int is_ret(const uint8_t *p) {
    return p[*p == CF_OP_wide] == CF_OP_ret;
}

// Where control goes from the instruction at v->pc, which has been run. *on: to the next one, too.
static int follow(struct inference *n, const struct cf_vrow *row, int *on) {
    struct cf_verifier *v = n->v;
    uint32_t pc = v->pc;
    switch (row->kind) {
    case CF_V_BRANCH: *on = 1; break;
    case CF_V_GOTO: break;
    case CF_V_SWITCH: return follow_switch(n);
    case CF_V_SUBROUTINE: return call_subroutine(n, cf_branch_target(v->code.bytes, pc));
    default: return cf_v_check_return(v, n->top) == CF_OK;
    }
    if (!merge_at(n, cf_branch_target(v->code.bytes, pc))) return 0;
    v->pc = pc + row->length;
    return 1;
}

// One instruction, and where control goes from it. *on: it goes on to the next one only.
static int step(struct inference *n, struct state *here, int *on) {
    struct cf_verifier *v = n->v;
    uint32_t pc = v->pc;
    const uint8_t *p = v->code.bytes + pc;
    const struct cf_vrow *row = &cf_v_rows[*p];
    int was_uninitialized = v->this_uninitialized, falls = 1;
    *on = 0;
    if (!cf_v_works(v, 1 + n->subroutines_count)) return 0;
    if ((v->unmatched || n->subroutines_count) && !merge_handlers(n)) return 0;
    if (is_ret(p)) return return_from_subroutine(n, here);
    if (!check_before(n, *p) || !(n->top = cf_v_run(v, n->top, 0, &falls))) return 0;
    if (n->subroutines_count) touch_operands(n, p);
    if (!falls) return follow(n, row, on);
    *on = 1;
    return *p != CF_OP_invokespecial || after_initialization(n, pc, was_uninitialized);
}

// From a state on, up to where control does not go on, or meets.
static int run_from(struct inference *n, struct state *s) {
    struct cf_verifier *v = n->v;
    int on = 1;
    if (!load(n, s)) return 0;
    do {
        if (!step(n, s, &on)) return 0;
        if (on && (v->pc >= v->code.length || n->state_of[v->pc])) return merge_at(n, v->pc);
    } while (on);
    return 1;
}

// --- where control may meet ---

static void mark_place(struct inference *n, uint32_t pc) {
    if (pc < n->v->code.length && (n->v->marks[pc] & CF_V_START) && !n->state_of[pc])
        n->state_of[pc] = ++n->count;
}

static void mark_targets(struct inference *n, uint32_t pc) {
    struct cf_verifier *v = n->v;
    unsigned op = v->code.bytes[pc];
    switch (cf_opcodes[op].operands) {
    case CF_BRANCH2:
    case CF_BRANCH4: mark_place(n, cf_branch_target(v->code.bytes, pc)); break;
    case CF_TABLESWITCH:
    case CF_LOOKUPSWITCH: {
        struct cf_switch sw;
        cf_switch_open(&v->code, pc, &sw);
        mark_place(n, sw.default_pc);
        for (uint32_t i = 0; i < sw.count; i++) mark_place(n, cf_switch_target(&sw, i));
        break;
    }
    default: break;
    }
    if (op == CF_OP_jsr || op == CF_OP_jsr_w) {
        mark_place(n, pc);
        mark_place(n, pc + cf_lengths[op]);
    }
    if (op == CF_OP_ret || (op == CF_OP_wide && v->code.bytes[pc + 1] == CF_OP_ret))
        mark_place(n, pc);
}

// HotSpot refuses an index beyond max_locals or the constant pool also where control never comes.
// Inserted code raises both.
static int check_operands(struct cf_verifier *v, uint32_t pc) {
    const uint8_t *p = v->code.bytes + pc;
    uint32_t locals = cf_locals_needed(p);
    v->pc = pc;
    if (locals && !cf_v_is_local(v, locals - 1))
        return cf_v_fail(v, "local variable %u is above max_locals", locals - 1), 0;
    return cf_v_is_constant(v, cf_constant_operand(p));
}

static int find_places(struct inference *n) {
    struct cf_verifier *v = n->v;
    uint32_t length = v->code.length, targets = 0;
    n->state_of = take(n, length + 1, sizeof *n->state_of);
    if (!n->state_of) return 0;
    mark_place(n, 0);
    for (uint32_t pc = 0; pc < length; pc++) {
        if (!(v->marks[pc] & CF_V_START)) continue;
        if (!check_operands(v, pc)) return 0;
        mark_targets(n, pc);
        targets += v->code.bytes[pc] == CF_OP_jsr || v->code.bytes[pc] == CF_OP_jsr_w;
    }
    v->pc = 0;
    // Ranges start with a state: handlers are merged there.
    for (uint32_t i = 0; i < v->code.exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(&v->code, i);
        mark_place(n, e.start_pc);
        mark_place(n, e.handler_pc);
        // HotSpot refuses it even if nothing reaches the range.
        if (!cf_v_limit_at(v, e.handler_pc))
            return cf_v_fail(v, "exception handler passes max_stack %u", v->old_stack), 0;
    }
    n->states = take(n, n->count, sizeof *n->states);
    n->row = 1 + (targets ? (v->code.max_locals + 32u) / 32 : 0);
    n->subroutines = take(n, ((size_t)targets + 1) * n->row, sizeof *n->subroutines);
    if (!n->states || !n->subroutines) return 0;
    // In the order of the code: the first state is run first.
    uint32_t index = 0;
    for (uint32_t pc = 0; pc < length; pc++) {
        if (!n->state_of[pc]) continue;
        n->states[index].pc = pc;
        n->states[index].ret = NOWHERE;
        n->state_of[pc] = ++index;
    }
    return 1;
}

static int infer(struct inference *n) {
    struct cf_verifier *v = n->v;
    if (!find_places(n) || !merge_at(n, 0)) return 0;
    for (int again = 1; again;) {
        again = 0;
        if (!cf_v_works(v, n->count)) return 0;
        for (uint32_t i = 0; i < n->count; i++) {
            if (!n->states[i].changed) continue;
            again = 1;
            n->states[i].changed = 0;
            if (n->states[i].reached && !run_from(n, &n->states[i])) return 0;
        }
    }
    return 1;
}

enum cf_status cf_v_infer(struct cf_verifier *v) {
    struct inference n = {.v = v, .top = v->stack + CF_V_SLACK};
    v->pc = 0;
    v->is_stepping = 1;
    return infer(&n) ? CF_OK : v->failure->error.status;
}
