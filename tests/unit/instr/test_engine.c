// The engine verifies what the passes made, and keeps a class as it was when the JVM would refuse
// it.

#include "instr/engine.h"
#include "classfile/rewritten/rewritten.h"
#include "classfile/verify.h"
#include "instr/engine/refused.h"
#include "instr/rules/option.h"
#include "tests/unit/engine_subject.h"
#include "tests/unit/run.h"

#include <stdio.h>
#include <unistd.h>

// Takes local 0 for a reference, which is right for some methods only.
static enum cf_status load_reference(struct rw_class *cls, struct cf_edit *edit) {
    (void)cls;
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_local(s, CF_OP_aload, 0);
    cf_op(s, CF_OP_pop);
    cf_insert_entry(edit, s);
    return edit->error.status;
}

static const struct rw_pass bad_pass = {.name = "bad", .edit = load_reference};

static enum cf_status refuse(struct rw_class *cls) {
    return cf_fail(&cls->rewrite->cls->error, CF_UNSUPPORTED, 0, "not this one", 0);
}

static const struct rw_pass refusing_pass = {
    .name = "refusing", .begin = refuse, .edit = do_nothing_much};

START_TEST(a_class_that_would_not_verify_is_skipped) {
    static const char *const expected[] = {
        "f(I)I", "would not verify: local variable 0 holds no reference: int (at pc 0)"};
    rewrite_with(&bad_pass, &good, "calls");
    ck_assert_ptr_null(result.bytes);
    ck_assert_ptr_nonnull(result.refused);
    ck_assert_int_eq(result.error.status, CF_UNVERIFIABLE);
    struct instr_totals account = instr_engine_totals(engine);
    ck_assert_uint_eq(account.classes_refused, 1);
    ck_assert_uint_eq(account.methods_refused, 1);
    ck_assert_uint_eq(account.classes_skipped, 1);
    ck_assert_uint_eq(account.classes_changed, 0);
    ck_assert_uint_eq(account.methods_changed, 0);
    skipped_count = 0;
    instr_engine_skipped(engine, look_at_skipped, (void *)expected);
    ck_assert_uint_eq(skipped_count, 2);
}
END_TEST

START_TEST(verifying_can_be_switched_off) {
    rewrite_with(&bad_pass, &good, "calls,verify=off");
    ck_assert_ptr_nonnull(result.bytes);
    ck_assert_uint_eq(instr_engine_totals(engine).classes_refused, 0);
}
END_TEST

START_TEST(what_verifies_is_changed) {
    static const struct verify_case instance = {"F()V", "0 1", "return", 0, 0, 0, 0};
    rewrite_with(&bad_pass, &instance, "calls"); // local 0 is `this` here
    ck_assert_ptr_nonnull(result.bytes);
    ck_assert_ptr_null(result.refused);
    ck_assert_uint_eq(instr_engine_totals(engine).methods_refused, 0);
}
END_TEST

// Ends the code at `place`, its method and the class, and has that rewritten.
static void end_and_rewrite(struct build *b, size_t place) {
    char error[INSTR_ERROR_SIZE];
    build_u2(b, 0), build_u2(b, 0);
    build_end(b, place);
    build_u2(b, 0);
    ck_assert_int_eq(instr_options_parse(&options, "calls", error, sizeof error), 0);
    methods = instr_methods_new();
    engine = instr_engine_new(&options, methods, "java/lang/");
    bytes = build_finish(b, &length);
    instr_engine_rewrite(engine, bytes, length, allocate, NULL, &result);
}

// A class with a static method, whose local 0 is an int, and another method with the same code.
static int has_no_name;

static void build_two_methods(struct build *b) {
    static const uint8_t code[] = {CF_OP_return};
    build_u2(b, CF_ACC_PUBLIC), build_u2(b, has_no_name ? 0 : build_class(b, "t/T"));
    build_u2(b, build_class(b, "java/lang/Object"));
    build_u2(b, 0), build_u2(b, 0), build_u2(b, 2);
    for (unsigned i = 0; i < 2; i++) {
        build_member(b, i ? 0 : CF_ACC_STATIC, "f", i ? "()V" : "(I)V", 1);
        size_t place = build_code(b, 0, 1, code, sizeof code);
        build_u2(b, 0), build_u2(b, 0);
        build_end(b, place);
    }
    build_u2(b, 0);
    bytes = build_finish(b, &length);
}

