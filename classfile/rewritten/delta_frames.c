// The stack map frames of a rewritten method next to those of the original (JVMS 4.7.4).

#include "classfile/frames.h"
#include "classfile/rewritten/internal.h"

// --- reading ---

static int next_u2(struct cf_same_table *t, uint32_t *value) {
    if (t->end - t->p < 2) return 0;
    *value = cf_be2(t->p);
    t->p += 2;
    return 1;
}

// The beginning of the next frame.
static int next_head(struct cf_same_table *t) {
    uint32_t delta;
    if (t->left == 0) {
        t->pc = UINT32_MAX;
        return t->p == t->end;
    }
    t->left--;
    if (t->p == t->end) return 0;
    t->form = *t->p++;
    delta = t->form & 63;
    if (t->form >= 247) {
        if (!next_u2(t, &delta)) return 0;
    } else if (t->form >= 128) {
        return 0;
    }
    t->pc += delta + 1; // from -1 on
    return 1;
}

// Appends `count` types to the *slots that there are of `words`, up to `limit`; behind them there
// is room for as many again and one more, which becomes TOP. Which tag comes next cannot be
// predicted: an operand is read in any case, beyond the last type too, since the class does not end
// there.
static int read_types(struct cf_same_table *t, uint32_t count, uint32_t *words, uint32_t limit,
                      uint32_t *slots) {
    const uint8_t *p = t->p, *end = t->end;
    uint32_t n = *slots, unknown = 0;
    if (count > limit - n) return 0;
    for (; count > 0; count--) {
        if (p >= end) return 0;
        uint32_t tag = p[0], operand = tag >= CF_TYPE_OBJECT ? cf_be2(p + 1) : 0;
        unknown |= tag > CF_TYPE_UNINITIALIZED;
        words[n] = CF_SAME_WORD(tag, operand);
        words[n + 1] = CF_SAME_SECOND; // if it has one
        n += tag - CF_TYPE_DOUBLE <= CF_TYPE_LONG - CF_TYPE_DOUBLE ? 2u : 1u;
        p += tag >= CF_TYPE_OBJECT ? 3 : 1;
    }
    t->p = p;
    *slots = n;
    if (p > end || n > limit || unknown) return 0;
    words[n] = CF_TYPE_TOP;
    return 1;
}

static int chop(struct cf_same_table *t, uint32_t count) {
    for (; count > 0; count--) {
        if (t->locals_count == 0) return 0;
        t->locals_count -= t->locals[t->locals_count - 1] == CF_SAME_SECOND ? 2 : 1;
    }
    return 1;
}

static int read_full(struct cf_same_table *t) {
    uint32_t count;
    t->locals_count = 0;
    return next_u2(t, &count) &&
           read_types(t, count, t->locals, t->limit_locals, &t->locals_count) &&
           next_u2(t, &count) && read_types(t, count, t->stack, t->limit_stack, &t->stack_count);
}

// What follows the head of a frame.
static int read_body(struct cf_same_table *t) {
    unsigned form = t->form;
    uint32_t before = t->locals_count;
    t->stack_count = 0;
    if (form < 64 || form == 251) return 1;
    if (form < 128 || form == 247)
        return read_types(t, 1, t->stack, t->limit_stack, &t->stack_count);
    if (form < 251) {
        if (!chop(t, 251 - form)) return 0;
    } else if (form < 255) {
        if (!read_types(t, form - 251, t->locals, t->limit_locals, &t->locals_count)) return 0;
    } else if (!read_full(t)) {
        return 0;
    }
    for (uint32_t i = t->locals_count; i < before; i++) t->locals[i] = CF_TYPE_TOP;
    return 1;
}

// --- the state at pc 0 ---

