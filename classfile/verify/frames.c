// The verifier's view of the StackMapTable (JVMS 4.7.4, 4.10.1.6): all frames of a method by slots,
// and whether the state at hand is assignable to one.

#include "classfile/frames.h"
#include "classfile/verify/internal.h"

// The table being read.
struct table {
    struct cf_verifier *v;
    struct cf_reader r;
    struct cf_vframe frame; // the one before, then the one at hand
    int first;
    int met_this; // uninitializedThis is among the types
};

static enum cf_status bad_frame(struct table *t, const char *reason, uint32_t value) {
    t->v->pc = t->frame.pc;
    return cf_v_fail(t->v, reason, value);
}

static cf_vtype *room(struct table *t, uint64_t more) {
    struct cf_verifier *v = t->v;
    uint64_t wanted = v->frame_types_count + more;
    if (wanted > v->frame_types_capacity || !v->frame_types) {
        if (wanted > 1u << 22)
            return cf_v_give_up(v, CF_LIMIT, "stack map frames are too large to check"), NULL;
        cf_vtype *types = cf_v_grow(v, v->frame_types, &v->frame_types_capacity,
                                    v->frame_types_count, wanted, sizeof *types);
        if (!types) return NULL;
        v->frame_types = types;
    }
    return v->frame_types + v->frame_types_count;
}

static enum cf_status read_uninitialized(struct table *t, cf_vtype *type) {
    struct cf_verifier *v = t->v;
    uint32_t pc = cf_u2(&t->r);
    if (pc >= v->code.length || !(v->marks[pc] & CF_V_START) || v->code.bytes[pc] != CF_OP_new)
        return bad_frame(t, "stack map frame: no new at pc %u", pc);
    *type = CF_V_MAKE(CF_V_UNINITIALIZED, pc);
    return CF_OK;
}

// A verification_type_info (JVMS 4.7.4) as one or two slots at *out, which is moved on.
static enum cf_status read_type(struct table *t, cf_vtype **out) {
    static const uint8_t simple[] = {[CF_TYPE_TOP] = CF_V_TOP,
                                     [CF_TYPE_INTEGER] = CF_V_INT,
                                     [CF_TYPE_FLOAT] = CF_V_FLOAT,
                                     [CF_TYPE_DOUBLE] = CF_V_DOUBLE,
                                     [CF_TYPE_LONG] = CF_V_LONG,
                                     [CF_TYPE_NULL] = CF_V_NULL,
                                     [CF_TYPE_UNINITIALIZED_THIS] = CF_V_UNINITIALIZED_THIS};
    unsigned tag = cf_u1(&t->r);
    cf_vtype type = CF_V_TOP;
    if (tag < sizeof simple) {
        type = simple[tag];
        if (type == CF_V_UNINITIALIZED_THIS) t->met_this = 1;
    } else if (tag == CF_TYPE_OBJECT) {
        uint32_t index = cf_u2(&t->r);
        if (!(type = cf_v_class(t->v, index))) return CF_UNVERIFIABLE;
    } else if (tag == CF_TYPE_UNINITIALIZED) {
        CF_TRY(read_uninitialized(t, &type));
    } else {
        return bad_frame(t, "stack map frame: unknown type %u", tag);
    }
    *(*out)++ = type;
    if (type == CF_V_LONG || type == CF_V_DOUBLE) *(*out)++ = type + (CF_V_LONG_2 - CF_V_LONG);
    return CF_OK;
}

// Appends `count` types; *slots: what they take.
static enum cf_status read_types(struct table *t, uint32_t count, uint32_t limit, uint32_t *slots) {
    struct cf_verifier *v = t->v;
    // One byte each at least: the count is not believed before the bytes are there.
    if (count > cf_left(&t->r)) return bad_frame(t, "stack map frames are cut off", 0);
    cf_vtype *out = room(t, 2 * (uint64_t)count);
    if (!out) return CF_UNVERIFIABLE;
    cf_vtype *start = out;
    for (uint32_t i = 0; i < count; i++) CF_TRY(read_type(t, &out));
    *slots = (uint32_t)(out - start);
    if (*slots > limit) return bad_frame(t, "stack map frame takes more than %u slots", limit);
    v->frame_types_count += *slots;
    return CF_OK;
}

