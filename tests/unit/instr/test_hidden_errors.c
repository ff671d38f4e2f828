// Rewriting brings stack, locals and constants. What the original lacks of these stays an error, and
// a class that a JVM has already gets no constant twice.

#include "classfile/structure.h"
#include "tests/unit/engine_subject.h"
#include "tests/unit/run.h"

#include <stdio.h>

// The pass brings stack, locals and constants; what the original lacked stays an error.
static void assert_still_broken(const char *limits, const char *code, const char *reason) {
    const struct verify_case broken = {"f(I)I", limits, code, 0, 0, 0, 0};
    const char *const expected[] = {"f(I)I", reason};
    rewrite_with(&good_pass, &broken, "calls");
    ck_assert_ptr_null(result.bytes);
    ck_assert_int_eq(result.error.status, CF_UNVERIFIABLE);
    skipped_count = 0;
    instr_engine_skipped(engine, look_at_skipped, (void *)expected);
    ck_assert_uint_eq(skipped_count, 2);
}

START_TEST(more_stack_hides_no_error) {
    assert_still_broken("1 1", "iload_0 iconst_1 iadd ireturn",
                        "would not verify: operand stack passes max_stack 1 (at pc 5)");
}
END_TEST

START_TEST(more_stack_hides_no_deep_frame) {
    static const struct verify_case deep = {
        "f(I)I", "1 1", "iload_0 ireturn L: ireturn", "L: int | int int", 0, 0, 0};
    static const char *const expected[] = {
        "f(I)I", "would not verify: stack map frame passes max_stack 1 (at pc 6)"};
    rewrite_with(&good_pass, &deep, "calls");
    ck_assert_ptr_null(result.bytes);
    skipped_count = 0;
    instr_engine_skipped(engine, look_at_skipped, (void *)expected);
    ck_assert_uint_eq(skipped_count, 2);
}
END_TEST

// HotSpot refuses it even if the range is not reached.
START_TEST(more_stack_hides_no_handler_without_stack) {
    static const char *const code[] = {"L0: nop L1: return L2: astore_0 return",
                                       "goto:L1 L0: nop L1: return L2: astore_0 return"};
    static const char *const expected[] = {
        "f(I)V", "would not verify: exception handler passes max_stack 0 (at pc 0)"};
    for (unsigned i = 0; i < 2; i++) {
        struct verify_case c = {"f(I)V", "0 1", code[i], 0, "L0 L1 L2 any", 0, 49};
        rewrite_with(&good_pass, &c, "calls");
        ck_assert_ptr_null(result.bytes);
        skipped_count = 0;
        instr_engine_skipped(engine, look_at_skipped, (void *)expected);
        ck_assert_uint_eq(skipped_count, 2);
        start_again();
        c.limits = "1 1";
        rewrite_with(&good_pass, &c, "calls");
        ck_assert_ptr_nonnull(result.bytes);
        start_again();
    }
}
END_TEST

// HotSpot refuses it even if nothing reaches it.
START_TEST(more_locals_hide_no_dead_load) {
    static const char *const expected[] = {
        "f(I)V", "would not verify: local variable 2 is above max_locals (at pc 5)"};
    struct verify_case c = {"f(I)V", "2 2", "return dload_1 pop2 return", 0, 0, 0, 49};
    rewrite_with(&good_pass, &c, "calls");
    ck_assert_ptr_null(result.bytes);
    skipped_count = 0;
    instr_engine_skipped(engine, look_at_skipped, (void *)expected);
    ck_assert_uint_eq(skipped_count, 2);
    c.limits = "2 3";
    start_again();
    rewrite_with(&good_pass, &c, "calls");
    ck_assert_ptr_nonnull(result.bytes);
}
END_TEST

