// Builds the StackMapTable of an edited method. Every original frame moves with its instruction and
// gets the new live locals. Frames that the original did not need, at labels in snippets, behind
// widened ifs and on detours, are found by typing forward from the frame before them (typing.h).
// Methods without such frames are handled by stack_map_move.c.

#include "classfile/edit/internal.h"
#include "classfile/frames/stack_map_writer.h"
#include "classfile/frames/typing.h"

struct walk {
    const struct cf_layout *l;
    struct cf_edit *edit;
    const struct cf_code *code;
    struct cf_frame_writer *w;
    struct cf_frame_reader frames;
    struct cf_frame full; // scratch: an original frame with the new locals
    struct cf_typing typing;
    int reachable;
    // A new frame that is not written yet: an original frame at the same pc replaces it.
    struct cf_frame pending;
    uint32_t pending_pc;
    int has_pending;
    struct cf_frame **kept;   // by pc: frames that detours lead to
    const uint8_t *all_unset; // the strict fields; NULL: there are none, or this is no constructor
};

static enum cf_status no_memory(struct walk *k) {
    return cf_fail(&k->edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

static enum cf_status no_frame(struct walk *k) {
    return cf_fail(&k->edit->error, CF_MALFORMED, k->code->offset,
                   "branch to where no stack map frame is", 0);
}

static uint32_t map_pc(const void *layout, uint32_t pc) {
    return cf_at_new(layout, pc);
}

static uint32_t slots(const struct cf_type *types, uint32_t count) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) n += cf_type_slots(&types[i]);
    return n;
}

// Appends the new live locals of the passes up to `nesting`, with TOP for the slots between, to
// `count` entries at `types`.
static uint32_t add_new_locals(const struct cf_edit *edit, struct cf_type *types, uint32_t count,
                               int32_t nesting) {
    static const struct cf_type top = {CF_TYPE_TOP, 0, 0, {NULL, 0}};
    uint32_t at = slots(types, count);
    for (uint32_t i = 0; i < edit->locals_count; i++) {
        if (edit->locals[i].nesting > nesting) continue;
        while (at < edit->locals[i].index) {
            types[count++] = top;
            at++;
        }
        types[count++] = edit->locals[i].type;
        at += cf_type_slots(&edit->locals[i].type);
    }
    return count;
}

// Sets k->full to the frame with the new locals.
static enum cf_status widen_frame(struct walk *k, const struct cf_frame *frame) {
    if (slots(frame->locals, frame->locals_count) > k->code->max_locals)
        return cf_fail(&k->edit->error, CF_MALFORMED, k->frames.offset,
                       "stack map frame with more locals than there are", 0);
    struct cf_type *types = k->full.locals;
    k->full = *frame;
    k->full.locals = types;
    memcpy(types, frame->locals, frame->locals_count * sizeof *types);
    k->full.locals_count = add_new_locals(k->edit, types, frame->locals_count, INT32_MAX);
    return CF_OK;
}

static void flush_pending(struct walk *k, uint32_t next_pc) {
    if (k->has_pending && k->pending_pc < next_pc) cf_write_frame(k->w, k->pending_pc, &k->pending);
    k->has_pending = 0;
}

// Inserts a new frame with the current types.
static enum cf_status insert_frame(struct walk *k, uint32_t pc) {
    flush_pending(k, pc);
    CF_TRY(cf_typing_frame(&k->typing, &k->pending));
    k->pending_pc = pc;
    k->has_pending = 1;
    return CF_OK;
}