static void rewrite_two_methods(const char *text, const struct rw_pass *first,
                                const struct rw_pass *second) {
    char error[INSTR_ERROR_SIZE];
    struct build b = {.constants = 1, .major_version = 52};
    build_two_methods(&b);
    ck_assert_int_eq(instr_options_parse(&options, text, error, sizeof error), 0);
    options.passes[0].pass = first;
    if (second) options.passes[1].pass = second;
    methods = instr_methods_new();
    engine = instr_engine_new(&options, methods, "java/lang/");
    instr_engine_rewrite(engine, bytes, length, allocate, NULL, &result);
}

// The number of bytes of each method's code in the result.
static void measure(uint32_t lengths[2]) {
    struct cf_class cls;
    struct cf_arena arena;
    struct cf_verify_failure failure;
    cf_arena_init(&arena);
    ck_assert_int_eq(cf_class_open(&cls, result.bytes, result.length, &arena), CF_OK);
    ck_assert_int_eq(cf_verify_class(&cls, NULL, NULL, &failure), CF_OK);
    for (unsigned i = 0; i < 2; i++) {
        struct cf_code code;
        ck_assert_int_eq(cf_code_open(&code, &cls, &cls.methods[i], &cls.error), CF_OK);
        lengths[i] = code.length;
    }
    cf_arena_free(&arena);
}

static void expect_reason(void *reason, const struct instr_skipped_item *skipped) {
    ck_assert_str_eq(skipped->reason, reason);
    skipped_count++;
}

static enum cf_status one_byte(struct rw_class *cls, struct cf_edit *edit) {
    (void)cls;
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_op(s, CF_OP_nop);
    cf_insert_entry(edit, s);
    return edit->error.status;
}

static const struct rw_pass other_pass = {.name = "other", .edit = one_byte};

static void expect_inserted(unsigned number, uint64_t count, uint64_t added, uint64_t code) {
    struct instr_pass_totals totals = instr_engine_pass_totals(engine, number);
    ck_assert_uint_eq(totals.classes, count != 0);
    ck_assert_uint_eq(totals.methods, count);
    ck_assert_uint_eq(totals.bytes, added);
    ck_assert_uint_eq(totals.code, code);
}

START_TEST(what_each_pass_inserts_is_counted) {
    uint32_t lengths[2];
    rewrite_two_methods("calls,timing", &good_pass, &other_pass);
    measure(lengths);
    unsigned first = options.passes[0].number, second = options.passes[1].number;
    uint64_t own = 2 * (3 + 1); // ldc2_w, pop2
    expect_inserted(first, 2, own, 2);
    expect_inserted(second, 2, lengths[0] + lengths[1] - 2 - own, 2);
    instr_engine_forget_pass(engine, first);
    expect_inserted(first, 0, 0, 0);
    start_again();
    rewrite_two_methods("calls", &bad_pass, NULL); // one of the methods would not verify
    measure(lengths);
    expect_inserted(options.passes[0].number, 1, lengths[0] + lengths[1] - 2, 1);
}
END_TEST

static uint64_t time_of(size_t pass) {
    return instr_engine_pass_totals(engine, options.passes[pass].number).nanoseconds;
}

START_TEST(rewriting_is_charged_to_the_passes_that_a_class_has) {
    rewrite_two_methods("calls,timing", &good_pass, &other_pass);
    uint64_t first = time_of(0), second = time_of(1);
    ck_assert_uint_gt(first, 0);
    ck_assert_uint_gt(second, 0);
    const struct instr_origin alone = {.excluded_passes = 2};
    for (int i = 0; i < 50; i++) {
        struct instr_rewritten again;
        instr_engine_rewrite_known(engine, &alone, bytes, length, allocate, NULL, &again);
        free(again.bytes);
    }
    ck_assert_uint_gt(time_of(0), first);
    ck_assert_uint_eq(time_of(1), second);
    ck_assert_uint_le(time_of(0) + second, instr_engine_totals(engine).nanoseconds);
}
END_TEST

