// Class files made from nothing.

#include "classfile/format/build.h"
#include "classfile/structure.h"
#include "classfile/verify.h"

#include "tests/unit/run.h"

static struct cf_arena arena;

static void build_class(struct cf_build *build) {
    cf_build_begin(build, &arena, CF_ACC_PUBLIC | CF_ACC_FINAL, "a/Built");
    cf_build_field(build, CF_ACC_STATIC, "p", "[Z");
    cf_build_field(build, CF_ACC_STATIC, "q", "J");
    cf_build_method(build, CF_ACC_STATIC, "<clinit>", "()V", 1, 0);
    cf_build_op1(build, CF_OP_bipush, 42);
    cf_build_op1(build, CF_OP_newarray, 4);
    cf_build_op2(build, CF_OP_putstatic,
                 cf_add_reference(&build->pool, CF_TAG_FIELDREF, "a/Built", "p", "[Z"));
    cf_build_op(build, CF_OP_return);
    cf_build_method(build, CF_ACC_PUBLIC | CF_ACC_STATIC, "get", "(I)I", 1, 1);
    cf_build_op(build, CF_OP_iload_0);
    cf_build_op(build, CF_OP_ireturn);
}

START_TEST(a_built_class_holds_together_and_verifies) {
    struct cf_build build;
    const uint8_t *bytes;
    size_t length;
    build_class(&build);
    ck_assert_int_eq(cf_build_end(&build, &bytes, &length), CF_OK);
    struct cf_class cls;
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
    ck_assert(CF_IS(cf_this_name(&cls), "a/Built"));
    ck_assert_uint_eq(cls.access_flags, 0x0031); // public final super
    ck_assert_uint_eq(cls.fields_count, 2);
    ck_assert_uint_eq(cls.methods_count, 2);
    ck_assert(CF_IS(cf_member_name(&cls, &cls.methods[1]), "get"));
    struct cf_error error = {0};
    ck_assert_int_eq(cf_check_structure(&cls, &error), CF_OK);
    struct cf_verify_failure failure;
    ck_assert_int_eq(cf_verify_class(&cls, NULL, NULL, &failure), CF_OK);
}
END_TEST

START_TEST(a_class_may_have_no_members) {
    struct cf_build build;
    const uint8_t *bytes;
    size_t length;
    cf_build_begin(&build, &arena, 0, "a/Empty");
    ck_assert_int_eq(cf_build_end(&build, &bytes, &length), CF_OK);
    struct cf_class cls;
    struct cf_error error = {0};
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
    ck_assert_int_eq(cf_check_structure(&cls, &error), CF_OK);
}
END_TEST

static enum cf_status code_of(unsigned length) {
    struct cf_build build;
    const uint8_t *bytes;
    size_t size;
    cf_build_begin(&build, &arena, 0, "a/Long");
    cf_build_method(&build, CF_ACC_STATIC, "f", "()V", 0, 0);
    while (length-- > 1) cf_build_op(&build, CF_OP_nop);
    cf_build_op(&build, CF_OP_return);
    return cf_build_end(&build, &bytes, &size);
}

START_TEST(code_ends_at_65535_bytes) {
    ck_assert_int_eq(code_of(65535), CF_OK);
    ck_assert_int_eq(code_of(65536), CF_LIMIT);
}
END_TEST

START_TEST(a_field_behind_a_method_is_misuse) {
    struct cf_build build;
    const uint8_t *bytes;
    size_t length;
    build_class(&build);
    cf_build_field(&build, 0, "late", "I");
    ck_assert_int_eq(cf_build_end(&build, &bytes, &length), CF_MISUSE);
}
END_TEST

static void set_up(void) {
    cf_arena_init(&arena);
}

static void tear_down(void) {
    cf_arena_free(&arena);
}

int main(void) {
    Suite *suite = suite_create("build");
    TCase *tests = tcase_create("build");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_built_class_holds_together_and_verifies);
    tcase_add_test(tests, a_class_may_have_no_members);
    tcase_add_test(tests, code_ends_at_65535_bytes);
    tcase_add_test(tests, a_field_behind_a_method_is_misuse);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
