// The verifier's view of the StackMapTable (JVMS 4.7.4, 4.10.1.6): all frames of a method by slots.

#include "classfile/frames.h"
#include "classfile/verify/internal.h"

#define MOST_TYPES (1u << 22)

// The table being read. Behind its end all is 0.
struct table {
    struct cf_verifier *v;
    const struct cf_code *code;
    struct cf_vframes *frames;
    const uint8_t *p, *end;
    // The frame before, then the one at hand. Not in the order of struct cf_vframe: what has just
    // been stored in parts would be loaded as a whole, for which processors wait.
    uint32_t locals, locals_count, first, stack, pc, unset, stack_count;
    int this_uninitialized;
    uint32_t tops; // so many of the types read last come first, and are TOP
    int met_this;  // uninitializedThis is among the types
    int is_cut;    // the end was passed
};

static enum cf_status bad_frame(struct table *t, const char *reason, uint32_t value) {
    t->v->pc = t->pc == UINT32_MAX ? 0 : t->pc;
    return cf_v_fail(t->v, reason, value);
}

static inline uint32_t read_number(struct table *t, uint32_t size) {
    if ((uint32_t)(t->end - t->p) < size) {
        t->is_cut = 1;
        t->p = t->end;
        return 0;
    }
    t->p += size;
    return size == 1 ? t->p[-1] : cf_be2(t->p - 2);
}

// Room for so many slots behind those that are there.
static cf_vtype *room(struct table *t, uint32_t more) {
    struct cf_vframes *f = t->frames;
    uint32_t wanted = f->types_count + more + CF_V_PIECE;
    if (wanted > f->types_capacity) {
        if (wanted > MOST_TYPES)
            return cf_v_give_up(t->v, CF_LIMIT, "stack map frames are too large to check"), NULL;
        f->types =
            cf_v_grow(t->v, f->types, &f->types_capacity, f->types_count, wanted, sizeof *f->types);
        if (!f->types) return NULL;
    }
    return f->types + f->types_count;
}

// A type that is not simple. TOP: failed.
CF_SELDOM static cf_vtype read_type(struct table *t, unsigned tag) {
    struct cf_verifier *v = t->v;
    if (tag == CF_TYPE_UNINITIALIZED_THIS) {
        t->met_this = 1;
        return CF_V_UNINITIALIZED_THIS;
    }
    if (tag > CF_TYPE_UNINITIALIZED)
        return bad_frame(t, "stack map frame: unknown type %u", tag), CF_V_TOP;
    uint32_t operand = read_number(t, 2);
    if (tag == CF_TYPE_OBJECT) return cf_v_class(v, operand);
    t->frames->has_new = 1;
    if (operand < t->code->length && t->code->bytes[operand] == CF_OP_new &&
        (!v->is_marked || cf_v_is_start(v, operand)))
        return CF_V_MAKE(CF_V_UNINITIALIZED, operand);
    return bad_frame(t, "stack map frame: no new at pc %u", operand), CF_V_TOP;
}

// What a type takes in a frame, by its tag.
static const struct {
    uint8_t type, second, slots;
} simple[] = {[CF_TYPE_TOP] = {CF_V_TOP, CF_V_TOP, 1},
              [CF_TYPE_INTEGER] = {CF_V_INT, CF_V_TOP, 1},
              [CF_TYPE_FLOAT] = {CF_V_FLOAT, CF_V_TOP, 1},
              [CF_TYPE_DOUBLE] = {CF_V_DOUBLE, CF_V_DOUBLE_2, 2},
              [CF_TYPE_LONG] = {CF_V_LONG, CF_V_LONG_2, 2},
              [CF_TYPE_NULL] = {CF_V_NULL, CF_V_TOP, 1}};
enum { SIMPLE_TYPES = sizeof simple / sizeof *simple };

