// Stack map frames by bytes: what JDK 28 wants for value classes (frame type 246). That the frames
// verify is shown on real JVMs.

#include "tests/unit/run.h"
#include "tests/unit/subject.h"

// The constants that the frames name.
static unsigned this_class, x_type, y_type;

static void assert_frames(struct subject *s, const uint8_t *expected, size_t length) {
    struct cf_code code = code_of(s, 0);
    ck_assert_uint_eq(code.stack_map_table_length, length);
    ck_assert_mem_eq(s->result + code.stack_map_table, expected, length);
}
#define U2(v) (uint8_t)((v) >> 8), (uint8_t)(v)
#define ASSERT_FRAMES(s, ...)                                                                      \
    assert_frames(s, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define UNSET_Y 246, U2(1), U2(y_type)
#define UNSET_X_Y 246, U2(2), U2(x_type), U2(y_type)

// A class with strict int fields y and x, and one constructor (I)V.
static void value_class(struct subject *s, const uint8_t *code, size_t length,
                        const uint8_t *frames, size_t frames_length, struct build *b) {
    build_counted(b, 2);
    build_member(b, CF_ACC_STRICT | CF_ACC_FINAL, "y", "I", 0);
    build_member(b, CF_ACC_STRICT | CF_ACC_FINAL, "x", "I", 0);
    build_counted(b, 1);
    build_member(b, 0, "<init>", "(I)V", 1);
    size_t place = build_code(b, 3, 2, code, length);
    build_u2(b, 0);
    build_u2(b, 1);
    size_t table = build_attribute(b, "StackMapTable");
    build_some(b, frames, frames_length);
    build_end(b, table);
    build_end(b, place);
    build_u2(b, 0);
    open_subject(s, b);
    begin(s, 0);
}

static void value_class_file(struct build *b) {
    build_class_file(b, 72, CF_ACC_FINAL, "V");
    b->minor_version = 65535;
    this_class = 2; // behind its name
}

// if (p) x = p; else x = 1; y = 2; super(); if (p) ;
static void branching(struct subject *s) {
    struct build b;
    value_class_file(&b);
    x_type = build_name_and_type(&b, "x", "I");
    y_type = build_name_and_type(&b, "y", "I");
    unsigned x = build_pair(&b, CF_TAG_FIELDREF, this_class, x_type);
    unsigned y = build_pair(&b, CF_TAG_FIELDREF, this_class, y_type);
    unsigned init = build_reference(&b, CF_TAG_METHODREF, "java/lang/Object", "<init>", "()V");
    const uint8_t code[] = {CF_OP_iload_1,  CF_OP_ifeq,
                            U2(11), // 0
                            CF_OP_aload_0,  CF_OP_iload_1,
                            CF_OP_putfield, U2(x), // 4
                            CF_OP_goto,     U2(8), // 9
                            CF_OP_aload_0,  CF_OP_iconst_1,
                            CF_OP_putfield, U2(x), // 12
                            CF_OP_aload_0,  CF_OP_iconst_2,
                            CF_OP_putfield, U2(y), // 17
                            CF_OP_aload_0,  CF_OP_invokespecial,
                            U2(init), // 22
                            CF_OP_iload_1,  CF_OP_ifeq,
                            U2(4),          CF_OP_nop,
                            CF_OP_return}; // 26
    const uint8_t frames[] = {U2(3), 12, UNSET_Y,        4, 255,  U2(13),
                              U2(2), 7,  U2(this_class), 1, U2(0)};
    value_class(s, code, sizeof code, frames, sizeof frames, &b);
}

// iconst_0, ifeq to its own end: four bytes and a frame.
static const struct cf_snippet *jumps(struct cf_edit *edit) {
    struct cf_snippet *s = cf_snippet_new(edit);
    uint32_t end = cf_label(s);
    cf_op(s, CF_OP_iconst_0);
    cf_branch_to(s, CF_OP_ifeq, end);
    cf_place(s, end);
    return s;
}

START_TEST(a_new_frame_says_what_putfield_has_set_and_the_next_one_what_it_meant) {
    struct subject s;
    branching(&s);
    cf_insert_before(s.edit, cf_code_index(&s.edit->code, 9), jumps(s.edit));
    commit(&s);
    ASSERT_FRAMES(&s, U2(4), UNSET_Y, 13, UNSET_X_Y, 2, UNSET_Y, 4, 255, U2(13), U2(2), 7,
                  U2(this_class), 1, U2(0));
    close_subject(&s);
}
END_TEST

START_TEST(a_new_frame_that_inherits_the_right_fields_says_nothing) {
    struct subject s;
    branching(&s);
    cf_insert_before(s.edit, cf_code_index(&s.edit->code, 4), jumps(s.edit));
    cf_insert_before(s.edit, cf_code_index(&s.edit->code, 18), jumps(s.edit));
    cf_insert_before(s.edit, cf_code_index(&s.edit->code, 30),
                     jumps(s.edit)); // `this` is initialised there
    commit(&s);
    ASSERT_FRAMES(&s, U2(6), 8, 7, UNSET_Y, 4, 64 + 4, 6, // the last: at 18, `this` on the stack
                  255, U2(15), U2(2), 7, U2(this_class), 1, U2(0), 0);
    close_subject(&s);
}
END_TEST

START_TEST(when_all_fields_are_set_the_list_is_empty) {
    struct subject s;
    branching(&s);
    cf_insert_before(s.edit, cf_code_index(&s.edit->code, 22), jumps(s.edit));
    commit(&s);
    ASSERT_FRAMES(&s, U2(4), 12, UNSET_Y, 4, 246, U2(0), 8, 255, U2(8), U2(2), 7, U2(this_class), 1,
                  U2(0));
    close_subject(&s);
}
END_TEST

// Behind the last frame, with `this` initialised, JVMs do not agree on what is inherited, and
// HotSpot takes no list: an athrow that nothing reaches has a frame in between.
START_TEST(an_early_exit_has_no_field_set) {
    struct subject s;
    branching(&s);
    cf_insert_thrown_early(s.edit, nops(s.edit, 1));
    commit(&s);
    unsigned thrown = s.rewrite.throwable;
    ASSERT_FRAMES(&s, U2(5), 12, UNSET_Y, 4, 255, U2(13), U2(2), 7, U2(this_class), 1, U2(0), //
                  255, U2(0), U2(1), 6, U2(1), 7, U2(thrown), UNSET_X_Y, 64, 7, U2(thrown));
    struct cf_code code = code_of(&s, 0);
    ck_assert_uint_eq(code.length, 32 + 3);
    ck_assert_uint_eq(code.bytes[32], CF_OP_athrow);
    ck_assert_uint_eq(cf_exception_at(&code, 0).handler_pc, 33);
    close_subject(&s);
}
END_TEST

START_TEST(edges_say_what_their_jump_did) {
    struct subject s;
    branching(&s);
    cf_insert_edge(s.edit, cf_code_index(&s.edit->code, 1), cf_code_index(&s.edit->code, 12),
                   nops(s.edit, 1));
    commit(&s);
    ASSERT_FRAMES(&s, U2(4), 8, 7, UNSET_Y, 4, 255, U2(13), U2(2), 7, U2(this_class), 1, U2(0));
    close_subject(&s);
}
END_TEST

START_TEST(detours_say_what_their_target_does) {
    struct subject s;
    branching(&s);
    cf_insert_edge(s.edit, cf_code_index(&s.edit->code, 1), cf_code_index(&s.edit->code, 12),
                   jumps(s.edit));
    commit(&s);
    unsigned thrown = s.rewrite.throwable;
    ASSERT_FRAMES(&s, U2(6), 12, UNSET_Y, 4, 255, U2(13), U2(2), 7, U2(this_class), 1, U2(0), //
                  255, U2(0), U2(1), 6, U2(1), 7, U2(thrown),                                 //
                  UNSET_X_Y, 252, U2(0), 1, 3);
    close_subject(&s);
}
END_TEST

// this(): the fields have no constants in the pool.
START_TEST(fields_that_nothing_names_get_their_constants) {
    struct subject s;
    struct build b;
    value_class_file(&b);
    unsigned init =
        build_pair(&b, CF_TAG_METHODREF, this_class, build_name_and_type(&b, "<init>", "()V"));
    const uint8_t code[] = {
        CF_OP_iload_1, CF_OP_iload_1, CF_OP_idiv, CF_OP_pop, CF_OP_aload_0, CF_OP_invokespecial,
        U2(init),      CF_OP_iload_1, CF_OP_ifeq, U2(4),     CF_OP_nop,     CF_OP_return};
    const uint8_t frames[] = {U2(1), 255, U2(13), U2(2), 7, U2(this_class), 1, U2(0)};
    value_class(&s, code, sizeof code, frames, sizeof frames, &b);
    cf_insert_thrown_early(s.edit, nops(s.edit, 1));
    commit(&s);
    x_type = cf_add_name_and_type(&s.rewrite.pool, "x", "I");
    y_type = cf_add_name_and_type(&s.rewrite.pool, "y", "I");
    ck_assert_uint_lt(x_type, s.after.constant_pool_count); // they were there already
    ck_assert_uint_lt(y_type, s.after.constant_pool_count);
    unsigned thrown = s.rewrite.throwable;
    ASSERT_FRAMES(&s, U2(3), 255, U2(13), U2(2), 7, U2(this_class), 1, U2(0), //
                  255, U2(0), U2(1), 6, U2(1), 7, U2(thrown), UNSET_X_Y, 64, 7, U2(thrown));
    close_subject(&s);
}
END_TEST

// A constructor whose frames cannot be described is skipped.
static void assert_kept(struct subject *s, enum cf_status status, const char *reason) {
    cf_insert_before(s->edit, 0, jumps(s->edit));
    cf_insert_thrown_early(s->edit, nops(s->edit, 1));
    ck_assert_int_eq(cf_edit_commit(s->edit), status);
    char text[200];
    ck_assert_ptr_nonnull(strstr(cf_error_text(&s->edit->error, text, sizeof text), reason));
    encode(s);
    ck_assert_uint_eq(s->size, s->length);
    ck_assert_mem_eq(s->result, s->bytes, s->length);
    close_subject(s);
}

START_TEST(a_constructor_with_unknown_phases_is_skipped) {
    struct build b;
    struct subject s;
    value_class_file(&b);
    x_type = build_name_and_type(&b, "x", "I");
    unsigned init = build_reference(&b, CF_TAG_METHODREF, "java/lang/Object", "<init>", "()V");
    // super() in one branch, and behind it one where `this` is not initialised
    const uint8_t code[] = {
        CF_OP_iload_1, CF_OP_ifeq,        U2(8),         CF_OP_aload_0,       CF_OP_invokespecial,
        U2(init),      CF_OP_return,      CF_OP_aload_0, CF_OP_invokespecial, U2(init),
        CF_OP_iload_1, CF_OP_ifeq,        U2(4),         CF_OP_nop,           CF_OP_return,
        CF_OP_nop,     CF_OP_aconst_null, CF_OP_athrow};
    const uint8_t frames[] = {U2(3), 9,     255,   U2(8), U2(2), 7,    U2(this_class), 1, U2(0), //
                              255,   U2(0), U2(2), 6,     1,     U2(0)};
    value_class(&s, code, sizeof code, frames, sizeof frames, &b);
    assert_kept(&s, CF_UNSUPPORTED, "super() amid code before super()");

    value_class_file(&b);
    unsigned other = build_name_and_type(&b, "z", "I");
    const uint8_t simple[] = {CF_OP_iload_1, CF_OP_ifeq, U2(4), CF_OP_nop, CF_OP_nop, CF_OP_return};
    const uint8_t wrong[] = {U2(1), 246, U2(1), U2(other), 5};
    value_class(&s, simple, sizeof simple, wrong, sizeof wrong, &b);
    assert_kept(&s, CF_MALFORMED, "names no strict field");

    value_class_file(&b);
    const uint8_t cut[] = {U2(1), 246, U2(1), 0};
    value_class(&s, simple, sizeof simple, cut, sizeof cut, &b);
    cf_insert_before(s.edit, 0, jumps(s.edit));
    ck_assert_int_eq(cf_edit_commit(s.edit), CF_TRUNCATED);
    close_subject(&s);
}
END_TEST

START_TEST(a_thousand_strict_fields_are_enough) {
    for (unsigned count = 1024; count < 1026; count++) {
        static const uint8_t code[] = {CF_OP_iload_1, CF_OP_ifeq,        U2(4),
                                       CF_OP_nop,     CF_OP_aconst_null, CF_OP_athrow};
        static const uint8_t frames[] = {U2(1), 246, U2(0), 5};
        struct subject s;
        struct build b;
        value_class_file(&b);
        unsigned type = build_utf8(&b, "I");
        build_counted(&b, count);
        for (unsigned i = 0; i < count; i++) {
            char name[8] = {'f', (char)('a' + i / 256), (char)('a' + i / 16 % 16),
                            (char)('a' + i % 16)};
            build_u2(&b, CF_ACC_STRICT);
            build_u2(&b, build_utf8(&b, name));
            build_u2(&b, type);
            build_u2(&b, 0);
        }
        build_counted(&b, 1);
        build_member(&b, 0, "<init>", "(I)V", 1);
        size_t place = build_code(&b, 3, 2, code, sizeof code);
        build_u2(&b, 0);
        build_u2(&b, 1);
        size_t table = build_attribute(&b, "StackMapTable");
        build_some(&b, frames, sizeof frames);
        build_end(&b, table);
        build_end(&b, place);
        build_u2(&b, 0);
        open_subject(&s, &b);
        begin(&s, 0);
        if (count > 1024) {
            assert_kept(&s, CF_UNSUPPORTED, "1025 strict fields (limit 1,024)");
            continue;
        }
        cf_insert_before(s.edit, 0, jumps(s.edit));
        commit(&s);
        ASSERT_FRAMES(&s, U2(2), 4, 246, U2(0), 4);
        close_subject(&s);
    }
}
END_TEST

// --- broken frames ---

// void f(): nop, nop, return; with these frames.
static void framed(struct subject *s, const uint8_t *frames, size_t length,
                   int this_class_missing) {
    static const uint8_t code[] = {CF_OP_nop, CF_OP_nop, CF_OP_return};
    struct build b;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "A");
    if (this_class_missing) cf_put2(b.body.bytes + 2, 0);
    build_counted(&b, 0);
    build_counted(&b, 1);
    build_member(&b, 0, "f", "()V", 1);
    size_t place = build_code(&b, 0, 1, code, sizeof code);
    build_u2(&b, 0), build_u2(&b, 1);
    size_t table = build_attribute(&b, "StackMapTable");
    build_some(&b, frames, length);
    build_end(&b, table);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(s, &b);
    begin(s, 0);
}

