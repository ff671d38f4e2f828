// The frames of the quick check: the StackMapTable (JVMS 4.7.4) and the exception table, read once,
// and whether the state at hand is assignable to them.

#include "classfile/frames.h"
#include "classfile/verify/quick.h"

// --- the StackMapTable ---

// The table being read; what is read comes to stand at `out`.
struct table {
    struct cf_quick *q;
    const uint8_t *p, *end;
    struct cf_vframe frame; // the one before, then the one at hand
    int met_this;           // uninitializedThis is among the types
};

// Room for `count` types, of two slots each, behind those that are there.
static cf_vtype *room(struct cf_verifier *v, uint32_t count) {
    uint32_t wanted = v->frame_types_count + 2 * count + CF_Q_PIECE;
    if (wanted > CF_Q_MOST_WORK) return NULL;
    if (wanted > v->frame_types_capacity) {
        cf_vtype *types = cf_v_grow(v, v->frame_types, &v->frame_types_capacity,
                                    v->frame_types_count, wanted, sizeof *types);
        if (!types) return NULL;
        v->frame_types = types;
    }
    return v->frame_types + v->frame_types_count;
}

// What the tags below CF_TYPE_OBJECT are, and how many slots they take.
static const struct {
    uint8_t type, slots;
} simple[CF_TYPE_OBJECT] = {[CF_TYPE_TOP] = {CF_V_TOP, 1},
                            [CF_TYPE_INTEGER] = {CF_V_INT, 1},
                            [CF_TYPE_FLOAT] = {CF_V_FLOAT, 1},
                            [CF_TYPE_DOUBLE] = {CF_V_DOUBLE, 2},
                            [CF_TYPE_LONG] = {CF_V_LONG, 2},
                            [CF_TYPE_NULL] = {CF_V_NULL, 1},
                            [CF_TYPE_UNINITIALIZED_THIS] = {CF_V_UNINITIALIZED_THIS, 1}};

// With the pc of a `new` at `p`. TOP: not here.
static cf_vtype uninitialized(struct table *t, const uint8_t *p) {
    struct cf_verifier *v = t->q->v;
    uint32_t pc = cf_be2(p);
    v->meets_uninitialized = 1;
    if (pc >= v->code.length || v->code.bytes[pc] != CF_OP_new) return CF_V_TOP;
    return CF_V_MAKE(CF_V_UNINITIALIZED, pc);
}

// Appends `count` types, at least one. *slots: what they take, no more than `limit`. 1, or 0: not
// here.
static int read_types(struct table *t, uint32_t count, uint32_t limit, uint32_t *slots) {
    struct cf_quick *q = t->q;
    const uint8_t *p = t->p, *end = t->end;
    uint32_t constants = q->v->cls->constant_pool_count, met = 0;
    // One byte each at least: the count is not believed before the bytes are there.
    if (count > (uint32_t)(end - p)) return 0;
    cf_vtype *out = room(q->v, count), *start = out;
    if (!out) return 0;
    for (; count > 0; count--) {
        if (p >= end) return 0;
        unsigned tag = *p++;
        if (tag < CF_TYPE_OBJECT) {
            out[0] = simple[tag].type;
            out[1] = out[0] + (CF_V_LONG_2 - CF_V_LONG);
            out += simple[tag].slots;
            met |= 1u << tag;
            continue;
        }
        if (end - p < 2 || tag > CF_TYPE_UNINITIALIZED) return 0;
        uint32_t index = cf_be2(p);
        if (tag == CF_TYPE_UNINITIALIZED)
            *out = uninitialized(t, p);
        else
            *out = index < constants ? cf_q_class_at(q, index) : CF_V_TOP;
        if (*out++ == CF_V_TOP) return 0;
        p += 2;
    }
    t->p = p;
    if (met >> CF_TYPE_UNINITIALIZED_THIS & 1) t->met_this = 1;
    *slots = (uint32_t)(out - start);
    q->v->frame_types_count += *slots;
    return *slots <= limit;
}