START_TEST(a_method_that_would_not_verify_costs_that_method) {
    uint32_t lengths[2];
    rewrite_two_methods("calls", &bad_pass, NULL);
    ck_assert_int_eq(result.error.status, CF_OK);
    ck_assert_ptr_nonnull(result.bytes);
    measure(lengths);
    ck_assert_uint_eq(lengths[0], 1);
    ck_assert_uint_gt(lengths[1], 1);
    ck_assert_ptr_nonnull(result.refused);
    ck_assert_uint_gt(result.refused_length, result.length);
    struct instr_totals totals = instr_engine_totals(engine);
    ck_assert_uint_eq(totals.classes_changed, 1);
    ck_assert_uint_eq(totals.classes_skipped, 0);
    ck_assert_uint_eq(totals.classes_refused, 1);
    ck_assert_uint_eq(totals.methods_changed, 1);
    ck_assert_uint_eq(totals.methods_refused, 1);
    ck_assert_uint_eq(totals.methods_skipped, 1);
    skipped_count = 0;
    instr_engine_skipped(engine, expect_reason,
                         "would not verify: local variable 0 holds no reference: int (at pc 0)");
    ck_assert_uint_eq(skipped_count, 1);
}
END_TEST

START_TEST(a_class_that_would_not_verify_can_be_dumped) {
    char folder[] = "/tmp/instr-refused-XXXXXX", text[80], path[80], line[INSTR_ERROR_SIZE];
    uint8_t dumped[4096];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(text, sizeof text, "calls,verify-dump=%s/made", folder);
    rewrite_two_methods(text, &bad_pass, NULL);
    ck_assert_int_eq(instr_refused_write(&options, "t/../T", &result, line, sizeof line), 1);
    snprintf(path, sizeof path, "%s/made/t....T.class", folder);
    ck_assert_ptr_nonnull(strstr(line, path));
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(dumped, 1, sizeof dumped, file), result.refused_length);
    ck_assert_mem_eq(dumped, result.refused, result.refused_length);
    fclose(file);
    unlink(path);
    snprintf(path, sizeof path, "%s/made", folder);
    rmdir(path);
    rmdir(folder);
    free(result.refused);
    result.refused = NULL;
    ck_assert_int_eq(instr_refused_write(&options, "t/T", &result, line, sizeof line), 0);
}
END_TEST

START_TEST(what_a_pass_refuses_costs_that_pass_alone) {
    static const char *const orders[] = {"calls,timing", "timing,calls"};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t lengths[2];
        rewrite_two_methods(orders[i], i ? &good_pass : &refusing_pass,
                            i ? &refusing_pass : &good_pass);
        ck_assert_int_eq(result.error.status, CF_OK);
        ck_assert_ptr_nonnull(result.bytes);
        measure(lengths);
        ck_assert_uint_gt(lengths[0], 1);
        struct instr_totals totals = instr_engine_totals(engine);
        ck_assert_uint_eq(totals.classes_changed, 1);
        ck_assert_uint_eq(totals.classes_skipped, 1);
        skipped_count = 0;
        instr_engine_skipped(engine, expect_reason, "refusing: not this one");
        ck_assert_uint_eq(skipped_count, 1);
        start_again();
    }
    rewrite_two_methods("calls,timing", &refusing_pass, &refusing_pass);
    ck_assert_ptr_null(result.bytes);
    ck_assert_int_eq(result.error.status, CF_UNSUPPORTED);
}
END_TEST

// To be reported it is opened again, with memory that is gone when the other pass goes on.
START_TEST(what_a_pass_refuses_may_have_no_name) {
    has_no_name = 1;
    rewrite_two_methods("calls,timing,verify=off", &refusing_pass, &good_pass);
    has_no_name = 0;
    ck_assert_int_eq(result.error.status, CF_OK);
    ck_assert_uint_eq(instr_engine_totals(engine).methods_changed, 2);
    skipped_count = 0;
    instr_engine_skipped(engine, expect_reason, "refusing: not this one");
    ck_assert_uint_eq(skipped_count, 1);
}
END_TEST