static enum cf_status keep_for_detours(struct walk *k, uint32_t pc, const struct cf_frame *frame) {
    struct cf_arena *arena = k->code->cls->arena;
    struct cf_frame *copy = cf_arena_alloc(arena, sizeof *copy);
    if (!copy) return no_memory(k);
    *copy = *frame;
    copy->locals = cf_arena_alloc(arena, (frame->locals_count + 1) * sizeof *copy->locals);
    copy->stack = cf_arena_alloc(arena, (frame->stack_count + 1) * sizeof *copy->stack);
    if (!copy->locals || !copy->stack) return no_memory(k);
    memcpy(copy->locals, frame->locals, frame->locals_count * sizeof *copy->locals);
    memcpy(copy->stack, frame->stack, frame->stack_count * sizeof *copy->stack);
    k->kept[pc] = copy;
    return CF_OK;
}

// Writes the current original frame.
static enum cf_status move_frame(struct walk *k) {
    uint32_t old_pc = k->frames.frame.pc, pc = cf_at_label(k->l, old_pc);
    flush_pending(k, pc);
    CF_TRY(widen_frame(k, &k->frames.frame));
    cf_write_frame(k->w, pc, &k->full);
    if (k->kept) CF_TRY(keep_for_detours(k, old_pc, &k->full));
    return k->w->status;
}

// --- typing through snippets ---

// The class of a type with the tag OBJECT.
static struct cf_slice class_of(const struct cf_pool *pool, const struct cf_type *type) {
    return type->index ? cf_pool_class_name(pool, type->index) : type->name;
}

// Members that a tag does not use have no value.
static int same_type(const struct cf_pool *pool, const struct cf_type *a, const struct cf_type *b) {
    if (a->tag != b->tag) return 0;
    if (a->tag == CF_TYPE_UNINITIALIZED) return a->pc == b->pc;
    if (a->tag != CF_TYPE_OBJECT) return 1;
    if (a->index == b->index && (a->index || a->name.bytes == b->name.bytes)) return 1;
    struct cf_slice x = class_of(pool, a), y = class_of(pool, b);
    return x.bytes && y.bytes && x.length == y.length && memcmp(x.bytes, y.bytes, x.length) == 0;
}

// null on one path takes the type of the other.
static void merge_type(const struct cf_pool *pool, struct cf_type *a, const struct cf_type *b) {
    if (same_type(pool, a, b) || (a->tag == CF_TYPE_OBJECT && b->tag == CF_TYPE_NULL)) return;
    if (a->tag == CF_TYPE_NULL && b->tag == CF_TYPE_OBJECT)
        *a = *b;
    else
        a->tag = CF_TYPE_TOP;
}

// Merges the types of two paths: types that differ become TOP.
static enum cf_status merge_into(struct cf_typing *t, const struct cf_frame *other) {
    struct cf_state *s = &t->state;
    uint32_t at = 0;
    if (s->unset && other->unset) {
        const struct cf_class *cls = t->code->cls;
        s->unset = cf_strict_union(cls->strict, cls->arena, s->unset, other->unset);
        if (!s->unset) return cf_fail(t->error, CF_NO_MEMORY, 0, "out of memory", 0);
    }
    for (uint32_t i = 0; i < other->locals_count; i++) {
        if (at >= s->locals_count) return CF_OK;
        const struct cf_type *b = &other->locals[i];
        merge_type(t->pool, &s->locals[at], b);
        at += cf_type_slots(b);
    }
    while (at < s->locals_count) s->locals[at++].tag = CF_TYPE_TOP;
    return CF_OK;
}

struct run {
    struct walk *k;
    const struct cf_snippet *s;
    uint32_t base;            // new pc of the snippet
    struct cf_frame *arrived; // per label
    uint8_t *has_arrived;
};

// Does merging leave the locals of `frame` as they are?
static int merges_unchanged(const struct cf_frame *frame, const struct cf_typing *t) {
    const struct cf_state *s = &t->state;
    uint32_t at = 0;
    for (uint32_t i = 0; i < frame->locals_count; i++) {
        if (at >= s->locals_count || !same_type(t->pool, &frame->locals[i], &s->locals[at]))
            return 0;
        at += cf_type_slots(&frame->locals[i]);
    }
    return frame->unset == s->unset;
}

