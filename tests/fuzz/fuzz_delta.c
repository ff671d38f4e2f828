// The comparison of a rewritten method with its original (classfile/rewritten/delta.h), against the
// check in full: what the former takes, of methods whose original verifies, the latter takes, too.
// Methods get code as timing inserts it, and some more; then bytes of their new code are changed.

#include "tests/fuzz/fuzz.h"

#include "classfile/rewritten/delta.h"
#include "classfile/rewritten/rewritten.h"

enum { MUTANTS = 24 }; // of each method

static uint32_t state;

static uint32_t draw(uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * below >> 32);
}

static void put_in(struct cf_rewrite *rewrite, const struct cf_member *method) {
    struct cf_edit *edit;
    if (cf_edit_begin(rewrite, method, &edit) != CF_OK) return;
    struct cf_callee enter = cf_callee_new(rewrite, "java/lang/Gate", "enter", "(I)J");
    struct cf_callee leave = cf_callee_new(rewrite, "java/lang/Gate", "leave", "(JI)V");
    uint32_t local = cf_new_local(edit, "J", 1);
    struct cf_snippet *entry = cf_snippet_new(edit), *exit = cf_snippet_new(edit);
    cf_push_int(entry, (int32_t)draw(100000));
    cf_call(entry, enter);
    cf_local(entry, CF_OP_lstore, local);
    cf_local(exit, CF_OP_lload, local);
    cf_push_int(exit, 7);
    cf_call(exit, leave);
    cf_insert_entry(edit, entry);
    cf_insert_exits(edit, exit);
    cf_insert_thrown(edit, exit);
    if (draw(2)) cf_insert_before(edit, draw(edit->code.count), exit);
    if (draw(4) == 0) cf_insert_after(edit, draw(edit->code.count), exit);
    if (cf_is_constructor(rewrite->cls, method)) {
        cf_insert_constructed(edit, exit);
        cf_insert_thrown_early(edit, exit);
    }
    cf_edit_commit(edit);
}

struct judged {
    struct cf_class view;
    struct cf_rewrite *rewrite;
    uint8_t *bytes;
};

static enum cf_status full(struct judged *j, uint32_t i) {
    struct cf_verify_failure failure;
    struct cf_verify_original original = cf_rewritten_original(j->rewrite, i);
    struct cf_verifier *v = cf_verifier_new(&j->view, NULL, NULL);
    return v ? cf_verify_rewritten(v, &j->view.methods[i], &original, &failure) : CF_NO_MEMORY;
}

static void compare(struct judged *j, uint32_t i) {
    struct cf_delta *delta = cf_delta_new(j->rewrite, &j->view);
    struct cf_verifier *v = cf_verifier_new(&j->view, NULL, NULL);
    MUST(v);
    if (!delta || !cf_delta_holds(delta, v, i)) return;
    enum cf_status status = full(j, i);
    MUST(status == CF_OK || status == CF_NO_MEMORY || status == CF_LIMIT);
}

static void change_and_compare(struct judged *j, uint32_t i) {
    uint32_t at = j->view.methods[i].code + 6, length = cf_be4(j->bytes + at - 4);
    for (int k = 0; k < MUTANTS; k++) {
        uint32_t changed = at + draw(length), next = changed + 1 < at + length ? changed + 1 : at;
        uint8_t first = j->bytes[changed], second = j->bytes[next];
        j->bytes[changed] = draw(2) ? (uint8_t)draw(256) : (uint8_t)(first + 1 - 2 * draw(2));
        if (draw(4) == 0) j->bytes[next] = j->bytes[at + draw(length)];
        compare(j, i);
        j->bytes[next] = second;
        j->bytes[changed] = first;
    }
}

static void *allocate(void *context, size_t size) {
    return cf_arena_alloc(context, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_rewrite rewrite;
    struct cf_verify_failure failure;
    struct judged j = {.rewrite = &rewrite};
    size_t length;
    state = (uint32_t)size;
    fuzz_arena(&arena);
    struct cf_verifier *before = NULL;
    if (cf_class_open(&cls, data, size, &arena) == CF_OK &&
        cf_rewrite_begin(&rewrite, &cls) == CF_OK)
        before = cf_verifier_new(&cls, NULL, NULL);
    for (uint32_t i = 0; before && i < cls.methods_count; i++)
        if (cls.methods[i].code && cf_verify_method(before, &cls.methods[i], &failure) == CF_OK)
            put_in(&rewrite, &cls.methods[i]);
    if (before && rewrite.methods_changed &&
        cf_rewrite_encode(&rewrite, allocate, &arena, &j.bytes, &length) == CF_OK &&
        cf_rewritten_view(&rewrite, j.bytes, length, &j.view) == CF_OK)
        for (uint32_t i = 0; i < cls.methods_count; i++) {
            if (!rewrite.code[i].length) continue;
            compare(&j, i);
            change_and_compare(&j, i);
        }
    cf_arena_free(&arena);
    return 0;
}
