// Any failure: an allocator that says no at the n-th call, for every n, through options, opening,
// checking, verifying, editing with all passes and encoding. Nothing is lost, the class is whole or
// as it was, and that is reported. (malloc and its like are replaced at link time, see
// tests/meson.build.)

#include "classfile/print.h"
#include "classfile/structure.h"
#include "classfile/verify.h"
#include "instr/engine.h"
#include "tests/passes.h"
#include "tests/unit/rich.h"
#include "tests/unit/run.h"
#include "tests/unit/verify_class.h"

#include <stdio.h>

// --- the allocator ---

static long left = -1; // calls that still succeed; < 0: all do
static int once;       // only one call fails
static long live, failed, lost;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);

static int refuse(void) {
    if (left < 0) return 0;
    if (left > 0) {
        left--;
        return 0;
    }
    if (once) left = -1;
    failed++;
    return 1;
}

static void *counted(void *memory) {
    live += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size) {
    return refuse() ? NULL : counted(__real_malloc(size));
}
void *__wrap_calloc(size_t n, size_t size) {
    return refuse() ? NULL : counted(__real_calloc(n, size));
}
void *__wrap_realloc(void *memory, size_t size) {
    if (refuse()) return NULL;
    void *larger = __real_realloc(memory, size);
    if (!memory) counted(larger);
    return larger;
}
void __wrap_free(void *memory) {
    live -= memory != NULL;
    __real_free(memory);
}

char *__wrap_strndup(const char *text, size_t most) {
    size_t n = strnlen(text, most);
    char *made = __wrap_malloc(n + 1);
    if (!made) return NULL;
    memcpy(made, text, n);
    made[n] = '\0';
    return made;
}
char *__wrap_strdup(const char *text) {
    return __wrap_strndup(text, SIZE_MAX - 1);
}

static void fail_at(long n, int only_once) {
    left = n;
    once = only_once;
    failed = 0;
}

// --- what runs under it ---

static uint8_t *bytes, *copy, *clean;
static size_t length, clean_length;

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

static void count_no_memory(void *context, const struct instr_skipped_item *kept) {
    *(unsigned *)context += strstr(kept->reason, "memory") != NULL;
}

// The result of one class. Nothing is asserted before the end: Check needs memory too.
struct outcome {
    char error[INSTR_ERROR_SIZE]; // of the options
    struct instr_rewritten rewritten;
    struct instr_totals account;
    unsigned reported;
    int engine; // there was one
    long lost;  // blocks
};

static int already_verified; // the JVM has verified the class

static void run(const char *list, struct outcome *o) {
    struct instr_origin origin = {.already_verified = already_verified};
    struct instr_options options;
    memset(o, 0, sizeof *o);
    long before = live;
    if (instr_options_parse(&options, list, o->error, sizeof o->error) != 0) {
        o->lost = live - before;
        return;
    }
    struct instr_methods *methods = instr_methods_new();
    struct instr_engine *engine =
        methods ? instr_engine_new(&options, methods, "java/lang/") : NULL;
    if (engine) {
        o->engine = 1;
        instr_engine_check_input(engine);
        instr_engine_rewrite_known(engine, &origin, bytes, length, allocate, NULL, &o->rewritten);
        o->account = instr_engine_totals(engine);
        instr_engine_skipped(engine, count_no_memory, &o->reported);
        free(o->rewritten.refused);
    }
    instr_engine_free(engine);
    instr_methods_free(methods);
    instr_options_free(&options);
    o->lost = live - before - (o->rewritten.bytes != NULL);
}