// The stack is of another depth at the second call, which copies would not know.
START_TEST(inlining_hides_no_error) {
    static const struct rw_pass inlining = {
        .name = "inlining", .edit = do_nothing_much, .flags = RW_INLINED};
    static const char *const code[] = {
        "jsr:L1 iconst_0 istore_0 jsr:L1 return L1: astore_1 ret:1",
        "jsr:L1 iconst_0 jsr:L1 pop return L1: astore_1 ret:1",
    };
    for (int broken = 0; broken < 2; broken++) {
        const struct verify_case t = {"f(I)V", "2 2", code[broken], 0, 0, 0, 49};
        check_input = 1;
        rewrite_with(&inlining, &t, "calls");
        check_input = 0;
        ck_assert_int_eq(result.bytes == NULL, broken);
        ck_assert_int_eq(result.error.status, broken ? CF_UNVERIFIABLE : CF_OK);
        if (!broken) tear_down();
    }
}
END_TEST

static enum cf_status give_up(struct rw_class *cls) {
    (void)cls;
    return CF_UNSUPPORTED;
}

// Has a class that two passes rewrite a subroutine, if the first one, which needs it inlined, does
// not begin?
static int has_subroutine(int begins) {
    static const struct verify_case t = {"f(I)V", "2 2", "jsr:L1 return L1: astore_1 ret:1", 0, 0,
                                         0,       49};
    const struct rw_pass inlining = {.name = "inlining",
                                     .begin = begins ? NULL : give_up,
                                     .edit = do_nothing_much,
                                     .flags = RW_INLINED};
    char error[INSTR_ERROR_SIZE];
    ck_assert_int_eq(instr_options_parse(&options, "calls,timing", error, sizeof error), 0);
    options.passes[0].pass = &inlining;
    options.passes[1].pass = &good_pass;
    methods = instr_methods_new();
    engine = instr_engine_new(&options, methods, "java/lang/");
    bytes = verify_build(&t, &length);
    instr_engine_rewrite(engine, bytes, length, allocate, NULL, &result);
    ck_assert_ptr_nonnull(result.bytes);
    ck_assert_uint_eq(result.methods_changed, 1);
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_code code;
    struct cf_error failure = {.status = CF_OK};
    cf_arena_init(&arena);
    ck_assert_int_eq(cf_class_open(&cls, result.bytes, result.length, &arena), CF_OK);
    ck_assert_int_eq(cf_code_open(&code, &cls, &cls.methods[0], &failure), CF_OK);
    ck_assert_int_eq(cf_code_scan(&code, &failure), CF_OK);
    int has = code.has_jsr;
    cf_arena_free(&arena);
    start_again();
    return has;
}

START_TEST(subroutines_are_inlined_only_for_passes_that_edit) {
    ck_assert(!has_subroutine(1));
    ck_assert(has_subroutine(0));
}
END_TEST

START_TEST(more_locals_hide_no_error) {
    assert_still_broken("1 1", "iload_0 istore_1 iload_0 ireturn",
                        "would not verify: local variable 1 is above max_locals (at pc 5)");
}
END_TEST

START_TEST(more_constants_hide_no_error) {
    char code[60], reason[90];
    uint8_t *original = verify_build(&good, &length);
    unsigned count = cf_be2(original + 8); // the index of the pass's long
    free(original);
    snprintf(code, sizeof code, "ldc2_w:%u l2i ireturn", count);
    snprintf(reason, sizeof reason,
             "would not verify: constant %u is beyond the constant pool (at pc 4)", count);
    assert_still_broken("2 1", code, reason);
}
END_TEST

// HotSpot refuses it even if nothing reaches it.
START_TEST(more_constants_hide_no_dead_load) {
    char code[60], reason[90];
    const char *expected[] = {"f(I)V", reason};
    struct verify_case c = {"f(I)V", "2 1", "return ldc2_w:1 pop2 return", 0, 0, 0, 49};
    uint8_t *original = verify_build(&c, &length);
    unsigned count = cf_be2(original + 8); // the index of the pass's long
    free(original);
    snprintf(code, sizeof code, "return ldc2_w:%u pop2 return", count);
    snprintf(reason, sizeof reason,
             "would not verify: constant %u is beyond the constant pool (at pc 5)", count);
    c.code = code;
    rewrite_with(&good_pass, &c, "calls");
    ck_assert_ptr_null(result.bytes);
    skipped_count = 0;
    instr_engine_skipped(engine, look_at_skipped, (void *)expected);
    ck_assert_uint_eq(skipped_count, 2);
}
END_TEST

