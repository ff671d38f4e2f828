// Early returns at the entry: which exits run before them, and in which methods they may stand. And snippets in snippets.

#include "classfile/verify.h"
#include "tests/unit/run.h"
#include "tests/unit/subject.h"

#include <stdio.h>

// `if (test) return result;` where both are constants.
static void return_early(struct cf_edit *edit, enum cf_opcode test, enum cf_opcode result) {
    struct cf_snippet *s = cf_snippet_new(edit);
    uint32_t go_on = cf_label(s);
    cf_op(s, test);
    cf_branch_to(s, CF_OP_ifeq, go_on);
    if (result != CF_OP_nop) cf_op(s, result);
    cf_insert_early_return(edit, s, go_on);
}

static void verifies(struct subject *s) {
    struct cf_verify_failure failure;
    char text[300] = "";
    enum cf_status status = cf_verify_class(&s->after, NULL, NULL, &failure);
    if (status != CF_OK) cf_verify_text(&s->after, &failure, text, sizeof text);
    ck_assert_msg(status == CF_OK, "%s", text);
}

START_TEST(the_exits_of_passes_that_have_entered_run_innermost_first) {
    struct subject s;
    METHOD(&s, 52, "()I", 1, 0, CF_OP_iconst_5, CF_OP_ireturn);
    for (int pass = 0; pass < 3; pass++) {
        s.edit->nesting = pass * CF_LEVELS;
        cf_insert_entry(s.edit, push_and_pop(s.edit, 3 + pass));
        if (pass == 1) return_early(s.edit, CF_OP_iconst_1, CF_OP_iconst_m1);
        cf_insert_exits(s.edit, push_and_pop(s.edit, pass));
    }
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iconst_3, CF_OP_pop, CF_OP_iconst_4, CF_OP_pop, // 0 and 1 enter
                CF_OP_iconst_1, CF_OP_ifeq, 0, 9, CF_OP_iconst_m1,        //
                CF_OP_iconst_1, CF_OP_pop, CF_OP_iconst_0, CF_OP_pop,     // 1 and 0 leave
                CF_OP_ireturn, CF_OP_iconst_5, CF_OP_pop,                 // 2 enters
                CF_OP_iconst_5, CF_OP_iconst_2, CF_OP_pop, CF_OP_iconst_1, CF_OP_pop,
                CF_OP_iconst_0, CF_OP_pop, CF_OP_ireturn);
    verifies(&s);
    close_subject(&s);
}
END_TEST

START_TEST(levels_of_one_pass_nest_in_any_order_of_anchoring) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    for (int level = 0; level < 3; level++) {
        s.edit->nesting = level;
        if (level == 1) return_early(s.edit, CF_OP_iconst_0, CF_OP_nop);
        cf_insert_exits(s.edit, push_and_pop(s.edit, level));
    }
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iconst_0, CF_OP_ifeq, 0, 8, CF_OP_iconst_1, CF_OP_pop, CF_OP_iconst_0,
                CF_OP_pop, CF_OP_return, CF_OP_iconst_2, CF_OP_pop, CF_OP_iconst_1, CF_OP_pop,
                CF_OP_iconst_0, CF_OP_pop, CF_OP_return);
    verifies(&s);
    close_subject(&s);
}
END_TEST

// Stores the result, catches what a call throws, and branches.
static const struct cf_snippet *busy_exit(struct cf_edit *edit, uint32_t live) {
    struct cf_snippet *s = cf_snippet_new(edit);
    uint32_t result = cf_new_local(edit, "J", 0);
    uint32_t start = cf_label(s), end = cf_label(s), caught = cf_label(s), out = cf_label(s);
    cf_local(s, CF_OP_lstore, result);
    cf_handler_at_depth(s, start, end, caught, 0, 2);
    cf_place(s, start);
    cf_call(s, cf_callee_new(edit->rewrite, "Q", "leave", "()V"));
    cf_place(s, end);
    cf_branch_to(s, CF_OP_goto, out);
    cf_place(s, caught);
    cf_op(s, CF_OP_pop);
    cf_place(s, out);
    cf_increment(s, live, 1);
    cf_local(s, CF_OP_lload, result);
    return s;
}

START_TEST(exits_with_handlers_branches_and_locals_are_repeated) {
    struct subject s;
    METHOD(&s, 52, "()J", 2, 0, CF_OP_lconst_1, CF_OP_lreturn);
    for (int pass = 0; pass < 2; pass++) {
        struct cf_snippet *entry = cf_snippet_new(s.edit);
        uint32_t live = cf_new_local(s.edit, "I", 1);
        s.edit->nesting = pass * CF_LEVELS;
        cf_op(entry, CF_OP_iconst_0);
        cf_local(entry, CF_OP_istore, live);
        cf_insert_entry(s.edit, entry);
        return_early(s.edit, CF_OP_iconst_1, CF_OP_lconst_0);
        cf_insert_exits(s.edit, busy_exit(s.edit, live));
    }
    commit(&s);
    verifies(&s);
    ck_assert_uint_eq(code_of(&s, 0).exception_table_length, 5); // of 1 + 2 exits, and 2
    close_subject(&s);
}
END_TEST

