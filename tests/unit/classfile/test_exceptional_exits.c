// The handler of exceptional exits: what it covers, and what becomes of the handlers that were there.

#include "tests/unit/run.h"
#include "tests/unit/subject.h"

START_TEST(an_exceptional_exit_covers_the_body_but_not_the_return) {
    struct subject s;
    METHOD(&s, 52, "()V", 1, 0, CF_OP_aconst_null, CF_OP_monitorenter, CF_OP_return);
    cf_insert_entry(s.edit, nops(s.edit, 2));
    cf_insert_exits(s.edit, nops(s.edit, 1));
    cf_insert_thrown(s.edit, nops(s.edit, 1));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_nop, CF_OP_nop, CF_OP_aconst_null, CF_OP_monitorenter, CF_OP_nop,
                CF_OP_return, CF_OP_nop, CF_OP_athrow);
    struct cf_code after = code_of(&s, 0);
    ck_assert_uint_eq(after.exception_table_length, 1);
    struct cf_exception e = cf_exception_at(&after, 0);
    ck_assert_uint_eq(e.start_pc, 2);
    ck_assert_uint_eq(e.end_pc, 4);
    ck_assert_uint_eq(e.handler_pc, 6);
    ck_assert_uint_eq(e.catch_type, 0);
    ck_assert(after.stack_map_table != 0);
    close_subject(&s);
}
END_TEST

struct range {
    unsigned start, end, handler, catch_type;
};

static void method_with(struct subject *s, const uint8_t *code, size_t length,
                        const struct range *entries, unsigned count) {
    struct build b;
    size_t place = method_head(&b, 49, "()V", 2, 1, code, length);
    build_u2(&b, count);
    for (unsigned i = 0; i < count; i++) {
        build_u2(&b, entries[i].start);
        build_u2(&b, entries[i].end);
        build_u2(&b, entries[i].handler);
        build_u2(&b, entries[i].catch_type);
    }
    build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(s, &b);
    begin(s, 0);
}

// synchronized (null) { nop }, compiled by javac: its entries are `entries`.
static void synchronized_method(struct subject *s, const struct range *entries, unsigned count) {
    const uint8_t code[] = {CF_OP_aconst_null, CF_OP_monitorenter, CF_OP_nop,   CF_OP_nop,
                            CF_OP_aconst_null, CF_OP_monitorexit,  CF_OP_nop,   CF_OP_return,
                            CF_OP_aconst_null, CF_OP_monitorexit,  CF_OP_athrow};
    method_with(s, code, sizeof code, entries, count);
}

static void assert_ranges(struct subject *s, const struct range *expected, unsigned count) {
    struct cf_code after = code_of(s, 0);
    ck_assert_uint_eq(after.exception_table_length, count);
    for (unsigned i = 0; i < count; i++) {
        struct cf_exception e = cf_exception_at(&after, i);
        ck_assert_uint_eq(e.start_pc, expected[i].start);
        ck_assert_uint_eq(e.end_pc, expected[i].end);
        ck_assert_uint_eq(e.handler_pc, expected[i].handler);
        ck_assert_uint_eq(e.catch_type, expected[i].catch_type);
    }
}

START_TEST(what_is_inserted_where_a_monitor_is_held_is_covered_by_what_releases_it) {
    static const struct range javac[] = {{2, 6, 8, 0}, {8, 10, 8, 0}};
    static const struct range covered[] = {{2, 7, 11, 0}, {11, 14, 11, 0}};
    struct subject s;
    synchronized_method(&s, javac, 2);
    cf_insert_after(s.edit, 1, nops(s.edit, 1));  // behind monitorenter
    cf_insert_after(s.edit, 5, nops(s.edit, 2));  // behind monitorexit
    cf_insert_before(s.edit, 8, nops(s.edit, 1)); // the handler covers itself
    cf_insert_after(s.edit, 9, nops(s.edit, 3));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_aconst_null, CF_OP_monitorenter, CF_OP_nop, CF_OP_nop, CF_OP_nop,
                CF_OP_aconst_null, CF_OP_monitorexit, CF_OP_nop, CF_OP_nop, CF_OP_nop, CF_OP_return,
                CF_OP_nop, CF_OP_aconst_null, CF_OP_monitorexit, CF_OP_nop, CF_OP_nop, CF_OP_nop,
                CF_OP_athrow);
    assert_ranges(&s, covered, 2);
    close_subject(&s);
}
END_TEST

