// Writing stack map frames, each relative to the one before.

#include "classfile/frames.h"

void cf_frame_writer_init(struct cf_frame_writer *w, struct cf_pool *pool,
                          const struct cf_code *code) {
    memset(w, 0, sizeof *w);
    w->pool = pool;
    w->arena = code->cls->arena;
    w->code = code;
}

static enum cf_status no_memory(struct cf_frame_writer *w) { return w->status = CF_NO_MEMORY; }

static int room_for_locals(struct cf_frame_writer *w, uint32_t count) {
    if (count <= w->locals_capacity) return 1;
    struct cf_type *locals = cf_arena_alloc(w->arena, (count + 8) * sizeof *locals);
    if (!locals) return 0;
    if (w->locals_count) memcpy(locals, w->locals, w->locals_count * sizeof *locals);
    w->locals = locals;
    w->locals_capacity = count + 8;
    return 1;
}

enum cf_status cf_frame_writer_start(struct cf_frame_writer *w, const struct cf_type *initial,
                                     uint32_t count) {
    if (!room_for_locals(w, count)) return no_memory(w);
    if (count) memcpy(w->locals, initial, count * sizeof *initial);
    w->locals_count = count;
    return CF_OK;
}

static uint8_t *reserve(struct cf_frame_writer *w, uint32_t size) {
    if (w->status) return NULL;
    if (size > w->capacity - w->length) {
        uint32_t wanted = w->capacity ? w->capacity * 2 : 256;
        while (wanted - w->length < size) wanted *= 2;
        uint8_t *bytes = cf_arena_alloc(w->arena, wanted);
        if (!bytes) {
            no_memory(w);
            return NULL;
        }
        if (w->length) memcpy(bytes, w->bytes, w->length);
        w->bytes = bytes;
        w->capacity = wanted;
    }
    return w->bytes + w->length;
}

static void put_bytes(struct cf_frame_writer *w, const uint8_t *bytes, uint32_t n) {
    uint8_t *p = reserve(w, n);
    if (!p || n == 0) return;
    memcpy(p, bytes, n);
    w->length += n;
}

static void put1(struct cf_frame_writer *w, uint32_t v) {
    uint8_t b = (uint8_t)v;
    put_bytes(w, &b, 1);
}

static void put2(struct cf_frame_writer *w, uint32_t v) {
    uint8_t b[2];
    cf_put2(b, v);
    put_bytes(w, b, 2);
}

static void put_type(struct cf_frame_writer *w, struct cf_type *type) {
    put1(w, type->tag);
    if (type->tag == CF_TYPE_OBJECT) {
        if (!type->index) type->index = cf_add_class(w->pool, type->name.bytes, type->name.length);
        if (!type->index && !w->status) w->status = w->pool->error.status;
        put2(w, type->index);
    } else if (type->tag == CF_TYPE_UNINITIALIZED) {
        if (type->pc < w->code->length)
            put2(w, w->map(w->context, type->pc));
        else if (!w->status) // made by a snippet, which may not branch before it is initialised
            w->status = CF_MISUSE;
    }
}

static int same_type(const struct cf_frame_writer *w, const struct cf_type *a,
                     const struct cf_type *b) {
    if (a->tag != b->tag) return 0;
    if (a->tag == CF_TYPE_UNINITIALIZED) return a->pc == b->pc;
    if (a->tag != CF_TYPE_OBJECT) return 1;
    if (a->index && a->index == b->index) return 1;
    struct cf_slice x = a->index ? cf_pool_class_name(w->pool, a->index) : a->name;
    struct cf_slice y = b->index ? cf_pool_class_name(w->pool, b->index) : b->name;
    return cf_slice_equal(x, y);
}

static uint32_t step_to(struct cf_frame_writer *w, uint32_t pc) {
    uint32_t delta = w->count ? pc - w->pc - 1 : pc;
    w->pc = pc;
    w->count++;
    return delta;
}

static void put_unset(struct cf_frame_writer *w, const struct cf_frame *frame) {
    if (!frame->unset) return;
    put1(w, CF_FRAME_EARLY_LARVAL);
    put2(w, frame->unset_count);
    put_bytes(w, frame->unset, 2 * frame->unset_count);
}

