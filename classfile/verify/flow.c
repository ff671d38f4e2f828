// Verification by type checking (JVMS 4.10.1): one pass over the code of a method. The state comes
// from what stands before, and from the StackMapTable where control may come from elsewhere.

#include "classfile/verify/internal.h"

// --- frames ---

static inline enum cf_status match_locals(struct cf_verifier *v, const struct cf_vframe *frame,
                                          const char *place) {
    const cf_vtype *there = v->frames.types + frame->locals, *here = v->locals;
    uint32_t i, n = frame->locals_count;
    uint64_t other = 0;
    if (!cf_v_works(v, n)) return CF_LIMIT;
    for (i = frame->first; i + 3 < n; i += 4)
        other |= (here[i] ^ there[i]) | (here[i + 1] ^ there[i + 1]) |
                 (here[i + 2] ^ there[i + 2]) | (here[i + 3] ^ there[i + 3]);
    for (; i < n; i++) other |= here[i] ^ there[i];
    if ((other & v->compared) && (i = cf_v_find_other(v, there, here, frame->first, n)) < n)
        return cf_v_mismatch(v, place, here[i], there[i]);
    if (v->this_uninitialized <= frame->this_uninitialized && !v->strict_count) return CF_OK;
    if (v->this_uninitialized > frame->this_uninitialized)
        return cf_v_fail(v, "this is not initialized, other than in the frame at pc %u", frame->pc);
    // What is not set here must not count as set there, as long as `this` is not initialised.
    for (i = 0; v->this_uninitialized && i < CF_V_UNSET_WORDS(v); i++)
        if (v->unset[i] & ~v->frames.types[frame->unset + i])
            return cf_v_fail(v, "strict fields are not set, other than in the frame at pc %u",
                             frame->pc);
    return CF_OK;
}

enum cf_status cf_v_match_locals(struct cf_verifier *v, const struct cf_vframe *frame) {
    return match_locals(v, frame, "frame of the exception handler");
}

static inline enum cf_status match(struct cf_verifier *v, const struct cf_vframe *frame,
                                   const cf_vtype *top, const char *place) {
    uint32_t depth = frame->stack_count;
    if ((uint32_t)(top - v->stack) - CF_V_SLACK != depth)
        return cf_v_fail(v, "operand stack has another depth than the frame at pc %u", frame->pc);
    const cf_vtype *there = v->frames.types + frame->stack, *here = top - depth;
    for (uint32_t i = 0; i < depth; i++)
        if (!cf_v_takes(v, there[i], here[i])) return cf_v_mismatch(v, place, here[i], there[i]);
    return match_locals(v, frame, place);
}

static inline cf_vtype *load(struct cf_verifier *v, const struct cf_vframe *frame) {
    const cf_vtype *types = v->frames.types + frame->locals;
    cf_vtype *locals = v->locals, *top = v->stack + CF_V_SLACK;
    uint32_t n = frame->locals_count, i;
    // In pieces, beyond the last one too: what is there becomes TOP then.
    for (i = 0; i < n; i += CF_V_PIECE) memcpy(locals + i, types + i, CF_V_PIECE * sizeof *types);
    memset(locals + n, 0, CF_V_PIECE * sizeof *locals);
    for (i = n + CF_V_PIECE; i < v->locals_used; i++) locals[i] = CF_V_TOP;
    v->locals_used = n;
    types = v->frames.types + frame->stack;
    for (i = 0; i < frame->stack_count; i++) *top++ = types[i];
    for (i = 0; i < CF_V_UNSET_WORDS(v); i++) v->unset[i] = v->frames.types[frame->unset + i];
    v->this_uninitialized = frame->this_uninitialized;
    return cf_v_works(v, n) ? top : NULL;
}

// --- the exception table ---

// Which locals matter to a handler.
static uint64_t named_by(const struct cf_verifier *v, const struct cf_vframe *frame) {
    const cf_vtype *locals = v->frames.types + frame->locals;
    uint64_t named = 0;
    for (uint32_t i = frame->first; i < frame->locals_count; i++)
        named |= (uint64_t)(locals[i] != CF_V_TOP) << (i < 63 ? i : 63);
    return named;
}

