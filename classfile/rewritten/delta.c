// The comparison with an original that is known to be good (delta.h).
//
// Let the original verify (JVMS 4.10.1). The rewritten method does, too, if all this holds:
//
// 1. It consists of runs of the original, with pieces of new code in between, and of new code behind
//    them. The runs are the original's code, all of it and in its order; but for the offsets of
//    branches and switches, which lead to the same instructions, no byte differs. All constants of
//    the original are in their places.
// 2. The original's frames stand at their instructions, or in the pieces in front of them, and no
//    others do up to the end of the runs. They say the same of the stack and of the original's locals.
// 3. A piece falls through at its end. It runs on a stack of its own, above as many slots as the
//    original's stack has there, and sets no local of the original. So before each instruction of the
//    original its locals and the stack are as they were: by induction, for nothing else changes them.
// 4. The new locals are set by the piece at the entry, and do not change their types from there on.
//    All frames up to the end of the runs say the same of them.
// 5. The original's handlers have the ranges that they had, perhaps with pieces in front of their
//    instructions, where the state is that of the instruction, or a more specific one. The frames of
//    other handlers name new locals only.
// 6. What is behind the runs is checked as any code is: it begins with a frame.
// 7. In a constructor, `this` is initialised by the call that find_delegate finds. Of the other
//    handlers those behind it take no `this`; those in front of it may take it, not initialised.
//
// What does not fit is checked in full.

#include "classfile/rewritten/delta.h"

#include "classfile/verify/internal.h"

// New code from `before` up to `at`; from there on the original follows, from old_pc on.
struct piece {
    uint32_t old_pc, before, at;
};

struct cf_delta {
    struct cf_rewrite *rewrite;
    const struct cf_class *view;
    struct cf_vframes old; // the original's; room for those of any method
    struct piece *pieces;
    uint32_t pieces_count, pieces_capacity;

    // The method at hand.
    struct cf_verifier *v; // v->pc is the place in the new code
    const struct cf_code *was;
    uint32_t locals;                           // of the original
    uint32_t old_pc;                           // v->pc in the original
    uint32_t begun;                            // from here on the new locals have their types
    const struct cf_site *site, *sites_end;    // the next one
    const struct cf_vframe *frame, *old_frame; // the next ones
    uint32_t branch, a_switch;                 // the next ones
    uint32_t depth_pc, depth;                  // where the depth of the stack is known
    uint32_t ran, ran_length, ran_depth;       // a piece that has been run, where, and on what
    // Of a constructor: where in the original another one is called; else 0. It is new pc called_at.
    uint32_t delegate, called_at;
};

// --- places ---

static inline void add_piece(struct cf_delta *d, uint32_t at) {
    d->pieces[d->pieces_count++] = (struct piece){d->old_pc, d->v->pc, at};
}

// Where the original instruction is now, and the piece in front of it.
static struct piece place_of(const struct cf_delta *d, uint32_t old_pc) {
    uint32_t low = 0, high = d->pieces_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (d->pieces[middle].old_pc <= old_pc)
            low = middle;
        else
            high = middle;
    }
    struct piece p = d->pieces[low];
    if (p.old_pc != old_pc) p.before = p.at += old_pc - p.old_pc;
    return p;
}

// Is the frame at new pc `pc` that of the original at old_pc?
static inline int leads_to(const struct cf_delta *d, uint32_t old_pc, uint32_t pc) {
    const struct cf_vframe *frame = cf_v_frame_at(d->v, pc);
    if (!frame) return 0;
    uint32_t i = (uint32_t)(frame - d->v->frames.all);
    return i < d->old.count && d->old.all[i].pc == old_pc;
}

// --- new code ---

static int run_piece(struct cf_delta *d, uint32_t end) {
    struct cf_verifier *v = d->v;
    uint32_t start = v->pc, n = end - start;
    int falls = 1, is_entry = start == 0;
    if (d->old_pc != d->depth_pc &&
        !cf_depth_change(d->rewrite, d->was, d->depth_pc, d->old_pc, &d->depth))
        return 0;
    d->depth_pc = d->old_pc;
    if (d->depth > d->was->max_stack) return 0;
    if (n == d->ran_length && d->depth <= d->ran_depth &&
        memcmp(v->code.bytes + start, v->code.bytes + d->ran, n) == 0) {
        memcpy(v->marks + start, v->marks + d->ran, n);
        v->pc = end;
        return 1;
    }
    cf_vtype *base = v->stack + CF_V_SLACK + d->depth, *top = base;
    for (cf_vtype *p = v->stack + CF_V_SLACK; p < base; p++) *p = CF_V_NOTHING;
    v->named = is_entry ? (UINT64_C(1) << d->locals) - 1 : UINT64_MAX; // a change of these counts
    v->unmatched = 0;
    if (!(top = cf_v_run(v, top, end, &falls)) || !falls || v->unmatched) return 0;
    if (is_entry) d->begun = end;
    d->ran = start;
    d->ran_length = n;
    d->ran_depth = d->depth;
    return v->pc == end && top == base;
}

