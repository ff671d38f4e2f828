// The StackMapTable of an edited method in which nothing has to be typed: every original frame
// moves with its instruction and gets the new live locals, and the exceptional exits get frames.
// Types are copied as bytes.
//
// A frame that only changes the stack (same, same_locals_1_stack_item) keeps its type: it repeats
// the new locals too. The first frame, and each that changes the locals, must list the new locals.
// These lie behind the method's own slots, so the slots between become TOP and the frame a
// full_frame.

#include "classfile/edit/internal.h"
#include "classfile/frames/stack_map_writer.h"

// The new locals in the format of a frame; TOP precedes them up to `slot`. If `bytes` is NULL they
// are in `word`, the first byte highest: copying bytes that were just written one by one would
// stall.
struct tail {
    uint8_t *bytes;
    uint32_t slot, length, entries;
    uint64_t word;
};

struct mover {
    const struct cf_layout *l;
    const struct cf_code *code;
    struct cf_buffer *out;
    struct cf_error *error;
    uint32_t count; // frames written
    uint32_t pc;    // where the last one stands, in the new code; UINT32_MAX: there is none
    struct tail tail;
    // What follows is for the original frames. The types are read through frames.r.
    struct cf_frame_reader frames;
    uint32_t depth; // of the stack at the current frame, in slots
    // The locals of the original frame in the format of a frame. The first `unnamed` ones are
    // parameters; their classes have the offset in the descriptor instead of a constant.
    uint8_t *locals;
    uint32_t capacity, entries, length, slots, unnamed;
};

// Bytes are copied in pieces of this size, also beyond the last one: source and target have room.
#define PIECE 16

static inline void copy_pieces(uint8_t *to, const uint8_t *from, uint32_t length) {
    for (uint32_t i = 0; i < length; i += PIECE) memcpy(to + i, from + i, PIECE);
}

static inline uint8_t *put_tops(uint8_t *p, uint32_t count) {
    for (uint32_t i = 0; i < count; i += PIECE) memset(p + i, CF_TYPE_TOP, PIECE);
    return p + count;
}

static enum cf_status malformed(struct mover *m, const char *reason, uint32_t value) {
    return cf_fail(m->error, CF_MALFORMED, m->frames.r.pos, reason, value);
}

static enum cf_status truncated(struct mover *m) {
    return cf_fail(m->error, CF_TRUNCATED, m->frames.r.pos, "truncated", 0);
}