// synchronized (null) { if (null == null) return; nop }, compiled by scalac: one range, and the first return in it. Groovy's
// range goes on behind monitorexit.
START_TEST(what_is_inserted_before_a_return_behind_monitorexit_is_not_covered_by_what_releases_it) {
    const uint8_t code[] = {CF_OP_aconst_null,
                            CF_OP_monitorenter,
                            CF_OP_aconst_null,
                            CF_OP_ifnonnull,
                            0,
                            7,
                            CF_OP_aconst_null,
                            CF_OP_monitorexit,
                            CF_OP_nop,
                            CF_OP_return,
                            CF_OP_aconst_null,
                            CF_OP_monitorexit,
                            CF_OP_return,
                            CF_OP_aconst_null,
                            CF_OP_monitorexit,
                            CF_OP_athrow};
    static const struct range scalac[] = {{2, 12, 13, 0}, {2, 12, 13, 2}};
    static const struct range covered[] = {{2, 8, 15, 0}, {11, 13, 15, 0}, {2, 13, 15, 2}};
    static const struct range groovy[] = {{2, 7, 13, 0}, {9, 12, 13, 0}};
    static const struct range covered_there[] = {{2, 7, 15, 0}, {11, 13, 15, 0}};
    struct subject s;
    method_with(&s, code, sizeof code, scalac, 2);
    cf_insert_exits(s.edit, nops(s.edit, 1));
    commit(&s);
    assert_ranges(&s, covered, 3);
    close_subject(&s);
    method_with(&s, code, sizeof code, groovy, 2);
    cf_insert_exits(s.edit, nops(s.edit, 1));
    commit(&s);
    assert_ranges(&s, covered_there, 2);
    close_subject(&s);
}
END_TEST

START_TEST(what_is_inserted_before_a_goto_behind_monitorexit_is_not_covered_by_what_releases_it) {
    // for (;;) synchronized (null) { if (...) continue; }, compiled by groovyc
    const uint8_t code[] = {CF_OP_aconst_null,
                            CF_OP_monitorenter,
                            CF_OP_nop,
                            CF_OP_aconst_null,
                            CF_OP_monitorexit,
                            CF_OP_nop,
                            CF_OP_goto,
                            0,
                            9,
                            CF_OP_nop,
                            CF_OP_aconst_null,
                            CF_OP_monitorexit,
                            CF_OP_goto,
                            0,
                            3,
                            CF_OP_return,
                            CF_OP_aconst_null,
                            CF_OP_monitorexit,
                            CF_OP_athrow};
    static const struct range groovy[] = {{2, 3, 16, 0}, {6, 15, 16, 0}, {6, 15, 16, 2}};
    static const struct range covered[] = {{2, 3, 18, 0}, {7, 13, 18, 0}, {6, 17, 18, 2}};
    struct subject s;
    method_with(&s, code, sizeof code, groovy, 3);
    cf_insert_before(s.edit, 6, nops(s.edit, 1));
    cf_insert_before(s.edit, 10, nops(s.edit, 1));
    commit(&s);
    assert_ranges(&s, covered, 3);
    close_subject(&s);
}
END_TEST

START_TEST(a_nop_behind_monitorenter_does_not_part_it_from_its_range) {
    static const struct range kotlin[] = {{4, 6, 8, 0}};
    static const struct range covered[] = {{2, 8, 10, 0}};
    struct subject s;
    synchronized_method(&s, kotlin, 1);
    cf_insert_after(s.edit, 1, nops(s.edit, 1));
    cf_insert_after(s.edit, 3, nops(s.edit, 1));
    commit(&s);
    assert_ranges(&s, covered, 1);
    close_subject(&s);
}
END_TEST

