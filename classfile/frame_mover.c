// The StackMapTable of an edited method in which nothing has to be typed: every frame of the
// original moves with its instruction and takes up the new locals that live through the method, and
// the exceptional exits get theirs. Types are moved as bytes, just as they stand in the file.
//
// A frame that says only what is on the stack (same, same_locals_1_stack_item) keeps its form, for
// the new locals are behind those it means. The first frame, and each that changes the locals, must
// name the new ones: they lie behind the method's own slots, so what is between becomes TOP and the
// frame full.

#include "classfile/layout.h"

struct mover {
    const struct cf_layout *l;
    const struct cf_code *code;
    struct cf_buffer *out;
    struct cf_error *error;
    struct cf_reader r; // over the original's entries
    uint32_t count, pc; // frames written; where the last one stands, in the new code
    // The locals of the original frame, as they are written: entry i begins at starts[i]. The first
    // `unnamed` ones are as at the method's entry, and classes among them have no constant yet.
    uint8_t *locals;
    uint32_t *starts;
    uint32_t capacity, entries, length, slots, unnamed;
    uint32_t depth; // of the stack in the frame at hand
    // The new locals, as they are written; before them comes TOP up to slot `tail_slot`.
    uint8_t *tail;
    uint32_t tail_slot, tail_length, tail_entries;
};

static enum cf_status malformed(struct mover *m, const char *reason, uint32_t value) {
    return cf_fail(m->error, CF_MALFORMED, m->r.pos, reason, value);
}

static enum cf_status no_memory(struct mover *m) {
    return cf_fail(m->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

static inline uint32_t slots_of(unsigned tag) {
    return tag == CF_TYPE_LONG || tag == CF_TYPE_DOUBLE ? 2 : 1;
}

static uint16_t class_of(struct mover *m, struct cf_slice name) {
    struct cf_pool *pool = &m->l->edit->rewrite->pool;
    uint16_t index = cf_add_class(pool, name.bytes, name.length);
    if (!index) cf_fail(m->error, pool->error.status, m->code->offset, pool->error.reason, 0);
    return index;
}

// --- types ---

// Moves one type from the reader to `to`, offsets mapped. Returns its length, 0 when it is none.
static inline uint32_t move_type(struct mover *m, uint8_t *to) {
    struct cf_reader *r = &m->r;
    if (!cf_need(r, 1)) return 0;
    unsigned tag = r->bytes[r->pos++];
    to[0] = (uint8_t)tag;
    if (tag < CF_TYPE_OBJECT) return 1;
    if (tag > CF_TYPE_UNINITIALIZED) {
        malformed(m, "stack map frame: unknown type %u", tag);
        return 0;
    }
    uint32_t operand = cf_u2(r);
    if (tag == CF_TYPE_OBJECT) {
        if (!cf_class_name(m->code->cls, operand).bytes)
            return malformed(m, "stack map frame names no class", 0), 0u;
    } else {
        if (operand >= m->code->length)
            return malformed(m, "stack map frame: offset out of the code", 0), 0u;
        operand = cf_at_instruction(m->l, operand);
    }
    cf_put2(to + 1, operand);
    return 3;
}

// Moves `count` types to the end of what is written; m->depth: their slots.
static enum cf_status move_types(struct mover *m, uint32_t count) {
    m->depth = 0;
    if (count == 0) return CF_OK;
    uint8_t *p = cf_room(m->out, 3 * count);
    if (!p) return CF_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = move_type(m, p);
        if (n == 0) return m->error->status;
        m->depth += slots_of(p[0]);
        m->out->length += n;
        p += n;
    }
    return CF_OK;
}

// Appends `count` types from the reader to the locals.
static enum cf_status take_locals(struct mover *m, uint32_t count) {
    if (count > m->capacity - m->entries)
        return malformed(m, "stack map frame with more locals than there are", 0);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *to = m->locals + m->length;
        m->starts[m->entries++] = m->length;
        uint32_t n = move_type(m, to);
        if (n == 0) return m->error->status;
        m->length += n;
        m->slots += slots_of(to[0]);
    }
    return CF_OK;
}

static enum cf_status chop_locals(struct mover *m, uint32_t count) {
    if (count > m->entries) return malformed(m, "chop frame: no such local", 0);
    while (count-- > 0) {
        m->length = m->starts[--m->entries];
        m->slots -= slots_of(m->locals[m->length]);
    }
    if (m->unnamed > m->entries) m->unnamed = m->entries;
    return CF_OK;
}

