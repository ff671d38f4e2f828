// Writing stack map frames (JVMS 4.7.4), each in its shortest form and relative to the one before.

#ifndef CF_STACK_MAP_WRITER_H
#define CF_STACK_MAP_WRITER_H

#include "classfile/frames.h"

// Writes the head of a frame with a u2 offset_delta.
static inline uint8_t *cf_put_frame_head(uint8_t *p, unsigned type, uint32_t offset_delta) {
    p[0] = (uint8_t)type;
    cf_put2(p + 1, offset_delta);
    return p + 3;
}

// Writes same_frame (`stack_count` 0), or same_locals_1_stack_item_frame (1) up to its type, in the
// shorter form.
static inline uint8_t *cf_put_same_frame(uint8_t *p, uint32_t offset_delta, uint32_t stack_count) {
    if (offset_delta >= CF_FRAME_SAME_LOCALS_1)
        return cf_put_frame_head(
            p, stack_count ? CF_FRAME_SAME_LOCALS_1_EXTENDED : CF_FRAME_SAME_EXTENDED,
            offset_delta);
    *p = (uint8_t)(offset_delta + CF_FRAME_SAME_LOCALS_1 * stack_count);
    return p + 1;
}

struct cf_frame_writer {
    struct cf_pool *pool;
    struct cf_arena *arena;
    const struct cf_code *code;
    uint8_t *bytes; // the entries; the caller writes the head of the attribute
    uint32_t length, capacity;
    uint32_t count; // frames written
    uint32_t pc;    // of the last frame, in the new code
    // The locals of the last frame written, which the next one is relative to.
    struct cf_type *locals;
    uint32_t locals_count, locals_capacity;
    // The strict fields that the next frame inherits as unset. `strict` is NULL if there are none.
    const struct cf_strict *strict;
    const uint8_t *unset; // NULL: not known
    int was_larval;       // the last frame had an uninitialized `this`
    // new pc of an original instruction, for Uninitialized(offset)
    uint32_t (*map)(const void *context, uint32_t pc);
    const void *context;
    enum cf_status status;
    const char *reason; // of the status, unless it is memory or the pool
};

// `initial`: the implicit frame at pc 0 that the first frame is relative to.
void cf_frame_writer_init(struct cf_frame_writer *w, struct cf_pool *pool,
                          const struct cf_code *code);
enum cf_status cf_frame_writer_start(struct cf_frame_writer *w, const struct cf_frame *initial);
// Appends a frame at `pc` (new code), in the shortest form. Frames come in ascending order.
void cf_write_frame(struct cf_frame_writer *w, uint32_t pc, const struct cf_frame *frame);

#endif