// A JVM takes it, as it does not look at what is not reached; so it is no error of the class.
START_TEST(dead_code_that_ends_nowhere_keeps_the_method) {
    static const struct verify_case dead = {"f()V", "0 0", "return nop", 0, 0, 0, 49};
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_error error = {.status = CF_OK};
    rewrite_with(&good_pass, &dead, "timing");
    ck_assert_int_eq(result.error.status, CF_OK);
    ck_assert_uint_eq(result.methods_skipped, 1);
    cf_arena_init(&arena);
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
    ck_assert_int_eq(cf_check_structure(&cls, &error), CF_OK);
    cf_arena_free(&arena);
}
END_TEST

// --- what rewriting could hide ---

enum place {
    NOWHERE,
    SIGNATURE,
    FIELD_NAME,
    CATCH_TYPE,
    VARIABLE_NAME,
    EXCEPTION,
    PARAMETER_NAME,
    INNER_NAME,
    POOL,
    PARAMETERS,
    DESCRIPTOR
};

// Exceptions and MethodParameters of a method; the names of attributes come after all others.
static void name_in_method(struct build *b, enum place place, unsigned index, unsigned throwable) {
    size_t exceptions = build_attribute(b, "Exceptions");
    build_u2(b, 1), build_u2(b, place == EXCEPTION && index ? index : throwable);
    build_end(b, exceptions);
    size_t parameters = build_attribute(b, "MethodParameters");
    build_u1(b, 2), build_u2(b, place == PARAMETER_NAME && index ? index : 0), build_u2(b, 0);
    build_u2(b, 0), build_u2(b, 0x1000);
    build_end(b, parameters);
}

static void name_inner_class(struct build *b, enum place place, unsigned index, unsigned inner) {
    size_t classes = build_attribute(b, "InnerClasses");
    build_u2(b, 1), build_u2(b, inner), build_u2(b, 0);
    build_u2(b, place == INNER_NAME && index ? index : 0), build_u2(b, 0);
    build_end(b, classes);
}

// A class that names the constant `index` where `place` says; 0: a good one. `PARAMETERS`: a method
// with more of them than locals. `DESCRIPTOR`: one whose frame names a parameter's class, which is
// none.
static uint8_t *build_naming(enum place place, unsigned index) {
    static const uint8_t code[] = {CF_OP_nop, CF_OP_return};
    struct build b;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "t/T");
    unsigned text = build_utf8(&b, "Lt/T;"), throwable = build_class(&b, "java/lang/Throwable");
    build_constant(&b, CF_TAG_STRING, place == POOL && index ? index : text, 2);
    build_u2(&b, 1);
    build_u2(&b, 0), build_u2(&b, place == FIELD_NAME && index ? index : build_utf8(&b, "field"));
    build_u2(&b, build_utf8(&b, "I")), build_u2(&b, 0);
    build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", place == DESCRIPTOR ? "([Lt.U;J)V" : "(IJ)V", 3);
    size_t start = build_code(&b, 1, place == PARAMETERS ? 2 : 3, code, sizeof code);
    build_u2(&b, 1), build_u2(&b, 0), build_u2(&b, 1), build_u2(&b, 1);
    build_u2(&b, place == CATCH_TYPE && index ? index : throwable);
    build_u2(&b, 2);
    size_t variables = build_attribute(&b, "LocalVariableTable");
    build_u2(&b, 1), build_u2(&b, 0), build_u2(&b, 2);
    build_u2(&b, place == VARIABLE_NAME && index ? index : text);
    build_u2(&b, build_utf8(&b, "I")), build_u2(&b, 0);
    build_end(&b, variables);
    size_t frames = build_attribute(&b, "StackMapTable");
    build_u2(&b, 1), build_u1(&b, 65), build_u1(&b, 7), build_u2(&b, throwable);
    build_end(&b, frames);
    build_end(&b, start);
    name_in_method(&b, place, index, throwable);
    build_u2(&b, 2);
    size_t signature = build_attribute(&b, "Signature");
    build_u2(&b, place == SIGNATURE && index ? index : text);
    build_end(&b, signature);
    name_inner_class(&b, place, index, throwable);
    return build_finish(&b, &length);
}

