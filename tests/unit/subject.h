// A class with one method, opened and edited, for tests of the editor.

#ifndef TESTS_SUBJECT_H
#define TESTS_SUBJECT_H

#include "classfile/edit.h"
#include "classfile/structure.h"
#include "tests/unit/build.h"

#include <check.h>

struct subject {
    struct cf_arena arena;
    uint8_t *bytes, *result;
    size_t length, size;
    struct cf_class cls, after;
    struct cf_rewrite rewrite;
    struct cf_edit *edit;
};

static inline void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

static inline void open_subject(struct subject *s, struct build *b) {
    memset(s, 0, sizeof *s);
    s->bytes = build_finish(b, &s->length);
    cf_arena_init(&s->arena);
    ck_assert_int_eq(cf_class_open(&s->cls, s->bytes, s->length, &s->arena), CF_OK);
    ck_assert_int_eq(cf_rewrite_begin(&s->rewrite, &s->cls), CF_OK);
}

static inline struct cf_edit *begin(struct subject *s, unsigned method) {
    ck_assert_int_eq(cf_edit_begin(&s->rewrite, &s->cls.methods[method], &s->edit), CF_OK);
    return s->edit;
}

static inline void encode(struct subject *s) {
    ck_assert_int_eq(cf_rewrite_encode(&s->rewrite, allocate, NULL, &s->result, &s->size), CF_OK);
    ck_assert_int_eq(cf_class_open(&s->after, s->result, s->size, &s->arena), CF_OK);
    struct cf_error error = {.status = CF_OK};
    char text[200];
    ck_assert_msg(cf_check_structure(&s->after, &error) == CF_OK, "structure: %s",
                  cf_error_text(&error, text, sizeof text));
}

static inline void commit(struct subject *s) {
    char text[200];
    ck_assert_msg(cf_edit_commit(s->edit) == CF_OK, "%s",
                  cf_error_text(&s->edit->error, text, sizeof text));
    encode(s);
}

static inline void close_subject(struct subject *s) {
    free(s->result);
    free(s->bytes);
    cf_arena_free(&s->arena);
}

// The edit fails with this error, and the subject is closed.
static inline void assert_misuse(struct subject *s, const char *expected) {
    char text[200];
    ck_assert_int_eq(cf_edit_commit(s->edit), CF_MISUSE);
    ck_assert_str_eq(cf_error_text(&s->edit->error, text, sizeof text), expected);
    close_subject(s);
}

// The new code of a method.
static inline struct cf_code code_of(struct subject *s, unsigned method) {
    struct cf_code code;
    struct cf_error error = {.status = CF_OK};
    ck_assert_int_eq(cf_code_open(&code, &s->after, &s->after.methods[method], &error), CF_OK);
    ck_assert_int_eq(cf_code_scan(&code, &error), CF_OK);
    return code;
}

static inline void assert_code(struct subject *s, const uint8_t *expected, size_t length) {
    struct cf_code code = code_of(s, 0);
    ck_assert_uint_eq(code.length, length);
    ck_assert_mem_eq(code.bytes, expected, length);
}
#define ASSERT_CODE(s, ...)                                                                        \
    assert_code(s, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

// A static method f with this code, in a class of this version; more attributes of the code may
// follow.
static inline size_t method_head(struct build *b, unsigned version, const char *descriptor,
                                 unsigned stack, unsigned locals, const uint8_t *code,
                                 size_t length) {
    build_class_file(b, version, CF_ACC_PUBLIC, "A");
    build_counted(b, 0);
    build_counted(b, 1);
    build_member(b, CF_ACC_STATIC, "f", descriptor, 1);
    return build_code(b, stack, locals, code, length);
}

static inline void method(struct subject *s, unsigned version, const char *descriptor,
                          unsigned stack, unsigned locals, const uint8_t *code, size_t length) {
    struct build b;
    size_t place = method_head(&b, version, descriptor, stack, locals, code, length);
    build_u2(&b, 0);
    build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(s, &b);
    begin(s, 0);
}
#define METHOD(s, version, descriptor, stack, locals, ...)                                         \
    method(s, version, descriptor, stack, locals, (const uint8_t[]){__VA_ARGS__},                  \
           sizeof((const uint8_t[]){__VA_ARGS__}))

static inline const struct cf_snippet *nops(struct cf_edit *edit, unsigned n) {
    struct cf_snippet *s = cf_snippet_new(edit);
    while (n--) cf_op(s, CF_OP_nop);
    return s;
}

static inline const struct cf_snippet *push_and_pop(struct cf_edit *edit, int value) {
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_push_int(s, value);
    cf_op(s, CF_OP_pop);
    return s;
}

#endif
