// Where kits are defined is kept for as long as the class loaders, and not longer.

#include "instr/passes/kit/defined.h"
#include "tests/unit/run.h"

#include <stdint.h>
#include <stdlib.h>

// A loader is a number; a weak reference to it is memory that has the number, 0 once the loader has ended.
enum { MOST = 100000 };
static uintptr_t *references[MOST];
static size_t made, there;

static jweak JNICALL new_weak(JNIEnv *env, jobject loader) {
    uintptr_t *reference = malloc(sizeof *reference);
    (void)env;
    if (!reference || made == MOST) ck_abort_msg("too many references");
    *reference = (uintptr_t)loader;
    references[made++] = reference;
    there++;
    return (jweak)reference;
}

static void JNICALL delete_weak(JNIEnv *env, jweak reference) {
    (void)env;
    for (size_t i = made; i-- > 0;)
        if (references[i] == (uintptr_t *)reference) {
            references[i] = references[--made];
            break;
        }
    there--;
    free(reference);
}

// The second is a loader itself.
static jboolean JNICALL is_same(JNIEnv *env, jobject reference, jobject loader) {
    (void)env;
    return (reference ? *(uintptr_t *)reference : 0) == (uintptr_t)loader;
}

static jvmtiError JNICALL hash_of(jvmtiEnv *env, jobject loader, jint *hash) {
    (void)env;
    *hash = (jint)(uintptr_t)loader;
    return JVMTI_ERROR_NONE;
}

static const struct JNINativeInterface_ jni_functions = {
    .NewWeakGlobalRef = new_weak, .DeleteWeakGlobalRef = delete_weak, .IsSameObject = is_same};
static JNIEnv jni = &jni_functions;
static const struct jvmtiInterface_1_ jvmti_functions = {.GetObjectHashCode = hash_of};
static jvmtiEnv jvmti = &jvmti_functions;

static const struct instr_kit_class own_class = {.boot = false};
static const struct instr_kit_class *const own_classes[] = {&own_class};
static struct instr_kit_advice advice = {.classes = (const struct instr_kit_class **)own_classes,
                                         .class_count = 1};
static const struct instr_kit kit = {.hash_value = 1, .advices = &advice, .advice_count = 1};
static const struct instr_kit other = {.hash_value = 2, .advices = &advice, .advice_count = 1};

static struct instr_kit_place place(const struct instr_kit *of, uintptr_t loader) {
    return instr_kit_place_of(&jvmti, of, &advice, (jobject)loader, "com/acme/");
}

static void add(const struct instr_kit *of, uintptr_t loader) {
    struct instr_kit_place p = place(of, loader);
    instr_kit_place_add(&jni, &p);
}

static bool is_known(const struct instr_kit *of, uintptr_t loader) {
    struct instr_kit_place p = place(of, loader);
    return instr_kit_place_is_known(&jni, &p);
}

static void collect(void) {
    for (size_t i = 0; i < made; i++) *references[i] = 0;
}

START_TEST(loaders_that_end_leave_nothing) {
    size_t most = 0;
    for (uintptr_t loader = 1; loader <= 50000; loader++) {
        add(&kit, loader);
        if (!is_known(&kit, loader)) ck_abort_msg("loader %zu", (size_t)loader);
        if (loader % 10 == 0) collect();
        if (there > most) most = there;
    }
    ck_assert_uint_le(most, 64);
    instr_kit_places_forget(&jni, &kit);
    ck_assert_uint_eq(there, 0);
}
END_TEST

START_TEST(loaders_that_stay_are_known) {
    for (uintptr_t loader = 1; loader <= 5000; loader++) {
        add(&kit, loader);
        add(&other, loader);
        add(&kit, loader);
    }
    ck_assert_uint_eq(there, 10000);
    instr_kit_places_forget(&jni, &other);
    ck_assert_uint_eq(there, 5000);
    for (uintptr_t loader = 1; loader <= 5000; loader++)
        if (!is_known(&kit, loader) || is_known(&other, loader))
            ck_abort_msg("loader %zu", (size_t)loader);
    ck_assert(!is_known(&kit, 5001));
    instr_kit_places_forget(&jni, &kit);
    ck_assert_uint_eq(there, 0);
    ck_assert(!is_known(&kit, 1));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("kit_places");
    TCase *tests = tcase_create("kit_places");
    tcase_add_test(tests, loaders_that_end_leave_nothing);
    tcase_add_test(tests, loaders_that_stay_are_known);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