// Appends `count` types; *slots: what they take.
static inline enum cf_status read_types(struct table *t, uint32_t count, uint32_t limit,
                                        uint32_t *slots) {
    // One byte each at least: so many are there as long as there are types to come.
    if (count > (uint32_t)(t->end - t->p)) return bad_frame(t, "stack map frames are cut off", 0);
    const uint8_t *p = t->p, *end = t->end;
    cf_vtype *out = room(t, 2 * count), *start = out;
    if (!out) return CF_UNVERIFIABLE;
    // Frames that were made anew often begin with unused locals.
    for (; count > 0 && *p == CF_TYPE_TOP; count--, p++) *out++ = CF_V_TOP;
    t->tops = (uint32_t)(out - start);
    for (; count > 0; count--) {
        unsigned tag = *p++;
        if (tag < SIMPLE_TYPES) {
            out[0] = simple[tag].type;
            out[1] = simple[tag].second;
            out += simple[tag].slots;
            continue;
        }
        if (tag == CF_TYPE_OBJECT && end - p >= 2) {
            p += 2;
            *out = cf_v_class(t->v, cf_be2(p - 2));
        } else {
            t->p = p;
            *out = read_type(t, tag);
            p = t->p;
        }
        if (!*out++) return CF_UNVERIFIABLE;
        if (count - 1 > (uint32_t)(end - p)) return bad_frame(t, "stack map frames are cut off", 0);
    }
    t->p = p;
    *slots = (uint32_t)(out - start);
    if (*slots > limit) return bad_frame(t, "stack map frame takes more than %u slots", limit);
    t->frames->types_count += *slots;
    return CF_OK;
}

static enum cf_status append(struct table *t, uint32_t count) {
    uint32_t slots = 0, before = t->locals_count;
    // The types before stay where they are if these come right behind them.
    if (t->locals + before != t->frames->types_count) {
        cf_vtype *out = room(t, before);
        if (!out) return CF_UNVERIFIABLE;
        for (uint32_t i = 0; i < before; i++) out[i] = t->frames->types[t->locals + i];
        t->locals = t->frames->types_count;
        t->frames->types_count += before;
    }
    CF_TRY(read_types(t, count, t->code->max_locals - before, &slots));
    if (t->first == before) t->first += t->tops;
    t->locals_count += slots;
    return CF_OK;
}

static enum cf_status chop(struct table *t, uint32_t count) {
    for (; count > 0; count--) {
        if (t->locals_count == 0) return bad_frame(t, "chop frame: no such local", 0);
        cf_vtype last = t->frames->types[t->locals + --t->locals_count];
        if (last == CF_V_LONG_2 || last == CF_V_DOUBLE_2) t->locals_count--;
    }
    if (t->first > t->locals_count) t->first = t->locals_count;
    return CF_OK;
}

static enum cf_status read_stack(struct table *t, uint32_t count) {
    t->stack = t->frames->types_count;
    if (!count) return CF_OK;
    return read_types(t, count, t->code->max_stack, &t->stack_count);
}

// What is known once the locals are.
static enum cf_status look_at_locals(struct table *t) {
    const cf_vtype *locals = t->frames->types + t->locals;
    t->this_uninitialized = 0;
    if (t->met_this && !cf_v_works(t->v, t->locals_count)) return CF_LIMIT;
    for (uint32_t i = 0; t->met_this && i < t->locals_count; i++)
        if (locals[i] == CF_V_UNINITIALIZED_THIS) t->this_uninitialized = 1;
    return CF_OK;
}

// The strict fields that are not set yet, in front of a frame (frame type 246).
static enum cf_status read_unset(struct table *t) {
    struct cf_verifier *v = t->v;
    uint32_t count = read_number(t, 2), words = CF_V_UNSET_WORDS(v);
    if (count > (uint32_t)(t->end - t->p) / 2)
        return bad_frame(t, "stack map frames are cut off", 0);
    cf_vtype *set = room(t, words);
    if (!set) return CF_UNVERIFIABLE;
    t->unset = t->frames->types_count;
    t->frames->types_count += words;
    memset(set, 0, words * sizeof *set);
    while (count-- > 0) {
        uint32_t index = read_number(t, 2);
        const uint8_t *pair = cf_entry(v->cls, index, CF_TAG_NAME_AND_TYPE);
        struct cf_slice descriptor = cf_utf8(v->cls, pair ? cf_be2(pair + 2) : 0);
        if (!descriptor.length || *descriptor.bytes == '(')
            return bad_frame(t, "stack map frame: constant %u is not a field", index);
        uint32_t i = cf_v_strict_index(v, cf_be2(pair), cf_be2(pair + 2));
        if (i < v->strict_count)
            set[i / 64] |= UINT64_C(1) << (i & 63);
        else if (v->strict_count)
            return bad_frame(t, "stack map frame: constant %u is not a strict field", index);
    }
    return CF_OK;
}

