// Reads stack map frames.

#include "classfile/frames.h"
#include "classfile/format/strict_fields.h"

const uint8_t cf_tag_of_letter[256] = {
    ['Z'] = CF_TYPE_INTEGER, ['B'] = CF_TYPE_INTEGER, ['C'] = CF_TYPE_INTEGER,
    ['S'] = CF_TYPE_INTEGER, ['I'] = CF_TYPE_INTEGER, ['J'] = CF_TYPE_LONG,
    ['F'] = CF_TYPE_FLOAT,   ['D'] = CF_TYPE_DOUBLE,  ['L'] = CF_TYPE_OBJECT,
    ['['] = CF_TYPE_OBJECT};

struct cf_type cf_type_of(struct cf_slice d) {
    struct cf_type type = {CF_TYPE_TOP, 0, 0, {NULL, 0}};
    if (!d.length) return type;
    type.tag = cf_tag_of_letter[d.bytes[0]];
    if (d.bytes[0] == '[') {
        type.name = d;
    } else if (d.bytes[0] == 'L') {
        type.name.bytes = d.bytes + 1;
        type.name.length = d.length - 2;
    }
    return type;
}

enum cf_status cf_initial_locals(const struct cf_code *code, struct cf_type *locals,
                                 uint32_t *locals_count, struct cf_error *error) {
    const struct cf_class *cls = code->cls;
    struct cf_slice d = cf_member_descriptor(cls, code->method);
    unsigned parameters, result;
    uint32_t n = 0;
    if (!cf_method_slots(d, &parameters, &result))
        return cf_fail(error, CF_MALFORMED, code->method->offset, "malformed method descriptor", 0);
    if (!(code->method->access_flags & CF_ACC_STATIC)) {
        locals[n].tag =
            cf_is_constructor(cls, code->method) ? CF_TYPE_UNINITIALIZED_THIS : CF_TYPE_OBJECT;
        locals[n].name = cf_this_name(cls); // this_class may be anything
        locals[n++].index = cls->this_class;
    }
    for (uint32_t i = 1; d.bytes[i] != ')';) {
        struct cf_slice type = {d.bytes + i, cf_field_type_length(d.bytes + i, d.length - i)};
        locals[n++] = cf_type_of(type);
        i += type.length;
    }
    *locals_count = n;
    return CF_OK;
}

enum cf_status cf_frames_open(struct cf_frame_reader *reader, const struct cf_code *code, int types,
                              struct cf_error *error) {
    memset(reader, 0, sizeof *reader);
    reader->code = code;
    reader->first = 1;
    if (types && cf_is_constructor(code->cls, code->method)) {
        reader->strict = cf_strict_of(code->cls, error);
        if (!reader->strict) return error->status;
        reader->was_larval = 1;
        if (reader->strict->count) reader->frame.unset = reader->strict->all;
    }
    reader->r = cf_read(code->cls, code->stack_map_table, code->stack_map_table_length, error);
    if (code->stack_map_table) reader->left = cf_u2(&reader->r);
    CF_TRY(error->status);
    if (!types) return CF_OK;
    // A frame cannot have more entries than there are slots; parameters may need up to 256.
    reader->locals_capacity = (uint32_t)code->max_locals + 1;
    reader->stack_capacity = (uint32_t)code->max_stack + 1;
    if (reader->locals_capacity < 257) reader->locals_capacity = 257;
    struct cf_arena *arena = code->cls->arena;
    reader->frame.locals =
        cf_arena_alloc(arena, reader->locals_capacity * sizeof *reader->frame.locals);
    reader->frame.stack =
        cf_arena_alloc(arena, reader->stack_capacity * sizeof *reader->frame.stack);
    if (!reader->frame.locals || !reader->frame.stack)
        return cf_fail(error, CF_NO_MEMORY, code->stack_map_table, "out of memory", 0);
    return cf_initial_locals(code, reader->frame.locals, &reader->frame.locals_count, error);
}