// The handler's frame takes the locals, and on the stack what is caught (JVMS 4.10.1.6). The latter
// is the same wherever it is thrown.
static int find_handler(struct cf_verifier *v, uint32_t i) {
    struct cf_exception e = cf_exception_at(&v->code, i);
    const struct cf_vframe *frame = cf_v_frame_at(v, e.handler_pc);
    if (!frame) return cf_v_fail(v, "no stack map frame at the handler at pc %u", e.handler_pc), 0;
    cf_vtype caught = cf_v_caught(v, e.catch_type);
    if (!caught) return 0;
    if (frame->stack_count != 1)
        return cf_v_fail(v, "operand stack has another depth than the frame at pc %u", frame->pc),
               0;
    if (!v->old_stack && !cf_v_limit_at(v, e.handler_pc))
        return cf_v_fail(v, "exception handler passes max_stack %u", v->old_stack), 0;
    cf_vtype needed = v->frames.types[frame->stack];
    if (!cf_v_takes(v, needed, caught))
        return cf_v_mismatch(v, "frame of the exception handler", caught, needed), 0;
    // Mostly an entry has the handler of the one before.
    uint64_t named =
        i && v->handlers[i - 1].frame == frame ? v->handlers[i - 1].named : named_by(v, frame);
    v->handlers[i] = (struct cf_vhandler){e.start_pc, e.end_pc, frame, named};
    return cf_v_works(v, frame->locals_count);
}

enum cf_status cf_v_find_handlers(struct cf_verifier *v) {
    uint32_t count = v->code.exception_table_length;
    v->named = 0;
    v->handlers_count = count;
    if (count > v->handlers_capacity) {
        v->handlers = cf_v_grow(v, NULL, &v->handlers_capacity, 0, count, sizeof *v->handlers);
        if (!v->handlers) return CF_NO_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (find_handler(v, i)) continue;
        if (!v->is_marked || v->failure->error.status != CF_UNVERIFIABLE)
            return v->failure->error.status;
        // A bad handler counts where something is thrown to it.
        struct cf_exception e = cf_exception_at(&v->code, i);
        v->handlers[i] = (struct cf_vhandler){e.start_pc, e.end_pc, NULL, 0};
        *v->failure = (struct cf_verify_failure){.method = v->method};
    }
    return CF_OK;
}

uint32_t cf_v_match_handlers(struct cf_verifier *v, uint32_t stop) {
    const struct cf_vframe *last = NULL; // the frame that was matched last
    uint32_t pc = v->pc;
    if (!cf_v_works(v, v->handlers_count)) return 0;
    v->named = 0;
    for (uint32_t i = 0; i < v->handlers_count; i++) {
        const struct cf_vhandler *h = &v->handlers[i];
        if (pc < h->start) {
            if (h->start < stop) stop = h->start;
        } else if (pc < h->end && (h->frame != last || !last)) {
            if (!h->frame && !find_handler(v, i)) return 0;
            if (match_locals(v, h->frame, "frame of the exception handler") != CF_OK) return 0;
            v->named |= h->named;
            last = h->frame;
        }
    }
    return stop;
}

// --- control ---

static inline enum cf_status go_to(struct cf_verifier *v, uint32_t target, const cf_vtype *top) {
    const struct cf_vframe *frame = cf_v_frame_at(v, target);
    if (!frame) return cf_v_fail(v, "no stack map frame at the target, pc %u", target);
    return match(v, frame, top, "frame of the branch's target");
}

enum cf_status cf_v_open_switch(struct cf_verifier *v, struct cf_switch *sw) {
    if (!cf_instruction_length(v->code.bytes, v->pc, v->code.length))
        return cf_v_fail(v, "switch is not whole", 0);
    cf_switch_open(&v->code, v->pc, sw);
    for (uint32_t i = v->pc + 1; v->cls->major_version < 51 && (i & 3); i++)
        if (v->code.bytes[i]) return cf_v_fail(v, "switch padded with other than zeros", 0);
    return CF_OK;
}

enum cf_status cf_v_check_order(struct cf_verifier *v, const struct cf_switch *sw, uint32_t i) {
    if (!i || sw->is_table || cf_switch_match(sw, i) > cf_switch_match(sw, i - 1)) return CF_OK;
    return cf_v_fail(v, "lookupswitch not in order at pair %u", i);
}

CF_SELDOM static enum cf_status check_switch(struct cf_verifier *v, const cf_vtype *top) {
    struct cf_switch sw;
    CF_TRY(cf_v_open_switch(v, &sw));
    CF_TRY(go_to(v, sw.default_pc, top));
    for (uint32_t i = 0; i < sw.count; i++) {
        CF_TRY(cf_v_check_order(v, &sw, i));
        CF_TRY(go_to(v, cf_switch_target(&sw, i), top));
    }
    v->pc += sw.length;
    return CF_OK;
}