static int is_changed(int check, enum place place, unsigned index) {
    char error[INSTR_ERROR_SIZE];
    ck_assert_int_eq(instr_options_parse(&options, "timing,verify=off", error, sizeof error), 0);
    methods = instr_methods_new();
    engine = instr_engine_new(&options, methods, "java/lang/");
    if (check) instr_engine_check_input(engine);
    bytes = build_naming(place, index);
    instr_engine_rewrite(engine, bytes, length, allocate, NULL, &result);
    int changed = result.bytes != NULL;
    start_again();
    return changed;
}

// Constants that a class has when its JVM gives it back, and when timing is done with it.
static unsigned constants_added(int redefined, int numbered, unsigned *twice) {
    char error[INSTR_ERROR_SIZE];
    static const struct verify_case catching = {
        "f(I)V", "1 1", "L0: iinc:0:1 return L1: athrow", "L1: int | Throwable", "L0 L1 L1 any",
        0,       0};
    struct instr_origin origin = {.redefined = redefined};
    ck_assert_int_eq(instr_options_parse(&options, "timing", error, sizeof error), 0);
    methods = instr_methods_new();
    for (int i = 0; i < numbered; i++) { // ids that no sipush has room for
        char name[16];
        int n = snprintf(name, sizeof name, "m%d", i);
        instr_methods_id(methods, 0, "Other", 5, name, (size_t)n, "()V", 3);
    }
    engine = instr_engine_new(&options, methods, "java/lang/");
    bytes = verify_build(&catching, &length);
    instr_engine_rewrite_known(engine, &origin, bytes, length, allocate, NULL, &result);
    ck_assert_ptr_nonnull(result.bytes);
    struct cf_arena arena;
    struct cf_class cls;
    cf_arena_init(&arena);
    ck_assert_int_eq(cf_class_open(&cls, result.bytes, result.length, &arena), CF_OK);
    unsigned first = cf_be2(bytes + 8), count = cls.constant_pool_count;
    *twice = 0;
    for (unsigned i = first; i < count; i++)
        for (unsigned k = 1; k < first; k++)
            *twice += cf_utf8(&cls, i).bytes && cf_slice_equal(cf_utf8(&cls, i), cf_utf8(&cls, k));
    cf_arena_free(&arena);
    start_again();
    return count - first;
}

START_TEST(a_jvm_that_has_the_class_gets_no_constant_twice) {
    unsigned twice, loaded = constants_added(0, 0, &twice), redefined;
    ck_assert_uint_ge(twice, 1); // Throwable, for one, which is not looked for
    redefined = constants_added(1, 0, &twice);
    ck_assert_uint_eq(twice, 0);
    ck_assert_uint_le(redefined + 2, loaded);
}
END_TEST

START_TEST(a_jvm_that_has_the_class_gets_few_constants) {
    unsigned twice, few = constants_added(1, 0, &twice);
    // The runtime's class, one name, and a descriptor, name and type, and method for each of three.
    ck_assert_uint_le(few, 2 + 1 + 3 * 3);
    ck_assert_uint_eq(constants_added(1, 40000, &twice), few);
    ck_assert_uint_eq(constants_added(0, 40000, &twice), constants_added(0, 0, &twice) + 1);
}
END_TEST