static enum cf_status read_body(struct table *t, unsigned form) {
    if (form < 64) return CF_OK;
    if (form < 128 || form == 247) return read_stack(t, 1);
    if (form == 251) return CF_OK;
    if (form < 251) {
        CF_TRY(chop(t, 251 - form));
    } else if (form < 255) {
        CF_TRY(append(t, form - 251));
    } else {
        t->locals = t->frames->types_count;
        uint32_t count = read_number(t, 2);
        CF_TRY(read_types(t, count, t->code->max_locals, &t->locals_count));
        t->first = t->tops;
        CF_TRY(read_stack(t, read_number(t, 2)));
    }
    return look_at_locals(t);
}

static enum cf_status read_frame(struct table *t) {
    struct cf_verifier *v = t->v;
    unsigned form = read_number(t, 1);
    if (form == CF_FRAME_EARLY_LARVAL && v->cls->major_version >= 69) {
        CF_TRY(read_unset(t));
        form = read_number(t, 1);
    }
    if (form >= 128 && form < 247) return bad_frame(t, "unknown stack map frame type %u", form);
    t->pc += 1 + (form < 128 ? form & 63 : read_number(t, 2)); // from -1 on
    if (t->pc >= t->code->length || (v->is_marked && !cf_v_is_start(v, t->pc)))
        return bad_frame(t, "stack map frame at pc %u, which is not an instruction", t->pc);
    t->stack_count = 0;
    CF_TRY(read_body(t, form));
    return t->is_cut ? bad_frame(t, "stack map frames are cut off", 0) : CF_OK;
}

// The first frame is relative to the state at pc 0.
static enum cf_status begin_locals(struct table *t) {
    struct cf_verifier *v = t->v;
    uint32_t words = CF_V_UNSET_WORDS(v), n = v->locals_used;
    cf_vtype *out = room(t, words + n);
    if (!out) return CF_UNVERIFIABLE;
    for (uint32_t i = 0; i < words; i++) out[i] = v->unset[i];
    for (uint32_t i = 0; i < n; i += CF_V_PIECE)
        memcpy(out + words + i, v->locals + i, CF_V_PIECE * sizeof *out);
    t->locals = words;
    t->locals_count = n;
    t->this_uninitialized = t->met_this = v->this_uninitialized;
    t->frames->types_count = words + n;
    return CF_OK;
}

static enum cf_status make_room(const struct table *t, uint32_t count) {
    struct cf_vframes *f = t->frames;
    struct cf_verifier *v = t->v;
    uint32_t length = t->code->length < 512 ? 512 : t->code->length;
    if (count >= f->capacity) {
        f->all = cf_v_grow(v, NULL, &f->capacity, 0, count + 1, sizeof *f->all);
        if (!f->all) return CF_NO_MEMORY;
    }
    if (count && length > v->frame_at_capacity) {
        v->frame_at = cf_v_grow(v, NULL, &v->frame_at_capacity, 0, length, sizeof *v->frame_at);
        if (!v->frame_at) return CF_NO_MEMORY;
        memset(v->frame_at, 0, v->frame_at_capacity * sizeof *v->frame_at);
    }
    return CF_OK;
}

enum cf_status cf_v_read_frames(struct cf_verifier *v, const struct cf_code *code,
                                struct cf_vframes *frames) {
    struct table t = {.v = v, .code = code, .frames = frames, .pc = UINT32_MAX};
    t.p = code->cls->bytes + code->stack_map_table;
    t.end = t.p + code->stack_map_table_length;
    frames->count = frames->types_count = 0;
    frames->has_new = 0;
    uint32_t count =
        t.p < t.end ? read_number(&t, 2) : 0; // HotSpot takes an empty attribute for none
    if (t.is_cut || count > (uint32_t)(t.end - t.p))
        return bad_frame(&t, "stack map frames are cut off", 0);
    CF_TRY(make_room(&t, count));
    if (count) CF_TRY(begin_locals(&t));
    for (uint32_t i = 0; i < count; i++) {
        CF_TRY(read_frame(&t));
        v->frame_at[t.pc] = (uint16_t)i;
        frames->all[i] =
            (struct cf_vframe){t.pc,    t.locals,      t.locals_count, t.first,
                               t.stack, t.stack_count, t.unset,        t.this_uninitialized};
    }
    frames->count = count;
    frames->all[count].pc = UINT32_MAX;
    return t.p == t.end ? CF_OK : bad_frame(&t, "StackMapTable longer than its frames", 0);
}