// All that is new in front of the original's instruction, and the frame that may be there: in front
// of it all, but at the entry perhaps behind what loops do not run. What the edit says of the length
// is not believed: if it is wrong, nothing fits.
static int take_pieces(struct cf_delta *d) {
    struct cf_verifier *v = d->v;
    const struct cf_site *site = d->site, *end = d->sites_end;
    uint32_t at = v->pc, old_pc = d->old_pc;
    for (; site < end && site->pc == old_pc; site++) at += site->snippet->length;
    d->site = site;
    if (at > v->code.length) return 0;
    add_piece(d, at);
    if (d->old_frame->pc == d->old_pc) {
        uint32_t label = d->frame->pc;
        if (label != v->pc && (d->old_pc || label > at || !run_piece(d, label))) return 0;
        d->depth_pc = d->old_pc;
        d->depth = d->frame->stack_count;
        d->frame++;
        d->old_frame++;
    }
    return v->pc == at || run_piece(d, at);
}

// --- the original's code ---

// A switch has its padding by its place.
static int same_switch(struct cf_delta *d) {
    const struct cf_code *was = d->was, *now = &d->v->code;
    uint32_t pc = d->v->pc, length = cf_instruction_length(now->bytes, pc, now->length);
    struct cf_switch a, b;
    if (!length || now->bytes[pc] != was->bytes[d->old_pc]) return 0;
    cf_switch_open(was, d->old_pc, &a);
    cf_switch_open(now, pc, &b);
    if (a.count != b.count || a.low != b.low || !leads_to(d, a.default_pc, b.default_pc)) return 0;
    for (uint32_t i = 0; i < a.count; i++)
        if (!leads_to(d, cf_switch_target(&a, i), cf_switch_target(&b, i)) ||
            cf_switch_match(&a, i) != cf_switch_match(&b, i))
            return 0;
    d->v->marks[pc] = CF_V_START;
    d->a_switch++;
    d->old_pc += a.length;
    d->v->pc += length;
    return 1;
}

// The frames up to the original's pc `end` have moved with it.
static int same_places(struct cf_delta *d, uint32_t moved, uint32_t end) {
    if (d->old_frame->pc >= end) return 1;
    for (; d->old_frame->pc < end; d->old_frame++, d->frame++)
        if (d->frame->pc != d->old_frame->pc + moved) return 0;
    d->depth_pc = d->old_frame[-1].pc;
    d->depth = d->old_frame[-1].stack_count;
    return 1;
}

// Compares the code up to the original's pc `end`, and where it leads.
static int same_run(struct cf_delta *d, uint32_t end) {
    const struct cf_code *was = d->was;
    struct cf_verifier *v = d->v;
    uint32_t pc = d->old_pc, moved = v->pc - pc, n = was->branches_count;
    const uint8_t *old = was->bytes, *now = v->code.bytes + moved;
    if (end - pc > v->code.length - v->pc || !same_places(d, moved, end)) return 0;
    memcpy(v->marks + v->pc, was->marks + pc, end - pc);
    for (; d->branch < n && was->branches[d->branch].pc < end; d->branch++) {
        uint32_t at = was->branches[d->branch].pc;
        if (memcmp(old + pc, now + pc, at + 1 - pc) != 0 ||
            !leads_to(d, was->branches[d->branch].target,
                      cf_branch_target(v->code.bytes, at + moved)))
            return 0;
        pc = at + cf_lengths[old[at]];
    }
    d->old_pc = end;
    v->pc = end + moved;
    return pc <= end && memcmp(old + pc, now + pc, end - pc) == 0;
}

// Up to the next instruction where something may be new.
static int take_run(struct cf_delta *d) {
    const struct cf_code *was = d->was;
    uint32_t end = d->site < d->sites_end && d->site->pc < was->length ? d->site->pc : was->length;
    if (d->a_switch < was->switches_count && was->switches[d->a_switch] < end) {
        end = was->switches[d->a_switch];
        if (end == d->old_pc) return same_switch(d);
    }
    return end > d->old_pc && same_run(d, end);
}

// --- frames ---