static int initial_locals(struct cf_same *s, uint32_t *words, uint32_t limit, uint32_t *slots) {
    const struct cf_class *cls = s->rewrite->cls;
    const struct cf_member *method = s->was->method;
    struct cf_slice d = cf_member_descriptor(cls, method);
    uint32_t n = 0;
    if (d.length < 3) return 0;
    const uint8_t *p = d.bytes + 1, *end = d.bytes + d.length;
    if (!(method->access_flags & CF_ACC_STATIC)) {
        if (limit == 0) return 0;
        words[n++] = s->is_constructor ? CF_SAME_WORD(CF_TYPE_UNINITIALIZED_THIS, 0)
                                       : CF_SAME_WORD(CF_TYPE_OBJECT, cls->this_class);
    }
    while (p < end && *p != ')') {
        unsigned tag = cf_tag_of_letter[*p];
        if (!tag || n + 2 > limit + (tag != CF_TYPE_LONG && tag != CF_TYPE_DOUBLE)) return 0;
        words[n++] = tag == CF_TYPE_OBJECT ? CF_SAME_WORD(CF_SAME_PARAMETER, p - d.bytes) : tag;
        if (tag == CF_TYPE_LONG || tag == CF_TYPE_DOUBLE) words[n++] = CF_SAME_SECOND;
        if (!(p = cf_after_type(p, end))) return 0;
    }
    *slots = n;
    return p < end;
}

// Only frames of other forms than `full` build on it.
static int begin_locals(struct cf_same *s) {
    uint32_t n;
    if (!initial_locals(s, s->old.locals, s->old.limit_locals, &n)) return 0;
    memcpy(s->now.locals, s->old.locals, n * sizeof *s->now.locals);
    s->old.locals_count = s->now.locals_count = n;
    s->has_initial = 1;
    return 1;
}

// --- opening ---

static int open_table(struct cf_same_table *t, const struct cf_code *code) {
    uint32_t count = 0;
    t->p = code->cls->bytes + code->stack_map_table;
    t->end = t->p + code->stack_map_table_length;
    t->pc = UINT32_MAX;
    t->limit_locals = code->max_locals;
    t->limit_stack = code->max_stack;
    t->locals_count = t->stack_count = 0;
    t->behind = 0;
    if (code->stack_map_table && !next_u2(t, &count)) return 0;
    t->left = count;
    return next_head(t);
}

// Words are cleared so many at a time, beyond the last one too.
#define CLEARED 16

static int make_room(struct cf_same *s, uint32_t frames) {
    struct cf_verifier *v = s->v;
    // Each type may turn out to take two slots.
    uint32_t locals = 2 * v->code.max_locals + 2u, stack = 2 * v->code.max_stack + 2u;
    uint32_t words = 2 * (locals + stack) + CLEARED;
    if (words > s->words_capacity) {
        s->words = cf_v_grow(v, NULL, &s->words_capacity, 0, words, sizeof *s->words);
        if (!s->words) return 0;
    }
    s->old.locals = s->words;
    s->now.locals = s->words + locals;
    s->old.stack = s->words + 2 * locals;
    s->now.stack = s->old.stack + stack;
    for (uint32_t i = 0; i < 2 * locals; i += CLEARED)
        memset(s->words + i, CF_TYPE_TOP, CLEARED * sizeof *s->words);
    if (frames > s->frames_capacity) {
        s->frames = cf_v_grow(v, NULL, &s->frames_capacity, 0, frames, sizeof *s->frames);
        if (!s->frames) return 0;
    }
    if (s->was->length > s->frame_at_capacity) {
        s->frame_at = cf_v_grow(v, NULL, &s->frame_at_capacity, 0,
                                s->was->length < 512 ? 512 : s->was->length, sizeof *s->frame_at);
        if (!s->frame_at) return 0;
        memset(s->frame_at, 0, s->frame_at_capacity * sizeof *s->frame_at);
    }
    return 1;
}

// They are TOP.
static void begin_named(struct cf_same_named *named, uint32_t new_locals) {
    static const uint32_t tops[CF_SAME_LOCALS];
    cf_same_copy(named->words, tops, new_locals);
    cf_same_copy(named->types, tops, new_locals);
    named->count = 0;
}

