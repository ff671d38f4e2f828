// What each test covered, with probes and a JNI that are made up: no hit is lost, and what is written can be read.

#include "instr/passes/coverage/tests.h"
#include "instr/coverage/exec_reader.h"
#include "instr/base/log.h"
#include "instr/passes/coverage/probe_arrays.h"
#include "instr/vm/runtime.h"
#include "tests/unit/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- the probes and the JVM ---

static uint8_t fired[256];
static void(JNICALL *begin)(JNIEnv *, jclass, jint), (JNICALL * end)(JNIEnv *, jclass, jint);

void instr_probe_arrays_read(JNIEnv *jni, uint8_t *probes, uint32_t count, bool clear) {
    (void)jni;
    for (uint32_t i = 0; i < count; i++) probes[i] |= fired[i];
    if (clear) memset(fired, 0, count);
}

void instr_say(const char *format, ...) {
    ck_abort_msg("%s", format);
}

bool instr_runtime_add(JNIEnv *jni, const char *name, char *reason, size_t size) {
    (void)jni, (void)name, (void)reason, (void)size;
    return true;
}

jclass instr_runtime_class(const char *name) {
    (void)name;
    return (jclass)fired;
}

static jint JNICALL register_natives(JNIEnv *jni, jclass class, const JNINativeMethod *methods,
                                     jint count) {
    (void)jni, (void)class;
    ck_assert_int_eq(count, 2);
    *(void **)&begin = methods[0].fnPtr;
    *(void **)&end = methods[1].fnPtr;
    return 0;
}

static const struct JNINativeInterface_ functions = {.RegisterNatives = register_natives};
static JNIEnv jni = &functions;

// --- a program with one class, and a test ---

static struct instr_coverage *registry;
static struct instr_methods *methods;
static char folder[64], file[96], written[96];

static void set_up(void) {
    strcpy(folder, "/tmp/instr-tests-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/x.exec", folder);
    snprintf(written, sizeof written, "%s/x-tests.exec", folder);
    registry = instr_coverage_new(NULL);
    methods = instr_methods_new();
    ck_assert(registry && methods);
}

static void tear_down(void) {
    unlink(written);
    rmdir(folder);
    instr_methods_free(methods);
    instr_coverage_free(registry);
}

static void start(void) {
    char reason[256] = "";
    struct instr_coverage_tests_config config = {registry, methods, file, true};
    ck_assert_msg(instr_coverage_tests_start(&jni, &config, reason, sizeof reason), "%s", reason);
}

static uint32_t add_class(uint64_t id, const char *name, uint32_t count) {
    struct instr_covered_class covered = {.id = id, .count = count};
    return (uint32_t)instr_coverage_reserve(registry, &covered, name, strlen(name));
}

static int add_test(const char *class, const char *name) {
    return instr_methods_id_in(methods, 0, instr_methods_class(methods, class, strlen(class)), name,
                               strlen(name), "()V", 3);
}

// --- a reset ---

START_TEST(a_reset_takes_no_hits_of_classes_that_it_does_not_know_yet) {
    uint8_t hits[256] = {0};
    bool shared;
    start();
    uint32_t first = add_class(1, "Foo", 10), known = instr_coverage_probes(registry);
    fired[first] = 1;
    uint32_t later = add_class(2, "Bar", 10); // another thread loads and runs it
    fired[later + 1] = 1;
    ck_assert(instr_coverage_tests_prepare(&jni, known, &shared));
    ck_assert(shared);
    instr_coverage_tests_add(hits, known, true);
    ck_assert_uint_eq(hits[first], 1);
    memset(hits, 0, sizeof hits);
    known = instr_coverage_probes(registry);
    ck_assert(instr_coverage_tests_prepare(&jni, known, &shared));
    instr_coverage_tests_add(hits, known, true);
    ck_assert_uint_eq(hits[first], 0);
    ck_assert_uint_eq(hits[later + 1], 1);
    instr_coverage_tests_stop(&jni);
    ck_assert(instr_coverage_tests_prepare(&jni, known, &shared));
    ck_assert(!shared);
}
END_TEST

// --- names ---

static const struct {
    const char *character;
    size_t length; // of the name that is written
} characters[] = {
    {"x", 2047},
    {"\xE2\x82\xAC", 2045},             // after "T." 681 of three bytes, and one does not fit
    {"\xC3\xA9", 2046},                 // 1,022 of two bytes
    {"\xED\xA0\xBD\xED\xB8\x80", 2042}, // 340 of six bytes: a character beyond U+FFFF is not torn
};

START_TEST(long_names_of_tests_end_with_a_character) {
    static struct instr_exec_reader reader;
    static char name[5000];
    size_t n = strlen(characters[_i].character);
    for (size_t i = 0; i + n < sizeof name; i += n) memcpy(name + i, characters[_i].character, n);
    start();
    uint32_t first = add_class(1, "Foo", 10);
    int test = add_test("T", name);
    begin(&jni, NULL, test);
    fired[first] = 1;
    end(&jni, NULL, test);
    instr_coverage_tests_stop(&jni);
    ck_assert_int_eq(instr_exec_read_open(&reader, written), 0);
    ck_assert_msg(instr_exec_read(&reader) == INSTR_EXEC_FOUND_SESSION, "%s", reader.error);
    ck_assert_uint_eq(reader.session.id_length, characters[_i].length);
    ck_assert_int_eq(instr_exec_read(&reader), INSTR_EXEC_FOUND_CLASS);
    ck_assert_int_eq(instr_exec_read(&reader), INSTR_EXEC_NOTHING);
    instr_exec_read_close(&reader);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("coverage of tests");
    TCase *tcase = tcase_create("tests");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_reset_takes_no_hits_of_classes_that_it_does_not_know_yet);
    tcase_add_loop_test(tcase, long_names_of_tests_end_with_a_character, 0,
                        sizeof characters / sizeof *characters);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