// Gives the classes among the parameters their constants.
static enum cf_status name_parameters(struct mover *m) {
    if (m->unnamed == 0) return CF_OK;
    struct cf_slice d = cf_member_descriptor(m->code->cls, m->code->method);
    uint32_t at = 1, entry = m->code->method->access_flags & CF_ACC_STATIC ? 0 : 1;
    for (; entry < m->unnamed; entry++) {
        struct cf_slice type = {d.bytes + at, cf_field_type_length(d.bytes + at, d.length - at)};
        uint8_t *p = m->locals + m->starts[entry];
        if (p[0] == CF_TYPE_OBJECT) {
            uint16_t index = class_of(m, cf_type_of(type).name);
            if (!index) return m->error->status;
            cf_put2(p + 1, index);
        }
        at += type.length;
    }
    m->unnamed = 0;
    return CF_OK;
}

// --- frames ---

static inline uint32_t step_to(struct mover *m, uint32_t pc) {
    uint32_t delta = m->count ? pc - m->pc - 1 : pc;
    m->pc = pc;
    m->count++;
    return delta;
}

static enum cf_status put_head(struct mover *m, unsigned form, uint32_t delta) {
    uint8_t *p = cf_extend(m->out, 3);
    if (!p) return CF_NO_MEMORY;
    p[0] = (uint8_t)form;
    cf_put2(p + 1, delta);
    return CF_OK;
}

// same_frame, or same_locals_1_stack_item_frame, in the shorter form.
static enum cf_status put_same(struct mover *m, uint32_t delta, int with_stack) {
    if (delta >= 64) return put_head(m, with_stack ? 247 : 251, delta);
    uint8_t *p = cf_extend(m->out, 1);
    if (!p) return CF_NO_MEMORY;
    *p = (uint8_t)(delta + (with_stack ? 64 : 0));
    return CF_OK;
}

// The new locals behind `slots` slots, at most `p` + tops + tail_length.
static uint8_t *put_tail(const struct mover *m, uint8_t *p, uint32_t tops) {
    memset(p, CF_TYPE_TOP, tops);
    memcpy(p + tops, m->tail, m->tail_length);
    return p + tops + m->tail_length;
}

// The locals with the new ones behind them; a count in front of each list is the caller's to read
// on.
static enum cf_status put_full_locals(struct mover *m, uint32_t delta) {
    CF_TRY(name_parameters(m));
    uint32_t tops = m->tail_slot - m->slots;
    uint8_t *p = cf_extend(m->out, 5 + m->length + tops + m->tail_length);
    if (!p) return CF_NO_MEMORY;
    p[0] = 255;
    cf_put2(p + 1, delta);
    cf_put2(p + 3, m->entries + tops + m->tail_entries);
    memcpy(p + 5, m->locals, m->length);
    put_tail(m, p + 5 + m->length, tops);
    return CF_OK;
}

static enum cf_status put_stack(struct mover *m, uint32_t count) {
    uint8_t *p = cf_extend(m->out, 2);
    if (!p) return CF_NO_MEMORY;
    cf_put2(p, count);
    return move_types(m, count);
}

// The first frame, when it says only what is on the stack.
static enum cf_status put_first(struct mover *m, uint32_t delta, uint32_t stack_count) {
    uint32_t tops = m->tail_slot - m->slots, more = tops + m->tail_entries;
    if (stack_count || more > 3) {
        CF_TRY(put_full_locals(m, delta));
        return put_stack(m, stack_count);
    }
    CF_TRY(put_head(m, 251 + more, delta));
    uint8_t *p = cf_extend(m->out, tops + m->tail_length);
    if (!p) return CF_NO_MEMORY;
    put_tail(m, p, tops);
    return CF_OK;
}

// A frame that changes the locals, the reader behind its head.
static enum cf_status move_change(struct mover *m, unsigned form, uint32_t delta) {
    if (form < 251) {
        CF_TRY(chop_locals(m, 251 - form));
    } else if (form < 255) {
        CF_TRY(take_locals(m, form - 251));
    } else {
        m->entries = m->length = m->slots = m->unnamed = 0;
        CF_TRY(take_locals(m, cf_u2(&m->r)));
    }
    if (m->slots > m->code->max_locals)
        return malformed(m, "stack map frame with more locals than there are", 0);
    CF_TRY(put_full_locals(m, delta));
    return put_stack(m, form == 255 ? cf_u2(&m->r) : 0);
}

