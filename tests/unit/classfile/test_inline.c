// Subroutines put in where they are called: the code that comes of it, its tables, and what cannot
// be done. That probes are numbered as JaCoCo's then is shown in tests/coverage.

#include "classfile/inline.h"
#include "classfile/structure.h"
#include "classfile/verify.h"
#include "tests/unit/assembler.h"
#include "tests/unit/run.h"

#include <stdio.h>

static const struct assembler_name no_names[] = {{NULL, 0}};

static struct cf_arena arena;
static struct cf_class cls, after;
static struct cf_inlined inlined;
static struct cf_error error;
static uint8_t *bytes;
static size_t length;

static void set_up(void) {
    cf_arena_init(&arena);
    memset(&error, 0, sizeof error);
    bytes = NULL;
}

static void tear_down(void) {
    free(bytes);
    cf_arena_free(&arena);
}

// --- a class with one method: static void f(int) ---

struct range {
    unsigned start, end, handler;
};

static void make_class(unsigned version, struct build_bytes code, const struct range *ranges,
                       unsigned ranges_count, const unsigned *lines, unsigned lines_count) {
    struct build b;
    build_class_file(&b, version, CF_ACC_PUBLIC, "A");
    build_u2(&b, 0);
    build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "(I)V", 1);
    size_t place = build_code(&b, 2, 24, code.bytes, code.length);
    build_u2(&b, ranges_count);
    for (unsigned i = 0; i < ranges_count; i++) {
        build_u2(&b, ranges[i].start);
        build_u2(&b, ranges[i].end);
        build_u2(&b, ranges[i].handler);
        build_u2(&b, 0);
    }
    build_u2(&b, lines_count > 0);
    if (lines_count > 0) {
        size_t table = build_attribute(&b, "LineNumberTable");
        build_u2(&b, lines_count);
        for (unsigned i = 0; i < lines_count; i++) {
            build_u2(&b, lines[i]);
            build_u2(&b, 100 + i);
        }
        build_end(&b, table);
    }
    build_end(&b, place);
    build_u2(&b, 0);
    free(code.bytes);
    bytes = build_finish(&b, &length);
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
}

static struct build_bytes assembled(const char *text) {
    struct assembler a = {.names = no_names};
    return assemble(&a, text);
}

static void make(const char *text) {
    make_class(49, assembled(text), NULL, 0, NULL, 0);
}

// Inlines, and holds the result to the rules of the format and of verification.
static struct cf_code inline_it(void) {
    struct cf_code code;
    struct cf_verify_failure failure;
    char text[200];
    ck_assert_msg(cf_inline_subroutines(&cls, &inlined, &error) == CF_OK, "%s",
                  cf_error_text(&error, text, sizeof text));
    ck_assert_ptr_nonnull(inlined.bytes);
    ck_assert_int_eq(cf_class_open(&after, inlined.bytes, inlined.length, &arena), CF_OK);
    ck_assert_int_eq(cf_check_structure(&after, &error), CF_OK);
    ck_assert_int_eq(cf_verify_class(&after, NULL, NULL, &failure), CF_OK);
    ck_assert_int_eq(cf_code_open(&code, &after, &after.methods[0], &error), CF_OK);
    ck_assert_int_eq(cf_code_scan(&code, &error), CF_OK);
    ck_assert(!code.has_jsr);
    return code;
}

static struct cf_code becomes(const char *text) {
    struct build_bytes wanted = assembled(text);
    struct cf_code code = inline_it();
    ck_assert_uint_eq(code.length, wanted.length);
    ck_assert_mem_eq(code.bytes, wanted.bytes, wanted.length);
    free(wanted.bytes);
    return code;
}

static void fails(enum cf_status status, const char *reason) {
    ck_assert_int_eq(cf_inline_subroutines(&cls, &inlined, &error), status);
    ck_assert_str_eq(error.reason, reason);
    ck_assert_int_eq(cls.error.status, CF_OK);
}

// --- code ---

START_TEST(a_class_without_subroutines_stays_as_it_is) {
    make("iload_0 ifeq:L1 iinc:0:1 L1: return");
    ck_assert_int_eq(cf_inline_subroutines(&cls, &inlined, &error), CF_OK);
    ck_assert_ptr_null(inlined.bytes);
}
END_TEST