int cf_same_open_frames(struct cf_same *s) {
    const struct cf_code *now = &s->v->code;
    s->frames_count = s->frames_moved = 0;
    s->has_initial = 0;
    begin_named(&s->named, s->new_locals);
    uint32_t most = now->stack_map_table_length; // a byte each at least
    if (!make_room(s, most < 65535 ? most + 1 : 65536)) return 0;
    if (!open_table(&s->old, s->was) || !open_table(&s->now, now)) return 0;
    return s->old.pc == UINT32_MAX || begin_locals(s);
}

// --- comparing ---

static struct cf_slice class_of(const struct cf_same *s, uint32_t word) {
    struct cf_slice none = {NULL, 0};
    if (CF_SAME_TAG(word) == CF_TYPE_OBJECT) return cf_class_name(s->view, CF_SAME_OPERAND(word));
    if (CF_SAME_TAG(word) != CF_SAME_PARAMETER) return none;
    // A class by its name, an array by its descriptor.
    struct cf_slice d = cf_member_descriptor(s->rewrite->cls, s->was->method);
    const uint8_t *p = d.bytes + CF_SAME_OPERAND(word), *end = cf_after_type(p, d.bytes + d.length);
    if (!end) return none;
    struct cf_slice name = {p, (uint32_t)(end - p)};
    if (*p != '[') name = (struct cf_slice){p + 1, (uint32_t)(end - p) - 2};
    return name;
}

// Words that differ may mean the same: a `new` has moved, a class has another constant.
static int are_same(struct cf_same *s, uint32_t *old, uint32_t now) {
    unsigned tag = CF_SAME_TAG(*old);
    if (*old == now && tag != CF_TYPE_UNINITIALIZED) return 1;
    if (tag == CF_TYPE_UNINITIALIZED)
        return CF_SAME_TAG(now) == tag && CF_SAME_OPERAND(*old) < s->was->length &&
               CF_SAME_OPERAND(now) < s->v->code.length &&
               s->v->code.bytes[CF_SAME_OPERAND(now)] == CF_OP_new &&
               cf_same_at(s, CF_SAME_OPERAND(*old)) == CF_SAME_OPERAND(now);
    if (CF_SAME_TAG(now) != CF_TYPE_OBJECT || !cf_slice_equal(class_of(s, *old), class_of(s, now)))
        return 0;
    *old = now;
    return 1;
}

// Mostly the words are the same.
static int same_types(struct cf_same *s, uint32_t *old, const uint32_t *now, uint32_t count) {
    uint32_t other = 0;
    for (uint32_t i = 0; i < count; i++)
        other |= (old[i] ^ now[i]) | (CF_SAME_TAG(old[i]) == CF_TYPE_UNINITIALIZED);
    for (uint32_t i = 0; other && i < count; i++)
        if (!are_same(s, &old[i], now[i])) return 0;
    return 1;
}

static int same_locals(struct cf_same *s) {
    uint32_t most = s->was->max_locals, n = s->now.locals_count < most ? s->now.locals_count : most;
    return same_types(s, s->old.locals, s->now.locals,
                      s->old.locals_count > n ? s->old.locals_count : n);
}

// --- the new locals ---

// Types as the quick check has them.
static int name_locals(struct cf_same *s) {
    static const uint8_t simple[CF_TYPE_OBJECT] = {
        [CF_TYPE_TOP] = CF_V_TOP,       [CF_TYPE_INTEGER] = CF_V_INT, [CF_TYPE_FLOAT] = CF_V_FLOAT,
        [CF_TYPE_DOUBLE] = CF_V_DOUBLE, [CF_TYPE_LONG] = CF_V_LONG,   [CF_TYPE_NULL] = CF_V_NULL};
    for (uint32_t i = 0; i < s->new_locals; i++) {
        uint32_t word = s->named.words[i], tag = CF_SAME_TAG(word);
        cf_vtype type = tag < CF_TYPE_OBJECT ? simple[tag] : CF_V_TOP;
        if (tag == CF_SAME_SECOND && i > 0)
            type = s->named.types[i - 1] + (CF_V_LONG_2 - CF_V_LONG);
        else if (tag == CF_TYPE_OBJECT && CF_SAME_OPERAND(word) < s->view->constant_pool_count)
            type = cf_q_class_at(s->q, CF_SAME_OPERAND(word));
        if (!type && tag != CF_TYPE_TOP) return 0;
        s->named.types[i] = type;
    }
    return 1;
}

