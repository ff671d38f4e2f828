// Frames: read with types and without, both the same; typed forward from each to the next; and
// written again, which must read as the same frames.

#include "tests/fuzz/fuzz.h"

#include "classfile/frames/stack_map_writer.h"
#include "classfile/frames/typing.h"

static uint32_t same_pc(const void *context, uint32_t pc) {
    (void)context;
    return pc;
}

static uint32_t depth_of(const struct cf_frame *frame) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < frame->stack_count; i++) depth += cf_type_slots(&frame->stack[i]);
    return depth;
}

static uint32_t index_of(const struct cf_code *code, uint32_t pc) {
    uint32_t low = 0, high = code->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (code->pc[middle] < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Types the basic block that starts with the frame, a few instructions of it.
static void type_forward(const struct cf_code *code, struct cf_pool *pool,
                         const struct cf_frame *frame) {
    struct cf_error error = {0};
    struct cf_typing typing;
    struct cf_frame found;
    if (cf_typing_init(&typing, code, pool, 2, 2, &error) != CF_OK ||
        cf_typing_load(&typing, frame) != CF_OK)
        return;
    uint32_t i = index_of(code, frame->pc);
    for (uint32_t n = 0; n < 16 && i < code->count; n++, i++) {
        const uint8_t *p = code->bytes + code->pc[i];
        if (cf_typing_step(&typing, p, code->pc[i]) != CF_OK) return;
        if (cf_never_falls_through(p[0])) return;
        MUST(cf_typing_frame(&typing, &found) == CF_OK);
        MUST(found.locals_count <= typing.state.locals_capacity);
    }
}

// A class may have several constants for one name, and either may stand for it.
static int same_type(const struct cf_class *cls, const struct cf_type *a, const struct cf_type *b) {
    if (a->tag != b->tag) return 0;
    if (a->tag == CF_TYPE_UNINITIALIZED) return a->pc == b->pc;
    if (a->tag != CF_TYPE_OBJECT) return 1;
    if (a->index && a->index == b->index) return 1;
    return cf_slice_equal(a->index ? cf_class_name(cls, a->index) : a->name,
                          b->index ? cf_class_name(cls, b->index) : b->name);
}

static int same_frame(const struct cf_class *cls, const struct cf_frame *a,
                      const struct cf_frame *b) {
    if (a->pc != b->pc || a->locals_count != b->locals_count || a->stack_count != b->stack_count)
        return 0;
    for (uint32_t i = 0; i < a->locals_count; i++)
        if (!same_type(cls, &a->locals[i], &b->locals[i])) return 0;
    for (uint32_t i = 0; i < a->stack_count; i++)
        if (!same_type(cls, &a->stack[i], &b->stack[i])) return 0;
    return 1;
}

// The class again, with the written frames behind its end.
static void read_again(const struct cf_code *code, const struct cf_frame_writer *w) {
    struct cf_class cls = *code->cls;
    struct cf_code moved = *code;
    uint8_t *bytes = malloc(cls.length + 2 + w->length);
    MUST(bytes);
    memcpy(bytes, cls.bytes, cls.length);
    cf_put2(bytes + cls.length, w->count);
    if (w->length) memcpy(bytes + cls.length + 2, w->bytes, w->length);
    moved.cls = &cls;
    moved.stack_map_table = cls.length;
    moved.stack_map_table_length = 2 + w->length;
    cls.bytes = bytes;
    cls.length += 2 + w->length;
    struct cf_error error = {0};
    struct cf_frame_reader was, is;
    MUST(cf_frames_open(&was, code, 1, &error) == CF_OK);
    MUST(cf_frames_open(&is, &moved, 1, &error) == CF_OK);
    while (cf_frames_next(&was)) {
        MUST(cf_frames_next(&is));
        MUST(same_frame(&cls, &was.frame, &is.frame));
    }
    MUST(!cf_frames_next(&is) && error.status == CF_OK);
    free(bytes);
}

static void read_frames(struct cf_class *cls, const struct cf_member *method) {
    struct cf_error error = {0}, depth_error = {0};
    struct cf_code code;
    struct cf_frame_reader frames, depths;
    struct cf_frame_writer writer;
    struct cf_pool pool;
    uint32_t depth;
    if (cf_code_open(&code, cls, method, &error) != CF_OK || cf_code_scan(&code, &error) != CF_OK)
        return;
    if (cf_frames_open(&frames, &code, 1, &error) != CF_OK) return;
    MUST(cf_frames_open(&depths, &code, 0, &depth_error) == CF_OK);
    cf_pool_init(&pool, cls);
    cf_frame_writer_init(&writer, &pool, &code);
    writer.map = same_pc;
    MUST(cf_frame_writer_start(&writer, &frames.frame) == CF_OK);
    type_forward(&code, &pool, &frames.frame);
    uint32_t typed = 0;
    while (cf_frames_next(&frames)) {
        MUST(cf_frames_next_depth(&depths, &depth));
        MUST(depths.frame.pc == frames.frame.pc && depth == depth_of(&frames.frame));
        MUST(frames.frame.pc < code.length && (code.marks[frames.frame.pc] & CF_MARK_START));
        if (typed++ < 64) type_forward(&code, &pool, &frames.frame);
        cf_write_frame(&writer, frames.frame.pc, &frames.frame);
    }
    if (error.status == CF_OK && writer.status == CF_OK && pool.count == pool.first)
        read_again(&code, &writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cf_arena arena;
    struct cf_class cls;
    fuzz_arena(&arena);
    if (cf_class_open(&cls, data, size, &arena) == CF_OK)
        for (uint32_t i = 0; i < cls.methods_count; i++)
            if (cls.methods[i].code) read_frames(&cls, &cls.methods[i]);
    cf_arena_free(&arena);
    return 0;
}