static enum cf_status arrive(struct run *r, uint32_t label) {
    if (r->has_arrived[label] && merges_unchanged(&r->arrived[label], &r->k->typing)) return CF_OK;
    if (r->has_arrived[label]) {
        struct cf_typing mixed = r->k->typing;
        CF_TRY(cf_typing_init(&mixed, r->k->code, r->k->typing.pool,
                              r->k->typing.state.locals_capacity, r->k->typing.state.stack_capacity,
                              &r->k->edit->error));
        CF_TRY(cf_typing_load(&mixed, &r->arrived[label]));
        struct cf_frame now;
        CF_TRY(cf_typing_frame(&r->k->typing, &now));
        CF_TRY(merge_into(&mixed, &now));
        return cf_typing_frame(&mixed, &r->arrived[label]);
    }
    r->has_arrived[label] = 1;
    return cf_typing_frame(&r->k->typing, &r->arrived[label]);
}

// In a handler's range: the handler has the current locals, and the exception on its
// stack. If it catches several types, that is a Throwable.
static enum cf_status arrive_by_exception(struct run *r, const struct cf_snippet_handler *h) {
    struct cf_state *s = &r->k->typing.state;
    struct cf_type saved = s->stack[0];
    uint32_t depth = s->stack_count;
    struct cf_type thrown = {
        CF_TYPE_OBJECT, h->catch_type, 0, {(const uint8_t *)"java/lang/Throwable", 19}};
    if (r->has_arrived[h->handler] && r->arrived[h->handler].stack[0].index != thrown.index)
        thrown.index = r->arrived[h->handler].stack[0].index = 0;
    s->stack[0] = thrown;
    s->stack_count = 1;
    enum cf_status status = arrive(r, h->handler);
    s->stack[0] = saved;
    s->stack_count = depth;
    return status;
}

// Behind a store at `at`: the ranges around it end up in their handlers with this type, too.
static enum cf_status after_store(struct run *r, uint32_t at) {
    const struct cf_snippet *s = r->s;
    for (uint32_t i = 0; i < s->handlers_count; i++) {
        const struct cf_snippet_handler *h = &s->handlers[i];
        if (s->labels[h->start].at <= at && at < s->labels[h->end].at)
            CF_TRY(arrive_by_exception(r, h));
    }
    return CF_OK;
}

// What the snippet says of a local at the label (cf_type_at_label).
static enum cf_status set_type(struct run *r, const struct cf_snippet_label *label) {
    struct cf_state *s = &r->k->typing.state;
    if (!label->typed_class || label->typed_local >= s->locals_capacity) return CF_OK;
    while (s->locals_count <= label->typed_local)
        s->locals[s->locals_count++] = (struct cf_type){.tag = CF_TYPE_TOP};
    s->locals[label->typed_local] =
        (struct cf_type){.tag = CF_TYPE_OBJECT, .index = label->typed_class};
    return after_store(r, label->at);
}

static enum cf_status at_label(struct run *r, uint32_t label) {
    struct walk *k = r->k;
    if (!r->s->labels[label].is_target) return CF_OK;
    if (r->has_arrived[label]) {
        if (k->reachable) CF_TRY(arrive(r, label));
        CF_TRY(cf_typing_load(&k->typing, &r->arrived[label]));
        k->reachable = 1;
        CF_TRY(set_type(r, &r->s->labels[label]));
    }
    return insert_frame(k, r->base + r->s->labels[label].at);
}

// All labels at one place come before the ranges that start there: only a label may make it reachable.
static enum cf_status at_labels(struct run *r, uint32_t at) {
    const struct cf_snippet *s = r->s;
    for (uint32_t i = 0; i < s->labels_count; i++)
        if (s->labels[i].at == at) CF_TRY(at_label(r, i));
    for (uint32_t i = 0; i < s->handlers_count && r->k->reachable; i++)
        if (s->labels[s->handlers[i].start].at == at)
            CF_TRY(arrive_by_exception(r, &s->handlers[i]));
    return CF_OK;
}