static int append(struct table *t, uint32_t count) {
    struct cf_verifier *v = t->q->v;
    struct cf_vframe *f = &t->frame;
    uint32_t slots, before = f->locals_count;
    // The types before stay where they are if these come right behind them.
    if (f->locals + before != v->frame_types_count) {
        cf_vtype *out = room(v, before);
        if (!out) return 0;
        for (uint32_t i = 0; i < before; i++) out[i] = v->frame_types[f->locals + i];
        f->locals = v->frame_types_count;
        v->frame_types_count += before;
    }
    if (!read_types(t, count, v->code.max_locals - before, &slots)) return 0;
    f->locals_count += slots;
    return 1;
}

static int chop(struct table *t, uint32_t count) {
    struct cf_vframe *f = &t->frame;
    const cf_vtype *locals = t->q->v->frame_types + f->locals;
    for (; count > 0; count--) {
        if (f->locals_count == 0) return 0;
        cf_vtype last = locals[f->locals_count - 1];
        f->locals_count -= last == CF_V_LONG_2 || last == CF_V_DOUBLE_2 ? 2 : 1;
    }
    return 1;
}

static int read_u2(struct table *t, uint32_t *value) {
    if (t->end - t->p < 2) return 0;
    *value = cf_be2(t->p);
    t->p += 2;
    return 1;
}

static int read_stack(struct table *t, uint32_t count) {
    if (count == 0) return 1;
    t->frame.stack = t->q->v->frame_types_count;
    return read_types(t, count, t->q->v->code.max_stack, &t->frame.stack_count);
}

// What is known once the locals are.
static void look_at_locals(struct table *t) {
    struct cf_vframe *f = &t->frame;
    const cf_vtype *locals = t->q->v->frame_types + f->locals;
    f->first = 0;
    while (f->first < f->locals_count && locals[f->first] == CF_V_TOP) f->first++;
    f->this_uninitialized = 0;
    for (uint32_t i = 0; t->met_this && i < f->locals_count; i++)
        if (locals[i] == CF_V_UNINITIALIZED_THIS) f->this_uninitialized = 1;
}

// What follows the offset of a frame that has one of its own.
static int read_body(struct table *t, unsigned form) {
    uint32_t count;
    if (form == 247) return read_stack(t, 1);
    if (form < 251) {
        if (!chop(t, 251 - form)) return 0;
    } else if (form < 255) {
        if (form > 251 && !append(t, form - 251)) return 0;
    } else {
        t->frame.locals = t->q->v->frame_types_count;
        t->frame.locals_count = 0;
        if (!read_u2(t, &count) ||
            (count > 0 &&
             !read_types(t, count, t->q->v->code.max_locals, &t->frame.locals_count)) ||
            !read_u2(t, &count) || !read_stack(t, count))
            return 0;
    }
    if (form != 251) look_at_locals(t);
    return 1;
}

static int read_frame(struct table *t) {
    struct cf_vframe *f = &t->frame;
    if (t->p == t->end) return 0;
    unsigned form = *t->p++;
    uint32_t delta = form & 63;
    f->stack_count = 0;
    if (form >= 247) {
        if (!read_u2(t, &delta)) return 0;
    } else if (form >= 128) {
        return 0;
    }
    f->pc += delta + 1; // from -1 on
    if (f->pc >= t->q->v->code.length) return 0;
    if (form < 64) return 1;
    return form < 128 ? read_stack(t, 1) : read_body(t, form);
}