START_TEST(a_frame_without_its_counts_is_truncated) {
    static const uint8_t frames[] = {U2(1), 255, U2(1), U2(1), 7, U2(2), U2(0)};
    for (size_t length = 3; length <= sizeof frames; length++) {
        struct subject s;
        struct cf_error error = {0}, again = {0};
        struct cf_frame_reader typed, depths;
        uint32_t depth;
        int whole = length == sizeof frames;
        framed(&s, frames, length, 0);
        ck_assert_int_eq(cf_frames_open(&typed, &s.edit->code, 1, &error), CF_OK);
        ck_assert_int_eq(cf_frames_open(&depths, &s.edit->code, 0, &again), CF_OK);
        ck_assert_int_eq(cf_frames_next(&typed), whole);
        ck_assert_int_eq(cf_frames_next_depth(&depths, &depth), whole);
        ck_assert_int_eq(error.status, whole ? CF_OK : CF_TRUNCATED);
        ck_assert_int_eq(again.status, error.status);
        close_subject(&s);
    }
}
END_TEST

START_TEST(a_table_longer_than_its_frames_keeps_the_method) {
    static const uint8_t frames[] = {U2(1), 0, 0};
    for (size_t more = 0; more < 2; more++) {
        struct subject s;
        framed(&s, frames, sizeof frames - 1 + more, 0);
        cf_insert_entry(s.edit, nops(s.edit, 1));
        ck_assert_int_eq(cf_edit_commit(s.edit), more ? CF_MALFORMED : CF_OK);
        if (more) ck_assert_str_eq(s.edit->error.reason, "StackMapTable longer than its frames");
        close_subject(&s);
    }
}
END_TEST

