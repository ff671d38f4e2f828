#include "classfile/edit/jsr_inline.h"

// --- tables ---

struct writer {
    uint8_t *at; // NULL: only counts
    uint32_t length;
};

static void put(struct writer *w, unsigned size, uint64_t value) {
    for (unsigned k = 0; w->at && k < size; k++)
        w->at[w->length + k] = (uint8_t)(value >> 8 * (size - 1 - k));
    w->length += size;
}

// Sets in->places. A goto to the instruction counts as the instruction.
static void find_places(struct cf_inliner *in, struct cf_copy *copy) {
    in->places[in->code.count] = copy->end;
    for (uint32_t i = in->code.count; i-- > 0;) {
        uint32_t at = copy->at[i];
        if (at == CF_NOWHERE && i > 0 && copy->at[i - 1] != CF_NOWHERE)
            at = cf_inline_join(in, copy, i - 1);
        in->places[i] = at == CF_NOWHERE ? in->places[i + 1] : at;
    }
}

// Returns how many entries the copy has.
static uint32_t put_exceptions_of(struct cf_inliner *in, struct cf_copy *copy, struct writer *w) {
    uint32_t count = 0;
    find_places(in, copy);
    for (uint32_t k = 0; k < in->code.exception_table_length; k++) {
        struct cf_exception e = cf_exception_at(&in->code, k);
        uint32_t last = e.end_pc == in->code.length ? in->code.count : in->index[e.end_pc];
        uint32_t start = in->places[in->index[e.start_pc]], end = in->places[last];
        uint32_t handler = cf_inline_target(in, copy, in->index[e.handler_pc]);
        if (start >= end || handler == CF_NOWHERE) continue;
        put(w, 4, start << 16 | end);
        put(w, 4, handler << 16 | e.catch_type);
        count++;
    }
    return count;
}

static uint32_t put_exceptions(struct cf_inliner *in, struct writer *w) {
    uint32_t count = 0, entries = in->code.exception_table_length;
    if (entries == 0) return 0;
    for (struct cf_copy *copy = in->copies; copy; copy = copy->next) {
        uint64_t steps = in->code.count + (uint64_t)entries * copy->depth;
        if (cf_inline_works(in, steps) != CF_OK) return count;
        count += put_exceptions_of(in, copy, w);
    }
    if (count > 65535)
        cf_fail(in->error, CF_UNSUPPORTED, in->code.offset, "too many handlers without subroutines",
                0);
    return count;
}

static uint32_t put_lines_of(struct cf_inliner *in, const struct cf_attribute *a,
                             struct writer *w) {
    const uint8_t *p = in->code.cls->bytes + a->info + 2;
    uint32_t count = 0, entries = (a->length - 2) / 4;
    if (cf_be2(p - 2) < entries) entries = cf_be2(p - 2);
    for (const struct cf_copy *copy = in->copies; copy; copy = copy->next) {
        if (cf_inline_works(in, entries) != CF_OK) return count;
        for (uint32_t k = 0; k < entries; k++) {
            uint32_t pc = cf_be2(p + 4 * k);
            if (pc >= in->code.length || !(in->code.marks[pc] & CF_MARK_START)) continue;
            if (copy->at[in->index[pc]] == CF_NOWHERE) continue;
            put(w, 2, copy->at[in->index[pc]]);
            put(w, 2, cf_be2(p + 4 * k + 2));
            count++;
        }
    }
    return count;
}

static int is_line_numbers(const struct cf_attribute *a) {
    return CF_IS(a->name, "LineNumberTable") && a->length >= 2;
}

// Copies the attributes that remain; returns their number.
static uint32_t put_attributes(struct cf_inliner *in, struct writer *w) {
    const struct cf_code *code = &in->code;
    struct cf_error ignored = {.status = CF_OK};
    struct cf_walk walk = cf_walk_attributes(code->cls, code->attributes, code->attributes_count,
                                             code->end, &ignored);
    struct cf_attribute a;
    uint32_t count = 0;
    while (cf_next_attribute(&walk, &a)) {
        if (!is_line_numbers(&a)) continue;
        struct writer head = *w;
        put(w, 8, 0);
        uint32_t lines = put_lines_of(in, &a, w);
        put(&head, 2, a.name_index);
        put(&head, 4, 2 + 4 * lines);
        put(&head, 2, lines);
        count += lines <= 65535;
        if (lines > 65535) *w = (struct writer){w->at, head.length - 8};
    }
    return count;
}