static int is_store(unsigned op) {
    return (op >= CF_OP_istore && op <= CF_OP_astore_3) || op == CF_OP_wide;
}

// Are all types behind the snippet those before it? Most snippets only call, or store to an array.
static int keeps_types(const struct cf_snippet *s) {
    if (s->labels_count || s->depth != 0 || s->lowest < 0) return 0;
    for (uint32_t at = 0; at < s->length;) {
        uint32_t length = cf_instruction_length(s->bytes, at, s->length);
        unsigned op = s->bytes[at];
        // The last two may initialize `this`, or set a strict field.
        if (length == 0 || is_store(op) || cf_never_falls_through(op) ||
            op == CF_OP_invokespecial || op == CF_OP_putfield)
            return 0;
        at += length;
    }
    return 1;
}

static enum cf_status run_instructions(struct run *r) {
    struct walk *k = r->k;
    const struct cf_snippet *s = r->s;
    for (uint32_t at = 0;;) {
        CF_TRY(at_labels(r, at));
        if (at >= s->length) return CF_OK;
        uint32_t length = cf_instruction_length(s->bytes, at, s->length);
        if (length == 0) return cf_fail_snippet(s, UINT32_MAX, CF_MISUSE, "snippet not whole", 0);
        if (k->reachable) CF_TRY(cf_typing_step(&k->typing, s->bytes + at, CF_IN_SNIPPET | at));
        if (k->reachable && s->handlers_count && is_store(s->bytes[at])) CF_TRY(after_store(r, at));
        for (uint32_t i = 0; i < s->branches_count && k->reachable; i++)
            if (s->branches[i].at == at && s->branches[i].label != UINT32_MAX)
                CF_TRY(arrive(r, s->branches[i].label));
        if (cf_never_falls_through(s->bytes[at])) k->reachable = 0;
        at += length;
    }
}

static enum cf_status run_snippet(struct walk *k, const struct cf_snippet *s, uint32_t base) {
    if (keeps_types(s)) return CF_OK;
    struct cf_arena *arena = k->code->cls->arena;
    struct run r = {k, s, base, NULL, NULL};
    r.arrived = cf_arena_alloc(arena, (s->labels_count + 1) * sizeof *r.arrived);
    r.has_arrived = cf_arena_zeroed(arena, s->labels_count + 1, 1);
    if (!r.arrived || !r.has_arrived) return no_memory(k);
    return run_instructions(&r);
}

static enum cf_status run_sites(struct walk *k, const struct cf_group *g, enum cf_where from,
                                enum cf_where to) {
    for (uint32_t i = g->first; i < g->first + g->count; i++)
        if (k->l->sites[i].where >= from && k->l->sites[i].where <= to)
            CF_TRY(run_snippet(k, k->l->sites[i].snippet, k->l->sites[i].at));
    return CF_OK;
}

// The edges of a switch, which has just been typed: each begins with the types behind it.
static enum cf_status run_edges(struct walk *k, const struct cf_group *g) {
    const struct cf_site *site = &k->l->sites[g->first];
    if (site->where != CF_EDGES) return CF_OK;
    for (uint32_t i = 0; i < site->snippet->labels_count; i++)
        CF_TRY(insert_frame(k, site->at + site->snippet->labels[i].at));
    return CF_OK;
}

// --- the body, typed instruction by instruction ---

static enum cf_status type_instruction(struct walk *k, uint32_t i, uint32_t *branch) {
    const struct cf_code *code = k->code;
    uint32_t pc = code->pc[i];
    unsigned op = code->bytes[pc];
    if (k->reachable) CF_TRY(cf_typing_step(&k->typing, code->bytes + pc, pc));
    while (*branch < code->branches_count && code->branches[*branch].pc < pc) ++*branch;
    if (*branch < code->branches_count && code->branches[*branch].pc == pc &&
        cf_is_widened(k->l, *branch) && op != CF_OP_goto && k->reachable)
        CF_TRY(insert_frame(k, cf_at_instruction(k->l, pc) + 8));
    if (cf_never_falls_through(op)) k->reachable = 0;
    return CF_OK;
}