// 1: all went well.
static int rewrite(const char *list, uint8_t **result, size_t *result_length) {
    struct outcome o;
    run(list, &o);
    left = -1;
    ck_assert_int_eq(o.lost, 0);
    *result = o.rewritten.bytes;
    *result_length = o.rewritten.length;
    if (!o.engine) {
        ck_assert(!o.error[0] || strstr(o.error, "out of memory"));
        return 0;
    }
    ck_assert_uint_eq(o.account.classes_seen, 1);
    ck_assert_uint_eq(o.account.methods_skipped, o.rewritten.methods_skipped);
    ck_assert_uint_eq(o.account.classes_skipped,
                      o.rewritten.error.status != CF_OK || o.rewritten.passes_left_out);
    ck_assert_uint_eq(o.account.classes_changed, o.rewritten.bytes != NULL);
    if (o.rewritten.error.status) {
        ck_assert_msg(strstr(o.rewritten.error.reason, "memory"), "%s: %s", list,
                      o.rewritten.error.reason);
        if (once) ck_assert_uint_ge(o.reported, 1);
        // Without its native methods wrapped.
        ck_assert(!o.rewritten.bytes || strstr(list, "natives"));
        return 0;
    }
    int less = o.account.methods_skipped || o.rewritten.passes_left_out;
    if (less && once) ck_assert_uint_ge(o.reported, 1); // the reason is known
    return !less;
}

static void assert_class(const uint8_t *b, size_t n) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_error error = {0};
    cf_arena_init(&arena);
    ck_assert_int_eq(cf_class_open(&cls, b, n, &arena), CF_OK);
    ck_assert_int_eq(cf_check_structure(&cls, &error), CF_OK);
    cf_arena_free(&arena);
}

static void every_allocation(const char *list, int only_once) {
    fail_at(-1, 0);
    ck_assert(rewrite(list, &clean, &clean_length));
    ck_assert_ptr_nonnull(clean);
    long n = 0, unchanged = 0;
    for (;; n++) {
        uint8_t *result;
        size_t size = 0;
        fail_at(n, only_once);
        int good = rewrite(list, &result, &size);
        left = -1;
        ck_assert_mem_eq(bytes, copy, length);
        if (good) { // then it is no other than without the failure
            ck_assert_msg(size == clean_length, "%s: allocation %ld%s: %zu bytes, not %zu", list, n,
                          only_once ? " alone" : "", size, clean_length);
            ck_assert_mem_eq(result, clean, size);
        } else if (result) {
            assert_class(result, size);
        } else {
            unchanged++;
        }
        free(result);
        if (!failed) break;
    }
    ck_assert_int_gt(n, 10);
    ck_assert_msg(unchanged > 5, "%s: %ld", list, unchanged);
    free(clean);
}

static void set_up(void) {
    bytes = rich_class(&length);
    copy = malloc(length);
    memcpy(copy, bytes, length);
}

static void tear_down(void) {
    fail_at(-1, 0);
    free(bytes);
    free(copy);
}

// --- tests ---

// The code of the rich class is not what verifies.
static const char *const lists[] = {
    "timing,verify=off", "calls,verify=off",
    "timing,calls,include=a.**:b.*,stats=x,timing.file=y,verify=off"};

static const struct verify_case verifiable = {
    "f(I)Ljava/lang/String;",
    "2 2",
    "L0: iload_0 ifeq:L1 aconst_null astore_1 aload_1 areturn L1: ldc:#string areturn L2: athrow",
    "L1: int |; L2: int | Throwable",
    "L0 L1 L2 any",
    0,
    0};

START_TEST(no_memory_to_verify_keeps_the_class) {
    for (int i = 0; i < 4; i++) {
        tear_down();
        bytes = verify_build(&verifiable, &length);
        copy = malloc(length);
        memcpy(copy, bytes, length);
        already_verified = i / 2;
        every_allocation("timing,calls", i % 2);
    }
    already_verified = 0;
}
END_TEST