// A snippet that branches to an instruction gives it a frame, but not one that the original lacks:
// a JVM refuses that.
START_TEST(a_branch_of_the_original_to_no_frame_keeps_the_method) {
    for (int branches = 0; branches < 2; branches++) {
        struct subject s;
        METHOD(&s, 52, "(I)V", 1, 1, CF_OP_iload_0, branches ? CF_OP_ifeq : CF_OP_sipush, 0, 4,
               branches ? CF_OP_nop : CF_OP_pop2, CF_OP_return);
        struct cf_snippet *snippet = cf_snippet_new(s.edit);
        cf_op(snippet, CF_OP_iconst_0);
        cf_branch_to_original(snippet, CF_OP_ifeq, 3);
        cf_insert_before(s.edit, 3, snippet);
        ck_assert_int_eq(cf_edit_commit(s.edit), branches ? CF_MALFORMED : CF_OK);
        if (branches)
            ck_assert_str_eq(s.edit->error.reason, "branch to where no stack map frame is");
        close_subject(&s);
    }
}
END_TEST

START_TEST(without_a_this_class_the_first_local_has_no_name) {
    static const uint8_t frames[] = {U2(1), 0};
    struct subject s;
    struct cf_error error = {0};
    struct cf_type locals[256];
    uint32_t count;
    framed(&s, frames, sizeof frames, 1);
    memset(locals, 0xBE, sizeof locals);
    ck_assert_int_eq(cf_initial_locals(&s.edit->code, locals, &count, &error), CF_OK);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(locals[0].index, 0);
    ck_assert_ptr_null(locals[0].name.bytes);
    close_subject(&s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("frames");
    TCase *tests = tcase_create("frames");
    tcase_set_timeout(tests, 0);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, a_frame_without_its_counts_is_truncated);
    tcase_add_test(tests, a_table_longer_than_its_frames_keeps_the_method);
    tcase_add_test(tests, a_branch_of_the_original_to_no_frame_keeps_the_method);
    tcase_add_test(tests, without_a_this_class_the_first_local_has_no_name);
    tcase_add_test(tests, a_new_frame_says_what_putfield_has_set_and_the_next_one_what_it_meant);
    tcase_add_test(tests, a_new_frame_that_inherits_the_right_fields_says_nothing);
    tcase_add_test(tests, when_all_fields_are_set_the_list_is_empty);
    tcase_add_test(tests, an_early_exit_has_no_field_set);
    tcase_add_test(tests, edges_say_what_their_jump_did);
    tcase_add_test(tests, detours_say_what_their_target_does);
    tcase_add_test(tests, fields_that_nothing_names_get_their_constants);
    tcase_add_test(tests, a_constructor_with_unknown_phases_is_skipped);
    tcase_add_test(tests, a_thousand_strict_fields_are_enough);
    return run_suite(suite);
}
