// The way through a rewritten method, next to the original: see verify_same.h.

#include "classfile/rewritten/verify_delta.h"
#include "classfile/rewritten/internal.h"

// --- places ---

// Mostly there are a few, and which one it is cannot be predicted.
#define FEW 8

uint32_t cf_same_piece_of(const struct cf_same *s, uint32_t pc, int by_new) {
    uint32_t low = 0, high = s->pieces_count;
    if (high <= FEW) {
        for (uint32_t i = 1; i < high; i++)
            low += (by_new ? s->pieces[i].before : s->pieces[i].old_pc) <= pc;
        return low;
    }
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        const struct cf_same_piece *p = &s->pieces[middle];
        if ((by_new ? p->before : p->old_pc) <= pc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Among new instructions from `from` on, where one begins.
static int is_new_start(const struct cf_same *s, uint32_t from, uint32_t pc) {
    const uint8_t *code = s->v->code.bytes;
    while (from < pc && cf_lengths[code[from]]) from += cf_lengths[code[from]];
    return from == pc;
}

int cf_same_is_start(const struct cf_same *s, uint32_t pc) {
    if (pc >= s->v->code.length) return pc == s->v->code.length;
    if (pc >= s->body_end) return is_new_start(s, s->body_end, pc);
    const struct cf_same_piece *p = &s->pieces[cf_same_piece_of(s, pc, 1)];
    if (pc < p->at) return is_new_start(s, p->before, pc);
    // A switch may have become longer: behind it comes the next piece.
    uint32_t old_pc = p->old_pc + (pc - p->at);
    return old_pc < p[1].old_pc && (s->was->marks[old_pc] & CF_MARK_START);
}

// --- states ---

int cf_same_takes(struct cf_same *s, uint32_t to, uint32_t from) {
    if (to == from) return 1;
    return cf_q_take_all(s->q, s->states[to].locals, s->states[from].locals, 0, s->new_locals);
}

int cf_same_note_state(struct cf_same *s, uint32_t new_pc) {
    if (s->states_count == CF_SAME_STATES) return 0;
    struct cf_same_state *state = &s->states[s->states_count++];
    state->from = new_pc;
    cf_same_copy(state->locals, s->locals, s->new_locals);
    return 1;
}

// --- the original's instructions ---

static int add_piece(struct cf_same *s, uint32_t old_pc, uint32_t before, uint32_t at) {
    if (s->pieces_count && s->pieces[s->pieces_count - 1].old_pc == old_pc) {
        s->pieces[s->pieces_count - 1].at = at;
        return 1;
    }
    if (s->pieces_count == s->pieces_capacity) {
        s->pieces = cf_v_grow(s->v, s->pieces, &s->pieces_capacity, s->pieces_count,
                              s->pieces_count + 1, sizeof *s->pieces);
        if (!s->pieces) return 0;
    }
    struct cf_same_piece piece = {old_pc, before, at};
    s->pieces[s->pieces_count++] = piece;
    return 1;
}

// A run of the original being compared with the new code.
struct compare {
    struct cf_same *s;
    uint32_t branch, a_switch; // the next ones
    uint32_t old_pc, new_pc;
};

static inline uint64_t difference(const uint8_t *a, const uint8_t *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x ^ y;
}

// The first byte of a difference, where the first `skipped` of the word do not count; 8: none.
static inline uint32_t first_byte(uint64_t word, uint32_t skipped) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = word >> 8 * skipped << 8 * skipped;
    return word ? (uint32_t)__builtin_ctzll(word) / 8 : 8;
#else
    word = word << 8 * skipped >> 8 * skipped;
    return word ? (uint32_t)__builtin_clzll(word) / 8 : 8;
#endif
}

// From the i-th byte on, where two runs differ; n: nowhere. The last word may begin in front of
// them: before any code there are as many bytes as it has, and more.
static inline uint32_t first_difference(const uint8_t *a, const uint8_t *b, uint32_t i,
                                        uint32_t n) {
    for (; i + 8 <= n; i += 8) {
        uint64_t word = difference(a + i, b + i);
        if (word) return i + first_byte(word, 0);
    }
    if (i >= n) return n;
    int64_t last = (int64_t)n - 8;
    return (uint32_t)(last + first_byte(difference(a + last, b + last), (uint32_t)(i - last)));
}

// No switch is in between. Where the bytes differ there must be the operand of a branch.
static inline int same_bytes(struct compare *c, uint32_t end) {
    const struct cf_code *was = c->s->was, *now = &c->s->v->code;
    const uint8_t *a = was->bytes + c->old_pc, *b = now->bytes + c->new_pc;
    uint32_t n = end - c->old_pc, i = 0, pc, behind;
    if (n > now->length - c->new_pc) return 0;
    while ((i = first_difference(a, b, i, n)) < n) {
        do {
            if (c->branch == was->branches_count) return 0;
            pc = was->branches[c->branch++].pc;
            behind = pc + cf_lengths[was->bytes[pc]];
        } while (behind <= c->old_pc + i);
        if (pc >= c->old_pc + i || behind > end) return 0;
        i = behind - c->old_pc;
    }
    c->old_pc = end;
    c->new_pc += n;
    return 1;
}

// A switch has its padding by its place.
static int same_switch(struct compare *c) {
    const struct cf_code *was = c->s->was, *now = &c->s->v->code;
    uint32_t pc = was->switches[c->a_switch++];
    if (pc < c->old_pc || !same_bytes(c, pc)) return 0;
    if (c->new_pc >= now->length || now->bytes[c->new_pc] != was->bytes[pc]) return 0;
    uint32_t length = cf_instruction_length(now->bytes, c->new_pc, now->length);
    struct cf_switch a, b;
    if (!length) return 0;
    cf_switch_open(was, pc, &a);
    cf_switch_open(now, c->new_pc, &b);
    if (a.count != b.count || a.low != b.low) return 0;
    for (uint32_t i = 0; !a.is_table && i < a.count; i++)
        if (cf_switch_match(&a, i) != cf_switch_match(&b, i)) return 0;
    c->old_pc = pc + a.length;
    c->new_pc += length;
    return add_piece(c->s, c->old_pc, c->new_pc, c->new_pc);
}

// From where the comparison is up to old pc `end`.
static inline int same_run(struct compare *c, uint32_t end) {
    const struct cf_code *was = c->s->was;
    while (c->a_switch < was->switches_count && was->switches[c->a_switch] < end)
        if (!same_switch(c)) return 0;
    return same_bytes(c, end);
}

// Finds the pieces. Where something was put in the edit tells: without it the search for that would
// begin at each difference. What it tells is not believed.
static int find_pieces(struct cf_same *s, const struct cf_edit *edit) {
    const struct cf_code *was = s->was;
    struct compare c = {s, 0, 0, 0, 0};
    s->pieces_count = 0;
    if (!add_piece(s, 0, 0, 0)) return 0;
    for (const struct cf_site *site = edit->sites, *end = site + edit->sites_count; site < end;) {
        uint32_t pc = site->pc, added = 0, before;
        if (pc < c.old_pc || pc >= was->length || !(was->marks[pc] & CF_MARK_START)) return 0;
        if (!same_run(&c, pc)) return 0;
        do {
            if (site->where == CF_REPLACE) return 0;
            added += site->snippet->length;
        } while (++site < end && site->pc == pc);
        before = c.new_pc;
        if (added > s->v->code.length - before) return 0;
        c.new_pc += added;
        if (!add_piece(s, pc, before, c.new_pc)) return 0;
    }
    if (!same_run(&c, was->length)) return 0;
    s->body_end = c.new_pc;
    return add_piece(s, was->length, c.new_pc, c.new_pc);
}

// --- where it leads ---

static int leads_there(struct cf_same *s, uint32_t from, uint32_t to, uint32_t old_to) {
    const struct cf_same_frame *frame = cf_same_frame_at(s, old_to);
    return frame && frame->new_pc == to &&
           cf_same_takes(s, frame->state, cf_same_state_at(s, from));
}

static int check_branches(struct cf_same *s) {
    const struct cf_code *was = s->was;
    const struct cf_same_piece *piece = s->pieces;
    for (uint32_t i = 0; i < was->branches_count; i++) {
        uint32_t pc = was->branches[i].pc;
        while (piece[1].old_pc <= pc) piece++; // the last one is at the code's end
        uint32_t from = piece->at + (pc - piece->old_pc);
        if (!leads_there(s, from, cf_v_target(s->v, from), was->branches[i].target)) return 0;
    }
    for (uint32_t i = 0; i < was->switches_count; i++) {
        struct cf_switch a, b;
        uint32_t from = cf_same_at(s, was->switches[i]);
        cf_switch_open(was, was->switches[i], &a);
        cf_switch_open(&s->v->code, from, &b);
        if (!leads_there(s, from, b.default_pc, a.default_pc)) return 0;
        for (uint32_t k = 0; k < a.count; k++)
            if (!leads_there(s, from, cf_switch_target(&b, k), cf_switch_target(&a, k))) return 0;
    }
    return 1;
}

// --- all of it ---

// Room for the state of the method at hand. The verifier's locals are the new ones alone: to new
// code the others are TOP.
static int open_state(struct cf_same *s, const struct cf_code *now) {
    struct cf_verifier *v = s->v;
    if (now->max_locals > s->room_locals || now->max_stack > s->room_stack || !s->room_locals) {
        if (cf_v_state_room(v) != CF_OK) return 0;
        s->room_locals = now->max_locals;
        s->room_stack = now->max_stack;
    }
    for (uint32_t k = 0; k < v->locals_used; k++) v->locals[k] = CF_V_TOP;
    v->locals_used = 0;
    s->locals = v->locals + s->was->max_locals;
    return 1;
}

static void close_state(struct cf_same *s) {
    static const cf_vtype tops[CF_SAME_LOCALS];
    cf_same_copy(s->locals, tops, s->new_locals);
    s->v->locals_used = 0;
}

// Opens both methods, the new one as the verifier's. What the numbers of locals and stack slots
// are is told by the class files alone.
static int open_method(struct cf_same *s, uint32_t i) {
    struct cf_verifier *v = s->v;
    const struct cf_new_code *code = &s->rewrite->code[i];
    struct cf_error error = {CF_OK, 0, 0, NULL, 0};
    s->ignored.error.status = CF_OK;
    v->failure = &s->ignored;
    v->method = &s->view->methods[i];
    v->original = NULL;
    if (cf_code_open(&v->code, s->view, v->method, &error) != CF_OK) return 0;
    const struct cf_code *was = s->was = &code->edit->code, *now = &v->code;
    if (was->has_jsr || now->max_stack < was->max_stack || now->max_locals < was->max_locals)
        return 0;
    s->new_locals = (uint32_t)now->max_locals - was->max_locals;
    if (s->new_locals > CF_SAME_LOCALS || now->max_locals > CF_SAME_SLOTS ||
        now->max_stack > CF_SAME_SLOTS || !open_state(s, now))
        return 0;
    v->old_stack = now->max_stack;
    v->old_locals = now->max_locals;
    v->named = 0;
    v->new_start = v->new_end = 0;
    s->q->old_constants = s->view->constant_pool_count;
    s->is_constructor = cf_is_constructor(s->rewrite->cls, was->method);
    s->delegate_known = 0;
    s->depth_pc = s->depth = 0;
    s->states_count = 0;
    return cf_same_note_state(s, 0);
}

static int check_code(struct cf_same *s) {
    for (uint32_t i = 0; i < s->pieces_count; i++) {
        const struct cf_same_piece *piece = &s->pieces[i];
        while (s->old.pc < piece->old_pc)
            if (!cf_same_take_frame(s, piece[-1].at + (s->old.pc - piece[-1].old_pc))) return 0;
        if (piece->before < piece->at && !cf_same_check_piece(s, piece)) return 0;
    }
    return s->old.pc == UINT32_MAX && cf_same_check_rest(s);
}

static int check_method(struct cf_same *s, const struct cf_edit *edit) {
    if (!find_pieces(s, edit) || !cf_same_open_frames(s) || !check_code(s)) return 0;
    if ((s->was->branches_count || s->was->switches_count) && !check_branches(s)) return 0;
    if (s->v->code.exception_table_length + s->was->exception_table_length &&
        !cf_same_check_exceptions(s))
        return 0;
    return !s->v->code.has_others || cf_same_check_variables(s);
}

int cf_same_method(struct cf_same *s, uint32_t i) {
    if (!open_method(s, i)) return 0;
    int shown = check_method(s, s->rewrite->code[i].edit);
    close_state(s);
    return shown;
}

// Version 50 may be verified in the old way (JVMS 4.10), and what is strict is rare.
struct cf_same *cf_same_new(struct cf_rewrite *rewrite, const struct cf_class *view,
                            struct cf_verifier *v, struct cf_same_memory *memory) {
    const struct cf_class *cls = rewrite->cls;
    uint32_t constants = 10; // magic, versions, count
    if (cls->major_version < 51 || cf_v_may_be_strict(cls)) return NULL;
    if (memcmp(view->bytes + constants, cls->bytes + constants, cls->constant_pool_end - constants))
        return NULL;
    struct cf_same *s = cf_arena_alloc(cls->arena, sizeof *s);
    if (!s) return NULL;
    memset(s, 0, offsetof(struct cf_same, states));
    v->failure = &s->ignored;
    if (!v->this_name.bytes) cf_v_learn(v);
    if (!v->quick_begun) v->quick = cf_q_new(v);
    v->quick_begun = 1;
    s->rewrite = rewrite;
    s->view = view;
    s->v = v;
    s->q = v->quick;
    s->memory = memory;
    memory->classes++;
    return s->q ? s : NULL;
}