// The same where there are no new locals: every form stays.
static enum cf_status copy_change(struct mover *m, unsigned form, uint32_t delta) {
    CF_TRY(put_head(m, form, delta));
    if (form < 251) return CF_OK;
    if (form < 255) {
        CF_TRY(move_types(m, form - 251));
        m->depth = 0; // these were locals
        return CF_OK;
    }
    CF_TRY(put_stack(m, cf_u2(&m->r))); // the locals are such a list too
    return put_stack(m, cf_u2(&m->r));
}

// Frame type 246 (value classes): the fields not set yet, then an ordinary frame.
static enum cf_status move_unset(struct mover *m) {
    uint32_t start = m->r.pos;
    cf_skip(&m->r, 1);
    uint32_t size = 2u * cf_u2(&m->r);
    cf_skip(&m->r, size);
    CF_TRY(m->error->status);
    uint8_t *p = cf_extend(m->out, 3 + size);
    if (!p) return CF_NO_MEMORY;
    memcpy(p, m->r.bytes + start, 3 + size);
    return CF_OK;
}

// Moves the next frame; *old_pc is where the one before stood in the original.
static enum cf_status move_frame(struct mover *m, uint32_t *old_pc) {
    struct cf_reader *r = &m->r;
    if (!cf_need(r, 1)) return m->error->status;
    if (r->bytes[r->pos] == CF_FRAME_EARLY_LARVAL) CF_TRY(move_unset(m));
    unsigned form = cf_u1(r);
    uint32_t old_delta = form < 128 ? form & 63 : cf_u2(r);
    if (form >= 128 && form < 247) return malformed(m, "unknown stack map frame type %u", form);
    *old_pc += old_delta + (m->count != 0);
    if (*old_pc >= m->code->length || !(m->code->marks[*old_pc] & CF_MARK_START))
        return malformed(m, "stack map frame not at an instruction", 0);
    int first = m->count == 0;
    uint32_t delta = step_to(m, cf_at_label(m->l, *old_pc));
    m->depth = 0;
    if (form < 128 || form == 247 || form == 251) {
        uint32_t stack_count = form != 251 && form >= 64;
        if (first && m->tail_entries) return put_first(m, delta, stack_count);
        CF_TRY(put_same(m, delta, (int)stack_count));
        return stack_count ? move_types(m, 1) : CF_OK;
    }
    return m->tail_entries ? move_change(m, form, delta) : copy_change(m, form, delta);
}

// --- what there is at the method's entry ---

static enum cf_status take_parameters(struct mover *m) {
    const struct cf_class *cls = m->code->cls;
    const struct cf_member *method = m->code->method;
    struct cf_slice d = cf_member_descriptor(cls, method);
    unsigned parameters, result;
    if (!cf_method_slots(d, &parameters, &result))
        return cf_fail(m->error, CF_MALFORMED, method->offset, "malformed method descriptor", 0);
    if (!(method->access_flags & CF_ACC_STATIC)) {
        m->starts[m->entries++] = 0;
        m->slots = 1;
        m->locals[0] = CF_TYPE_OBJECT;
        cf_put2(m->locals + 1, cls->this_class);
        m->length = 3;
        if (cf_is_constructor(cls, method)) {
            m->locals[0] = CF_TYPE_UNINITIALIZED_THIS;
            m->length = 1;
        }
    }
    for (uint32_t at = 1; d.bytes[at] != ')';) {
        unsigned tag = cf_tag_of_letter[d.bytes[at]];
        m->starts[m->entries++] = m->length;
        m->locals[m->length] = (uint8_t)tag;
        m->length += tag == CF_TYPE_OBJECT ? 3 : 1;
        m->slots += slots_of(tag);
        at += tag == CF_TYPE_OBJECT ? cf_field_type_length(d.bytes + at, d.length - at) : 1;
    }
    m->unnamed = m->entries;
    if (m->slots > m->code->max_locals) return malformed(m, "more parameters than locals", 0);
    return CF_OK;
}

// Room for the locals of any frame: the parameters are at most 256 entries.
static enum cf_status open_locals(struct mover *m) {
    m->capacity = (uint32_t)m->code->max_locals + 1;
    if (m->capacity < 257) m->capacity = 257;
    uint8_t *room = cf_arena_alloc(m->code->cls->arena, m->capacity * (sizeof *m->starts + 3));
    if (!room) return no_memory(m);
    m->starts = (uint32_t *)room;
    m->locals = room + m->capacity * sizeof *m->starts;
    return take_parameters(m);
}

// --- the exceptional exits ---

