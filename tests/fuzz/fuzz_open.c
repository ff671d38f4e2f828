// Opening, and everything that can be asked of an opened class. What opens is written back byte for
// byte.

#include "tests/fuzz/fuzz.h"

#include "classfile/edit.h"

static void ask_pool(const struct cf_class *cls) {
    for (unsigned i = 0; i < cls->constant_pool_count + 2u; i++) {
        struct cf_slice a, b, c;
        unsigned tag = cf_tag_at(cls, i);
        a = cf_utf8(cls, i);
        if (a.bytes) MUST(a.bytes >= cls->bytes && a.bytes + a.length <= cls->bytes + cls->length);
        for (unsigned t = 0; t < 32; t++) {
            a = cf_named(cls, i, t);
            MUST(!a.bytes || t == tag);
        }
        if (cf_name_and_type(cls, i, &a, &b))
            MUST(tag == CF_TAG_NAME_AND_TYPE && a.bytes && b.bytes);
        if (cf_reference(cls, i, &a, &b, &c)) {
            unsigned parameters, result;
            MUST(b.bytes && c.bytes);
            if (cf_method_slots(c, &parameters, &result)) MUST(parameters <= 255 && result <= 2);
            MUST(cf_field_slots(c) <= 2);
        }
    }
}

static void walk(struct cf_walk w, const struct cf_class *cls) {
    struct cf_attribute a;
    while (cf_next_attribute(&w, &a)) MUST(a.info + (uint64_t)a.length <= cls->length);
}

static void ask_code(const struct cf_class *cls, const struct cf_member *method) {
    struct cf_error error = {0};
    struct cf_code code;
    if (cf_code_open(&code, cls, method, &error) != CF_OK) return;
    for (uint32_t i = 0; i < code.exception_table_length; i++) cf_exception_at(&code, i);
    for (uint32_t pc = 0; pc < code.length; pc++)
        MUST(cf_instruction_length(code.bytes, pc, code.length) <= code.length - pc);
    if (cf_code_scan(&code, &error) != CF_OK) return;
    MUST(code.count && code.pc[0] == 0 && code.pc[code.count] == code.length);
    for (uint32_t i = 0; i < code.switches_count; i++) {
        struct cf_switch sw;
        cf_switch_open(&code, code.switches[i], &sw);
        for (uint32_t k = 0; k < sw.count; k++) {
            MUST(cf_switch_target(&sw, k) < code.length);
            cf_switch_match(&sw, k);
        }
    }
    for (uint32_t i = 0; i < code.branches_count; i++) MUST(code.branches[i].target < code.length);
}

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

static void write_back(struct cf_class *cls) {
    struct cf_rewrite rewrite;
    uint8_t *bytes = NULL;
    size_t length = 0;
    MUST(cf_rewrite_begin(&rewrite, cls) == CF_OK);
    MUST(cf_rewrite_encode(&rewrite, allocate, NULL, &bytes, &length) == CF_OK);
    MUST(bytes && length == cls->length && memcmp(bytes, cls->bytes, length) == 0);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_error error = {0};
    char text[256];
    fuzz_arena(&arena);
    if (cf_class_open(&cls, data, size, &arena) == CF_OK) {
        struct cf_member field;
        ask_pool(&cls);
        walk(cf_class_attributes(&cls, &error), &cls);
        struct cf_walk fields = cf_walk_fields(&cls, &error);
        while (cf_next_field(&fields, &field))
            walk(cf_member_attributes(&cls, &field, &error), &cls);
        for (uint32_t i = 0; i < cls.methods_count; i++) {
            walk(cf_member_attributes(&cls, &cls.methods[i], &error), &cls);
            if (cls.methods[i].code) ask_code(&cls, &cls.methods[i]);
        }
        MUST(error.status == CF_OK); // opening has seen to all of this
        write_back(&cls);
    } else {
        MUST(cls.error.status != CF_OK && cls.error.reason && cls.error.offset <= size);
        cf_error_text(&cls.error, text, sizeof text);
    }
    cf_arena_free(&arena);
    return 0;
}