static enum cf_status append(struct table *t, uint32_t count) {
    struct cf_verifier *v = t->v;
    struct cf_vframe *f = &t->frame;
    uint32_t slots;
    // The types before stay where they are if these come right behind them.
    if (f->locals + f->locals_count != v->frame_types_count) {
        cf_vtype *out = room(t, f->locals_count);
        if (!out) return CF_UNVERIFIABLE;
        memcpy(out, v->frame_types + f->locals, f->locals_count * sizeof *out);
        f->locals = v->frame_types_count;
        v->frame_types_count += f->locals_count;
    }
    CF_TRY(read_types(t, count, v->code.max_locals - f->locals_count, &slots));
    f->locals_count += slots;
    return CF_OK;
}

static enum cf_status chop(struct table *t, uint32_t count) {
    struct cf_vframe *f = &t->frame;
    for (; count > 0; count--) {
        if (f->locals_count == 0) return bad_frame(t, "chop frame: no such local", 0);
        cf_vtype last = t->v->frame_types[f->locals + --f->locals_count];
        if (last == CF_V_LONG_2 || last == CF_V_DOUBLE_2) f->locals_count--;
    }
    return CF_OK;
}

static enum cf_status read_stack(struct table *t, uint32_t count) {
    t->frame.stack = t->v->frame_types_count;
    return read_types(t, count, t->v->code.max_stack, &t->frame.stack_count);
}

static enum cf_status full(struct table *t) {
    uint32_t count = cf_u2(&t->r);
    t->frame.locals = t->v->frame_types_count;
    CF_TRY(read_types(t, count, t->v->code.max_locals, &t->frame.locals_count));
    count = cf_u2(&t->r);
    return read_stack(t, count);
}

// What is known once the locals are.
static void look_at_locals(struct table *t) {
    struct cf_vframe *f = &t->frame;
    const cf_vtype *locals = t->v->frame_types + f->locals;
    f->first = 0;
    while (f->first < f->locals_count && locals[f->first] == CF_V_TOP) f->first++;
    f->this_uninitialized = 0;
    for (uint32_t i = 0; t->met_this && i < f->locals_count; i++)
        if (locals[i] == CF_V_UNINITIALIZED_THIS) f->this_uninitialized = 1;
}

// The strict fields that are not set yet, in front of a frame (frame type 246).
static enum cf_status read_unset(struct table *t) {
    struct cf_verifier *v = t->v;
    uint32_t count = cf_u2(&t->r), words = (v->strict_count + 31) / 32;
    if (count > cf_left(&t->r) / 2) return bad_frame(t, "stack map frames are cut off", 0);
    cf_vtype *set = room(t, words);
    if (!set) return CF_UNVERIFIABLE;
    t->frame.unset = v->frame_types_count;
    v->frame_types_count += words;
    memset(set, 0, words * sizeof *set);
    while (count-- > 0) {
        uint32_t index = cf_u2(&t->r), i = 0;
        const uint8_t *pair = cf_entry(v->cls, index, CF_TAG_NAME_AND_TYPE);
        if (!pair) return bad_frame(t, "stack map frame: constant %u is no field", index);
        struct cf_slice name = cf_utf8(v->cls, cf_be2(pair)),
                        descriptor = cf_utf8(v->cls, cf_be2(pair + 2));
        while (i < v->strict_count &&
               !(cf_slice_equal(name, cf_utf8(v->cls, v->strict[i].name_index)) &&
                 cf_slice_equal(descriptor, cf_utf8(v->cls, v->strict[i].descriptor_index))))
            i++;
        if (i < v->strict_count)
            set[i / 32] |= 1u << (i & 31);
        else if (v->strict_count)
            return bad_frame(t, "stack map frame: constant %u is no strict field", index);
    }
    return CF_OK;
}

static enum cf_status read_body(struct table *t, unsigned form) {
    if (form < 64) return CF_OK;
    if (form < 128 || form == 247) return read_stack(t, 1);
    if (form < 251)
        CF_TRY(chop(t, 251 - form));
    else if (form < 255)
        CF_TRY(append(t, form - 251));
    else
        CF_TRY(full(t));
    if (form != 251) look_at_locals(t);
    return CF_OK;
}