// From version 51 on there are none (JVMS 4.9.1), so they are not looked for.
START_TEST(newer_classes_are_not_looked_at) {
    make_class(51, assembled("jsr:L1 return L1: astore_1 ret:1"), NULL, 0, NULL, 0);
    ck_assert_int_eq(cf_inline_subroutines(&cls, &inlined, &error), CF_OK);
    ck_assert_ptr_null(inlined.bytes);
}
END_TEST

START_TEST(each_call_has_a_copy_behind_the_code_in_the_order_of_the_calls) {
    make("iload_0 ifeq:L1 jsr:S return L1: jsr:S iinc:0:1 return S: astore_1 iinc:0:2 ret:1");
    struct cf_code code = becomes("iload_0 ifeq:L1 aconst_null goto:S1 R1: return "
                                  "L1: aconst_null goto:S2 R2: iinc:0:1 return "
                                  "S1: astore_1 iinc:0:2 goto:R1 S2: astore_1 iinc:0:2 goto:R2");
    const uint8_t *returns = inlined.returns[0];
    unsigned found = 0;
    for (uint32_t pc = 0; pc < code.length; pc++)
        if (returns[pc]) {
            ck_assert_uint_eq(code.bytes[pc], CF_OP_goto);
            found++;
        }
    ck_assert_uint_eq(found, 2);
}
END_TEST

START_TEST(a_subroutine_may_call_another) {
    make("jsr:S return S: astore_1 jsr:T iinc:0:1 ret:1 T: astore_2 iinc:0:2 ret:2");
    becomes("aconst_null goto:S1 R1: return "
            "S1: astore_1 aconst_null goto:T1 R2: iinc:0:1 goto:R1 "
            "T1: astore_2 iinc:0:2 goto:R2");
}
END_TEST

START_TEST(what_a_subroutine_leaves_for_is_not_copied) {
    make("iload_0 ifeq:E jsr:S return S: astore_1 iload_0 iflt:E ret:1 E: iinc:0:1 return");
    becomes("iload_0 ifeq:E aconst_null goto:S1 R: return E: iinc:0:1 return "
            "S1: astore_1 iload_0 iflt:E goto:R");
}
END_TEST

START_TEST(what_a_subroutine_falls_into_is_not_copied) {
    make("iload_0 ifeq:E jsr:S return S: astore_1 E: iinc:0:1 return");
    becomes("iload_0 ifeq:E aconst_null goto:S1 return E: iinc:0:1 return S1: astore_1 goto:E");
}
END_TEST

START_TEST(what_follows_a_call_in_a_subroutine_is_not_copied_if_it_is_shared) {
    make("iload_0 ifeq:E jsr:S return S: astore_1 jsr:T E: iinc:0:1 return T: astore_2 ret:2");
    becomes("iload_0 ifeq:E aconst_null goto:S1 return E: iinc:0:1 return "
            "S1: astore_1 aconst_null goto:T1 R: goto:E T1: astore_2 goto:R");
}
END_TEST

START_TEST(long_forms_are_taken_as_well) {
    make("jsr_w:S return S: wide astore:1 wide ret:1");
    becomes("aconst_null goto:S1 R: return S1: wide astore:1 goto:R");
}
END_TEST

START_TEST(jumps_and_switches_lead_to_the_same_instructions) {
    make("jsr:S jsr:S return S: astore_1 L1: iinc:0:-1 iload_0 tableswitch:L2:7:L1 L2: iload_0 "
         "lookupswitch:L3:-4:L1 L3: ret:1");
    becomes("aconst_null goto:S1 R1: aconst_null goto:S2 R2: return "
            "S1: astore_1 A1: iinc:0:-1 iload_0 tableswitch:A2:7:A1 A2: iload_0 "
            "lookupswitch:A3:-4:A1 A3: goto:R1 "
            "S2: astore_1 B1: iinc:0:-1 iload_0 tableswitch:B2:7:B1 B2: iload_0 "
            "lookupswitch:B3:-4:B1 B3: goto:R2");
}
END_TEST

// 40 calls of a subroutine of 1,000 bytes: what a short goto does not reach is reached with a long
// one, all of them.
static struct build_bytes large(unsigned calls, unsigned size) {
    struct build_bytes code = {NULL, 0, 0};
    for (unsigned i = 0; i < calls; i++) {
        build_append_number(&code, CF_OP_jsr, 1);
        build_append_number(&code, 3 * (calls - i) + 1, 2);
    }
    build_append_number(&code, CF_OP_return, 1);
    build_append_number(&code, CF_OP_astore_1, 1);
    for (unsigned i = 0; i < size; i++) build_append_number(&code, CF_OP_nop, 1);
    build_append_number(&code, CF_OP_ret << 8 | 1, 2);
    return code;
}

