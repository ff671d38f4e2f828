#include "classfile/rewritten/rewritten.h"

static uint32_t *all_constants(const struct cf_rewrite *rewrite) {
    const struct cf_class *cls = rewrite->cls;
    const struct cf_pool *pool = &rewrite->pool;
    uint32_t *constants = cf_arena_alloc(cls->arena, pool->count * sizeof *constants);
    if (!constants) return NULL;
    memcpy(constants, cls->constant_pool, pool->first * sizeof *constants);
    for (uint32_t i = pool->first; i < pool->count; i++) {
        uint32_t offset = pool->offsets[i - pool->first];
        constants[i] = offset == UINT32_MAX ? 0 : cls->constant_pool_end + offset;
    }
    return constants;
}

// Moves the methods; *moved: by how much what follows them has moved.
static struct cf_member *all_methods(const struct cf_rewrite *rewrite, uint32_t *moved) {
    const struct cf_class *cls = rewrite->cls;
    size_t size = cls->methods_count * sizeof *cls->methods;
    struct cf_member *methods = cf_arena_alloc(cls->arena, size + 1);
    if (!methods) return NULL;
    if (size) memcpy(methods, cls->methods, size);
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        struct cf_member *m = &methods[i];
        m->offset += *moved;
        if (rewrite->code[i].length)
            *moved += rewrite->code[i].length - (cf_be4(cls->bytes + m->code + 2) + 6);
        if (m->code) m->code += m->offset - cls->methods[i].offset;
        m->end += *moved;
    }
    return methods;
}

enum cf_status cf_rewritten_view(const struct cf_rewrite *rewrite, const uint8_t *bytes,
                                 size_t length, struct cf_class *view) {
    uint32_t moved = rewrite->methods_changed ? rewrite->pool.length : 0;
    *view = *rewrite->cls;
    view->bytes = bytes;
    view->length = (uint32_t)length;
    if (!moved && !rewrite->methods_changed) return CF_OK;
    view->constant_pool_count = (uint16_t)rewrite->pool.count;
    view->constant_pool_end += moved;
    view->interfaces += moved;
    view->fields += moved;
    view->constant_pool = all_constants(rewrite);
    view->methods = all_methods(rewrite, &moved);
    view->attributes += moved;
    view->utf8_stack_map_table = rewrite->utf8_stack_map_table;
    if (view->constant_pool && view->methods) return CF_OK;
    return cf_fail(&view->error, CF_NO_MEMORY, 0, "out of memory", 0);
}

static enum cf_verify_place place_in(const void *context, uint32_t pc, uint32_t *end) {
    const struct cf_new_code *code = context;
    const struct cf_site *site = code->edit->sites; // the last one that begins at or before pc
    uint32_t half, count = code->edit->sites_count;
    *end = UINT32_MAX;
    if (pc >= code->body_end) return CF_PLACE_NEW;
    if (!count) return CF_PLACE_ORIGINAL;
    for (; count > 1; count -= half) {
        half = count / 2;
        if (site[half].at <= pc) site += half;
    }
    *end = site->at + site->snippet->length;
    if (pc < site->at || pc >= *end) return CF_PLACE_ORIGINAL;
    return pc == site->at ? CF_PLACE_FIRST : CF_PLACE_NEW;
}

struct cf_verify_original cf_rewritten_original(const struct cf_rewrite *rewrite, uint32_t i) {
    const struct cf_new_code *code = &rewrite->code[i];
    struct cf_verify_original original = {code->edit->code.max_stack, code->edit->code.max_locals,
                                          rewrite->cls->constant_pool_count, code, place_in};
    return original;
}