static enum cf_status read_frame(struct table *t) {
    struct cf_verifier *v = t->v;
    struct cf_vframe *f = &t->frame;
    unsigned form = cf_u1(&t->r);
    uint32_t delta;
    if (form == CF_FRAME_EARLY_LARVAL) {
        CF_TRY(read_unset(t));
        form = cf_u1(&t->r);
    }
    if (form < 64)
        delta = form;
    else if (form < 128)
        delta = form - 64;
    else if (form < 247)
        return bad_frame(t, "unknown stack map frame type %u", form);
    else
        delta = cf_u2(&t->r);
    f->pc = t->first ? delta : f->pc + delta + 1;
    t->first = 0;
    if (f->pc >= v->code.length || !(v->marks[f->pc] & CF_V_START))
        return bad_frame(t, "stack map frame at pc %u, which is no instruction", f->pc);
    f->stack_count = 0;
    CF_TRY(read_body(t, form));
    if (t->r.error->status) return bad_frame(t, "stack map frames are cut off", 0);
    v->marks[f->pc] |= CF_V_STOP;
    v->frames[v->frames_count++] = *f;
    return CF_OK;
}

// Which locals matter to handlers. Mostly a handler has several entries, one behind the other.
static void find_named(struct cf_verifier *v) {
    uint64_t named = 0;
    uint32_t last = UINT32_MAX;
    const uint8_t *p = v->cls->bytes + v->code.exception_table;
    for (uint32_t n = v->code.exception_table_length; n > 0; n--, p += 8) {
        uint32_t pc = cf_be2(p + 4);
        if (pc == last) continue;
        const struct cf_vframe *frame = cf_v_frame_at(v, last = pc);
        const cf_vtype *locals = frame ? v->frame_types + frame->locals : NULL;
        for (uint32_t i = frame ? frame->first : 0; frame && i < frame->locals_count; i++)
            if (locals[i] != CF_V_TOP) named |= UINT64_C(1) << (i < 63 ? i : 63);
    }
    v->named = named;
}

enum cf_status cf_v_read_frames(struct cf_verifier *v) {
    struct cf_error error = {CF_OK, 0, 0, NULL, 0};
    struct table t = {.v = v, .first = 1};
    v->frames_count = v->frame_types_count = 0;
    if (!v->code.stack_map_table) return CF_OK;
    t.r = cf_read(v->cls, v->code.stack_map_table, v->code.stack_map_table_length, &error);
    uint32_t count = cf_u2(&t.r);
    if (count > cf_left(&t.r)) return bad_frame(&t, "stack map frames are cut off", 0);
    if (count > v->frames_capacity) {
        void *frames = cf_v_grow(v, v->frames, &v->frames_capacity, 0, count, sizeof *v->frames);
        if (!frames) return CF_UNVERIFIABLE;
        v->frames = frames;
    }
    // The first frame is relative to the state at pc 0.
    uint32_t words = (v->strict_count + 31) / 32;
    cf_vtype *out = room(&t, v->locals_used + words);
    if (!out) return CF_UNVERIFIABLE;
    t.frame.locals = words;
    t.frame.locals_count = v->locals_used;
    t.frame.this_uninitialized = t.met_this = v->this_uninitialized;
    if (words) memcpy(out, v->unset, words * sizeof *out);
    memcpy(out + words, v->locals, v->locals_used * sizeof *out);
    v->frame_types_count = words + v->locals_used;
    while (count-- > 0) CF_TRY(read_frame(&t));
    if (t.r.pos != t.r.end) return bad_frame(&t, "StackMapTable longer than its frames", 0);
    find_named(v);
    return CF_OK;
}

