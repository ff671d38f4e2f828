// What replaces an instruction, and what goes with it: frames, edges, tables, snippets that are appended.

#include "classfile/verify.h"
#include "tests/unit/run.h"
#include "tests/unit/subject.h"

static void assert_verified(struct subject *s) {
    struct cf_verify_failure failure;
    memset(&failure, 0, sizeof failure);
    char text[400];
    ck_assert_msg(cf_verify_class(&s->after, NULL, NULL, &failure) == CF_OK, "%s",
                  cf_verify_text(&s->after, &failure, text, sizeof text));
}

START_TEST(nothing_in_place_of_an_instruction_removes_it) {
    struct subject s;
    METHOD(&s, 49, "()V", 0, 1, CF_OP_iinc, 0, 1, CF_OP_return);
    cf_replace(s.edit, 0, cf_snippet_new(s.edit));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_nop, CF_OP_return);
    close_subject(&s);
}
END_TEST

// static Object f(boolean b) { return new Object(b ? null : null); } as far as frames go: at both of them
// an uninitialized object lies on the stack.
static void begin_with_new(struct subject *s) {
    struct build b;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "A");
    unsigned made = build_class(&b, "java/lang/Object");
    unsigned constructor =
        build_reference(&b, CF_TAG_METHODREF, "java/lang/Object", "<init>", "()V");
    build_counted(&b, 0);
    build_counted(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "(Z)V", 1);
    const uint8_t code[] = {
        CF_OP_new,           0, (uint8_t)made,        CF_OP_iload_0, CF_OP_ifeq, 0, 4, CF_OP_nop,
        CF_OP_invokespecial, 0, (uint8_t)constructor, CF_OP_return};
    size_t place = build_code(&b, 2, 1, code, sizeof code);
    build_u2(&b, 0);
    build_u2(&b, 1);
    size_t frames = build_attribute(&b, "StackMapTable");
    build_u2(&b, 1);
    build_u1(&b, 64 + 8); // same_locals_1_stack_item at 8
    build_u1(&b, CF_TYPE_UNINITIALIZED);
    build_u2(&b, 0);
    build_end(&b, frames);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(s, &b);
    begin(s, 0);
}

static uint16_t operand_at(const struct subject *s, uint32_t i) {
    const struct cf_code *code = &s->edit->code;
    return (uint16_t)cf_be2(code->bytes + code->pc[i] + 1);
}

// The offset that the only frame says the object was made at.
static uint32_t made_at(struct subject *s) {
    struct cf_code after = code_of(s, 0);
    return cf_be2(s->after.bytes + after.stack_map_table + 4);
}

START_TEST(frames_know_the_new_in_what_replaces_one) {
    for (unsigned live = 0; live < 2; live++) { // with a new local frames are built, else moved
        struct subject s;
        begin_with_new(&s);
        if (live) {
            struct cf_snippet *entry = cf_snippet_new(s.edit);
            uint32_t local = cf_new_local(s.edit, "J", 1);
            cf_op(entry, CF_OP_lconst_0);
            cf_local(entry, CF_OP_lstore, local);
            cf_insert_entry(s.edit, entry);
        }
        struct cf_snippet *around = cf_snippet_new(s.edit);
        cf_op(around, CF_OP_nop);
        cf_op_constant(around, CF_OP_new, operand_at(&s, 0), 0, 1);
        cf_op(around, CF_OP_nop);
        cf_replace(s.edit, 0, around);
        commit(&s);
        assert_verified(&s);
        ck_assert_uint_eq(code_of(&s, 0).bytes[live ? 3 : 1], CF_OP_new);
        if (!live) ck_assert_uint_eq(made_at(&s), 1);
        close_subject(&s);
    }
}
END_TEST

START_TEST(of_several_the_new_of_the_same_class_is_meant) {
    struct subject s;
    begin_with_new(&s);
    struct cf_snippet *around = cf_snippet_new(s.edit);
    uint16_t other = cf_add_class(&s.rewrite.pool, "java/lang/Error", 15);
    cf_op_constant(around, CF_OP_new, operand_at(&s, 0), 0, 1);
    cf_op_constant(around, CF_OP_new, other, 0, 1);
    cf_op(around, CF_OP_pop);
    cf_replace(s.edit, 0, around);
    commit(&s);
    assert_verified(&s);
    ck_assert_uint_eq(made_at(&s), 0);
    close_subject(&s);

    begin_with_new(&s);
    struct cf_snippet *without = cf_snippet_new(s.edit);
    cf_op(without, CF_OP_aconst_null);
    cf_replace(s.edit, 0, without);
    assert_misuse(&s, "a `new` replaced by what has none (snippet 1, at pc 0)");
}
END_TEST