START_TEST(long_jumps_where_short_ones_do_not_reach) {
    make_class(49, large(40, 1000), NULL, 0, NULL, 0);
    struct cf_code code = inline_it();
    ck_assert_uint_eq(code.length, 40 * 6 + 1 + 40 * (1 + 1000 + 5));
    ck_assert_uint_eq(code.bytes[1], CF_OP_goto_w);
    ck_assert_uint_eq(code.branches_count, 80);
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t copy = 40 * 6 + 1 + i * 1006;
        ck_assert_uint_eq(code.branches[i].target, copy);
        ck_assert_uint_eq(code.branches[40 + i].target, 6 * (i + 1));
    }
}
END_TEST

// --- tables ---

START_TEST(each_copy_has_its_ranges_and_lines) {
    // 0: jsr, 3: jsr, 6: return, 7: astore_1, 8: iinc, 11: ret, 13: pop, 14: return
    static const struct range ranges[] = {{3, 6, 13}, {8, 11, 13}};
    static const unsigned lines[] = {0, 7, 8};
    make_class(49, assembled("jsr:S jsr:S return S: astore_1 iinc:0:1 ret:1 pop return"), ranges, 2,
               lines, 3);
    struct cf_code code = inline_it();
    // 0: call, 4: call, 8: return, 9: pop, 10: return, then copies of 7 bytes: 11, 18
    static const struct range wanted[] = {{4, 8, 9}, {12, 15, 9}, {19, 22, 9}};
    ck_assert_uint_eq(code.exception_table_length, 3);
    for (uint32_t i = 0; i < 3; i++) {
        struct cf_exception e = cf_exception_at(&code, i);
        ck_assert_uint_eq(e.start_pc, wanted[i].start);
        ck_assert_uint_eq(e.end_pc, wanted[i].end);
        ck_assert_uint_eq(e.handler_pc, wanted[i].handler);
    }
    static const uint8_t line_numbers[] = {0,  5, 0,   0, 0,  100, 0,   11, 0,  101, 0,
                                           12, 0, 102, 0, 18, 0,   101, 0,  19, 0,   102};
    ck_assert_uint_eq(code.attributes_count, 1);
    ck_assert_mem_eq(after.bytes + code.attributes + 6, line_numbers, sizeof line_numbers);
}
END_TEST

// The handler needs the int that the last instruction of its range overwrites.
START_TEST(a_range_ends_before_the_goto_to_what_is_shared) {
    // 10: astore_1, 11: aconst_null, 12: astore_2, 13: iinc, 16: return, 17: pop
    static const struct range range = {11, 13, 17};
    make_class(49,
               assembled("iconst_0 istore_2 iload_0 ifeq:E jsr:S return S: astore_1 "
                         "aconst_null astore_2 E: iinc:0:1 return pop iload_2 pop return"),
               &range, 1, NULL, 0);
    struct cf_code code = becomes("iconst_0 istore_2 iload_0 ifeq:E aconst_null goto:S1 return "
                                  "E: iinc:0:1 return S1: astore_1 aconst_null astore_2 goto:E "
                                  "pop iload_2 pop return");
    ck_assert_uint_eq(code.exception_table_length, 1);
    struct cf_exception e = cf_exception_at(&code, 0);
    ck_assert_uint_eq(e.start_pc, 16);
    ck_assert_uint_eq(e.end_pc, 18);
    ck_assert_uint_eq(e.handler_pc, 21);
}
END_TEST

// --- what cannot be done ---

START_TEST(a_subroutine_that_calls_itself_is_none) {
    make("jsr:S return S: astore_1 jsr:S ret:1");
    fails(CF_UNSUPPORTED, "a subroutine that calls itself");
}
END_TEST

START_TEST(ret_belongs_into_a_subroutine) {
    make("iload_0 ifeq:L1 jsr:S return L1: ret:1 S: astore_1 ret:1");
    fails(CF_UNSUPPORTED, "ret outside of a subroutine");
}
END_TEST