static void expect_name(void *name, const struct instr_skipped_item *skipped) {
    ck_assert_str_eq(skipped->class_name, name);
    skipped_count++;
}

START_TEST(what_is_no_class_file_is_reported_by_the_name_that_the_jvm_has) {
    static const uint8_t garbage[] = "garbage, made by another agent";
    const struct instr_origin origin = {.running = 1, .name = "t/Spoilt"};
    rewrite_with(&good_pass, &good, "calls");
    free(result.bytes);
    instr_engine_rewrite_known(engine, &origin, garbage, sizeof garbage, allocate, NULL, &result);
    ck_assert_ptr_null(result.bytes);
    skipped_count = 0;
    instr_engine_skipped(engine, expect_name, "t/Spoilt");
    ck_assert_uint_eq(skipped_count, 1);
}
END_TEST

// A JVM refuses that class, after agents have seen it.
START_TEST(rules_leave_a_method_without_a_descriptor_alone) {
    static const uint8_t code[] = {CF_OP_return};
    struct build b;
    char error[INSTR_ERROR_SIZE];
    instr_options_add_source(&instr_rule_source);
    build_class_file(&b, 52, CF_ACC_PUBLIC, "t/T");
    build_counted(&b, 0);
    build_counted(&b, 1);
    build_u2(&b, CF_ACC_STATIC), build_u2(&b, build_utf8(&b, "f"));
    build_u2(&b, 0), build_u2(&b, 1); // the descriptor is no constant
    size_t place = build_code(&b, 0, 1, code, sizeof code);
    build_u2(&b, 0), build_u2(&b, 0);
    build_end(&b, place);
    build_u2(&b, 0);
    bytes = build_finish(&b, &length);
    const char *rule = "rule=**.*(..) entry { set arg0 = 7 },allow=set,verify=off";
    ck_assert_int_eq(instr_options_parse(&options, rule, error, sizeof error), 0);
    methods = instr_methods_new();
    engine = instr_engine_new(&options, methods, "java/lang/");
    instr_engine_rewrite(engine, bytes, length, allocate, NULL, &result);
    ck_assert_ptr_null(result.bytes);
    ck_assert_uint_eq(instr_engine_totals(engine).methods_changed, 0);
}
END_TEST

START_TEST(what_no_jvm_verifies_is_changed) {
    static const uint8_t code[] = {CF_OP_iconst_0, CF_OP_areturn};
    static const char *const supers[] = {"jdk/internal/reflect/MagicAccessorImpl",
                                         "sun/reflect/MethodAccessorImpl",
                                         "jdk/internal/reflect/Other", "t/MagicAccessorImpl"};
    for (unsigned i = 0; i < 4; i++) {
        struct build b = {.constants = 1, .major_version = 52};
        build_u2(&b, CF_ACC_PUBLIC), build_u2(&b, build_class(&b, "t/T"));
        build_u2(&b, build_class(&b, supers[i]));
        build_u2(&b, 0), build_u2(&b, 0), build_u2(&b, 1);
        build_member(&b, CF_ACC_STATIC, "f", "()Ljava/lang/Object;", 1);
        size_t place = build_code(&b, 1, 0, code, sizeof code);
        end_and_rewrite(&b, place);
        ck_assert_int_eq(result.bytes != NULL, i < 2);
        start_again();
    }
}
END_TEST

START_TEST(a_lambda_of_jdk_8_calls_its_host) {
    static const char *const names[] = {"t/T$$Lambda$1", "t/T$$Lambd", "t/U$$Lambda$1"};
    for (unsigned i = 0; i < 3; i++) {
        struct build b = {.constants = 1, .major_version = 52};
        uint8_t code[] = {CF_OP_aload_0, CF_OP_invokespecial, 0, 0, CF_OP_return};
        build_u2(&b, CF_ACC_FINAL), build_u2(&b, build_class(&b, names[i]));
        build_u2(&b, build_class(&b, "java/lang/Object"));
        build_u2(&b, 0), build_u2(&b, 0), build_u2(&b, 1);
        build_member(&b, CF_ACC_STATIC, "f", "(Lt/T;)V", 1);
        unsigned host = build_reference(&b, CF_TAG_METHODREF, "t/T", "g", "()V");
        code[3] = (uint8_t)host;
        size_t place = build_code(&b, 1, 1, code, sizeof code);
        end_and_rewrite(&b, place);
        ck_assert_int_eq(result.bytes != NULL, i == 0);
        start_again();
    }
}
END_TEST