START_TEST(a_replaced_jump_takes_its_edges) {
    struct subject s;
    METHOD(&s, 49, "(I)V", 1, 1, CF_OP_iload_0, CF_OP_ifeq, 0, 4, CF_OP_nop, CF_OP_return);
    cf_insert_edge(s.edit, 1, 3, push_and_pop(s.edit, 2));
    struct cf_snippet *jump = cf_snippet_new(s.edit);
    cf_op(jump, CF_OP_nop);
    cf_branch_to_original(jump, CF_OP_ifeq, 3);
    cf_replace(s.edit, 1, jump);
    commit(&s);
    ASSERT_CODE(&s, CF_OP_iload_0, CF_OP_nop, CF_OP_ifeq, 0, 5, CF_OP_nop, CF_OP_return,
                CF_OP_iconst_2, CF_OP_pop, CF_OP_goto, 0xff, 0xfd);
    close_subject(&s);
}
END_TEST

START_TEST(what_is_appended_ends_where_it_ended) {
    struct subject s;
    METHOD(&s, 49, "()V", 1, 0, CF_OP_aconst_null, CF_OP_athrow);
    struct cf_snippet *thrown = cf_snippet_new(s.edit);
    cf_op(thrown, CF_OP_nop);
    cf_op(thrown, CF_OP_athrow);
    cf_replace(s.edit, 1, thrown);
    const struct cf_snippet *taken = cf_take_replacement(s.edit, 1);
    struct cf_snippet *around = cf_snippet_new(s.edit);
    uint32_t other = cf_label(around);
    cf_op(around, CF_OP_iconst_0);
    cf_branch_to(around, CF_OP_ifne, other);
    cf_snippet_append(around, taken);
    cf_place(around, other); // with the exception still on the stack
    cf_op(around, CF_OP_athrow);
    cf_replace(s.edit, 1, around);
    commit(&s);
    ASSERT_CODE(&s, CF_OP_aconst_null, CF_OP_iconst_0, CF_OP_ifne, 0, 5, CF_OP_nop, CF_OP_athrow,
                CF_OP_athrow);
    close_subject(&s);
}
END_TEST

START_TEST(a_snippet_is_appended_to_itself) {
    struct subject s;
    METHOD(&s, 49, "()V", 0, 0, CF_OP_return);
    struct cf_snippet *twice = cf_snippet_new(s.edit);
    for (int i = 0; i < 9; i++) { // more than CF_SNIPPET_ROOM has place for
        uint32_t label = cf_label(twice);
        cf_branch_to(twice, CF_OP_goto, label);
        cf_place(twice, label);
    }
    cf_snippet_append(twice, twice);
    cf_insert_entry(s.edit, twice);
    commit(&s);
    struct cf_code after = code_of(&s, 0);
    ck_assert_uint_eq(after.length, 2 * 9 * 3 + 1);
    for (uint32_t pc = 0; pc < after.length - 1; pc += 3) {
        ck_assert_uint_eq(after.bytes[pc], CF_OP_goto);
        ck_assert_uint_eq(cf_be2(after.bytes + pc + 1), 3);
    }
    close_subject(&s);
}
END_TEST