START_TEST(a_method_that_never_returns_may_return_early) {
    struct subject s;
    METHOD(&s, 52, "()V", 1, 0, CF_OP_aconst_null, CF_OP_athrow);
    cf_insert_exits(s.edit, push_and_pop(s.edit, 4));
    s.edit->nesting = CF_LEVELS;
    return_early(s.edit, CF_OP_iconst_1, CF_OP_nop);
    cf_insert_exits(s.edit, push_and_pop(s.edit, 5));
    s.edit->nesting = 2 * CF_LEVELS;
    cf_insert_exits(s.edit, push_and_pop(s.edit, 6));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iconst_1, CF_OP_ifeq, 0, 8, CF_OP_iconst_5, CF_OP_pop, CF_OP_iconst_4,
                CF_OP_pop, CF_OP_return, CF_OP_aconst_null, CF_OP_athrow);
    verifies(&s);
    close_subject(&s);
}
END_TEST

START_TEST(every_type_of_result_has_its_return) {
    static const struct {
        const char *descriptor;
        enum cf_opcode zero, returns;
    } types[] = {{"(Ljava/lang/String;J)V", CF_OP_nop, CF_OP_return},
                 {"()Z", CF_OP_iconst_0, CF_OP_ireturn},
                 {"(J)J", CF_OP_lconst_0, CF_OP_lreturn},
                 {"()F", CF_OP_fconst_0, CF_OP_freturn},
                 {"()D", CF_OP_dconst_0, CF_OP_dreturn},
                 {"()[J", CF_OP_aconst_null, CF_OP_areturn},
                 {"(I)Ljava/lang/Object;", CF_OP_aconst_null, CF_OP_areturn}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct subject s;
        METHOD(&s, 52, types[i].descriptor, 1, 3, CF_OP_aconst_null, CF_OP_athrow);
        return_early(s.edit, CF_OP_iconst_1, types[i].zero);
        commit(&s);
        verifies(&s);
        ck_assert_uint_eq(code_of(&s, 0).bytes[types[i].zero == CF_OP_nop ? 4 : 5],
                          types[i].returns);
        close_subject(&s);
    }
}
END_TEST

START_TEST(a_constructor_refuses_one) {
    struct subject s;
    struct build b;
    char text[200];
    build_class_file(&b, 52, CF_ACC_PUBLIC, "A");
    build_counted(&b, 0);
    build_counted(&b, 1);
    build_member(&b, CF_ACC_PUBLIC, "<init>", "()V", 1);
    size_t place = build_code(&b, 0, 1, (const uint8_t[]){CF_OP_return}, 1);
    build_u2(&b, 0);
    build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(&s, &b);
    begin(&s, 0);
    return_early(s.edit, CF_OP_iconst_1, CF_OP_nop);
    ck_assert_int_eq(cf_edit_commit(s.edit), CF_UNSUPPORTED);
    ck_assert_str_eq(cf_error_text(&s.edit->error, text, sizeof text),
                     "a constructor cannot return at its entry (snippet 1, at pc 0)");
    close_subject(&s);
}
END_TEST

static void is_misuse(const char *descriptor, enum cf_opcode result, int branches) {
    struct subject s;
    char text[200];
    METHOD(&s, 52, descriptor, 1, 0, CF_OP_aconst_null, CF_OP_athrow);
    struct cf_snippet *snippet = cf_snippet_new(s.edit);
    uint32_t go_on = cf_label(snippet);
    cf_op(snippet, CF_OP_iconst_0);
    if (branches)
        cf_branch_to(snippet, CF_OP_ifeq, go_on);
    else
        cf_op(snippet, CF_OP_pop);
    cf_op(snippet, result);
    cf_insert_early_return(s.edit, snippet, go_on);
    ck_assert_int_eq(cf_edit_commit(s.edit), CF_MISUSE);
    ck_assert_str_eq(
        cf_error_text(&s.edit->error, text, sizeof text),
        "an early return ends with the result, and branches to the method (snippet 1, at pc 0)");
    close_subject(&s);
}

