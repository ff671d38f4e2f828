// Passes together, some of whose results must be whole: a method that others cannot have their
// snippets in is edited by those alone.

#include "instr/engine.h"
#include "tests/unit/build.h"
#include "tests/unit/run.h"

static struct instr_options options;
static struct instr_methods *methods;
static struct instr_engine *engine;
static uint8_t *bytes;
static size_t length;
static struct instr_rewritten result;
static unsigned skipped_count;

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

static void tear_down(void) {
    free(result.bytes);
    free(result.refused);
    free(bytes);
    instr_engine_free(engine);
    instr_methods_free(methods);
    instr_options_free(&options);
}

static enum cf_status grow(struct cf_edit *edit, unsigned by) {
    struct cf_snippet *s = cf_snippet_new(edit);
    for (unsigned i = 0; i < by; i++) cf_op(s, CF_OP_nop);
    cf_insert_entry(edit, s);
    return edit->error.status;
}

static enum cf_status grow_by_one(struct rw_class *cls, struct cf_edit *edit) {
    (void)cls;
    return grow(edit, 1);
}

static enum cf_status grow_by_hundred(struct rw_class *cls, struct cf_edit *edit) {
    (void)cls;
    return grow(edit, 100);
}

static enum cf_status grow_much(struct rw_class *cls, struct cf_edit *edit) {
    (void)cls;
    return grow(edit, 10000);
}

static enum cf_status grow_beyond(struct rw_class *cls, struct cf_edit *edit) {
    (void)cls;
    for (int i = 0; i < 6; i++) grow(edit, 10000);
    return edit->error.status;
}

static enum cf_status give_up(struct rw_class *cls, struct cf_edit *edit) {
    (void)cls;
    grow(edit, 10);
    return cf_fail(&edit->error, CF_LIMIT, 0, "had enough", 0);
}

static const struct rw_pass observer = {
    .name = "observer", .flags = RW_OBSERVES_SPEED, .edit = grow_by_hundred};
static const struct rw_pass quitter = {.name = "quitter", .edit = give_up};
static const struct rw_pass glutton = {.name = "glutton", .edit = grow_much};
static const struct rw_pass monster = {
    .name = "monster", .flags = RW_OBSERVES_SPEED, .edit = grow_beyond};
static const struct rw_pass whole = {.name = "whole", .flags = RW_COMPLETE, .edit = grow_by_one};
static const struct rw_pass whole_quitter = {
    .name = "whole_quitter", .flags = RW_COMPLETE, .edit = give_up};
static const struct rw_pass greedy = {.name = "greedy", .flags = RW_COMPLETE, .edit = grow_much};

// A class with one method f()V of so many bytes.
static void build_long(unsigned code_length) {
    struct build b;
    uint8_t *code = calloc(code_length, 1); // nops
    code[code_length - 1] = CF_OP_return;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "t/T");
    build_u2(&b, 0), build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "()V", 1);
    size_t place = build_code(&b, 0, 0, code, code_length);
    build_u2(&b, 0), build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    bytes = build_finish(&b, &length);
    free(code);
}

// What the code has grown by under two passes, the first of them outermost.
static int growth(unsigned code_length, const struct rw_pass *a, const struct rw_pass *b) {
    char error[INSTR_ERROR_SIZE];
    ck_assert_int_eq(instr_options_parse(&options, "calls,timing", error, sizeof error), 0);
    options.passes[0].pass = a;
    options.passes[1].pass = b;
    methods = instr_methods_new();
    engine = instr_engine_new(&options, methods, "java/lang/");
    build_long(code_length);
    instr_engine_rewrite(engine, bytes, length, allocate, NULL, &result);
    return result.bytes ? (int)(result.length - length) : 0;
}

#define NEVER_COMPILED                                                                             \
    ", and the JVM compiles none above 8,000 (huge=yes instruments it all the same)"

static void is_reason(void *context, const struct instr_skipped_item *kept) {
    ck_assert_str_eq(kept->class_name, "t/T");
    ck_assert_str_eq(kept->method, "f()V");
    ck_assert_str_eq(kept->reason, context);
    skipped_count++;
}