// Mostly the words are equal. Those that mean the same are made so, for the frames to come.
static int same_types(const struct cf_delta *d, cf_vtype *was, const cf_vtype *now,
                      uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (was[i] == now[i] && !d->old.has_new) continue;
        if (CF_V_TAG(was[i]) == CF_V_UNINITIALIZED) {
            uint32_t at = place_of(d, CF_V_PAYLOAD(was[i])).at;
            if (now[i] != CF_V_MAKE(CF_V_UNINITIALIZED, at)) return 0;
        } else {
            if (!cf_v_is_same(d->v, was[i], now[i])) return 0;
            was[i] = now[i];
        }
    }
    return 1;
}

static int same_frame(const struct cf_delta *d, const struct cf_vframe *was,
                      const struct cf_vframe *now) {
    cf_vtype *a = d->old.types;
    const cf_vtype *b = d->v->frames.types, *here = d->v->locals;
    uint32_t i, n = now->locals_count;
    if (was->stack_count != now->stack_count || was->this_uninitialized ||
        (was->stack_count && !same_types(d, a + was->stack, b + now->stack, was->stack_count)))
        return 0;
    // Mostly the locals are those of the frame before.
    if (was > d->old.all && was[-1].locals == was->locals && now[-1].locals == now->locals &&
        was[-1].locals_count == was->locals_count && now[-1].locals_count == n)
        return 1;
    a += was->locals;
    b += now->locals;
    if (n < was->locals_count || !same_types(d, a, b, was->locals_count)) return 0;
    // The original's others are TOP, as they are here.
    for (i = was->locals_count; i < d->v->code.max_locals; i++)
        if (here[i] != (i < n ? b[i] : CF_V_TOP)) return 0;
    return 1;
}

static int same_frames(const struct cf_delta *d) {
    for (uint32_t i = 0; i < d->old.count; i++)
        if (!same_frame(d, &d->old.all[i], &d->v->frames.all[i])) return 0;
    return 1;
}

// --- the exception table ---

static int same_handler(const struct cf_delta *d, struct cf_exception was,
                        struct cf_exception now) {
    struct piece start = place_of(d, was.start_pc), end = place_of(d, was.end_pc);
    return leads_to(d, was.handler_pc, now.handler_pc) && now.start_pc >= start.before &&
           now.start_pc <= start.at && now.start_pc >= d->begun && now.end_pc == end.before &&
           now.catch_type == was.catch_type && cf_v_is_start(d->v, now.start_pc);
}

// Of all exceptions, behind the runs.
static int is_new_handler(const struct cf_delta *d, struct cf_exception now) {
    struct cf_verifier *v = d->v;
    const struct cf_vframe *frame = cf_v_frame_at(v, now.handler_pc);
    int early = d->delegate && now.end_pc <= d->called_at;
    if (!frame || now.catch_type || frame->stack_count != 1 || now.start_pc < d->begun ||
        now.start_pc >= now.end_pc || now.end_pc > v->pc || !cf_v_is_start(v, now.start_pc) ||
        (now.end_pc < v->pc && !cf_v_is_start(v, now.end_pc)) ||
        (d->delegate && !early && now.start_pc <= d->called_at) ||
        CF_V_TAG(v->frames.types[frame->stack]) != cf_v_known_class(CF_KNOWN_THROWABLE))
        return 0;
    v->this_uninitialized = early;
    if (early) v->locals[0] = CF_V_UNINITIALIZED_THIS;
    enum cf_status status = cf_v_match_locals(v, frame);
    if (early) v->locals[0] = CF_V_TOP;
    return status == CF_OK;
}

static int same_exceptions(const struct cf_delta *d) {
    const struct cf_code *was = d->was, *now = &d->v->code;
    uint32_t next = 0;
    for (uint32_t i = 0; i < now->exception_table_length; i++) {
        struct cf_exception e = cf_exception_at(now, i);
        if (e.handler_pc >= d->v->pc ? !is_new_handler(d, e)
                                     : next == was->exception_table_length ||
                                           !same_handler(d, cf_exception_at(was, next++), e))
            return 0;
    }
    return next == was->exception_table_length;
}

// --- constructors ---