static int read_frames(struct cf_quick *q) {
    struct cf_verifier *v = q->v;
    struct table t = {.q = q, .frame.pc = UINT32_MAX};
    uint32_t count = 0;
    t.p = v->cls->bytes + v->code.stack_map_table;
    t.end = t.p + v->code.stack_map_table_length;
    v->frames_count = v->frame_types_count = 0;
    v->meets_uninitialized = 0;
    if (v->code.stack_map_table && !read_u2(&t, &count)) return 0;
    if (count > (uint32_t)(t.end - t.p)) return 0;
    if (count + 1 > v->frames_capacity) {
        void *frames = cf_v_grow(v, NULL, &v->frames_capacity, 0, count + 1, sizeof *v->frames);
        if (!frames) return 0;
        v->frames = frames;
    }
    if (count) { // the first frame is relative to the state at pc 0
        cf_vtype *out = room(v, v->locals_used);
        if (!out) return 0;
        for (uint32_t i = 0; i < v->locals_used; i++) out[i] = v->locals[i];
        v->frame_types_count = t.frame.locals_count = v->locals_used;
        t.frame.this_uninitialized = t.met_this = v->this_uninitialized;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!read_frame(&t)) return 0;
        q->frame_at[t.frame.pc] = (uint16_t)i;
        v->frames[i] = t.frame;
    }
    v->frames_count = count;
    v->frames[count].pc = UINT32_MAX; // behind the last one
    return t.p == t.end;
}

// --- the exception table ---

// The handler's frame takes the locals, and on the stack what is caught (JVMS 4.10.1.6). The latter
// is the same wherever it is thrown.
static int takes_exception(struct cf_quick *q, const struct cf_vframe *frame, uint32_t catch_type) {
    static const cf_vtype throwable = CF_V_CLASS + CF_KNOWN_THROWABLE;
    if (catch_type >= q->v->cls->constant_pool_count) return 0;
    cf_vtype caught = catch_type ? cf_q_class_at(q, catch_type) : throwable;
    return caught && cf_q_takes(q, throwable, caught) && frame->stack_count == 1 &&
           cf_q_takes(q, q->v->frame_types[frame->stack], caught);
}

// Which locals matter to a handler.
static uint64_t named_by(const struct cf_verifier *v, const struct cf_vframe *frame) {
    const cf_vtype *locals = v->frame_types + frame->locals;
    uint64_t named = 0;
    for (uint32_t i = frame->first; i < frame->locals_count; i++)
        named |= (uint64_t)(locals[i] != CF_V_TOP) << (i < 63 ? i : 63);
    return named;
}

static int read_exceptions(struct cf_quick *q) {
    struct cf_verifier *v = q->v;
    uint32_t count = v->code.exception_table_length, last = UINT32_MAX;
    const uint8_t *p = v->cls->bytes + v->code.exception_table;
    v->named = 0;
    q->handlers_count = count;
    q->work += count;
    if (count > q->handlers_capacity) {
        q->handlers = cf_v_grow(v, NULL, &q->handlers_capacity, 0, count, sizeof *q->handlers);
        if (!q->handlers) return 0;
    }
    for (uint32_t i = 0; i < count; i++, p += 8) {
        struct cf_qhandler *h = &q->handlers[i];
        uint32_t pc = cf_be2(p + 4);
        h->start = cf_be2(p);
        h->end = cf_be2(p + 2);
        h->frame = cf_q_frame_at(q, pc);
        if (h->start >= h->end || h->end > v->code.length || !h->frame) return 0;
        if (!takes_exception(q, h->frame, cf_be2(p + 6))) return 0;
        if (pc != last) v->named |= named_by(v, h->frame); // mostly it has several entries
        last = pc;
        if ((q->work += h->frame->locals_count) > CF_Q_MOST_WORK) return 0;
    }
    return 1;
}

int cf_q_read_tables(struct cf_quick *q) {
    struct cf_verifier *v = q->v;
    if (v->code.length > q->frame_at_capacity) {
        q->frame_at = cf_v_grow(v, NULL, &q->frame_at_capacity, 0,
                                v->code.length < 256 ? 256 : v->code.length, sizeof *q->frame_at);
        if (!q->frame_at) return 0;
        memset(q->frame_at, 0, q->frame_at_capacity * sizeof *q->frame_at);
    }
    if (!v->code.exception_table_length) {
        v->named = 0;
        q->handlers_count = 0;
        return read_frames(q);
    }
    return read_frames(q) && read_exceptions(q);
}