START_TEST(a_dynamic_constant_has_the_slots_of_its_descriptor) {
    struct build b;
    struct subject s;
    build_class_file(&b, 55, CF_ACC_PUBLIC, "A");
    unsigned wide = build_dynamic(&b, CF_TAG_DYNAMIC, 0, "wide", "J"),
             narrow = build_dynamic(&b, CF_TAG_DYNAMIC, 0, "narrow", "I");
    build_counted(&b, 0);
    build_counted(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "()V", 1);
    size_t place = build_code(&b, 0, 0, (const uint8_t[]){CF_OP_return}, 1);
    build_u2(&b, 0);
    build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(&s, &b);
    begin(&s, 0);
    struct cf_snippet *push = cf_snippet_new(s.edit);
    cf_push_constant(push, (uint16_t)wide);
    ck_assert_int_eq(push->depth, 2);
    ck_assert_uint_eq(push->bytes[0], CF_OP_ldc2_w);
    cf_op(push, CF_OP_pop2);
    cf_push_constant(push, (uint16_t)narrow);
    ck_assert_int_eq(push->depth, 1);
    ck_assert_uint_eq(push->bytes[4], CF_OP_ldc);
    close_subject(&s);
}
END_TEST

// A method with an exception table of `count` entries, the last of which has a type annotation.
static void method_with_annotation(struct subject *s, const uint8_t *code, size_t length,
                                   const unsigned (*entries)[4], unsigned count) {
    struct build b;
    size_t place = method_head(&b, 49, "()V", 1, 0, code, length);
    build_u2(&b, count);
    for (unsigned i = 0; i < 4 * count; i++) build_u2(&b, entries[i / 4][i % 4]);
    build_u2(&b, 1);
    size_t annotations = build_attribute(&b, "RuntimeVisibleTypeAnnotations");
    build_u2(&b, 1);
    build_u1(&b, 0x42);
    build_u2(&b, count - 1); // exception_table_index
    build_u1(&b, 0);
    build_u2(&b, build_utf8(&b, "LP;"));
    build_u2(&b, 0);
    build_end(&b, annotations);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(s, &b);
    begin(s, 0);
}

// The entry that is annotated in the new code. *index: its number.
static struct cf_exception annotated_entry(struct subject *s, const struct cf_code *after,
                                           uint32_t *index) {
    struct cf_error error = {.status = CF_OK};
    struct cf_walk walk = cf_walk_attributes(&s->after, after->attributes, 1, after->end, &error);
    struct cf_attribute a;
    ck_assert(cf_next_attribute(&walk, &a));
    *index = cf_be2(s->after.bytes + a.info + 3);
    return cf_exception_at(after, *index);
}

// Entries in front of the original ones are those of snippets, and those that lead to handlers of passes
// outside. The second kind was not counted.
START_TEST(annotations_stay_with_their_entry_of_the_exception_table) {
    const uint8_t code[] = {CF_OP_iconst_0, CF_OP_pop, CF_OP_return, CF_OP_pop, CF_OP_return};
    static const unsigned entry[][4] = {{0, 2, 3, 0}};
    for (int throws = 0; throws < 2; throws++) {
        struct subject s;
        uint32_t index;
        method_with_annotation(&s, code, sizeof code, entry, 1);
        if (throws) cf_edit_snippets_throw(s.edit);
        for (int nesting = 0; nesting < 2; nesting++) {
            s.edit->nesting = nesting * CF_LEVELS;
            cf_insert_entry(s.edit, nops(s.edit, 1));
            cf_insert_exits(s.edit, nops(s.edit, 1));
            cf_insert_thrown(s.edit, nops(s.edit, 1));
        }
        commit(&s);
        struct cf_code after = code_of(&s, 0);
        struct cf_exception e = annotated_entry(&s, &after, &index);
        ck_assert(throws ? index > 0 : index == 0);
        ck_assert_uint_eq(after.bytes[e.handler_pc], CF_OP_pop);
        ck_assert_uint_eq(after.bytes[e.start_pc], CF_OP_iconst_0);
        close_subject(&s);
    }
}
END_TEST

// The first entry becomes two: what is inserted before the return behind monitorexit is not covered.
START_TEST(annotations_stay_with_their_entry_behind_one_that_is_parted) {
    const uint8_t code[] = {
        CF_OP_aconst_null, CF_OP_monitorenter, CF_OP_aconst_null, CF_OP_monitorexit, CF_OP_return,
        CF_OP_nop,         CF_OP_return,       CF_OP_athrow,      CF_OP_pop,         CF_OP_return};
    static const unsigned entries[][4] = {{2, 6, 7, 0}, {5, 6, 8, 0}};
    struct subject s;
    uint32_t index;
    method_with_annotation(&s, code, sizeof code, entries, 2);
    cf_insert_exits(s.edit, nops(s.edit, 1));
    commit(&s);
    struct cf_code after = code_of(&s, 0);
    ck_assert_uint_eq(after.exception_table_length, 3);
    struct cf_exception e = annotated_entry(&s, &after, &index);
    ck_assert_uint_eq(index, 2);
    ck_assert_uint_eq(after.bytes[e.handler_pc], CF_OP_pop);
    close_subject(&s);
}
END_TEST

