// What passes do wrong with edits: each mistake has a reason, and nothing of it is written.

#include "tests/unit/run.h"
#include "tests/unit/subject.h"

// What passes do wrong is an error of the method, with a reason, the snippet and the place.
START_TEST(misuse_is_reported) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    struct cf_snippet *snippet = cf_snippet_new(s.edit);
    cf_branch_to(snippet, CF_OP_goto, cf_label(snippet));
    cf_insert_entry(s.edit, snippet);
    assert_misuse(&s, "a snippet that never falls through (snippet 1, at pc 0)");

    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    cf_insert_after(s.edit, 0, nops(s.edit, 1));
    assert_misuse(&s, "after an instruction that never falls through (snippet 1, at pc 0)");

    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    cf_insert_before(s.edit, 1, nops(s.edit, 1));
    assert_misuse(&s, "no instruction 1 (snippet 1, byte 1)");

    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    cf_insert_entry(s.edit, nops(s.edit, 3));
    snippet = cf_snippet_new(s.edit);
    cf_op(snippet, CF_OP_nop);
    cf_op(snippet, CF_OP_bipush);
    cf_insert_entry(s.edit, snippet);
    assert_misuse(&s, "instruction needs an operand (snippet 2, byte 2)");

    METHOD(&s, 52, "()V", 0, 0, CF_OP_nop, CF_OP_return);
    snippet = cf_snippet_new(s.edit);
    cf_op(snippet, CF_OP_iconst_0);
    cf_insert_before(s.edit, 1, snippet);
    assert_misuse(&s, "a snippet that changes the stack's depth (snippet 1, at pc 1)");

    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    snippet = cf_snippet_new(s.edit);
    cf_op(snippet, CF_OP_iconst_0);
    cf_branch_to(snippet, CF_OP_ifeq, cf_label(snippet));
    cf_insert_entry(s.edit, snippet);
    assert_misuse(&s, "label never placed (snippet 1, byte 4)");

    METHOD(&s, 52, "()V", 0, 0, CF_OP_nop, CF_OP_return);
    cf_replace(s.edit, 0, nops(s.edit, 1));
    cf_replace(s.edit, 0, nops(s.edit, 2));
    assert_misuse(&s, "instruction replaced by two passes (snippet 2, at pc 0)");
}
END_TEST

// An edit that did not begin may be used like one that did: each call does nothing.
static void use_all_the_same(struct cf_edit *edit, const char *reason) {
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_op(s, CF_OP_nop);
    cf_insert_entry(edit, s);
    cf_insert_exits(edit, s);
    cf_insert_thrown(edit, s);
    cf_insert_thrown_early(edit, s);
    cf_insert_constructed(edit, s);
    cf_insert_before(edit, 0, s);
    cf_insert_after(edit, 0, s);
    cf_replace(edit, 0, s);
    cf_insert_edge(edit, 0, 0, s);
    ck_assert_ptr_null(cf_take_replacement(edit, 0));
    ck_assert_int_eq(cf_edit_commit(edit), CF_MISUSE);
    ck_assert_str_eq(edit->error.reason, reason);
}

START_TEST(methods_without_code_and_of_others_have_no_edit) {
    struct build b;
    struct subject s;
    build_class_file(&b, 49, CF_ACC_PUBLIC | CF_ACC_ABSTRACT, "A");
    build_counted(&b, 0);
    build_counted(&b, 1);
    build_member(&b, CF_ACC_PUBLIC | CF_ACC_ABSTRACT, "f", "()V", 0);
    build_u2(&b, 0);
    open_subject(&s, &b);
    struct cf_edit *edit;
    const struct cf_member other = s.cls.methods[0], *methods[] = {&s.cls.methods[0], &other};
    ck_assert_int_eq(cf_edit_begin(&s.rewrite, &s.cls.methods[0], &edit), CF_MISUSE);
    use_all_the_same(edit, "the method has no code");
    ck_assert_int_eq(cf_edit_begin(&s.rewrite, &other, &edit), CF_MISUSE);
    use_all_the_same(edit, "not a method of the class");
    struct cf_edit *edits[2];
    cf_edits_begin(&s.rewrite, methods, 2, edits);
    for (unsigned i = 0; i < 2; i++) cf_edit_keep_constants(edits[i]);
    use_all_the_same(edits[0], "the method has no code");
    use_all_the_same(edits[1], "not a method of the class");
    encode(&s);
    ck_assert_uint_eq(s.size, s.length);
    ck_assert_mem_eq(s.result, s.bytes, s.length);
    close_subject(&s);
}
END_TEST

// What a pass gives that there cannot be.
static void none(struct cf_edit *edit, struct cf_snippet *s) {
    (void)edit;
    cf_op(s, (enum cf_opcode)CF_OPCODE_COUNT);
}
static void beyond(struct cf_edit *edit, struct cf_snippet *s) {
    cf_op_constant(s, CF_OP_getstatic, (uint16_t)edit->rewrite->pool.count, 0, 0);
}
static void other_tag(struct cf_edit *edit, struct cf_snippet *s) {
    cf_op_constant(s, CF_OP_getstatic,
                   cf_add_reference(&edit->rewrite->pool, CF_TAG_STRING, "A", "f", "I"), 0, 0);
}
static void dots(struct cf_edit *edit, struct cf_snippet *s) {
    cf_call(s, cf_callee_new(edit->rewrite, "com.acme.A", "f", "()V"));
}
static void no_name(struct cf_edit *edit, struct cf_snippet *s) {
    cf_call(s, cf_callee_new(edit->rewrite, "", "f", "()V"));
}

START_TEST(what_there_cannot_be_is_refused) {
    static const struct {
        void (*give)(struct cf_edit *edit, struct cf_snippet *s);
        const char *reason;
    } given[] = {{none, "no such opcode"},
                 {beyond, "no such constant"},
                 {other_tag, "a reference is a Fieldref, Methodref or InterfaceMethodref"},
                 {dots, "a callee's class is written with slashes"},
                 {no_name, "a callee's class is written with slashes"}};
    for (unsigned i = 0; i < sizeof given / sizeof *given; i++) {
        struct subject s;
        METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
        struct cf_snippet *snippet = cf_snippet_new(s.edit);
        given[i].give(s.edit, snippet);
        cf_insert_entry(s.edit, snippet);
        ck_assert_int_eq(cf_edit_commit(s.edit), CF_MISUSE);
        ck_assert_str_eq(s.edit->error.reason, given[i].reason);
        encode(&s);
        ck_assert_mem_eq(s.result, s.bytes, s.length);
        close_subject(&s);
    }
}
END_TEST

START_TEST(a_snippet_is_for_its_edit_alone) {
    struct subject s, other;
    METHOD(&s, 52, "()V", 0, 0, CF_OP_return);
    METHOD(&other, 52, "()V", 0, 0, CF_OP_return);
    struct cf_snippet *snippet = cf_snippet_new(other.edit);
    cf_op(snippet, CF_OP_nop);
    cf_insert_entry(s.edit, snippet);
    ck_assert_int_eq(cf_edit_commit(s.edit), CF_MISUSE);
    ck_assert_str_eq(s.edit->error.reason, "a snippet of the edit of another method");
    close_subject(&s);
    close_subject(&other);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("edit_misuse");
    TCase *tests = tcase_create("edit_misuse");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, misuse_is_reported);
    tcase_add_test(tests, methods_without_code_and_of_others_have_no_edit);
    tcase_add_test(tests, what_there_cannot_be_is_refused);
    tcase_add_test(tests, a_snippet_is_for_its_edit_alone);
    return run_suite(suite);
}
