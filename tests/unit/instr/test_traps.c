// What other tools fell for, as far as it shows in the bytes; the sources are in
// tests/jvm/harness/traps.py, with the rest that runs on real JVMs.

#include "instr/engine.h"
#include "tests/unit/run.h"
#include "tests/unit/subject.h"
#include "tests/unit/verify_class.h"

// Reading it as two bytes shifted the code behind it (apache/commons-bcel#525, Col-E/CAFED00D#32).
START_TEST(wide_instructions_on_low_locals_keep_their_length) {
    struct subject s;
    METHOD(&s, 52, "(I)V", 2, 2, CF_OP_wide, CF_OP_iload, 0, 0, CF_OP_wide, CF_OP_istore, 0, 1,
           CF_OP_wide, CF_OP_iinc, 0, 1, 0, 5, CF_OP_return);
    cf_insert_before(s.edit, 1, push_and_pop(s.edit, 1));
    cf_insert_before(s.edit, 3, push_and_pop(s.edit, 2));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_wide, CF_OP_iload, 0, 0, CF_OP_iconst_1, CF_OP_pop, CF_OP_wide,
                CF_OP_istore, 0, 1, CF_OP_wide, CF_OP_iinc, 0, 1, 0, 5, CF_OP_iconst_2, CF_OP_pop,
                CF_OP_return);
    close_subject(&s);
}
END_TEST

// A narrow instruction behind an operand that looks like wide is none (bipush 0xC4).
START_TEST(an_operand_that_looks_like_wide_is_none) {
    struct subject s;
    METHOD(&s, 52, "(I)V", 2, 2, CF_OP_bipush, CF_OP_wide, CF_OP_istore, 1, CF_OP_iinc, 1,
           CF_OP_wide, CF_OP_return);
    ck_assert_uint_eq(s.edit->code.count, 4);
    cf_insert_before(s.edit, 2, push_and_pop(s.edit, 1));
    commit(&s);
    ASSERT_CODE(&s, CF_OP_bipush, CF_OP_wide, CF_OP_istore, 1, CF_OP_iconst_1, CF_OP_pop,
                CF_OP_iinc, 1, CF_OP_wide, CF_OP_return);
    close_subject(&s);
}
END_TEST

// The attributes of the new code, by name.
static int has_attribute(struct subject *s, const char *name) {
    struct cf_code code = code_of(s, 0);
    struct cf_error error = {.status = CF_OK};
    struct cf_walk walk =
        cf_walk_attributes(&s->after, code.attributes, code.attributes_count, code.end, &error);
    struct cf_attribute a;
    int found = 0;
    while (cf_next_attribute(&walk, &a)) found += cf_slice_is(a.name, name, strlen(name));
    ck_assert_int_eq(error.status, CF_OK);
    return found;
}

static void with_stack_map(struct subject *s, unsigned version) {
    static const uint8_t code[] = {CF_OP_iload_0, CF_OP_ifeq, 0, 4, CF_OP_nop, CF_OP_return};
    static const uint8_t frames[] = {0, 1, 0, 5, 0, 1, 1, 0, 0}; // at 5: int
    struct build b;
    size_t place = method_head(&b, version, "(I)V", 1, 1, code, sizeof code);
    build_u2(&b, 0);
    build_u2(&b, 2);
    size_t table = build_attribute(&b, "StackMap");
    build_some(&b, frames, sizeof frames);
    build_end(&b, table);
    table = build_attribute(&b, "Unknown");
    build_end(&b, table);
    build_end(&b, place);
    build_u2(&b, 0);
    open_subject(s, &b);
    begin(s, 0);
}

// ASM reads them at any version, and takes their offsets for those of the code (Col-E/CAFED00D#21,
// objectionary/jeo-maven-plugin#1779).
START_TEST(frames_of_cldc_are_dropped_with_their_offsets) {
    struct subject s;
    with_stack_map(&s, 49);
    cf_insert_entry(s.edit, nops(s.edit, 1));
    commit(&s);
    ck_assert_int_eq(has_attribute(&s, "StackMap"), 0);
    ck_assert_int_eq(has_attribute(&s, "StackMapTable"), 0);
    ck_assert_int_eq(has_attribute(&s, "Unknown"), 1);
    close_subject(&s);

    with_stack_map(&s, 49); // a method that is not edited keeps its own
    cf_edit_abandon(s.edit);
    encode(&s);
    ck_assert_int_eq(has_attribute(&s, "StackMap"), 1);
    close_subject(&s);
}
END_TEST

// One that is too large costs neither its class nor its neighbour (jacoco/jacoco#31).
START_TEST(a_method_of_65533_bytes_does_not_cost_its_class) {
    static uint8_t code[65533];
    memset(code, CF_OP_nop, sizeof code);
    code[sizeof code - 1] = CF_OP_return;
    struct subject s;
    struct build b;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "A");
    build_counted(&b, 0);
    build_counted(&b, 2);
    for (int i = 0; i < 2; i++) {
        build_member(&b, CF_ACC_STATIC, i ? "small" : "large", "()V", 1);
        size_t length = i ? 1 : sizeof code;
        size_t place = build_code(&b, 0, 0, code + sizeof code - length, length);
        build_u2(&b, 0);
        build_u2(&b, 0);
        build_end(&b, place);
    }
    build_u2(&b, 0);
    open_subject(&s, &b);
    for (unsigned i = 0; i < 2; i++) {
        begin(&s, i);
        cf_insert_entry(s.edit, nops(s.edit, 4));
        ck_assert_int_eq(cf_edit_commit(s.edit), i ? CF_OK : CF_LIMIT);
    }
    encode(&s);
    ck_assert_uint_eq(code_of(&s, 0).length, 65533);
    ck_assert_uint_eq(code_of(&s, 1).length, 5);
    close_subject(&s);
}
END_TEST