static int bad_frame(struct cf_frame_reader *reader, const char *reason, uint32_t value) {
    cf_fail(reader->r.error, CF_MALFORMED, reader->offset, reason, value);
    return 0;
}

static int read_type(struct cf_frame_reader *reader, struct cf_type *type) {
    struct cf_reader *r = &reader->r;
    type->tag = cf_u1(r);
    type->index = 0;
    if (type->tag == CF_TYPE_OBJECT) {
        type->index = cf_u2(r);
        if (!cf_class_name(reader->code->cls, type->index).bytes)
            return bad_frame(reader, "stack map frame names no class", 0);
    } else if (type->tag == CF_TYPE_UNINITIALIZED) {
        type->pc = cf_u2(r);
        if (type->pc >= reader->code->length)
            return bad_frame(reader, "stack map frame: offset out of the code", 0);
    } else if (type->tag > CF_TYPE_UNINITIALIZED) {
        return bad_frame(reader, "stack map frame: unknown type %u", type->tag);
    }
    return r->error->status == CF_OK;
}

static int read_types(struct cf_frame_reader *reader, struct cf_type *types, uint32_t count,
                      uint32_t capacity) {
    if (count > capacity) return bad_frame(reader, "stack map frame of %u types", count);
    for (uint32_t i = 0; i < count; i++)
        if (!read_type(reader, &types[i])) return 0;
    return reader->r.error->status == CF_OK; // `count` itself may have been missing
}

// Reads the list of frame type 246. After a frame with initialized `this` an empty list means
// nothing.
static int read_unset(struct cf_frame_reader *reader) {
    struct cf_reader *r = &reader->r;
    const struct cf_strict *strict = reader->strict;
    uint32_t count = cf_u2(r);
    if (!strict) { // the caller does not need the list
        cf_skip(r, 2 * count);
        return !r->error->status;
    }
    if (count == 0 && (!reader->was_larval || !strict->count)) return !r->error->status;
    if (!strict->count) return bad_frame(reader, "frame type 246 names no strict field", 0);
    uint8_t *unset = cf_arena_zeroed(reader->code->cls->arena, strict->size, 1);
    if (!unset) return cf_fail(r->error, CF_NO_MEMORY, r->pos, "out of memory", 0), 0;
    for (; count > 0; count--) {
        struct cf_slice name = {NULL, 0}, descriptor = {NULL, 0};
        cf_name_and_type(reader->code->cls, cf_u2(r), &name, &descriptor);
        if (r->error->status) return 0;
        int i = cf_strict_find(strict, name, descriptor);
        if (i < 0) return bad_frame(reader, "frame type 246 names no strict field", 0);
        unset[i / 8] |= (uint8_t)(1u << i % 8);
    }
    reader->frame.unset = unset;
    return !r->error->status;
}

int cf_frames_next_head(struct cf_frame_reader *reader) {
    struct cf_reader *r = &reader->r;
    reader->offset = r->pos;
    if (reader->left == 0)
        return r->pos == r->end ? 0 : bad_frame(reader, "StackMapTable longer than its frames", 0);
    reader->left--;
    unsigned type = cf_u1(r);
    if (type == CF_FRAME_EARLY_LARVAL) {
        if (!read_unset(reader)) return 0;
        type = cf_u1(r);
    }
    uint32_t delta;
    if (type < CF_FRAME_SAME_LOCALS_1)
        delta = type;
    else if (type < CF_FRAME_RESERVED)
        delta = type - CF_FRAME_SAME_LOCALS_1;
    else if (type <= CF_FRAME_EARLY_LARVAL)
        return r->error->status ? 0 : bad_frame(reader, "unknown stack map frame type %u", type);
    else
        delta = cf_u2(r);
    if (r->error->status) return 0;
    reader->frame.pc = reader->first ? delta : reader->frame.pc + delta + 1;
    reader->first = 0;
    reader->type = (uint8_t)type;
    if (reader->frame.pc >= reader->code->length ||
        !(reader->code->marks[reader->frame.pc] & CF_MARK_START))
        return bad_frame(reader, "stack map frame not at an instruction", 0);
    return 1;
}