// Writes the Code attribute_info.
static void put_attribute(struct cf_inliner *in, struct writer *w) {
    struct writer head = *w, count;
    const uint8_t *old = in->code.cls->bytes + in->code.method->code;
    put(w, 6, 0);
    put(w, 4, (uint32_t)in->code.max_stack << 16 | in->code.max_locals);
    put(w, 4, in->length);
    if (w->at) memcpy(w->at + w->length, in->bytes, in->length);
    w->length += in->length;
    count = *w;
    put(w, 2, 0);
    put(&count, 2, put_exceptions(in, w));
    count = *w;
    put(w, 2, 0);
    put(&count, 2, put_attributes(in, w));
    put(&head, 2, cf_be2(old));
    put(&head, 4, w->length - head.length - 4);
}

// --- the class ---

// The new Code attribute_info of a method, in the arena. Length 0: it has no subroutine.
static enum cf_status inline_method(const struct cf_class *cls, const struct cf_member *method,
                                    struct writer *attribute, uint8_t **returns,
                                    struct cf_error *error) {
    struct cf_inliner in;
    memset(&in, 0, sizeof in);
    in.arena = cls->arena;
    in.error = error;
    CF_TRY(cf_code_open(&in.code, cls, method, error));
    CF_TRY(cf_code_scan(&in.code, error));
    if (!in.code.has_jsr) return CF_OK;
    CF_TRY(cf_inline_code(&in));
    struct writer w = {NULL, 0};
    put_attribute(&in, &w);
    CF_TRY(error->status);
    w = (struct writer){cf_arena_zeroed(in.arena, w.length, 1), 0};
    if (!w.at) return cf_fail(error, CF_NO_MEMORY, in.code.offset, "out of memory", 0);
    put_attribute(&in, &w);
    if (error->status) return error->status;
    *attribute = w;
    *returns = in.returns;
    return CF_OK;
}

static enum cf_status put_class(const struct cf_class *cls, const struct writer *attributes,
                                struct cf_inlined *inlined) {
    uint32_t length = cls->length, from = 0, to = 0;
    for (uint32_t i = 0; i < cls->methods_count; i++)
        if (attributes[i].at)
            length += attributes[i].length - 6 - cf_be4(cls->bytes + cls->methods[i].code + 2);
    inlined->bytes = cf_arena_alloc(cls->arena, length);
    inlined->length = length;
    if (!inlined->bytes) return CF_NO_MEMORY;
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        uint32_t at = cls->methods[i].code;
        if (!attributes[i].at) continue;
        memcpy(inlined->bytes + to, cls->bytes + from, at - from);
        to += at - from;
        memcpy(inlined->bytes + to, attributes[i].at, attributes[i].length);
        to += attributes[i].length;
        from = at + 6 + cf_be4(cls->bytes + at + 2);
    }
    memcpy(inlined->bytes + to, cls->bytes + from, cls->length - from);
    return CF_OK;
}

enum cf_status cf_inline_subroutines(const struct cf_class *cls, struct cf_inlined *inlined,
                                     struct cf_error *error) {
    memset(inlined, 0, sizeof *inlined);
    if (cls->major_version > 50) return CF_OK;
    struct writer *attributes = cf_arena_zeroed(cls->arena, cls->methods_count, sizeof *attributes);
    inlined->returns = cf_arena_zeroed(cls->arena, cls->methods_count, sizeof *inlined->returns);
    if (!attributes || !inlined->returns)
        return cf_fail(error, CF_NO_MEMORY, 0, "out of memory", 0);
    int any = 0;
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        if (!cls->methods[i].code) continue;
        CF_TRY(inline_method(cls, &cls->methods[i], &attributes[i], &inlined->returns[i], error));
        any |= attributes[i].at != NULL;
    }
    if (any && put_class(cls, attributes, inlined) != CF_OK)
        return cf_fail(error, CF_NO_MEMORY, 0, "out of memory", 0);
    return CF_OK;
}
