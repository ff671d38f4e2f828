#include "classfile/frames/stack_map_writer.h"
#include "classfile/format/strict_fields.h"

void cf_frame_writer_init(struct cf_frame_writer *w, struct cf_pool *pool,
                          const struct cf_code *code) {
    memset(w, 0, sizeof *w);
    w->pool = pool;
    w->arena = code->cls->arena;
    w->code = code;
}

static enum cf_status no_memory(struct cf_frame_writer *w) {
    return w->status = CF_NO_MEMORY;
}

static int room_for_locals(struct cf_frame_writer *w, uint32_t count) {
    if (count <= w->locals_capacity) return 1;
    struct cf_type *locals = cf_arena_alloc(w->arena, (count + 8) * sizeof *locals);
    if (!locals) return 0;
    if (w->locals_count) memcpy(locals, w->locals, w->locals_count * sizeof *locals);
    w->locals = locals;
    w->locals_capacity = count + 8;
    return 1;
}

enum cf_status cf_frame_writer_start(struct cf_frame_writer *w, const struct cf_frame *initial) {
    uint32_t count = initial->locals_count;
    if (!room_for_locals(w, count)) return no_memory(w);
    if (count) memcpy(w->locals, initial->locals, count * sizeof *initial->locals);
    w->locals_count = count;
    w->unset = initial->unset;
    w->was_larval = 1;
    w->strict = initial->unset ? w->code->cls->strict : NULL;
    return CF_OK;
}

static uint8_t *reserve(struct cf_frame_writer *w, uint32_t size) {
    if (w->status) return NULL;
    if (size > w->capacity - w->length) {
        uint64_t needed = (uint64_t)w->length + size;
        uint64_t wanted = w->capacity ? w->capacity * 2ull : 256;
        while (wanted < needed) wanted *= 2;
        uint8_t *bytes = wanted > INT32_MAX ? NULL : cf_arena_alloc(w->arena, wanted);
        if (!bytes) {
            no_memory(w);
            return NULL;
        }
        if (w->length) memcpy(bytes, w->bytes, w->length);
        w->bytes = bytes;
        w->capacity = (uint32_t)wanted;
    }
    return w->bytes + w->length;
}

static uint8_t *put_type(struct cf_frame_writer *w, uint8_t *p, struct cf_type *type) {
    *p++ = type->tag;
    if (type->tag < CF_TYPE_OBJECT) return p;
    uint32_t operand;
    if (type->tag == CF_TYPE_OBJECT) {
        if (!type->index) type->index = cf_add_class(w->pool, type->name.bytes, type->name.length);
        if (!type->index && !w->status) w->status = w->pool->error.status;
        operand = type->index;
    } else if (type->pc < w->code->length) {
        operand = w->map(w->context, type->pc);
    } else { // created by a snippet, which must not branch before initializing it
        if (!w->status) w->status = CF_MISUSE;
        operand = 0;
    }
    cf_put2(p, operand);
    return p + 2;
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

static enum cf_status fail(struct cf_frame_writer *w, enum cf_status status, const char *reason) {
    if (!w->status) {
        w->status = status;
        w->reason = reason;
    }
    return w->status;
}

// Must the frame list the unset fields because it would inherit others? After a frame with
// initialized `this` JVMs disagree about what is inherited, and HotSpot accepts no list.
static int changes_unset(struct cf_frame_writer *w, const struct cf_frame *frame) {
    if (!w->strict) return 0;
    int larval = cf_is_larval(frame), was_larval = w->was_larval;
    w->was_larval = larval;
    if (!larval) return 0;
    if (!was_larval) {
        w->unset = NULL;
        if (frame->unset) fail(w, CF_UNSUPPORTED, "super() amid code before super()");
        return 0;
    }
    return frame->unset && !(w->unset && !memcmp(w->unset, frame->unset, w->strict->size));
}

static uint8_t *put_unset(struct cf_frame_writer *w, uint8_t *p, const uint8_t *unset) {
    p[0] = CF_FRAME_EARLY_LARVAL;
    cf_put2(p + 1, cf_strict_members(w->strict, unset));
    p += 3;
    for (uint32_t i = 0; i < w->strict->count; i++) {
        if (!cf_strict_has(unset, i)) continue;
        uint16_t index = cf_strict_name_and_type(w->strict, w->pool, i);
        if (!index) fail(w, w->pool->error.status, w->pool->error.reason);
        cf_put2(p, index);
        p += 2;
    }
    w->unset = unset;
    return p;
}

// Begins a frame at the result, with room for the longest form; end_frame ends it.
static uint8_t *begin_frame(struct cf_frame_writer *w, const struct cf_frame *frame) {
    uint32_t types = frame->locals_count + frame->stack_count;
    int list = changes_unset(w, frame);
    uint8_t *p = reserve(w, 12 + 3 * types + (list ? 2 * w->strict->count : 0));
    return p && list ? put_unset(w, p, frame->unset) : p;
}

static void end_frame(struct cf_frame_writer *w, const uint8_t *p) {
    w->length = (uint32_t)(p - w->bytes);
}

static uint8_t *put_full(struct cf_frame_writer *w, uint8_t *p, uint32_t delta,
                         const struct cf_frame *frame) {
    p = cf_put_frame_head(p, CF_FRAME_FULL, delta);
    cf_put2(p, frame->locals_count);
    p += 2;
    for (uint32_t i = 0; i < frame->locals_count; i++) p = put_type(w, p, &frame->locals[i]);
    cf_put2(p, frame->stack_count);
    p += 2;
    for (uint32_t i = 0; i < frame->stack_count; i++) p = put_type(w, p, &frame->stack[i]);
    return p;
}

static void remember_locals(struct cf_frame_writer *w, const struct cf_frame *frame,
                            uint32_t from) {
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
    if (w->status || (w->count && pc <= w->pc)) return; // of two at one pc the first counts
    uint8_t *p = begin_frame(w, frame);
    if (!p) return;
    uint32_t delta = step_to(w, pc), n = frame->locals_count, common = 0;
    uint32_t shorter = n < w->locals_count ? n : w->locals_count;
    while (common < shorter && same_type(w, &w->locals[common], &frame->locals[common])) common++;
    if (common == n && n == w->locals_count && frame->stack_count <= 1) {
        p = cf_put_same_frame(p, delta, frame->stack_count);
        if (frame->stack_count) p = put_type(w, p, frame->stack);
    } else if (frame->stack_count == 0 && common == n && w->locals_count - n <= 3) {
        p = cf_put_frame_head(p, CF_FRAME_SAME_EXTENDED - (w->locals_count - n), delta);
    } else if (frame->stack_count == 0 && common == w->locals_count && n - common <= 3) {
        p = cf_put_frame_head(p, CF_FRAME_SAME_EXTENDED + (n - common), delta);
        for (uint32_t i = common; i < n; i++) p = put_type(w, p, &frame->locals[i]);
    } else {
        p = put_full(w, p, delta, frame);
    }
    end_frame(w, p);
    remember_locals(w, frame, common); // the first `common` types are the same
}