static enum cf_status typed_body(struct walk *k) {
    const struct cf_code *code = k->code;
    uint32_t branch = 0;
    CF_TRY(cf_typing_load(&k->typing, &k->frames.frame));
    k->reachable = 1;
    int more = cf_frames_next(&k->frames);
    for (uint32_t i = 0; i < code->count; i++) {
        uint32_t pc = code->pc[i];
        const struct cf_group g = cf_group_at(k->l, pc);
        if (g.count) CF_TRY(run_edges(k, &g));
        if (g.count) CF_TRY(run_sites(k, &g, CF_AFTER, CF_ENTRY));
        if (more && k->frames.frame.pc == pc) {
            CF_TRY(widen_frame(k, &k->frames.frame));
            CF_TRY(cf_typing_load(&k->typing, &k->full));
            k->reachable = 1;
            CF_TRY(move_frame(k));
            more = cf_frames_next(&k->frames);
        } else if ((code->marks[pc] & CF_MARK_JOINED) && k->reachable) {
            // Where the original branches to it a JVM refuses it, and must see that to do so.
            if (code->marks[pc] & CF_MARK_TARGET) return no_frame(k);
            CF_TRY(insert_frame(k, cf_at_label(k->l, pc)));
        }
        if (g.count) CF_TRY(run_sites(k, &g, CF_BEFORE, CF_EXIT));
        if (g.is_replaced)
            CF_TRY(run_sites(k, &g, CF_REPLACE, CF_REPLACE));
        else
            CF_TRY(type_instruction(k, i, &branch));
        CF_TRY(k->edit->error.status);
    }
    return CF_OK;
}

static int needs_typing(const struct cf_layout *l) {
    const struct cf_code *code = &l->edit->code;
    if (l->has_labels) return 1;
    for (uint32_t i = 0; l->widened && i < code->branches_count; i++)
        if (l->widened[i] && code->bytes[code->branches[i].pc] != CF_OP_goto) return 1;
    return 0;
}

// --- behind the body ---

// A frame with other unset strict fields must follow a frame with uninitialized `this`. The last
// frame of the body may be another one, so an unreachable athrow gets such a frame.
static enum cf_status bridge_frame(struct walk *k, uint32_t pc) {
    struct cf_type this_type = {CF_TYPE_UNINITIALIZED_THIS, 0, 0, {NULL, 0}};
    struct cf_type thrown = {CF_TYPE_OBJECT, cf_throwable(k->edit), 0, {NULL, 0}};
    struct cf_frame frame = {
        .locals = &this_type, .locals_count = 1, .stack = &thrown, .stack_count = 1};
    CF_TRY(k->edit->error.status);
    flush_pending(k, pc);
    cf_write_frame(k->w, pc, &frame);
    return k->w->status;
}

static enum cf_status detour_frames(struct walk *k) {
    if (k->l->bridges && k->l->detours_count) CF_TRY(bridge_frame(k, k->l->body_end));
    for (uint32_t i = 0; i < k->l->detours_count; i++) {
        const struct cf_detour *d = &k->l->detours[i];
        const struct cf_frame *frame = k->kept[d->target];
        if (d->behind) continue;
        if (!frame) return no_frame(k);
        CF_TRY(cf_typing_load(&k->typing, frame));
        k->reachable = 1;
        CF_TRY(insert_frame(k, d->at));
        uint32_t at = d->at;
        for (uint32_t e = d->first; e < d->first + d->count; e++) {
            if (k->l->edges[e].snippet->labels_count)
                CF_TRY(run_snippet(k, k->l->edges[e].snippet, at));
            at += k->l->edges[e].snippet->length;
        }
    }
    return CF_OK;
}