// Reads the types behind a frame's head.
static int read_body(struct cf_frame_reader *reader) {
    struct cf_frame *f = &reader->frame;
    unsigned type = reader->type;
    f->stack_count = 0;
    if (type < CF_FRAME_SAME_LOCALS_1 || type == CF_FRAME_SAME_EXTENDED) return 1;
    if (type < CF_FRAME_RESERVED || type == CF_FRAME_SAME_LOCALS_1_EXTENDED) {
        f->stack_count = 1;
        return read_types(reader, f->stack, 1, reader->stack_capacity);
    }
    if (type < CF_FRAME_SAME_EXTENDED) {
        uint32_t chopped = CF_FRAME_SAME_EXTENDED - type;
        if (chopped > f->locals_count) return bad_frame(reader, "chop frame: no such local", 0);
        f->locals_count -= chopped;
        return 1;
    }
    if (type < CF_FRAME_FULL) {
        uint32_t n = type - CF_FRAME_SAME_EXTENDED;
        if (f->locals_count + n > reader->locals_capacity)
            return bad_frame(reader, "append frame: too many locals", 0);
        if (!read_types(reader, f->locals + f->locals_count, n, n)) return 0;
        f->locals_count += n;
        return 1;
    }
    f->locals_count = cf_u2(&reader->r);
    if (!read_types(reader, f->locals, f->locals_count, reader->locals_capacity)) return 0;
    f->stack_count = cf_u2(&reader->r);
    return read_types(reader, f->stack, f->stack_count, reader->stack_capacity);
}

// A frame of one byte may repeat 65,535 types. Code that a compiler makes has a few in each.
#define MOST_WORK (UINT64_C(1) << 26)

int cf_frames_next(struct cf_frame_reader *reader) {
    if (!cf_frames_next_head(reader) || !read_body(reader)) return 0;
    reader->work += reader->frame.locals_count + reader->frame.stack_count;
    if (reader->work > MOST_WORK) {
        cf_fail(reader->r.error, CF_LIMIT, reader->offset,
                "stack map frames that take too long to read", 0);
        return 0;
    }
    if (reader->frame.unset) reader->was_larval = cf_is_larval(&reader->frame);
    return 1;
}

// Steps over `count` types and adds up their slots.
static uint32_t skip_types(struct cf_reader *r, uint32_t count) {
    uint32_t slots = 0;
    while (count-- > 0 && r->error->status == CF_OK) {
        unsigned tag = cf_u1(r);
        slots += tag == CF_TYPE_LONG || tag == CF_TYPE_DOUBLE ? 2 : 1;
        if (tag >= CF_TYPE_OBJECT) cf_skip(r, 2);
    }
    return slots;
}

int cf_frames_next_depth(struct cf_frame_reader *reader, uint32_t *depth) {
    struct cf_reader *r = &reader->r;
    if (reader->left && r->pos < r->end && r->bytes[r->pos] < CF_FRAME_SAME_LOCALS_1 &&
        !reader->first) { // mostly
        uint32_t pc = reader->frame.pc + r->bytes[r->pos] + 1;
        if (pc < reader->code->length && (reader->code->marks[pc] & CF_MARK_START)) {
            reader->frame.pc = pc;
            reader->left--;
            r->pos++;
            *depth = 0;
            return 1;
        }
    }
    if (!cf_frames_next_head(reader)) return 0;
    unsigned type = reader->type;
    *depth = 0;
    if (type < CF_FRAME_SAME_LOCALS_1 || (type >= CF_FRAME_CHOP && type < CF_FRAME_APPEND))
        return 1;
    if (type <= CF_FRAME_SAME_LOCALS_1_EXTENDED) {
        *depth = skip_types(r, 1);
    } else if (type < CF_FRAME_FULL) {
        skip_types(r, type - CF_FRAME_SAME_EXTENDED);
    } else {
        skip_types(r, cf_u2(r));
        *depth = skip_types(r, cf_u2(r));
    }
    return r->error->status == CF_OK;
}