START_TEST(good_code_is_changed) {
    rewrite_with(&good_pass, &good, "calls");
    ck_assert_ptr_nonnull(result.bytes);
}
END_TEST

// --- the view of a rewritten class ---

static void compare(const struct cf_class *view, const struct cf_class *opened) {
    ck_assert_uint_eq(view->length, opened->length);
    ck_assert_uint_eq(view->constant_pool_count, opened->constant_pool_count);
    ck_assert_uint_eq(view->constant_pool_end, opened->constant_pool_end);
    for (unsigned i = 1; i < opened->constant_pool_count; i++)
        ck_assert_uint_eq(view->constant_pool[i], opened->constant_pool[i]);
    ck_assert_uint_eq(view->interfaces, opened->interfaces);
    ck_assert_uint_eq(view->fields, opened->fields);
    ck_assert_uint_eq(view->attributes, opened->attributes);
    ck_assert_uint_eq(view->utf8_stack_map_table, opened->utf8_stack_map_table);
    ck_assert_uint_eq(view->methods_count, opened->methods_count);
    for (unsigned i = 0; i < opened->methods_count; i++) {
        ck_assert_uint_eq(view->methods[i].offset, opened->methods[i].offset);
        ck_assert_uint_eq(view->methods[i].end, opened->methods[i].end);
        ck_assert_uint_eq(view->methods[i].code, opened->methods[i].code);
        ck_assert_uint_eq(view->methods[i].name_index, opened->methods[i].name_index);
    }
}

// A native method and three with code, of which the one in the middle is edited; its frame is new.
static uint8_t *build_four(void) {
    static const uint8_t code[] = {CF_OP_iconst_0, CF_OP_ifne, 0, 3, CF_OP_return};
    struct build b;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "t/T");
    build_u2(&b, 1);
    build_member(&b, 0, "field", "I", 0);
    build_u2(&b, 4);
    for (unsigned i = 0; i < 4; i++) {
        char name[] = {(char)('a' + i), 0};
        build_member(&b, CF_ACC_STATIC | (i ? 0 : CF_ACC_NATIVE), name, "()V", i != 0);
        if (i == 0) continue;
        size_t place = build_code(&b, 1, 0, i == 1 ? code : code + 4, i == 1 ? 5u : 1u);
        build_u2(&b, 0), build_u2(&b, i == 1);
        if (i == 1) {
            size_t frames = build_attribute(&b, "StackMapTable");
            build_u2(&b, 1), build_u1(&b, 4);
            build_end(&b, frames);
        }
        build_end(&b, place);
    }
    build_u2(&b, 1);
    build_end(&b, build_attribute(&b, "Deprecated"));
    return build_finish(&b, &length);
}

START_TEST(a_view_is_what_opening_gives) {
    struct cf_arena arena;
    struct cf_class cls, view, opened;
    struct cf_rewrite rewrite;
    struct cf_edit *edit;
    uint8_t *out;
    size_t out_length;
    cf_arena_init(&arena);
    uint8_t *original = build_four();
    ck_assert_int_eq(cf_class_open(&cls, original, length, &arena), CF_OK);
    ck_assert_int_eq(cf_rewrite_begin(&rewrite, &cls), CF_OK);
    for (unsigned i = 0; i < 3; i++) { // nothing, then one method after the other
        if (i) {
            ck_assert_int_eq(cf_edit_begin(&rewrite, &cls.methods[i], &edit), CF_OK);
            ck_assert_int_eq(do_nothing_much(NULL, edit), CF_OK);
            ck_assert_int_eq(cf_edit_commit(edit), CF_OK);
        }
        ck_assert_int_eq(cf_rewrite_encode(&rewrite, allocate, NULL, &out, &out_length), CF_OK);
        ck_assert_int_eq(cf_rewritten_view(&rewrite, out, out_length, &view), CF_OK);
        ck_assert_int_eq(cf_class_open(&opened, out, out_length, &arena), CF_OK);
        compare(&view, &opened);
        free(out);
    }
    ck_assert_uint_eq(rewrite.methods_changed, 2);
    free(original);
    cf_arena_free(&arena);
}
END_TEST