static void put_full(struct cf_frame_writer *w, uint32_t delta, const struct cf_frame *frame) {
    put1(w, 255);
    put2(w, delta);
    put2(w, frame->locals_count);
    for (uint32_t i = 0; i < frame->locals_count; i++) put_type(w, &frame->locals[i]);
    put2(w, frame->stack_count);
    for (uint32_t i = 0; i < frame->stack_count; i++) put_type(w, &frame->stack[i]);
}

static void remember_locals(struct cf_frame_writer *w, const struct cf_frame *frame, uint32_t from) {
    if (!room_for_locals(w, frame->locals_count)) {
        no_memory(w);
        return;
    }
    if (frame->locals_count > from)
        memcpy(w->locals + from, frame->locals + from,
               (frame->locals_count - from) * sizeof *w->locals);
    w->locals_count = frame->locals_count;
}

void cf_write_frame(struct cf_frame_writer *w, uint32_t pc, const struct cf_frame *frame) {
    if (w->status) return;
    if (w->count && pc <= w->pc) { // two frames at one place: the first stands
        return;
    }
    uint32_t delta = step_to(w, pc), n = frame->locals_count, common = 0;
    uint32_t shorter = n < w->locals_count ? n : w->locals_count;
    while (common < shorter && same_type(w, &w->locals[common], &frame->locals[common])) common++;
    put_unset(w, frame);
    if (w->locals_unknown) {
        common = 0;
        w->locals_unknown = 0;
        put_full(w, delta, frame);
    } else if (common == n && n == w->locals_count && frame->stack_count <= 1) {
        unsigned with_stack = frame->stack_count ? 64 : 0;
        if (delta < 64) {
            put1(w, delta + with_stack);
        } else {
            put1(w, frame->stack_count ? 247 : 251);
            put2(w, delta);
        }
        if (with_stack) put_type(w, frame->stack);
    } else if (frame->stack_count == 0 && common == n && w->locals_count - n <= 3) {
        put1(w, 251 - (w->locals_count - n));
        put2(w, delta);
    } else if (frame->stack_count == 0 && common == w->locals_count && n - common <= 3) {
        put1(w, 251 + (n - common));
        put2(w, delta);
        for (uint32_t i = common; i < n; i++) put_type(w, &frame->locals[i]);
    } else {
        put_full(w, delta, frame);
    }
    remember_locals(w, frame, common); // where the types agree, what was there stays
}

// Copies `count` types from the class file, offsets mapped. Returns the bytes taken.
static uint32_t copy_types(struct cf_frame_writer *w, const uint8_t *p, uint32_t count) {
    const uint8_t *from = p;
    for (uint32_t i = 0; i < count; i++) {
        if (*p == CF_TYPE_UNINITIALIZED) {
            put1(w, *p);
            put2(w, w->map(w->context, cf_be2(p + 1)));
            p += 3;
        } else {
            uint32_t n = *p == CF_TYPE_OBJECT ? 3 : 1;
            put_bytes(w, p, n);
            p += n;
        }
    }
    return (uint32_t)(p - from);
}

void cf_copy_frame(struct cf_frame_writer *w, uint32_t pc, const struct cf_frame_reader *reader) {
    if (w->status) return;
    uint32_t delta = step_to(w, pc);
    unsigned form = reader->form;
    const uint8_t *p = reader->code->cls->bytes + reader->offset;
    if (reader->frame.unset) p += 3 + 2 * reader->frame.unset_count;
    put_unset(w, &reader->frame);
    if (form < 64 || form == 251) {
        if (delta < 64) {
            put1(w, delta);
        } else {
            put1(w, 251);
            put2(w, delta);
        }
        return;
    }
    if (form < 128 || form == 247) {
        p += form < 128 ? 1 : 3;
        if (delta < 64) {
            put1(w, 64 + delta);
        } else {
            put1(w, 247);
            put2(w, delta);
        }
        copy_types(w, p, 1);
        return;
    }
    w->locals_unknown = 1; // they are not looked at here
    put1(w, form);
    put2(w, delta);
    p += 3;
    if (form == 255) {
        uint32_t n = cf_be2(p);
        put_bytes(w, p, 2);
        p += 2;
        p += copy_types(w, p, n);
        put_bytes(w, p, 2);
        copy_types(w, p + 2, cf_be2(p));
    } else if (form > 251) {
        copy_types(w, p, form - 251);
    }
}