// A native method, and one that makes an object, throws, catches and, in a class that may, calls a
// subroutine.
static void class_for_all_passes(unsigned version) {
    struct build b;
    build_class_file(&b, version, CF_ACC_PUBLIC, "t/All");
    build_counted(&b, 0);
    build_counted(&b, 2);
    build_member(&b, CF_ACC_STATIC | CF_ACC_NATIVE, "n", "(JLjava/lang/String;)I", 0);
    unsigned error = build_class(&b, "java/lang/Error");
    unsigned init = build_reference(&b, CF_TAG_METHODREF, "java/lang/Error", "<init>", "()V");
    uint8_t code[] = {CF_OP_new,
                      (uint8_t)(error >> 8),
                      (uint8_t)error,
                      CF_OP_dup, // 0
                      CF_OP_invokespecial,
                      (uint8_t)(init >> 8),
                      (uint8_t)init,
                      CF_OP_athrow, // 4
                      CF_OP_pop,
                      CF_OP_jsr,
                      0,
                      4,
                      CF_OP_return, // 8: the handler
                      CF_OP_astore_0,
                      CF_OP_ret,
                      0}; // 13: the subroutine
    int subroutine = version < 50;
    if (!subroutine) code[9] = CF_OP_return;
    build_member(&b, CF_ACC_STATIC, "f", "()V", 1);
    size_t place = build_code(&b, 2, 1, code, subroutine ? sizeof code : 10);
    build_u2(&b, 1);
    build_u2(&b, 0), build_u2(&b, 8), build_u2(&b, 8), build_u2(&b, error);
    build_u2(&b, subroutine ? 0 : 1);
    if (!subroutine) {
        size_t table = build_attribute(&b, "StackMapTable");
        build_u2(&b, 1);
        build_u1(&b, 64 + 8), build_u1(&b, CF_TYPE_OBJECT), build_u2(&b, error);
        build_end(&b, table);
    }
    build_end(&b, place);
    build_u2(&b, 0);
    tear_down();
    bytes = build_finish(&b, &length);
    copy = malloc(length);
    memcpy(copy, bytes, length);
}

START_TEST(no_pass_loses_anything_without_memory) {
    char both[2][PASSES_SIZE];
    const char *every[] = {"alloc",
                           "natives",
                           "exceptions",
                           "coverage",
                           "watch,watch.methods=**.*(..)",
                           every_pass(0, "", both[0]),
                           every_pass(1, "", both[1])};
    for (unsigned version = 49; version <= 52; version += 3)
        for (size_t i = 0; i < sizeof every / sizeof *every; i++)
            for (int only_once = 0; only_once < 2; only_once++) {
                class_for_all_passes(version);
                every_allocation(every[i], only_once);
            }
}
END_TEST

START_TEST(one_failed_allocation_keeps_what_it_hits) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) every_allocation(lists[i], 1);
}
END_TEST

START_TEST(no_memory_from_some_point_on_keeps_the_class) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) every_allocation(lists[i], 0);
}
END_TEST

// Opening, checking, verifying and printing, with an arena whose chunks are as small as can be.
// Gives the worst status of them.
static enum cf_status look_at_all(void) {
    long before = live;
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_error error = {0}, strict = {0};
    struct cf_verify_failure failure;
    struct cf_text text;
    struct cf_text_memory memory = {0};
    cf_arena_init(&arena);
    arena.smallest = 1;
    enum cf_status status = cf_class_open(&cls, bytes, length, &arena);
    if (status == CF_OK) {
        enum cf_status more[] = {cf_check_structure(&cls, &error),
                                 cf_check_structure_strictly(&cls, &strict),
                                 cf_verify_class(&cls, NULL, NULL, &failure), CF_OK};
        cf_text_init(&text, cf_text_to_memory, &memory);
        more[3] = cf_print_class(&cls, &text);
        for (int i = 0; i < 4; i++)
            if (status == CF_OK && more[i] != CF_UNVERIFIABLE)
                status = more[i]; // its code is for looks
    }
    free(memory.bytes);
    cf_arena_free(&arena);
    lost = live - before;
    return status;
}