const struct cf_vframe *cf_v_frame_at(const struct cf_verifier *v, uint32_t pc) {
    uint32_t low = 0, high = v->frames_count;
    if (high && v->frames[high - 1].pc == pc) return &v->frames[high - 1]; // a catch-all handler
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (v->frames[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->frames_count && v->frames[low].pc == pc ? &v->frames[low] : NULL;
}

// --- matching ---

// What is not set here must not count as set there, as long as `this` is not initialised.
static int unset_matches(const struct cf_verifier *v, const struct cf_vframe *frame) {
    const cf_vtype *there = v->frame_types + frame->unset;
    for (uint32_t i = 0; i < (v->strict_count + 31) / 32; i++)
        if (v->unset[i] & ~there[i]) return 0;
    return 1;
}

static enum cf_status match_locals(struct cf_verifier *v, const struct cf_vframe *frame,
                                   int this_uninitialized, const char *reason) {
    const cf_vtype *there = v->frame_types + frame->locals, *here = v->locals;
    if (!cf_v_works(v, frame->locals_count)) return CF_LIMIT;
    for (uint32_t i = frame->first, n = frame->locals_count; i < n; i++) {
        if (here[i] == there[i]) continue; // mostly
        if (!cf_v_assignable(v, here[i], there[i]))
            return cf_v_mismatch(v, reason, here[i], there[i]);
    }
    if (this_uninitialized > frame->this_uninitialized)
        return cf_v_fail(v, "this is not initialized, other than in the frame at pc %u", frame->pc);
    if (v->strict_count && this_uninitialized && !unset_matches(v, frame))
        return cf_v_fail(v, "strict fields are not set, other than in the frame at pc %u",
                         frame->pc);
    return CF_OK;
}

enum cf_status cf_v_match(struct cf_verifier *v, const struct cf_vframe *frame,
                          const char *reason) {
    uint32_t depth = (uint32_t)(v->top - v->stack) - CF_V_SLACK;
    if (depth != frame->stack_count)
        return cf_v_fail(v, "operand stack has another depth than the frame at pc %u", frame->pc);
    const cf_vtype *there = v->frame_types + frame->stack, *here = v->top - depth;
    for (uint32_t i = 0; i < depth; i++)
        if (!cf_v_assignable(v, here[i], there[i]))
            return cf_v_mismatch(v, reason, here[i], there[i]);
    return match_locals(v, frame, v->this_uninitialized, reason);
}

enum cf_status cf_v_load(struct cf_verifier *v, const struct cf_vframe *frame) {
    const cf_vtype *types = v->frame_types + frame->locals;
    uint32_t n = frame->locals_count;
    if (!cf_v_works(v, n)) return CF_LIMIT;
    for (uint32_t i = 0; i < n; i++) v->locals[i] = types[i];
    for (uint32_t i = n; i < v->locals_used; i++) v->locals[i] = CF_V_TOP;
    v->locals_used = n;
    types = v->frame_types + frame->stack;
    v->top = v->stack + CF_V_SLACK;
    for (uint32_t i = 0; i < frame->stack_count; i++) *v->top++ = types[i];
    if (v->strict_count)
        memcpy(v->unset, v->frame_types + frame->unset, (v->strict_count + 31) / 32 * 4);
    v->this_uninitialized = frame->this_uninitialized;
    v->unmatched = 1;
    return CF_OK;
}

// The handler's frame takes the locals, and on the stack what is caught (JVMS 4.10.1.6).
static enum cf_status match_handler(struct cf_verifier *v, const struct cf_exception *e,
                                    int this_uninitialized) {
    static const char reason[] = "frame of the exception handler";
    const struct cf_vframe *frame = cf_v_frame_at(v, e->handler_pc);
    if (!frame) return cf_v_fail(v, "no stack map frame at the handler at pc %u", e->handler_pc);
    cf_vtype caught = e->catch_type ? cf_v_class(v, e->catch_type) : v->throwable_type;
    if (!caught) return CF_UNVERIFIABLE;
    if (frame->stack_count != 1 || v->code.max_stack < 1)
        return cf_v_fail(v, "operand stack has another depth than the frame at pc %u", frame->pc);
    if (!cf_v_assignable(v, caught, v->frame_types[frame->stack]))
        return cf_v_mismatch(v, reason, caught, v->frame_types[frame->stack]);
    return match_locals(v, frame, this_uninitialized, reason);
}

enum cf_status cf_v_match_handlers(struct cf_verifier *v, int this_uninitialized) {
    const uint8_t *p = v->cls->bytes + v->code.exception_table;
    if (!cf_v_works(v, v->code.exception_table_length)) return CF_LIMIT;
    for (uint32_t n = v->code.exception_table_length; n > 0; n--, p += 8) {
        if (v->pc < cf_be2(p) || v->pc >= cf_be2(p + 2)) continue;
        struct cf_exception e = {cf_be2(p), cf_be2(p + 2), cf_be2(p + 4), cf_be2(p + 6)};
        CF_TRY(match_handler(v, &e, this_uninitialized));
    }
    v->unmatched = 0;
    return CF_OK;
}