START_TEST(ranges_for_some_exceptions_do_not_move_to_monitors) {
    struct subject s;
    struct range some[] = {{2, 6, 8, 0}}, covered[] = {{3, 9, 11, 0}};
    some[0].catch_type = covered[0].catch_type = 2; // the class itself
    synchronized_method(&s, some, 1);
    cf_insert_after(s.edit, 1, nops(s.edit, 1));
    cf_insert_after(s.edit, 5, nops(s.edit, 2));
    commit(&s);
    assert_ranges(&s, covered, 1);
    close_subject(&s);
}
END_TEST

// What is behind a store at the end of a range has a type in the local that the handler need not know.
START_TEST(a_range_that_ends_with_a_store_ends_before_what_is_inserted_behind_it) {
    static const uint8_t code[] = {
        CF_OP_iconst_1, CF_OP_istore_0, CF_OP_iconst_2, CF_OP_wide, CF_OP_istore, 0, 0,
        CF_OP_iconst_3, CF_OP_pop,      CF_OP_return,   CF_OP_pop,  CF_OP_return};
    static const struct range before[] = {{0, 2, 10, 2}, {2, 7, 11, 0}, {7, 8, 10, 2}};
    static const struct range apart[] = {{0, 2, 13, 2}, {3, 8, 14, 0}, {9, 11, 13, 2}};
    static const struct range going_on[] = {{0, 2, 10, 2}, {2, 9, 10, 2}, {7, 8, 10, 0}};
    static const struct range joined[] = {{0, 3, 13, 2}, {3, 12, 13, 2}, {9, 11, 13, 0}};
    struct subject s;
    for (int i = 0; i < 2; i++) {
        method_with(&s, code, sizeof code, i ? going_on : before, 3);
        cf_insert_after(s.edit, 1, nops(s.edit, 1));
        cf_insert_after(s.edit, 3, nops(s.edit, 1)); // wide
        cf_insert_after(s.edit, 4, nops(s.edit, 1)); // no store
        commit(&s);
        assert_ranges(&s, i ? joined : apart, 3);
        close_subject(&s);
    }
}
END_TEST

START_TEST(a_method_that_cannot_throw_gets_no_exceptional_exit) {
    struct subject s;
    METHOD(&s, 52, "()I", 1, 0, CF_OP_iconst_1, CF_OP_ireturn);
    cf_insert_entry(s.edit, nops(s.edit, 1));
    cf_insert_thrown(s.edit, nops(s.edit, 1));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_nop, CF_OP_iconst_1, CF_OP_ireturn);
    ck_assert_uint_eq(code_of(&s, 0).exception_table_length, 0);
    close_subject(&s);
}
END_TEST

START_TEST(code_with_jsr_gets_no_frames) {
    struct subject s;
    METHOD(&s, 50, "()V", 1, 1, CF_OP_jsr, 0, 4, CF_OP_return, CF_OP_astore_0, CF_OP_ret, 0);
    cf_insert_entry(s.edit, nops(s.edit, 1));
    cf_insert_thrown(s.edit, nops(s.edit, 1));
    commit(&s);
    struct cf_code after = code_of(&s, 0);
    ck_assert_uint_eq(after.stack_map_table, 0);
    ck_assert_uint_eq(cf_be2(after.bytes + 2), 4);
    close_subject(&s);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("exceptional_exits");
    TCase *tests = tcase_create("exceptional_exits");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, an_exceptional_exit_covers_the_body_but_not_the_return);
    tcase_add_test(tests, what_is_inserted_where_a_monitor_is_held_is_covered_by_what_releases_it);
    tcase_add_test(
        tests,
        what_is_inserted_before_a_return_behind_monitorexit_is_not_covered_by_what_releases_it);
    tcase_add_test(
        tests,
        what_is_inserted_before_a_goto_behind_monitorexit_is_not_covered_by_what_releases_it);
    tcase_add_test(tests, a_nop_behind_monitorenter_does_not_part_it_from_its_range);
    tcase_add_test(tests, ranges_for_some_exceptions_do_not_move_to_monitors);
    tcase_add_test(tests, a_range_that_ends_with_a_store_ends_before_what_is_inserted_behind_it);
    tcase_add_test(tests, a_method_that_cannot_throw_gets_no_exceptional_exit);
    tcase_add_test(tests, code_with_jsr_gets_no_frames);
    return run_suite(suite);
}