START_TEST(looking_at_a_class_without_memory_says_so) {
    fail_at(-1, 0);
    ck_assert_int_eq(look_at_all(), CF_OK);
    for (int only_once = 0; only_once < 2; only_once++) {
        long n = 0;
        for (;; n++) {
            fail_at(n, only_once);
            enum cf_status status = look_at_all();
            left = -1;
            ck_assert_int_eq(lost, 0);
            if (failed) // to print less than all is CF_LIMIT
                ck_assert_msg(status == CF_NO_MEMORY || status == CF_LIMIT, "allocation %ld: %d", n,
                              (int)status);
            else
                ck_assert_int_eq(status, CF_OK);
            if (!failed) break;
        }
        ck_assert_int_gt(n, 10);
    }
}
END_TEST

// A method of `frames` stack map frames and 65,000 locals: a few bytes each, until they are made
// full.
static void many_full_frames(unsigned frames) {
    struct build b;
    build_class_file(&b, 52, CF_ACC_PUBLIC, "A");
    build_counted(&b, 0);
    build_counted(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "()V", 1);
    uint8_t *code = calloc(frames * 4 + 1, 1);
    for (unsigned i = 0; i < frames; i++) {
        code[4 * i] = CF_OP_iconst_0;
        code[4 * i + 1] = CF_OP_ifeq;
        code[4 * i + 3] = 3;
    }
    code[4 * frames] = CF_OP_return;
    size_t place = build_code(&b, 1, 65000, code, frames * 4 + 1);
    free(code);
    build_u2(&b, 0);
    build_u2(&b, 1);
    size_t table = build_attribute(&b, "StackMapTable");
    build_u2(&b, frames);
    for (unsigned i = 0; i < frames; i++) { // append an Integer that is not set: TOP; chop it
        build_u1(&b, i % 2 ? 250 : 252);
        build_u2(&b, i ? 3 : 4);
        if (i % 2 == 0) build_u1(&b, 0);
    }
    build_end(&b, table);
    build_end(&b, place);
    build_u2(&b, 0);
    free(bytes);
    bytes = build_finish(&b, &length);
}

static void find_reason(void *context, const struct instr_skipped_item *kept) {
    snprintf(context, 100, "%s: %s", kept->method, kept->reason);
}

START_TEST(a_method_that_would_take_gigabytes_is_skipped) {
    struct instr_options options;
    char error[INSTR_ERROR_SIZE], reason[100] = "";
    ck_assert_int_eq(instr_options_parse(&options, "timing,huge=yes", error, sizeof error), 0);
    struct instr_methods *methods = instr_methods_new();
    struct instr_engine *engine = instr_engine_new(&options, methods, "java/lang/");
    struct instr_rewritten rewritten;
    many_full_frames(16000);
    instr_engine_rewrite(engine, bytes, length, allocate, NULL, &rewritten);
    instr_engine_skipped(engine, find_reason, reason);
    ck_assert_ptr_null(rewritten.bytes);
    ck_assert_uint_eq(rewritten.methods_skipped, 1);
    ck_assert_str_eq(reason, "f()V: would take too much memory to rewrite");
    many_full_frames(16); // and a few such frames are no trouble
    instr_engine_rewrite(engine, bytes, length, allocate, NULL, &rewritten);
    ck_assert_ptr_nonnull(rewritten.bytes);
    ck_assert_uint_lt(rewritten.length, 16 * 66000);
    assert_class(rewritten.bytes, rewritten.length);
    free(rewritten.bytes);
    instr_engine_free(engine);
    instr_methods_free(methods);
    instr_options_free(&options);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("failures");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, one_failed_allocation_keeps_what_it_hits);
    tcase_add_test(tests, no_memory_from_some_point_on_keeps_the_class);
    tcase_add_test(tests, no_pass_loses_anything_without_memory);
    tcase_add_test(tests, no_memory_to_verify_keeps_the_class);
    tcase_add_test(tests, looking_at_a_class_without_memory_says_so);
    tcase_add_test(tests, a_method_that_would_take_gigabytes_is_skipped);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