START_TEST(what_rewriting_could_hide_is_left_alone) {
    uint8_t *plain = build_naming(NOWHERE, 0);
    unsigned count = cf_be2(plain + 8);
    free(plain);
    ck_assert(is_changed(1, NOWHERE, 0));
    ck_assert(!is_changed(1, PARAMETERS, 0));
    ck_assert(is_changed(0, DESCRIPTOR, 0) && !is_changed(1, DESCRIPTOR, 0));
    for (unsigned place = SIGNATURE; place <= POOL; place++) {
        unsigned names = count - (place == FIELD_NAME); // one constant less is made
        for (unsigned index = names; index < names + 12; index++)
            ck_assert_msg(!is_changed(1, place, index), "place %u, index %u", place, index - names);
        // Far away from all that was added a JVM still sees it.
        ck_assert(is_changed(1, place, 60000) || place == CATCH_TYPE || place == POOL);
    }
}
END_TEST

// Two methods, of which one loads the constant `index`.
static uint8_t *build_loading(unsigned index) {
    const uint8_t code[] = {CF_OP_ldc, (uint8_t)index, CF_OP_pop, CF_OP_return};
    struct build b;
    build_class_file(&b, 49, CF_ACC_PUBLIC, "t/T");
    build_constant(&b, CF_TAG_STRING, build_utf8(&b, "text"), 2);
    build_u2(&b, 0);
    build_u2(&b, 2);
    for (unsigned i = 0; i < 2; i++) {
        build_member(&b, CF_ACC_STATIC, i ? "g" : "f", "()V", 1);
        size_t place = build_code(&b, 1, 0, i ? code + 3 : code, i ? 1 : sizeof code);
        build_u2(&b, 0), build_u2(&b, 0);
        build_end(&b, place);
    }
    build_u2(&b, 0);
    return build_finish(&b, &length);
}

// The other method is changed, and brings constants.
START_TEST(a_short_index_beyond_the_pool_stays_an_error) {
    char error[INSTR_ERROR_SIZE];
    uint8_t *plain = build_loading(1);
    unsigned count = cf_be2(plain + 8);
    free(plain);
    for (unsigned index = count - 1; index < count + 12; index++) {
        ck_assert_int_eq(instr_options_parse(&options, "timing", error, sizeof error), 0);
        methods = instr_methods_new();
        engine = instr_engine_new(&options, methods, "java/lang/");
        instr_engine_check_input(engine);
        bytes = build_loading(index);
        instr_engine_rewrite(engine, bytes, length, allocate, NULL, &result);
        ck_assert_msg(!result.bytes == (index >= count), "index %u of %u", index, count);
        start_again();
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("hidden_errors");
    TCase *tests = tcase_create("hidden_errors");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_add_test(tests, more_stack_hides_no_error);
    tcase_add_test(tests, more_stack_hides_no_deep_frame);
    tcase_add_test(tests, more_stack_hides_no_handler_without_stack);
    tcase_add_test(tests, more_locals_hide_no_dead_load);
    tcase_add_test(tests, inlining_hides_no_error);
    tcase_add_test(tests, subroutines_are_inlined_only_for_passes_that_edit);
    tcase_add_test(tests, more_locals_hide_no_error);
    tcase_add_test(tests, more_constants_hide_no_error);
    tcase_add_test(tests, more_constants_hide_no_dead_load);
    tcase_add_test(tests, dead_code_that_ends_nowhere_keeps_the_method);
    tcase_add_test(tests, a_jvm_that_has_the_class_gets_no_constant_twice);
    tcase_add_test(tests, a_jvm_that_has_the_class_gets_few_constants);
    tcase_add_test(tests, what_rewriting_could_hide_is_left_alone);
    tcase_add_test(tests, a_short_index_beyond_the_pool_stays_an_error);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