// Another method may have more of them.
static void keep_usual(struct cf_same_named *usual, const struct cf_same_named *named) {
    memset(usual, CF_TYPE_TOP, sizeof *usual);
    for (uint32_t i = 0; i < named->count; i++) {
        usual->words[i] = named->words[i];
        usual->types[i] = named->types[i];
    }
    usual->count = named->count;
}

// Of the frame just read, whose locals may have changed.
static int take_new_locals(struct cf_same *s) {
    const uint32_t *words = s->now.locals + s->was->max_locals;
    struct cf_same_named *named = &s->named;
    if (cf_same_words(named->words, words, s->new_locals)) return 1;
    cf_same_copy(named->words, words, s->new_locals);
    named->count = s->new_locals;
    while (named->count && words[named->count - 1] == CF_TYPE_TOP) named->count--;
    if (!name_locals(s)) return 0;
    if (named->count) keep_usual(&s->usual, named);
    return 1;
}

// What the frame names of the new locals must hold, unless nothing comes in from above (`falls` 0);
// from there on no more is known.
static int load_new_locals(struct cf_same *s, uint32_t new_pc, int falls) {
    const cf_vtype *types = s->named.types;
    if (cf_same_words(s->locals, types, s->new_locals)) return 1;
    if (falls && !cf_q_take_all(s->q, types, s->locals, 0, s->new_locals)) return 0;
    for (uint32_t i = 0; i < s->new_locals; i++) s->locals[i] = types[i];
    return cf_same_note_state(s, new_pc);
}

// --- a frame next to that of the original ---

// The words of the locals, before the original's change.
static void catch_up(struct cf_same *s) {
    uint32_t most = s->was->max_locals;
    if (!s->now.behind) return;
    for (uint32_t i = 0; i < most; i++) s->now.locals[i] = s->old.locals[i];
    for (uint32_t i = 0; i < s->new_locals; i++) s->now.locals[most + i] = s->named.words[i];
    s->now.behind = 0;
}

static int tells_of_locals(unsigned form) {
    return form >= 248 && form != 251;
}

// Reads the new table's frame and compares all of it.
static int take_types(struct cf_same *s, int tells) {
    struct cf_same_table *old = &s->old, *now = &s->now;
    if (!read_body(now) || old->stack_count != now->stack_count) return 0;
    if (old->stack_count && !same_types(s, old->stack, now->stack, old->stack_count)) return 0;
    return !tells || (same_locals(s) && take_new_locals(s));
}

static int take_both(struct cf_same *s) {
    struct cf_same_table *old = &s->old, *now = &s->now;
    int old_tells = tells_of_locals(old->form), now_tells = tells_of_locals(now->form);
    if (now->form != 255 && (old_tells || now_tells)) catch_up(s);
    if (!read_body(old)) return 0;
    if (now->form == 255) {
        if (cf_same_is_full_like(s)) return 1;
        // All words are cleared that may be there.
        if (now->behind) now->locals_count = s->v->code.max_locals;
        now->behind = 0;
    } else if (!old_tells && !now_tells) {
        now->stack_count = 0;
        if (now->form < 64 || now->form == 251) return old->stack_count == 0;
        if (cf_same_is_stack_like(s)) return 1;
    }
    return take_types(s, old_tells || now_tells);
}

// --- frames ---

