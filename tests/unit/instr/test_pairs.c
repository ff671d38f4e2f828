// Methods that both calls and timing edit call the runtime once for both, where their counters lie
// together.

#include "instr/engine.h"
#include "rewriters/pair.h"
#include "tests/unit/engine_subject.h"
#include "tests/unit/run.h"

#include <stdio.h>
#include <string.h>

enum { METHODS = 70 };

// A getter, a constructor, and methods with a call.
static void build_many(void) {
    struct build b;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "t/T");
    unsigned call = build_reference(&b, CF_TAG_METHODREF, "t/T", "m0", "()V");
    unsigned super = build_reference(&b, CF_TAG_METHODREF, "java/lang/Object", "<init>", "()V");
    const uint8_t calling[] = {CF_OP_invokestatic, (uint8_t)(call >> 8), (uint8_t)call,
                               CF_OP_return};
    const uint8_t making[] = {CF_OP_aload_0, CF_OP_invokespecial, (uint8_t)(super >> 8),
                              (uint8_t)super, CF_OP_return};
    build_u2(&b, 0);
    build_u2(&b, METHODS);
    for (unsigned i = 0; i < METHODS; i++) {
        char name[16];
        snprintf(name, sizeof name, i == 1 ? "<init>" : "m%u", i);
        build_member(&b, i == 1 ? 0 : CF_ACC_STATIC, name, "()V", 1);
        size_t place = i == 0   ? build_code(&b, 0, 0, calling + 3, 1)
                       : i == 1 ? build_code(&b, 1, 1, making, sizeof making)
                                : build_code(&b, 0, 0, calling, sizeof calling);
        build_u2(&b, 0), build_u2(&b, 0);
        build_end(&b, place);
    }
    build_u2(&b, 0);
    bytes = build_finish(&b, &length);
}

static void rewrite_many(const char *text, int offline, int redefined, uint64_t excluded) {
    char error[INSTR_ERROR_SIZE];
    struct instr_origin origin = {.redefined = redefined, .excluded_passes = excluded};
    build_many();
    ck_assert_int_eq(instr_options_parse(&options, text, error, sizeof error), 0);
    methods = instr_methods_new();
    engine = instr_engine_new(&options, methods, "java/lang/");
    if (offline) instr_engine_offline(engine);
    instr_engine_rewrite_known(engine, &origin, bytes, length, allocate, NULL, &result);
    ck_assert_uint_eq(result.methods_changed, METHODS);
}

// The calls of classes of the runtime that begin the method, "InstrCalls.enter InstrTiming.enter ".
static void begins_with(const struct cf_class *cls, unsigned method, char *text, size_t size) {
    struct cf_code code;
    struct cf_error error = {0};
    size_t n = 0;
    ck_assert_int_eq(cf_code_open(&code, cls, &cls->methods[method], &error), CF_OK);
    ck_assert_int_eq(cf_code_scan(&code, &error), CF_OK);
    text[0] = '\0';
    for (uint32_t i = 0; i < code.count; i++) {
        const uint8_t *p = code.bytes + code.pc[i];
        struct cf_slice class_name, name, descriptor;
        if (*p != CF_OP_invokestatic) continue;
        ck_assert(cf_reference(cls, cf_be2(p + 1), &class_name, &name, &descriptor));
        if (strncmp((const char *)class_name.bytes, "java/lang/Instr", 15) != 0) break;
        n += (size_t)snprintf(text + n, size - n, "%.*s.%.*s ", (int)class_name.length - 10,
                              (const char *)class_name.bytes + 10, (int)name.length,
                              (const char *)name.bytes);
        if (name.length == 6 && method == 1 && strstr(text, "initialized")) break;
        if (strstr(text, ".exit")) break;
    }
}

static int id_of(const char *pass, unsigned method) {
    char name[16];
    snprintf(name, sizeof name, method == 1 ? "<init>" : "m%u", method);
    for (size_t i = 0; i < options.pass_count; i++)
        if (strcmp(options.passes[i].pass->name, pass) == 0)
            return instr_methods_find(methods, options.passes[i].number, "t/T", name, "()V");
    return -1;
}