// The first call of an <init> of this class or the superclass at which all that was made with `new`
// is initialised. It is that of `this`: the calls before, of other classes, were not, and each of
// them has initialised something that was made. Up to there control goes straight on and local 0 is
// `this`: frames, which say that `this` is initialised, stand behind it.
static int find_delegate(struct cf_delta *d) {
    const struct cf_code *was = d->was;
    struct cf_slice class_name, name, descriptor;
    uint32_t made = 0;
    for (uint32_t i = 0; i < was->count && was->pc[i] < d->old_frame->pc; i++) {
        const uint8_t *p = was->bytes + was->pc[i];
        const struct cf_vrow *row = &cf_v_rows[*p];
        int is_store = row->kind == CF_V_STORE && row->from + (p[1] & row->operand) == 0;
        if (is_store || row->kind == CF_V_WIDE) return 0;
        made += *p == CF_OP_new;
        if (*p != CF_OP_invokespecial ||
            !cf_reference(d->view, cf_be2(p + 1), &class_name, &name, &descriptor) ||
            !CF_IS(name, "<init>"))
            continue;
        if (cf_slice_equal(class_name, cf_this_name(d->view)) ||
            cf_slice_equal(class_name, cf_class_name(d->view, d->view->super_class))) {
            d->delegate = was->pc[i];
            return made == 0 && d->delegate > 0;
        }
        if (made-- == 0) return 0;
    }
    return 0;
}

// --- all of it ---

// Both StackMapTables. The state at pc 0 matters only where the original has one; else nothing takes
// what the first local holds, and no instruction may return.
static int read_frames(struct cf_delta *d) {
    static const struct cf_vframe none = {.pc = UINT32_MAX};
    struct cf_verifier *v = d->v;
    d->old_frame = &none;
    d->old.count = 0;
    if (!d->was->stack_map_table) {
        for (uint32_t i = 0; i < v->locals_used; i++) v->locals[i] = CF_V_TOP;
        v->locals[0] = CF_V_NOTHING;
        v->locals_used = 1;
        v->is_constructor = v->this_uninitialized = 0;
        v->result = CF_V_NOTHING;
        return cf_v_read_frames(v, &v->code, &v->frames) == CF_OK;
    }
    if (cf_v_enter(v) != CF_OK || cf_v_read_frames(v, d->was, &d->old) != CF_OK ||
        cf_v_read_frames(v, &v->code, &v->frames) != CF_OK)
        return 0;
    d->old_frame = d->old.all;
    return d->old.count <= v->frames.count;
}

int cf_delta_holds(struct cf_delta *d, struct cf_verifier *v, uint32_t i) {
    const struct cf_edit *edit = d->rewrite->code[i].edit;
    struct cf_verify_failure ignored;
    if (edit->code.has_jsr || edit->code.max_locals > 62 || // bits of v->named
        cf_v_open(v, &d->view->methods[i], &ignored) != CF_OK)
        return 0;
    d->v = v;
    d->was = &edit->code;
    d->locals = d->was->max_locals;
    if (v->code.max_stack < d->was->max_stack || v->code.max_locals < d->locals || !read_frames(d))
        return 0;
    d->delegate = 0;
    if (cf_is_constructor(d->view, v->method) && !find_delegate(d)) return 0;
    d->site = edit->sites;
    d->sites_end = d->site + edit->sites_count;
    d->frame = v->frames.all;
    d->pieces_count = d->old_pc = d->branch = d->a_switch = d->depth_pc = d->depth = d->begun = 0;
    for (uint32_t k = 0; k < v->locals_used; k++) v->locals[k] = CF_V_TOP;
    v->handlers_count = v->pc = d->ran_length = 0;
    v->is_stepping = 1;
    uint32_t most = edit->sites_count + 2 * d->was->switches_count + 2;
    if (most > d->pieces_capacity)
        d->pieces = cf_v_grow(v, NULL, &d->pieces_capacity, 0, most, sizeof *d->pieces);
    if (!d->pieces) return 0;
    while (d->old_pc < d->was->length)
        if (!take_pieces(d) || !take_run(d)) return 0;
    add_piece(d, v->pc);
    if (d->delegate) d->called_at = place_of(d, d->delegate).at;
    return same_frames(d) && same_exceptions(d) && cf_v_check_code(v, d->frame, 0) == CF_OK &&
           cf_v_check_places(v) == CF_OK;
}

// Version 50 may be verified in the old way (JVMS 4.10), and strict fields are rare.
struct cf_delta *cf_delta_new(struct cf_rewrite *rewrite, const struct cf_class *view) {
    const struct cf_class *cls = rewrite->cls;
    uint32_t constants = 10; // magic, versions, count
    if (cls->major_version < 51 || cf_v_may_be_strict(cls) ||
        memcmp(view->bytes + constants, cls->bytes + constants,
               cls->constant_pool_end - constants) != 0)
        return NULL;
    struct cf_delta *d = cf_arena_zeroed(cls->arena, 1, sizeof *d);
    if (!d) return NULL;
    d->rewrite = rewrite;
    d->view = view;
    return d;
}