static void assert_kept(const char *reason) {
    skipped_count = 0;
    instr_engine_skipped(engine, is_reason, (void *)reason);
    ck_assert_uint_eq(skipped_count, 1);
    ck_assert_uint_eq(instr_engine_totals(engine).methods_skipped, 1);
}

START_TEST(a_long_method_keeps_whole_passes_in_either_order) {
    for (int order = 0; order < 2; order++) {
        ck_assert_int_eq(growth(7950, order ? &whole : &observer, order ? &observer : &whole), 1);
        assert_kept("observer: would grow to 8051 bytes" NEVER_COMPILED);
        ck_assert_uint_eq(instr_engine_totals(engine).methods_changed, 1);
        if (order) break;
        tear_down();
        memset(&result, 0, sizeof result);
    }
}
END_TEST

START_TEST(a_method_of_64k_keeps_whole_passes) {
    ck_assert_int_eq(growth(60000, &glutton, &whole), 1);
    assert_kept("glutton: would grow to 70001 bytes (limit 65,535)");
}
END_TEST

START_TEST(where_a_whole_pass_passes_the_limit_of_speed_all_do) {
    ck_assert_int_eq(growth(8000, &observer, &whole), 101);
    ck_assert_uint_eq(instr_engine_totals(engine).methods_skipped, 0);
    ck_assert_uint_eq(instr_engine_totals(engine).methods_grown, 1);
}
END_TEST

START_TEST(where_all_would_be_too_long_for_the_format_whole_passes_stay) {
    ck_assert_int_eq(growth(8000, &monster, &whole), 1);
    assert_kept("monster: would grow to 68001 bytes (limit 65,535)");
    ck_assert_uint_eq(instr_engine_totals(engine).methods_grown, 1);
}
END_TEST

START_TEST(what_gives_up_costs_whole_passes_nothing) {
    ck_assert_int_eq(growth(100, &quitter, &whole), 1);
    assert_kept("quitter: had enough");
}
END_TEST

START_TEST(a_whole_pass_that_gives_up_costs_others_nothing) {
    for (int order = 0; order < 2; order++) {
        ck_assert_int_eq(
            growth(100, order ? &whole : &whole_quitter, order ? &whole_quitter : &whole), 1);
        assert_kept("whole_quitter: had enough");
        if (order) break;
        tear_down();
        memset(&result, 0, sizeof result);
    }
}
END_TEST

START_TEST(whole_passes_that_all_give_up_leave_the_method) {
    ck_assert_int_eq(growth(100, &whole_quitter, &observer), 0);
    assert_kept("whole_quitter: had enough");
}
END_TEST

START_TEST(without_complete_passes_the_method_is_skipped) {
    ck_assert_int_eq(growth(100, &quitter, &observer), 0);
    assert_kept("quitter: had enough");
}
END_TEST

START_TEST(whole_passes_too_large_leave_the_method) {
    ck_assert_int_eq(growth(60000, &greedy, &observer), 0);
    assert_kept("would grow to 70100 bytes (limit 65,535)");
}
END_TEST

START_TEST(both_are_in_a_method_that_is_small_enough) {
    ck_assert_int_eq(growth(7899, &whole, &observer), 101);
    ck_assert_uint_eq(instr_engine_totals(engine).methods_skipped, 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("compose");
    TCase *tests = tcase_create("compose");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_add_test(tests, a_long_method_keeps_whole_passes_in_either_order);
    tcase_add_test(tests, a_method_of_64k_keeps_whole_passes);
    tcase_add_test(tests, where_a_whole_pass_passes_the_limit_of_speed_all_do);
    tcase_add_test(tests, where_all_would_be_too_long_for_the_format_whole_passes_stay);
    tcase_add_test(tests, what_gives_up_costs_whole_passes_nothing);
    tcase_add_test(tests, a_whole_pass_that_gives_up_costs_others_nothing);
    tcase_add_test(tests, whole_passes_that_all_give_up_leave_the_method);
    tcase_add_test(tests, without_complete_passes_the_method_is_skipped);
    tcase_add_test(tests, whole_passes_too_large_leave_the_method);
    tcase_add_test(tests, both_are_in_a_method_that_is_small_enough);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