static int is_first(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

// Returns how many methods have one call for both.
static unsigned count_pairs(void) {
    struct cf_class cls;
    struct cf_arena arena;
    unsigned pairs = 0;
    char text[400];
    cf_arena_init(&arena);
    ck_assert_int_eq(cf_class_open(&cls, result.bytes, result.length, &arena), CF_OK);
    for (unsigned i = 0; i < METHODS; i++) {
        int calls = id_of("calls", i), timing = id_of("timing", i);
        begins_with(&cls, i, text, sizeof text);
        int one = is_first(text, "InstrSamplingCalls.");
        ck_assert_msg(calls >= 0 && timing == calls + 1, "%u: %d, %d", i, calls, timing);
        ck_assert_msg(one == (timing % RW_IDS_TOGETHER != 0), "%u (%d): %s", i, timing, text);
        ck_assert_msg(one || is_first(text, "InstrCalls.enter InstrSampling.") ||
                          is_first(text, "InstrCalls.construct InstrSampling.construct "),
                      "%u: %s", i, text);
        pairs += (unsigned)one;
    }
    cf_arena_free(&arena);
    return pairs;
}

START_TEST(both_passes_make_one_call) {
    rewrite_many("calls,timing", 0, 0, 0);
    ck_assert_uint_eq(count_pairs(), METHODS);
    tear_down();
    rewrite_many("timing,calls,coverage,exceptions", 0, 0, 0); // of 3 ids some 2 are apart
    unsigned pairs = count_pairs();
    ck_assert_msg(pairs > METHODS * 9 / 10 && pairs < METHODS, "%u of %u", pairs, METHODS);
}
END_TEST

// All methods begin as those of one pass do.
static void expect_each(const char *beginning, unsigned from) {
    struct cf_class cls;
    struct cf_arena arena;
    char text[400];
    cf_arena_init(&arena);
    ck_assert_int_eq(cf_class_open(&cls, result.bytes, result.length, &arena), CF_OK);
    for (unsigned i = from; i < METHODS; i++) {
        begins_with(&cls, i, text, sizeof text);
        ck_assert_msg(is_first(text, beginning), "%u: %s", i, text);
    }
    cf_arena_free(&arena);
}

START_TEST(a_pass_alone_counts_alone) {
    rewrite_many("calls", 0, 0, 0);
    expect_each("InstrCalls.enter ", 2);
    tear_down();
    rewrite_many("timing", 0, 0, 0);
    expect_each("InstrSampling.enter ", 2);
    tear_down();
    rewrite_many("calls,timing", 0, 0, 2); // out of the scope of timing
    expect_each("InstrCalls.enter ", 2);
}
END_TEST

START_TEST(where_each_call_reads_the_clock_both_count) {
    rewrite_many("calls,timing,timing.clock=every", 0, 0, 0);
    expect_each("InstrCalls.enter InstrTiming.enter ", 2);
}
END_TEST

START_TEST(without_an_agent_both_count) {
    rewrite_many("calls,timing", 1, 0, 0);
    expect_each("InstrCalls.enter InstrTiming.enter ", 2);
}
END_TEST

// In a loaded class everything is one call of another form; the only one in each method.
START_TEST(a_loaded_class_makes_one_call) {
    rewrite_many("calls,timing", 0, 1, 0);
    struct cf_class cls;
    struct cf_arena arena;
    char text[400];
    unsigned pairs = 0;
    cf_arena_init(&arena);
    ck_assert_int_eq(cf_class_open(&cls, result.bytes, result.length, &arena), CF_OK);
    for (unsigned i = 2; i < METHODS; i++) {
        begins_with(&cls, i, text, sizeof text);
        int one = is_first(text, "InstrSampling.sampling ");
        ck_assert_msg(one == (id_of("timing", i) % RW_IDS_TOGETHER != 0), "%u: %s", i, text);
        pairs += (unsigned)one;
    }
    ck_assert_uint_gt(pairs, METHODS * 9 / 10);
    cf_arena_free(&arena);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("pairs");
    TCase *tests = tcase_create("pairs");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_add_test(tests, both_passes_make_one_call);
    tcase_add_test(tests, a_pass_alone_counts_alone);
    tcase_add_test(tests, where_each_call_reads_the_clock_both_count);
    tcase_add_test(tests, without_an_agent_both_count);
    tcase_add_test(tests, a_loaded_class_makes_one_call);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