static enum cf_status no_memory(struct mover *m) {
    return cf_fail(m->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

static inline uint32_t slots_of(unsigned tag) {
    return 1 + (tag - CF_TYPE_DOUBLE <= CF_TYPE_LONG - CF_TYPE_DOUBLE);
}

static inline uint32_t size_of(unsigned tag) {
    return tag >= CF_TYPE_OBJECT ? 3 : 1;
}

// --- types ---

// Maps the operand of Uninitialized at `p` to `to`; other tags are errors.
CF_SELDOM static enum cf_status move_uninitialized(struct mover *m, const uint8_t *p, uint8_t *to) {
    uint32_t pc = cf_be2(p + 1);
    m->frames.r.pos = (uint32_t)(p - m->frames.r.bytes);
    if (p[0] != CF_TYPE_UNINITIALIZED)
        return malformed(m, "stack map frame: unknown type %u", p[0]);
    if (pc >= m->code->length) return malformed(m, "stack map frame: offset out of the code", 0);
    cf_put2(to + 1, cf_at_new(m->l, pc));
    return m->l->edit->error.status;
}

// Moves `count` types from the reader to `to`, where there is room; adds up their bytes and slots.
// Two bytes may be read and written behind the last one: the class does not end with it.
static inline enum cf_status move_types(struct mover *m, uint32_t count, uint8_t *to,
                                        uint32_t *length, uint32_t *slots) {
    const struct cf_class *cls = m->code->cls;
    struct cf_reader *r = &m->frames.r;
    const uint8_t *p = r->bytes + r->pos, *end = r->bytes + r->end, *start = to;
    uint32_t sum = 0;
    for (; count > 0; count--) {
        if (p >= end) return truncated(m);
        unsigned tag = p[0], operand = cf_be2(p + 1);
        to[0] = (uint8_t)tag;
        cf_put2(to + 1, operand);
        // Whether there is an operand is unpredictable: so a class is always checked.
        unsigned index = tag == CF_TYPE_OBJECT ? operand : cls->this_class;
        if (cf_tag_at(cls, index) != CF_TAG_CLASS) {
            r->pos = (uint32_t)(p - r->bytes);
            return malformed(m, "stack map frame names no class", 0);
        }
        if (tag > CF_TYPE_OBJECT) CF_TRY(move_uninitialized(m, p, to));
        p += size_of(tag);
        to += size_of(tag);
        sum += slots_of(tag);
    }
    if (p > end) return truncated(m);
    r->pos = (uint32_t)(p - r->bytes);
    *length += (uint32_t)(to - start);
    *slots += sum;
    return CF_OK;
}

// Moves `count` types to the end of what is written; m->depth: their slots.
static enum cf_status move_stack(struct mover *m, uint32_t count) {
    m->depth = 0;
    if (count == 0) return CF_OK;
    uint8_t *p = cf_room(m->out, 3 * count);
    if (!p) return CF_NO_MEMORY;
    return move_types(m, count, p, &m->out->length, &m->depth);
}

// Appends `count` types from the reader to the locals.
static enum cf_status take_locals(struct mover *m, uint32_t count) {
    if (count > m->capacity - m->entries)
        return malformed(m, "stack map frame with more locals than there are", 0);
    m->entries += count;
    return move_types(m, count, m->locals + m->length, &m->length, &m->slots);
}

static enum cf_status chop_locals(struct mover *m, uint32_t count) {
    if (count > m->entries) return malformed(m, "chop frame: no such local", 0);
    m->entries -= count;
    m->length = m->slots = 0;
    for (uint32_t i = 0; i < m->entries; i++) {
        unsigned tag = m->locals[m->length];
        m->length += size_of(tag);
        m->slots += slots_of(tag);
    }
    if (m->unnamed > m->entries) m->unnamed = m->entries;
    return CF_OK;
}

// Adds the class constants of the parameters.
static enum cf_status name_parameters(struct mover *m) {
    const struct cf_member *method = m->code->method;
    struct cf_slice d = cf_member_descriptor(m->code->cls, method);
    struct cf_pool *pool = &m->l->edit->rewrite->pool;
    uint8_t *p = m->locals;
    uint32_t entry = 0;
    if (!(method->access_flags & CF_ACC_STATIC)) p += size_of(p[entry++]);
    for (; entry < m->unnamed; p += size_of(p[0]), entry++) {
        if (p[0] != CF_TYPE_OBJECT) continue;
        uint32_t at = cf_be2(p + 1), length = cf_field_type_length(d.bytes + at, d.length - at);
        int is_array = d.bytes[at] == '[';
        uint16_t index =
            cf_add_class(pool, d.bytes + at + !is_array, is_array ? length : length - 2);
        if (!index)
            return cf_fail(m->error, pool->error.status, m->code->offset, pool->error.reason, 0);
        cf_put2(p + 1, index);
    }
    m->unnamed = 0;
    return CF_OK;
}

// --- frames ---

static inline uint32_t step_to(struct mover *m, uint32_t pc) {
    uint32_t delta = pc - m->pc - 1;
    m->pc = pc;
    m->count++;
    return delta;
}

// Writes the new locals behind `tops` times TOP.
static inline uint8_t *put_tail(const struct tail *tail, uint8_t *p, uint32_t tops) {
    p = put_tops(p, tops);
    if (tail->bytes)
        copy_pieces(p, tail->bytes, tail->length);
    else
        cf_put8(p, tail->word);
    return p + tail->length;
}

// Writes all locals, then the new ones, then a stack of `stack_count` types from the reader.
static enum cf_status put_full(struct mover *m, uint32_t delta, uint32_t stack_count) {
    if (m->unnamed) CF_TRY(name_parameters(m));
    uint32_t tops = m->tail.slot - m->slots;
    uint8_t *p = cf_room(m->out, 7 + m->length + tops + m->tail.length + PIECE), *start = p;
    if (!p) return CF_NO_MEMORY;
    p = cf_put_frame_head(p, CF_FRAME_FULL, delta);
    cf_put2(p, m->entries + tops + m->tail.entries);
    copy_pieces(p + 2, m->locals, m->length);
    p = put_tail(&m->tail, p + 2 + m->length, tops);
    cf_put2(p, stack_count);
    m->out->length += (uint32_t)(p + 2 - start);
    return move_stack(m, stack_count);
}

// A frame that only changes the stack. The first one must list the new locals.
static enum cf_status move_same(struct mover *m, uint32_t delta, uint32_t stack_count) {
    uint32_t tops = m->tail.slot - m->slots, more = tops + m->tail.entries;
    int first = m->count == 1 && m->tail.entries;
    if (first && (stack_count || more > 3)) return put_full(m, delta, stack_count);
    uint8_t *p = cf_room(m->out, 3 + 3 + m->tail.length + PIECE), *start = p;
    if (!p) return CF_NO_MEMORY;
    p = first ? put_tail(&m->tail, cf_put_frame_head(p, CF_FRAME_SAME_EXTENDED + more, delta), tops)
              : cf_put_same_frame(p, delta, stack_count);
    m->out->length += (uint32_t)(p - start);
    return move_stack(m, stack_count);
}

// A frame that changes the locals.
static enum cf_status move_change(struct mover *m, unsigned type, uint32_t delta) {
    if (type < CF_FRAME_SAME_EXTENDED) {
        CF_TRY(chop_locals(m, CF_FRAME_SAME_EXTENDED - type));
    } else if (type < CF_FRAME_FULL) {
        CF_TRY(take_locals(m, type - CF_FRAME_SAME_EXTENDED));
    } else {
        m->entries = m->length = m->slots = m->unnamed = 0;
        CF_TRY(take_locals(m, cf_u2(&m->frames.r)));
    }
    if (m->slots > m->code->max_locals)
        return malformed(m, "stack map frame with more locals than there are", 0);
    return put_full(m, delta, type == CF_FRAME_FULL ? cf_u2(&m->frames.r) : 0);
}

static enum cf_status copy_list(struct mover *m) {
    uint32_t count = cf_u2(&m->frames.r);
    uint8_t *p = cf_extend(m->out, 2);
    if (!p) return CF_NO_MEMORY;
    cf_put2(p, count);
    return move_stack(m, count);
}

// The same where there are no new locals: every frame keeps its type.
static enum cf_status copy_change(struct mover *m, unsigned type, uint32_t delta) {
    uint8_t *p = cf_extend(m->out, 3);
    if (!p) return CF_NO_MEMORY;
    cf_put_frame_head(p, type, delta);
    if (type < CF_FRAME_SAME_EXTENDED) return CF_OK;
    if (type < CF_FRAME_FULL) {
        CF_TRY(move_stack(m, type - CF_FRAME_SAME_EXTENDED));
        m->depth = 0; // these were locals
        return CF_OK;
    }
    CF_TRY(copy_list(m)); // the locals are such a list too
    return copy_list(m);
}

// Copies frame type 246 (value classes) with its list of unset fields, up to the base frame.
CF_SELDOM static enum cf_status copy_unset(struct mover *m, const uint8_t *frame) {
    uint32_t size = 3 + 2u * cf_be2(frame + 1);
    uint8_t *p = cf_extend(m->out, size);
    if (!p) return CF_NO_MEMORY;
    memcpy(p, frame, size);
    return CF_OK;
}

// Moves the current frame, of which the head was read.
static enum cf_status move_frame(struct mover *m) {
    const struct cf_frame_reader *frames = &m->frames;
    const uint8_t *frame = frames->r.bytes + frames->offset;
    unsigned type = frames->type;
    if (*frame == CF_FRAME_EARLY_LARVAL) CF_TRY(copy_unset(m, frame));
    uint32_t delta = step_to(m, cf_at_label(m->l, frames->frame.pc));
    m->depth = 0;
    if (type <= CF_FRAME_SAME_LOCALS_1_EXTENDED || type == CF_FRAME_SAME_EXTENDED)
        return move_same(m, delta,
                         type != CF_FRAME_SAME_EXTENDED && type >= CF_FRAME_SAME_LOCALS_1);
    return m->tail.entries ? move_change(m, type, delta) : copy_change(m, type, delta);
}

// Moves the run of short same_frames that follows. Returns how many there are.
static uint32_t move_run(struct mover *m, struct cf_place *places) {
    struct cf_frame_reader *frames = &m->frames;
    const uint8_t *from = frames->r.bytes + frames->r.pos, *marks = m->code->marks;
    uint32_t most = cf_left(&frames->r), length = m->code->length, pc = m->pc, n = 0;
    uint32_t old_pc = frames->frame.pc;
    if (most > frames->left) most = frames->left;
    uint8_t *to = cf_room(m->out, 3 * most), *start = to;
    if (!to) return 0;
    for (; n < most && from[n] < CF_FRAME_SAME_LOCALS_1; n++) {
        uint32_t next = old_pc + from[n] + 1;
        if (next >= length || !(marks[next] & CF_MARK_START)) break;
        uint32_t new_pc = cf_at_label(m->l, next);
        to = cf_put_same_frame(to, new_pc - pc - 1, 0);
        pc = new_pc;
        old_pc = next;
        places[n].pc = (uint16_t)next;
        places[n].depth = 0;
    }
    frames->frame.pc = old_pc;
    frames->r.pos += n;
    frames->left -= n;
    m->count += n;
    m->pc = pc;
    m->out->length += (uint32_t)(to - start);
    return n;
}

// --- the locals at the method's entry ---

static enum cf_status take_parameters(struct mover *m) {
    const struct cf_class *cls = m->code->cls;
    const struct cf_member *method = m->code->method;
    struct cf_slice d = cf_member_descriptor(cls, method);
    if (d.length < 3 || d.bytes[0] != '(')
        return cf_fail(m->error, CF_MALFORMED, method->offset, "malformed method descriptor", 0);
    const uint8_t *at = d.bytes + 1, *end = d.bytes + d.length;
    uint8_t *p = m->locals;
    uint32_t entries = 0, slots = 0;
    if (!(method->access_flags & CF_ACC_STATIC)) {
        p[0] = cf_is_constructor(cls, method) ? CF_TYPE_UNINITIALIZED_THIS : CF_TYPE_OBJECT;
        cf_put2(p + 1, cls->this_class);
        p += size_of(p[0]);
        entries = slots = 1;
    }
    while (at && at < end && *at != ')' && slots <= 256) {
        unsigned tag = cf_tag_of_letter[*at];
        p[0] = (uint8_t)tag;
        cf_put2(p + 1, (uint32_t)(at - d.bytes));
        p += size_of(tag);
        entries++;
        slots += slots_of(tag);
        at = tag == CF_TYPE_OBJECT ? cf_after_type(at, end) : tag ? at + 1 : NULL;
    }
    if (!at || at >= end || *at != ')')
        return cf_fail(m->error, CF_MALFORMED, method->offset, "malformed method descriptor", 0);
    m->unnamed = m->entries = entries;
    m->slots = slots;
    m->length = (uint32_t)(p - m->locals);
    if (slots > m->code->max_locals) return malformed(m, "more parameters than locals", 0);
    return CF_OK;
}

// Room for the locals of any frame: the parameters are at most 257 entries.
static enum cf_status open_locals(struct mover *m) {
    m->capacity = (uint32_t)m->code->max_locals + 1;
    if (m->capacity < 258) m->capacity = 258;
    m->locals = cf_arena_alloc(m->code->cls->arena, 3 * m->capacity + PIECE);
    return m->locals ? take_parameters(m) : no_memory(m);
}

static enum cf_status move_all(struct mover *m) {
    struct cf_edit *edit = m->l->edit;
    const struct cf_code *code = m->code;
    uint32_t n = 0;
    m->slots = m->unnamed = 0;
    CF_TRY(cf_frames_open(&m->frames, code, 0, m->error));
    struct cf_place *places =
        cf_arena_alloc(code->cls->arena, (m->frames.left + 1) * sizeof *places);
    if (!places) return no_memory(m);
    if (edit->locals_count) CF_TRY(open_locals(m));
    // A frame too many is an error: a JVM refuses such a method and must see it to do so.
    while (cf_frames_next_head(&m->frames)) {
        CF_TRY(move_frame(m));
        CF_TRY(edit->error.status);
        places[n].pc = (uint16_t)m->frames.frame.pc;
        places[n++].depth = (uint16_t)(m->depth < 65535 ? m->depth : 65535);
        n += move_run(m, places + n);
    }
    edit->places = places;
    edit->places_count = n;
    return edit->error.status;
}

// Moves the original frames. *pc: the new pc of the last one.
static enum cf_status move_original(const struct cf_layout *l, struct cf_buffer *out,
                                    const struct tail *tail, uint32_t *pc, uint32_t *count) {
    struct mover m; // most of it is set where it is needed first
    m.l = l;
    m.code = &l->edit->code;
    m.out = out;
    m.error = &l->edit->error;
    m.tail = *tail;
    m.count = 0;
    m.pc = UINT32_MAX;
    CF_TRY(move_all(&m));
    *pc = m.pc;
    *count = m.count;
    return CF_OK;
}

// --- the new locals, and the exceptional exits ---

CF_SELDOM static enum cf_status open_long_tail(struct cf_edit *edit, struct tail *tail) {
    struct cf_pool *pool = &edit->rewrite->pool;
    uint32_t slot = tail->slot;
    uint8_t *p = cf_arena_alloc(pool->cls->arena, 3 * (edit->next_local - slot) + PIECE);
    if (!p) return cf_fail(&edit->error, CF_NO_MEMORY, 0, "out of memory", 0);
    tail->bytes = p;
    tail->entries = 0;
    for (uint32_t i = 0; i < edit->locals_count; i++) {
        const struct cf_new_local *local = &edit->locals[i];
        for (; slot < local->index; slot++, tail->entries++) *p++ = CF_TYPE_TOP;
        *p++ = local->type.tag;
        tail->entries++;
        slot += slots_of(local->type.tag);
        if (local->type.tag != CF_TYPE_OBJECT) continue;
        uint16_t index = cf_add_class(pool, local->type.name.bytes, local->type.name.length);
        if (!index)
            return cf_fail(&edit->error, pool->error.status, edit->code.offset, pool->error.reason,
                           0);
        cf_put2(p, index);
        p += 2;
    }
    tail->length = (uint32_t)(p - tail->bytes);
    return CF_OK;
}

// Opens the tail. The new locals are mostly few, adjacent and of primitive types.
static inline enum cf_status open_tail(struct cf_edit *edit, struct tail *tail) {
    const struct cf_new_local *local = edit->locals, *end = local + edit->locals_count;
    uint32_t slot = local->index, is_long = edit->locals_count > 8;
    uint64_t word = 0;
    tail->slot = slot;
    for (; local < end; local++) {
        unsigned tag = local->type.tag;
        is_long |= (local->index != slot) | (tag == CF_TYPE_OBJECT);
        slot += slots_of(tag);
        word = word << 8 | tag;
    }
    if (is_long) return open_long_tail(edit, tail);
    tail->length = tail->entries = edit->locals_count;
    tail->word = word << (64 - 8 * edit->locals_count);
    return CF_OK;
}

// Writes the frame of an exit, with only the locals that its snippets use. *pc: the new pc of the
// previous frame.
static inline enum cf_status put_exit(struct cf_edit *edit, struct cf_buffer *out,
                                      const struct cf_exit *exit, uint32_t has_this,
                                      const struct tail *tail, uint32_t *pc) {
    uint32_t thrown = cf_throwable(edit), entries = has_this, tops = 0;
    int uses = 0;
    for (uint32_t i = 0; i < exit->count; i++) uses |= exit->snippets[i].snippet->uses_new_locals;
    if (!thrown) return edit->error.status;
    if (uses && tail->entries) {
        if (has_this > tail->slot)
            return cf_fail(&edit->error, CF_MALFORMED, edit->code.offset,
                           "no local variable for this", 0);
        tops = tail->slot - has_this;
        entries += tops + tail->entries;
    }
    uint8_t *p = cf_room(out, 11 + tops + tail->length + PIECE), *start = p;
    if (!p) return CF_NO_MEMORY;
    p = cf_put_frame_head(p, CF_FRAME_FULL, exit->at - *pc - 1);
    *pc = exit->at;
    cf_put2(p, entries);
    p[2] = CF_TYPE_UNINITIALIZED_THIS;
    p += 2 + has_this;
    if (entries > has_this) p = put_tail(tail, p, tops);
    cf_put2(p, 1);
    p[2] = CF_TYPE_OBJECT;
    cf_put2(p + 3, thrown);
    out->length += (uint32_t)(p + 5 - start);
    return CF_OK;
}

enum cf_status cf_move_frames(const struct cf_layout *l, struct cf_buffer *out, uint32_t *count) {
    struct cf_edit *edit = l->edit;
    struct tail tail = {NULL, 0, 0, 0, 0};
    uint32_t pc = UINT32_MAX, n = 0;
    if (edit->locals_count) CF_TRY(open_tail(edit, &tail));
    if (edit->code.stack_map_table) CF_TRY(move_original(l, out, &tail, &pc, &n));
    if (l->thrown_early.count) CF_TRY(put_exit(edit, out, &l->thrown_early, 1, &tail, &pc));
    if (l->thrown.count) CF_TRY(put_exit(edit, out, &l->thrown, 0, &tail, &pc));
    *count = n + (l->thrown_early.count > 0) + (l->thrown.count > 0);
    return CF_OK;
}