uint16_t cf_add_throwable(struct cf_edit *edit) {
    struct cf_rewrite *rewrite = edit->rewrite;
    rewrite->throwable = cf_add_class(&rewrite->pool, "java/lang/Throwable", 19);
    if (!rewrite->throwable && !edit->error.status) edit->error = rewrite->pool.error;
    return rewrite->throwable;
}

static int has_labels(const struct cf_exit *exit) {
    for (uint32_t i = 0; i < exit->count; i++)
        if (exit->snippets[i].snippet->labels_count) return 1;
    return 0;
}

static int uses_new_locals(const struct cf_exit *exit) {
    int uses = 0;
    for (uint32_t i = 0; i < exit->count; i++) uses |= exit->snippets[i].snippet->uses_new_locals;
    return uses;
}

// The frame in an exceptional exit has only the locals that its snippets use, and of those only the
// ones of passes up to `nesting`. Its locals and stack are in k->full and `stack`.
static struct cf_frame frame_in_exit(struct walk *k, const struct cf_exit *exit, int32_t nesting,
                                     struct cf_type *stack) {
    struct cf_frame frame = {.locals = k->full.locals, .stack = stack, .stack_count = 1};
    if (exit == &k->l->thrown_early) {
        struct cf_type this_type = {CF_TYPE_UNINITIALIZED_THIS, 0, 0, {NULL, 0}};
        frame.locals[frame.locals_count++] = this_type;
        frame.unset = k->all_unset;
    }
    if (uses_new_locals(exit))
        frame.locals_count = add_new_locals(k->edit, frame.locals, frame.locals_count, nesting);
    return frame;
}

// With guards, what snippets throw comes to the exits of the passes outside: there, the locals of
// passes further inside are not set.
static enum cf_status exit_frames(struct walk *k, const struct cf_exit *exit) {
    if (!exit->count) return CF_OK;
    struct cf_type stack = {CF_TYPE_OBJECT, cf_throwable(k->edit), 0, {NULL, 0}};
    CF_TRY(k->edit->error.status);
    if (exit == &k->l->thrown_early && k->l->bridges) CF_TRY(bridge_frame(k, exit->at - 1));
    if (!has_labels(exit) && !k->l->guards) {
        struct cf_frame frame = frame_in_exit(k, exit, INT32_MAX, &stack);
        flush_pending(k, exit->at);
        cf_write_frame(k->w, exit->at, &frame);
        return k->w->status;
    }
    uint32_t at = exit->at;
    for (uint32_t i = exit->count; i-- > 0;) {
        const struct cf_snippet *s = exit->snippets[i].snippet;
        if (i == exit->count - 1 || k->l->guards) {
            int32_t nesting = k->l->guards ? exit->snippets[i].nesting : INT32_MAX;
            struct cf_frame frame = frame_in_exit(k, exit, nesting, &stack);
            CF_TRY(cf_typing_load(&k->typing, &frame));
            k->reachable = 1;
            CF_TRY(insert_frame(k, at));
        }
        CF_TRY(run_snippet(k, s, at));
        at += s->length;
    }
    return CF_OK;
}

static void raise_peak(uint32_t *peak, const struct cf_snippet *s, uint32_t below) {
    if (s->peak > 0 && (uint32_t)s->peak + below > *peak) *peak = (uint32_t)s->peak + below;
}