// int local = 1; try { local = 0L; call } catch (any) { }
START_TEST(a_local_that_changes_its_type_in_a_range_has_none_in_the_handler) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    uint32_t local = cf_new_local(s.edit, "J", 0);
    struct cf_snippet *snippet = cf_snippet_new(s.edit);
    uint32_t start = cf_label(snippet), end = cf_label(snippet), caught = cf_label(snippet),
             out = cf_label(snippet), go_on = cf_label(snippet);
    cf_op(snippet, CF_OP_iconst_1);
    cf_local(snippet, CF_OP_istore, local);
    cf_op(snippet, CF_OP_iconst_0);
    cf_branch_to(snippet, CF_OP_ifeq, go_on);
    cf_branch_to(snippet, CF_OP_goto, out);
    cf_handler(snippet, start, end, caught, 0);
    cf_place(snippet, start); // reached by the label behind it alone
    cf_place(snippet, go_on);
    cf_op(snippet, CF_OP_lconst_0);
    cf_local(snippet, CF_OP_lstore, local);
    cf_call(snippet, cf_callee_new(&s.rewrite, "Q", "m", "()V"));
    cf_place(snippet, end);
    cf_branch_to(snippet, CF_OP_goto, out);
    cf_place(snippet, caught);
    cf_op(snippet, CF_OP_pop);
    cf_place(snippet, out);
    cf_insert_entry(s.edit, snippet);
    commit(&s);
    verifies(&s);
    close_subject(&s);
}
END_TEST

START_TEST(a_replacement_takes_another_one_in) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_nop, CF_OP_return);
    ck_assert_ptr_null(cf_take_replacement(s.edit, 0));
    cf_replace(s.edit, 0, push_and_pop(s.edit, 1));
    struct cf_snippet *around = cf_snippet_new(s.edit);
    cf_op(around, CF_OP_nop);
    cf_snippet_append(around, cf_take_replacement(s.edit, 0));
    cf_op(around, CF_OP_nop);
    cf_replace(s.edit, 0, around);
    commit(&s);
    ASSERT_CODE(&s, CF_OP_nop, CF_OP_iconst_1, CF_OP_pop, CF_OP_nop, CF_OP_return);
    close_subject(&s);
}
END_TEST

START_TEST(misuse_is_reported) {
    is_misuse("()V", CF_OP_iconst_0, 1);
    is_misuse("()J", CF_OP_iconst_0, 1);
    is_misuse("()I", CF_OP_iconst_0, 0); // the method would never run
}
END_TEST

START_TEST(interfaces_are_called_and_fractions_pushed) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    struct cf_pool *pool = &s.rewrite.pool;
    struct cf_snippet *snippet = cf_snippet_new(s.edit);
    uint16_t one = cf_add_double(pool, 1.5), two = cf_add_float(pool, 2.5f),
             call = cf_add_reference(pool, CF_TAG_INTERFACE_METHODREF, "Q", "m", "(DF)I");
    ck_assert_uint_eq(cf_add_double(pool, 1.5), one);
    ck_assert_uint_eq(cf_add_float(pool, 2.5f), two);
    cf_op(snippet, CF_OP_aconst_null);
    cf_push_constant(snippet, one);
    cf_push_constant(snippet, two);
    cf_call_interface(snippet, call, 4, 1);
    cf_op(snippet, CF_OP_pop);
    cf_insert_entry(s.edit, snippet);
    commit(&s);
    ASSERT_CODE(&s, CF_OP_aconst_null, CF_OP_ldc2_w, 0, (uint8_t)one, CF_OP_ldc, (uint8_t)two,
                CF_OP_invokeinterface, 0, (uint8_t)call, 4, 0, CF_OP_pop, CF_OP_return);
    static const uint8_t half[] = {CF_TAG_DOUBLE, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0};
    ck_assert_mem_eq(s.after.bytes + s.after.constant_pool[one], half, sizeof half);
    ck_assert_uint_eq(code_of(&s, 0).max_stack, 4);
    verifies(&s);
    close_subject(&s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("early return");
    TCase *tests = tcase_create("early return");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, the_exits_of_passes_that_have_entered_run_innermost_first);
    tcase_add_test(tests, levels_of_one_pass_nest_in_any_order_of_anchoring);
    tcase_add_test(tests, exits_with_handlers_branches_and_locals_are_repeated);
    tcase_add_test(tests, a_method_that_never_returns_may_return_early);
    tcase_add_test(tests, every_type_of_result_has_its_return);
    tcase_add_test(tests, a_constructor_refuses_one);
    tcase_add_test(tests, a_local_that_changes_its_type_in_a_range_has_none_in_the_handler);
    tcase_add_test(tests, a_replacement_takes_another_one_in);
    tcase_add_test(tests, misuse_is_reported);
    tcase_add_test(tests, interfaces_are_called_and_fractions_pushed);
    return run_suite(suite);
}