// The inner subroutine drops its own return address and comes back by that of the outer one.
START_TEST(ret_past_a_call_is_left) {
    make("jsr:S return S: astore_1 jsr:U iinc:0:9 ret:1 U: pop ret:1");
    fails(CF_UNSUPPORTED, "ret that may end another subroutine");
}
END_TEST

START_TEST(what_gets_too_large_is_left) {
    make_class(49, large(70, 1000), NULL, 0, NULL, 0);
    fails(CF_UNSUPPORTED, "would pass 65,535 bytes without its subroutines");
}
END_TEST

// Each calls the next twice: 2^18 copies of the last. It ends where the code would get too large.
START_TEST(copies_do_not_grow_without_end) {
    char text[1500];
    int n = snprintf(text, sizeof text, "jsr:S0 return ");
    for (int i = 0; i < 18; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "S%d: astore:%d jsr:S%d jsr:S%d ret:%d ",
                      i, i + 1, i + 1, i + 1, i + 1);
    snprintf(text + n, sizeof text - (size_t)n, "S18: astore:19 ret:19");
    make(text);
    fails(CF_UNSUPPORTED, "would pass 65,535 bytes without its subroutines");
}
END_TEST

// Code of calls, a subroutine for all of them or one for each, and 25,000 instructions that nothing
// reaches, with 65,535 handlers.
static void make_busy(unsigned calls, unsigned subroutines) {
    enum { DEAD = 25000, ENTRIES = 65535 };
    static struct range ranges[ENTRIES];
    struct build_bytes code = {NULL, 0, 0};
    for (unsigned i = 0; i < calls; i++) {
        build_append_number(&code, CF_OP_jsr, 1);
        build_append_number(&code, 3 * (calls - i) + 1 + i % subroutines, 2);
    }
    build_append_number(&code, CF_OP_return, 1);
    for (unsigned i = 1; i < subroutines; i++) build_append_number(&code, CF_OP_nop, 1);
    build_append_number(&code, CF_OP_astore_1, 1);
    build_append_number(&code, CF_OP_ret << 8 | 1, 2);
    unsigned dead = (unsigned)code.length;
    for (unsigned i = 0; i < DEAD; i++) build_append_number(&code, CF_OP_nop, 1);
    build_append_number(&code, CF_OP_return, 1);
    for (unsigned i = 0; i < ENTRIES; i++) ranges[i] = (struct range){dead, dead + DEAD, dead};
    make_class(49, code, ranges, ENTRIES, NULL, 0);
}

START_TEST(inlining_takes_no_longer_than_real_code_needs) {
    make_busy(10, 1);
    inline_it();
    tear_down();
    set_up();
    make_busy(2000, 1);
    fails(CF_UNSUPPORTED, "subroutines that take too long to inline");
    tear_down();
    set_up();
    make_busy(10000, 10000);
    fails(CF_UNSUPPORTED, "subroutines that take too long to inline");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("inline");
    TCase *tcase = tcase_create("inline");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_class_without_subroutines_stays_as_it_is);
    tcase_add_test(tcase, newer_classes_are_not_looked_at);
    tcase_add_test(tcase, each_call_has_a_copy_behind_the_code_in_the_order_of_the_calls);
    tcase_add_test(tcase, a_subroutine_may_call_another);
    tcase_add_test(tcase, what_a_subroutine_leaves_for_is_not_copied);
    tcase_add_test(tcase, what_a_subroutine_falls_into_is_not_copied);
    tcase_add_test(tcase, what_follows_a_call_in_a_subroutine_is_not_copied_if_it_is_shared);
    tcase_add_test(tcase, long_forms_are_taken_as_well);
    tcase_add_test(tcase, jumps_and_switches_lead_to_the_same_instructions);
    tcase_add_test(tcase, long_jumps_where_short_ones_do_not_reach);
    tcase_add_test(tcase, each_copy_has_its_ranges_and_lines);
    tcase_add_test(tcase, a_range_ends_before_the_goto_to_what_is_shared);
    tcase_add_test(tcase, a_subroutine_that_calls_itself_is_none);
    tcase_add_test(tcase, ret_belongs_into_a_subroutine);
    tcase_add_test(tcase, ret_past_a_call_is_left);
    tcase_add_test(tcase, what_gets_too_large_is_left);
    tcase_add_test(tcase, copies_do_not_grow_without_end);
    tcase_add_test(tcase, inlining_takes_no_longer_than_real_code_needs);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