// Gives a number to each instruction.
static enum cf_status number_instructions(struct rw_class *cls, struct cf_edit *edit) {
    struct cf_slice detail = {(const uint8_t *)"what", 4};
    for (uint32_t i = 0; i < edit->code.count; i++)
        if (cls->site_id(cls, edit, edit->code.pc[i], detail) < 0) return CF_LIMIT;
    cls->site_id(cls, edit, edit->code.length, detail); // none
    return do_nothing_much(cls, edit);
}
static const struct rw_pass numbering = {.name = "numbering", .edit = number_instructions};

// Five instructions at 0 to 4; the table's entries stand in no order.
static uint8_t *build_lines(void) {
    static const uint8_t code[] = {CF_OP_nop, CF_OP_nop, CF_OP_nop, CF_OP_nop, CF_OP_return};
    static const unsigned entries[][2] = {{3, 70}, {1, 50}, {4, 65535}};
    struct build b;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "t/T");
    build_u2(&b, 0);
    build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "()V", 1);
    size_t place = build_code(&b, 1, 0, code, sizeof code);
    build_u2(&b, 0), build_u2(&b, 1);
    size_t lines = build_attribute(&b, "LineNumberTable");
    build_u2(&b, 3);
    for (unsigned i = 0; i < 3; i++) build_u2(&b, entries[i][0]), build_u2(&b, entries[i][1]);
    build_end(&b, lines);
    build_end(&b, place);
    build_u2(&b, 0);
    return build_finish(&b, &length);
}

START_TEST(sites_know_their_lines) {
    static const uint32_t lines[] = {0, 50, 50, 70, 65535};
    char error[INSTR_ERROR_SIZE];
    ck_assert_int_eq(instr_options_parse(&options, "timing", error, sizeof error), 0);
    options.passes[0].pass = &numbering;
    methods = instr_methods_new();
    engine = instr_engine_new(&options, methods, "java/lang/");
    bytes = build_lines();
    for (int again = 0; again < 2; again++) {
        free(result.bytes);
        instr_engine_rewrite(engine, bytes, length, allocate, NULL, &result);
        ck_assert_uint_eq(result.methods_changed, 1);
        ck_assert_int_eq(instr_methods_count(methods), 5);
    }
    for (int id = 0; id < 5; id++) {
        struct instr_method site = instr_methods_get(methods, id);
        ck_assert_str_eq(site.class_name, "t/T");
        ck_assert_str_eq(site.name, "f");
        ck_assert_str_eq(site.detail, "what");
        ck_assert_int_eq(site.pc, id);
        ck_assert_uint_eq(site.line, lines[id]);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("engine");
    TCase *tests = tcase_create("verify"), *views = tcase_create("view");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_add_test(tests, a_class_that_would_not_verify_is_skipped);
    tcase_add_test(tests, verifying_can_be_switched_off);
    tcase_add_test(tests, what_verifies_is_changed);
    tcase_add_test(tests, what_each_pass_inserts_is_counted);
    tcase_add_test(tests, rewriting_is_charged_to_the_passes_that_a_class_has);
    tcase_add_test(tests, a_method_that_would_not_verify_costs_that_method);
    tcase_add_test(tests, a_class_that_would_not_verify_can_be_dumped);
    tcase_add_test(tests, what_a_pass_refuses_costs_that_pass_alone);
    tcase_add_test(tests, what_a_pass_refuses_may_have_no_name);
    tcase_add_test(tests, what_is_no_class_file_is_reported_by_the_name_that_the_jvm_has);
    tcase_add_test(tests, rules_leave_a_method_without_a_descriptor_alone);
    tcase_add_test(tests, good_code_is_changed);
    tcase_add_test(tests, sites_know_their_lines);

    tcase_add_test(views, a_view_is_what_opening_gives);
    tcase_add_test(views, what_no_jvm_verifies_is_changed);
    tcase_add_test(views, a_lambda_of_jdk_8_calls_its_host);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, views);
    return run_suite(suite);
}
