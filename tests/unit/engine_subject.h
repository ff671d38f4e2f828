// An engine with a pass of the test's own, and a class that it rewrites.

#ifndef TESTS_ENGINE_SUBJECT_H
#define TESTS_ENGINE_SUBJECT_H

#include "instr/engine.h"
#include "tests/unit/verify_class.h"

#include <check.h>
#include <stdlib.h>

static const struct verify_case good = {"f(I)I", "2 1", "iload_0 iconst_1 iadd ireturn", 0, 0,
                                        0,       0};

static struct instr_options options;
static struct instr_methods *methods;
static struct instr_engine *engine;
static uint8_t *bytes;
static size_t length;
static struct instr_rewritten result;

static inline enum cf_status do_nothing_much(struct rw_class *cls, struct cf_edit *edit) {
    (void)cls;
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_push_constant(s, cf_add_long(&edit->rewrite->pool, 123456789012345));
    cf_op(s, CF_OP_pop2);
    cf_insert_entry(edit, s);
    cf_new_local(edit, "J", 0);
    return edit->error.status;
}

static const struct rw_pass good_pass = {.name = "good", .edit = do_nothing_much};

static inline void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

static int check_input; // as the agent does

static inline void rewrite_with(const struct rw_pass *pass, const struct verify_case *t,
                                const char *more) {
    char error[INSTR_ERROR_SIZE];
    ck_assert_int_eq(instr_options_parse(&options, more, error, sizeof error), 0);
    options.passes[0].pass = pass;
    methods = instr_methods_new();
    engine = instr_engine_new(&options, methods, "java/lang/");
    bytes = verify_build(t, &length);
    if (check_input) instr_engine_check_input(engine);
    instr_engine_rewrite(engine, bytes, length, allocate, NULL, &result);
}

static inline void tear_down(void) {
    free(result.bytes);
    free(result.refused);
    free(bytes);
    instr_engine_free(engine);
    instr_methods_free(methods);
    instr_options_free(&options);
}

// Before a second class in one test.
static inline void start_again(void) {
    tear_down();
    memset(&result, 0, sizeof result);
    memset(&options, 0, sizeof options);
    bytes = NULL;
    engine = NULL;
    methods = NULL;
}

static unsigned skipped_count;

static inline void look_at_skipped(void *context, const struct instr_skipped_item *kept) {
    const char *const *expected = context;
    ck_assert_str_eq(kept->class_name, "t/T");
    ck_assert_str_eq(kept->method, skipped_count ? "" : expected[0]);
    ck_assert_str_eq(kept->reason,
                     skipped_count ? "rewritten code would not verify (at offset 0)" : expected[1]);
    skipped_count++;
}

#endif