CF_SELDOM static enum cf_status check_value(struct cf_verifier *v, cf_vtype type,
                                            const cf_vtype *top) {
    int two = type == CF_V_LONG || type == CF_V_DOUBLE;
    if (v->result == CF_V_TOP) return cf_v_fail(v, "method does not return a value", 0);
    if (top[-1] != type + (two ? CF_V_LONG_2 - CF_V_LONG : 0))
        return cf_v_bad_stack(v, top, type), CF_UNVERIFIABLE;
    return v->result == type ? CF_OK : cf_v_mismatch(v, "returned value", type, v->result);
}

CF_SELDOM enum cf_status cf_v_check_return(struct cf_verifier *v, const cf_vtype *top) {
    const struct cf_vrow *row = &cf_v_rows[v->code.bytes[v->pc]];
    cf_vtype throwable = cf_v_known_class(CF_KNOWN_THROWABLE);
    switch (row->kind) {
    case CF_V_RETURN_VALUE: return check_value(v, row->second, top);
    case CF_V_RETURN_REFERENCE:
        if (CF_V_TAG(top[-1]) < CF_V_UNINITIALIZED)
            return cf_v_bad_top(v, top, "operand stack holds no reference"), CF_UNVERIFIABLE;
        if (v->result && cf_v_takes(v, v->result, top[-1])) return CF_OK;
        return cf_v_mismatch(v, "returned value", top[-1], v->result);
    case CF_V_RETURN:
        if (v->result) return cf_v_fail(v, "method has to return a value", 0);
        if (!v->is_constructor || !v->this_uninitialized) return CF_OK;
        return cf_v_fail(v, "constructor returns without having called another", 0);
    default:
        if (CF_V_TAG(top[-1]) == throwable) return CF_OK; // mostly
        if (CF_V_TAG(top[-1]) >= CF_V_NULL && cf_v_takes(v, throwable, top[-1])) return CF_OK;
        return cf_v_bad_stack(v, top, throwable), CF_UNVERIFIABLE;
    }
}

int cf_v_leave(struct cf_verifier *v, const struct cf_vrow *row, const cf_vtype *top) {
    enum cf_status status;
    if (v->is_stepping) return 0;
    if (row->kind <= CF_V_GOTO)
        status = go_to(v, cf_branch_target(v->code.bytes, v->pc), top);
    else if (row->kind == CF_V_SWITCH)
        status = check_switch(v, top);
    else if (row->kind == CF_V_SUBROUTINE)
        status = cf_v_fail(v, CF_V_NO_SUBROUTINES, 0);
    else
        status = cf_v_check_return(v, top);
    if (status != CF_OK) return -1;
    if (row->kind == CF_V_BRANCH) return 1;
    v->pc += row->length;
    return 0;
}

// --- all of it ---

// The next frame, up to which the code has come. Returns the stack's top; NULL: failed.
static inline cf_vtype *take_frame(struct cf_verifier *v, const struct cf_vframe *frame, int falls,
                                   const cf_vtype *top) {
    if (v->pc > frame->pc) { // of code that is not marked
        cf_v_fail(v, "stack map frame at pc %u, which is not an instruction", frame->pc);
        return NULL;
    }
    if (falls && match(v, frame, top, "frame") != CF_OK) return NULL;
    if (frame->stack_count > v->old_stack && frame->stack_count > cf_v_limit_at(v, v->pc))
        return cf_v_fail(v, "stack map frame passes max_stack %u", v->old_stack), NULL;
    return load(v, frame);
}

enum cf_status cf_v_check_code(struct cf_verifier *v, const struct cf_vframe *frame, int falls) {
    uint32_t length = v->code.length;
    cf_vtype *top = v->stack + CF_V_SLACK;
    v->is_stepping = 0;
    while (v->pc < length) {
        if (v->pc >= frame->pc) {
            if (!(top = take_frame(v, frame++, falls, top))) return CF_UNVERIFIABLE;
        } else if (!falls) {
            return cf_v_fail(v, "no stack map frame behind code that does not fall through", 0);
        }
        uint32_t stop = frame->pc < length ? frame->pc : length;
        if (v->handlers_count && !(stop = cf_v_match_handlers(v, stop))) return CF_UNVERIFIABLE;
        v->unmatched = 0;
        falls = 1;
        if (!(top = cf_v_run(v, top, stop, &falls))) return CF_UNVERIFIABLE;
    }
    if (v->pc != length) return cf_v_fail(v, "instruction is not whole", 0);
    return falls ? cf_v_fail(v, "control falls off the end of the code", 0) : CF_OK;
}