// The new locals as they are written at `p`, behind `slot` slots of other ones. Returns where they
// end, NULL when the pool is full.
static uint8_t *put_new_locals(const struct cf_layout *l, uint8_t *p, uint32_t slot,
                               uint32_t *entries) {
    struct cf_edit *edit = l->edit;
    for (uint32_t i = 0; i < edit->locals_count; i++) {
        const struct cf_new_local *local = &edit->locals[i];
        uint32_t tops = local->index - slot, tag = local->type.tag;
        *entries += tops + 1;
        while (tops-- > 0) *p++ = CF_TYPE_TOP;
        *p++ = (uint8_t)tag;
        slot = local->index + slots_of(tag);
        if (tag != CF_TYPE_OBJECT) continue;
        struct cf_pool *pool = &edit->rewrite->pool;
        uint16_t index = cf_add_class(pool, local->type.name.bytes, local->type.name.length);
        if (!index) {
            cf_fail(&edit->error, pool->error.status, edit->code.offset, pool->error.reason, 0);
            return NULL;
        }
        cf_put2(p, index);
        p += 2;
    }
    return p;
}

static enum cf_status open_tail(struct mover *m) {
    const struct cf_edit *edit = m->l->edit;
    m->tail_slot = edit->locals[0].index;
    m->tail = cf_arena_alloc(m->code->cls->arena, 3 * (edit->next_local - m->tail_slot));
    if (!m->tail) return no_memory(m);
    uint8_t *end = put_new_locals(m->l, m->tail, m->tail_slot, &m->tail_entries);
    if (!end) return m->error->status;
    m->tail_length = (uint32_t)(end - m->tail);
    return CF_OK;
}

// Of the locals it names only what its snippets use.
static enum cf_status put_exit(struct mover *m, const struct cf_exit *exit, int initialized) {
    struct cf_edit *edit = m->l->edit;
    uint32_t thrown = cf_throwable(edit), entries = initialized ? 0 : 1;
    int uses = 0;
    for (uint32_t i = 0; i < exit->count; i++) uses |= exit->snippets[i]->uses_new_locals;
    uses = uses && edit->locals_count;
    if (!thrown) return edit->error.status;
    if (uses && entries > edit->locals[0].index)
        return cf_fail(m->error, CF_MALFORMED, m->code->offset, "no local variable for this", 0);
    uint8_t *start = cf_room(m->out, 11 + (uses ? 3 * edit->next_local : 0)), *p = start + 5;
    if (!start) return CF_NO_MEMORY;
    start[0] = 255;
    cf_put2(start + 1, step_to(m, exit->at));
    if (!initialized) *p++ = CF_TYPE_UNINITIALIZED_THIS;
    if (uses && !(p = put_new_locals(m->l, p, entries, &entries))) return edit->error.status;
    cf_put2(start + 3, entries);
    cf_put2(p, 1);
    p[2] = CF_TYPE_OBJECT;
    cf_put2(p + 3, thrown);
    m->out->length += (uint32_t)(p + 5 - start);
    return CF_OK;
}

static enum cf_status move_all(struct mover *m) {
    struct cf_edit *edit = m->l->edit;
    const struct cf_code *code = m->code;
    uint32_t pc = 0, n = 0;
    m->r = cf_read(code->cls, code->stack_map_table, code->stack_map_table_length, &edit->error);
    uint32_t left = cf_u2(&m->r);
    struct cf_place *places = cf_arena_alloc(code->cls->arena, (left + 1) * sizeof *places);
    if (!places) return no_memory(m);
    if (edit->locals_count) {
        CF_TRY(open_tail(m));
        CF_TRY(open_locals(m));
    }
    while (left-- > 0) {
        CF_TRY(move_frame(m, &pc));
        CF_TRY(edit->error.status);
        places[n].pc = (uint16_t)pc;
        places[n++].depth = (uint16_t)(m->depth < 65535 ? m->depth : 65535);
    }
    edit->places = places;
    edit->places_count = n;
    return edit->error.status;
}

enum cf_status cf_move_frames(const struct cf_layout *l, struct cf_buffer *out, uint32_t *count) {
    struct cf_edit *edit = l->edit;
    struct mover m; // most of it is for the original frames
    m.l = l;
    m.code = &edit->code;
    m.out = out;
    m.error = &edit->error;
    m.count = m.pc = 0;
    if (edit->code.stack_map_table) {
        memset(&m.r, 0, sizeof m - offsetof(struct mover, r));
        CF_TRY(move_all(&m));
    }
    if (l->thrown_early.count) CF_TRY(put_exit(&m, &l->thrown_early, 0));
    if (l->thrown.count) CF_TRY(put_exit(&m, &l->thrown, 1));
    *count = m.count;
    return CF_OK;
}