START_TEST(misuse_is_reported) {
    struct subject s;
    METHOD(&s, 52, "()V", 0, 1, CF_OP_return);
    struct cf_snippet *snippet = cf_snippet_new(s.edit);
    uint32_t handler = cf_label(snippet);
    cf_handler(snippet, 40000000, handler, handler, 0);
    cf_insert_entry(s.edit, snippet);
    assert_misuse(&s, "no such label in the snippet (snippet 1, byte 0)");

    static const int32_t by[] = {-32769, 32768};
    for (unsigned i = 0; i < 2; i++) {
        METHOD(&s, 52, "()V", 0, 1, CF_OP_return);
        snippet = cf_snippet_new(s.edit);
        cf_increment(snippet, 0, by[i]);
        cf_insert_entry(s.edit, snippet);
        assert_misuse(&s, "increment of more than 16 bits (snippet 1, byte 0)");
    }

    static const uint32_t local[] = {1, 256, 65536};
    for (unsigned i = 0; i < 3; i++) {
        METHOD(&s, 52, "()V", 0, 1, CF_OP_return);
        snippet = cf_snippet_new(s.edit);
        cf_op(snippet, CF_OP_iconst_0);
        cf_local(snippet, CF_OP_istore, local[i]);
        cf_insert_entry(s.edit, snippet);
        ck_assert_int_eq(cf_edit_commit(s.edit), CF_MISUSE);
        ck_assert_str_eq(s.edit->error.reason, "no such local");
        close_subject(&s);
    }

    METHOD(&s, 52, "()V", 0, 1, CF_OP_return);
    snippet = cf_snippet_new(s.edit);
    cf_push_constant(snippet, (uint16_t)(s.cls.this_class - 1)); // the name of the class
    cf_insert_entry(s.edit, snippet);
    assert_misuse(&s, "constant that cannot be loaded (snippet 1, byte 0)");

    METHOD(&s, 49, "(I)V", 1, 1, CF_OP_iload_0, CF_OP_ifeq, 0, 4, CF_OP_nop, CF_OP_return);
    cf_insert_edge(s.edit, 1, 2, nops(s.edit, 1));
    assert_misuse(&s, "no jump leads to instruction 2 (snippet 1, at pc 1)");
    METHOD(&s, 49, "(I)V", 1, 1, CF_OP_iload_0, CF_OP_ifeq, 0, 4, CF_OP_nop, CF_OP_return);
    cf_insert_edge(s.edit, 0, 3, nops(s.edit, 1));
    assert_misuse(&s, "no jump leads to instruction 3 (snippet 1, at pc 0)");
    METHOD(&s, 49, "()V", 0, 0, CF_OP_goto, 0, 4, CF_OP_nop, CF_OP_return);
    cf_insert_edge(s.edit, 0, 1, nops(s.edit, 1));
    assert_misuse(&s, "no jump leads to instruction 1 (snippet 1, at pc 0)");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("replace");
    TCase *tests = tcase_create("replace");
    tcase_set_timeout(tests, 0);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, nothing_in_place_of_an_instruction_removes_it);
    tcase_add_test(tests, frames_know_the_new_in_what_replaces_one);
    tcase_add_test(tests, of_several_the_new_of_the_same_class_is_meant);
    tcase_add_test(tests, a_replaced_jump_takes_its_edges);
    tcase_add_test(tests, what_is_appended_ends_where_it_ended);
    tcase_add_test(tests, a_snippet_is_appended_to_itself);
    tcase_add_test(tests, a_dynamic_constant_has_the_slots_of_its_descriptor);
    tcase_add_test(tests, annotations_stay_with_their_entry_of_the_exception_table);
    tcase_add_test(tests, annotations_stay_with_their_entry_behind_one_that_is_parted);
    tcase_add_test(tests, misuse_is_reported);
    return run_suite(suite);
}