static unsigned names_of(const struct cf_same_table *t) {
    unsigned names = 0;
    if (!t->locals_count) return 0;
    if (CF_SAME_TAG(t->locals[0]) == CF_TYPE_UNINITIALIZED_THIS) names |= CF_SAME_THIS_FIRST;
    for (uint32_t i = 0; i < t->locals_count; i++) {
        if (CF_SAME_TAG(t->locals[i]) == CF_TYPE_UNINITIALIZED_THIS) names |= CF_SAME_THIS;
        if (CF_SAME_TAG(t->locals[i]) == CF_TYPE_UNINITIALIZED) names |= CF_SAME_UNINITIALIZED;
    }
    for (uint32_t i = 0; i < t->stack_count; i++) {
        if (CF_SAME_TAG(t->stack[i]) == CF_TYPE_UNINITIALIZED_THIS) names |= CF_SAME_THIS;
        if (CF_SAME_TAG(t->stack[i]) == CF_TYPE_UNINITIALIZED) names |= CF_SAME_UNINITIALIZED;
    }
    return names;
}

static void keep_frame(struct cf_same *s, uint32_t old_pc, uint32_t new_pc, unsigned names) {
    struct cf_same_frame frame = {(uint16_t)old_pc, (uint16_t)new_pc,
                                  (uint8_t)(s->states_count - 1), (uint8_t)names};
    s->frames[s->frames_count++] = frame;
}

int cf_same_take_frame(struct cf_same *s, uint32_t new_pc) {
    struct cf_same_table *old = &s->old, *now = &s->now;
    uint32_t pc = old->pc;
    if (now->pc != new_pc || pc >= s->was->length || s->frames_count >= s->frames_capacity)
        return 0;
    if (!take_both(s)) return 0;
    if (s->new_locals && !load_new_locals(s, new_pc, 1)) return 0;
    s->frame_at[pc] = (uint16_t)s->frames_count;
    keep_frame(s, pc, new_pc, s->is_constructor ? names_of(old) : 0);
    s->frames_moved = s->frames_count;
    s->depth_pc = pc;
    s->depth = old->stack_count;
    return next_head(old) && next_head(now);
}

static int is_throwable(struct cf_same *s, uint32_t word) {
    return CF_SAME_TAG(word) == CF_TYPE_OBJECT &&
           CF_SAME_OPERAND(word) < s->view->constant_pool_count &&
           cf_q_class_at(s->q, CF_SAME_OPERAND(word)) == CF_V_CLASS + CF_KNOWN_THROWABLE;
}

// The next frame, which is behind the code. Returns -1, or what it names (keep_frame).
static int read_last(struct cf_same *s) {
    struct cf_same_table *now = &s->now;
    catch_up(s);
    if (now->form != 255 && !s->has_initial && !begin_locals(s)) return -1;
    if (!read_body(now) || now->stack_count != 1 || !is_throwable(s, now->stack[0])) return -1;
    unsigned names = s->is_constructor ? names_of(now) : 0;
    uint32_t n = now->locals_count < s->was->max_locals ? now->locals_count : s->was->max_locals;
    for (uint32_t i = names & CF_SAME_THIS_FIRST ? 1 : 0; i < n; i++)
        if (now->locals[i] != CF_TYPE_TOP) return -1;
    s->throwable_index = CF_SAME_OPERAND(now->stack[0]);
    return take_new_locals(s) ? (int)names : -1;
}

int cf_same_take_last(struct cf_same *s, uint32_t new_pc) {
    struct cf_same_table *now = &s->now;
    int names = 0;
    if (now->pc != new_pc || s->frames_count >= s->frames_capacity) return 0;
    if (now->form != 255 || !cf_same_is_last_like(s)) names = read_last(s);
    if (names < 0 || !load_new_locals(s, new_pc, 0)) return 0;
    keep_frame(s, 0, new_pc, (unsigned)names);
    return next_head(now);
}

cf_vtype cf_same_top(struct cf_same *s) {
    if (!s->old.stack_count) return CF_V_TOP;
    uint32_t word = s->old.stack[s->old.stack_count - 1];
    if (CF_SAME_TAG(word) != CF_TYPE_OBJECT ||
        CF_SAME_OPERAND(word) >= s->view->constant_pool_count)
        return CF_V_TOP;
    return cf_q_class_at(s->q, CF_SAME_OPERAND(word));
}