static enum cf_status open_typing(struct walk *k) {
    struct cf_edit *edit = k->edit;
    uint32_t peak = 1;
    for (uint32_t i = 0; i < edit->sites_count; i++) raise_peak(&peak, edit->sites[i].snippet, 0);
    for (uint32_t i = 0; i < edit->edges_count; i++) raise_peak(&peak, edit->edges[i].snippet, 0);
    for (uint32_t i = 0; i < edit->thrown_count; i++) raise_peak(&peak, edit->thrown[i].snippet, 1);
    for (uint32_t i = 0; i < edit->thrown_early_count; i++)
        raise_peak(&peak, edit->thrown_early[i].snippet, 1);
    return cf_typing_init(&k->typing, k->code, &edit->rewrite->pool,
                          edit->next_local - k->code->max_locals, peak, &edit->error);
}

static enum cf_status open_walk(struct walk *k) {
    struct cf_edit *edit = k->edit;
    struct cf_arena *arena = k->code->cls->arena;
    CF_TRY(cf_frames_open(&k->frames, k->code, 1, &edit->error));
    uint32_t room = k->frames.locals_capacity + edit->next_local + 2;
    k->full.locals = cf_arena_alloc(arena, room * sizeof *k->full.locals);
    if (!k->full.locals) return no_memory(k);
    if (k->l->detours_count) {
        k->kept = cf_arena_zeroed(arena, k->code->length + 1, sizeof *k->kept);
        if (!k->kept) return no_memory(k);
    }
    return open_typing(k);
}

// Classes of version 50 and above have frames. Code of version 50 without frames, and code that has
// lost its frames, is verified by inference; it must not get an incomplete table, nor must code
// with jsr.
int cf_frames_wanted(const struct cf_edit *edit) {
    const struct cf_code *code = &edit->code;
    unsigned version = code->cls->major_version;
    if (version < 50 || code->has_jsr) return 0;
    if ((version > 50 && !code->cls->frames_dropped) || code->stack_map_table) return 1;
    return !code->branches_count && !code->switches_count && !code->exception_table_length;
}

static enum cf_status typed_frames(const struct cf_layout *l, struct cf_frame_writer *w) {
    struct walk k = {.l = l, .edit = l->edit, .code = &l->edit->code, .w = w};
    w->map = map_pc;
    w->context = l;
    CF_TRY(open_walk(&k));
    const struct cf_frame *initial = &k.frames.frame;
    k.all_unset = initial->unset;
    CF_TRY(cf_frame_writer_start(w, initial));
    if (needs_typing(l))
        CF_TRY(typed_body(&k));
    else
        while (cf_frames_next(&k.frames)) CF_TRY(move_frame(&k));
    CF_TRY(k.edit->error.status);
    CF_TRY(detour_frames(&k));
    CF_TRY(exit_frames(&k, &l->thrown_early));
    CF_TRY(exit_frames(&k, &l->thrown));
    flush_pending(&k, UINT32_MAX);
    return w->status;
}

CF_SELDOM static enum cf_status emit_typed_frames(const struct cf_layout *l, struct cf_buffer *out,
                                                  uint32_t *count) {
    struct cf_edit *edit = l->edit;
    struct cf_frame_writer w;
    cf_frame_writer_init(&w, &edit->rewrite->pool, &edit->code);
    enum cf_status status = typed_frames(l, &w);
    if (status != CF_OK) {
        const struct cf_error *pool = &edit->rewrite->pool.error;
        const char *reason = pool->status ? pool->reason : w.reason ? w.reason : "out of memory";
        return cf_fail(&edit->error, status, edit->code.offset, reason, 0);
    }
    uint8_t *p = cf_extend(out, w.length);
    if (!p) return CF_NO_MEMORY;
    if (w.length) memcpy(p, w.bytes, w.length);
    *count = w.count;
    return CF_OK;
}

enum cf_status cf_emit_frames(const struct cf_layout *l, struct cf_buffer *out, uint32_t *count) {
    int bridged = l->bridges && l->thrown_early.count;
    if (!l->detours_count && !needs_typing(l) && !has_labels(&l->thrown) &&
        !has_labels(&l->thrown_early) && !bridged && !l->guards)
        return cf_move_frames(l, out, count);
    return emit_typed_frames(l, out, count);
}