// Version 50 with branches and without frames is verified the old way: one frame of ours would make
// the new way fail, for the others are missing (jboss-javassist/javassist#340).
START_TEST(version_50_without_frames_gets_none) {
    for (unsigned branches = 0; branches < 2; branches++) {
        struct subject s;
        const uint8_t code[] = {CF_OP_iload_0,
                                branches ? CF_OP_ifeq : CF_OP_sipush,
                                0,
                                4,
                                CF_OP_nop,
                                CF_OP_aconst_null,
                                CF_OP_monitorenter,
                                CF_OP_return};
        method(&s, 50, "(I)V", 3, 1, code, sizeof code);
        cf_insert_thrown(s.edit, nops(s.edit, 1));
        commit(&s);
        // Without a branch the exit's own frame is all there is to say.
        ck_assert_int_eq(has_attribute(&s, "StackMapTable"), !branches);
        close_subject(&s);
    }
}
END_TEST

static void *take_memory(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

// What a JVM gives back of a class that it does not verify may lack its frames (JDK-8228604): such
// a method is rewritten without any. From a class file it would be none that a JVM takes.
START_TEST(what_lost_its_frames_in_a_jvm_is_rewritten_without) {
    static const struct verify_case branch = {
        "f(I)I", "1 1", "iload_0 ifeq:L1 iconst_1 ireturn L1: iconst_2 ireturn", 0, 0, 0, 52};
    struct instr_options options;
    char error[INSTR_ERROR_SIZE];
    size_t length;
    uint8_t *bytes = verify_build(&branch, &length);
    ck_assert_int_eq(instr_options_parse(&options, "timing,coverage", error, sizeof error), 0);
    struct instr_methods *methods = instr_methods_new();
    struct instr_engine *engine = instr_engine_new(&options, methods, "java/lang/");
    for (int redefined = 0; redefined < 2; redefined++) {
        struct instr_origin origin = {.redefined = redefined};
        struct instr_rewritten result;
        instr_engine_rewrite_known(engine, &origin, bytes, length, take_memory, NULL, &result);
        ck_assert_int_eq(result.bytes != NULL, redefined);
        ck_assert_int_eq(result.error.status, redefined ? CF_OK : CF_UNVERIFIABLE);
        if (redefined) ck_assert_ptr_null(memmem(result.bytes, result.length, "StackMapTable", 13));
        free(result.bytes);
        free(result.refused);
    }
    instr_engine_free(engine);
    instr_methods_free(methods);
    instr_options_free(&options);
    free(bytes);
}
END_TEST

// The interpreter of JDK 8 knows it by name, and under -Xint reads the index of its field from what
// is the third byte of its code then.
START_TEST(the_getter_that_jdk_8_knows_by_name_stays_one) {
    struct instr_options options;
    char error[INSTR_ERROR_SIZE];
    ck_assert_int_eq(instr_options_parse(&options,
                                         "calls,timing,exceptions,coverage,alloc,watch,"
                                         "watch.methods=java.lang.ref.Reference.get(..)",
                                         error, sizeof error),
                     0);
    struct instr_methods *methods = instr_methods_new();
    struct instr_engine *engine = instr_engine_new(&options, methods, "java/lang/");
    for (unsigned version = 52; version < 54; version++) {
        struct build b;
        build_class_file(&b, version, CF_ACC_PUBLIC, "java/lang/ref/Reference");
        build_counted(&b, 0);
        build_counted(&b, 1);
        unsigned field = build_reference(&b, CF_TAG_FIELDREF, "java/lang/ref/Reference", "referent",
                                         "Ljava/lang/Object;");
        const uint8_t code[] = {CF_OP_aload_0, CF_OP_getfield, 0, (uint8_t)field, CF_OP_areturn};
        build_member(&b, CF_ACC_PUBLIC, "get", "()Ljava/lang/Object;", 1);
        size_t place = build_code(&b, 1, 1, code, sizeof code), length;
        build_u2(&b, 0);
        build_u2(&b, 0);
        build_end(&b, place);
        build_u2(&b, 0);
        uint8_t *bytes = build_finish(&b, &length);
        struct instr_origin origin = {.redefined = 1};
        struct instr_rewritten result;
        instr_engine_rewrite_known(engine, &origin, bytes, length, take_memory, NULL, &result);
        ck_assert_int_eq(result.bytes != NULL, version > 52);
        free(result.bytes);
        free(bytes);
    }
    instr_engine_free(engine);
    instr_methods_free(methods);
    instr_options_free(&options);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("traps");
    TCase *tests = tcase_create("traps");
    tcase_set_timeout(tests, 0);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, wide_instructions_on_low_locals_keep_their_length);
    tcase_add_test(tests, an_operand_that_looks_like_wide_is_none);
    tcase_add_test(tests, frames_of_cldc_are_dropped_with_their_offsets);
    tcase_add_test(tests, a_method_of_65533_bytes_does_not_cost_its_class);
    tcase_add_test(tests, version_50_without_frames_gets_none);
    tcase_add_test(tests, what_lost_its_frames_in_a_jvm_is_rewritten_without);
    tcase_add_test(tests, the_getter_that_jdk_8_knows_by_name_stays_one);
    return run_suite(suite);
}
