// Classes that wait until they are prepared, in a JVM and an agent that are made up.

#include "instr/passes/agent_passes.h"
#include "instr/retransform/first_class.h"
#include "instr/retransform/hook.h"
#include "instr/retransform/prepared.h"
#include "instr/retransform/retransform.h"
#include "instr/vm/supertypes.h"
#include "instr/vm/untouchable.h"
#include "tests/unit/run.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 16 }; // keys in the table

struct instr_agent instr_agent;

// --- what it makes of the agent ---

bool instr_agent_passes_may_wait(const struct instr_options *options) {
    (void)options;
    return true;
}

bool instr_first_class_is(struct instr_agent *agent, JNIEnv *jni, const struct instr_plan *plan,
                          jobject loader, const char *name) {
    (void)agent, (void)jni, (void)plan, (void)loader, (void)name;
    return false;
}

bool instr_first_class_waits(void) {
    return false;
}

static uint64_t key_of(uint64_t number) {
    return number * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t instr_hook_key(jvmtiEnv *jvmti, const char *name, jobject loader) {
    (void)jvmti, (void)loader;
    return key_of(strtoull(name, NULL, 10));
}

const char *instr_retransform_reason(jvmtiError error) {
    (void)error;
    return "";
}

enum instr_interface instr_interface_of(jvmtiEnv *jvmti, jclass class) {
    (void)jvmti, (void)class;
    return INSTR_INTERFACE_NONE;
}

bool instr_supertypes_start(JNIEnv *jni) {
    (void)jni;
    return true;
}

void instr_supertypes_of_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass cls,
                               struct instr_supertypes *result) {
    (void)jvmti, (void)jni, (void)cls;
    *result = (struct instr_supertypes){.complete = true};
}

void instr_supertypes_close(struct instr_supertypes *supertypes) {
    (void)supertypes;
}

// --- what it makes of JVM TI ---

static jclass retransformed; // the last one

static jvmtiError JNICALL signature_of(jvmtiEnv *env, jclass class, char **signature,
                                       char **generic) {
    (void)env, (void)generic;
    *signature = malloc(32);
    snprintf(*signature, 32, "L%d;", (int)(intptr_t) class);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL loader_of(jvmtiEnv *env, jclass class, jobject *loader) {
    (void)env, (void)class;
    *loader = NULL;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *env, unsigned char *memory) {
    (void)env;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL is_modifiable(jvmtiEnv *env, jclass class, jboolean *result) {
    (void)env, (void)class;
    *result = JNI_TRUE;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL retransform(jvmtiEnv *env, jint count, const jclass *classes) {
    (void)env, (void)count;
    retransformed = classes[0];
    return JVMTI_ERROR_NONE;
}

static void JNICALL delete_reference(JNIEnv *env, jobject object) {
    (void)env, (void)object;
}

static const struct jvmtiInterface_1_ jvmti_functions = {.GetClassSignature = signature_of,
                                                         .GetClassLoader = loader_of,
                                                         .Deallocate = deallocate,
                                                         .IsModifiableClass = is_modifiable,
                                                         .RetransformClasses = retransform};
static const struct JNINativeInterface_ jni_functions = {.DeleteLocalRef = delete_reference};
static jvmtiEnv jvmti = &jvmti_functions;
static JNIEnv jni = &jni_functions;

// Prepares the class of this number. Is it retransformed?
static bool is_changed(int number) {
    jclass class = (jclass)(intptr_t)number;
    retransformed = NULL;
    instr_prepared(&jvmti, &jni, NULL, class);
    return retransformed == class;
}

START_TEST(a_class_waits_while_thousands_come_and_go) {
    static struct instr_plan plan = {.options.interfaces = 1};
    plan.engine = (struct instr_engine *)(void *)&plan; // any
    ck_assert_int_eq(instr_plans_swap(&instr_agent.plans, &plan), 1);
    for (int i = 1; i <= 10; i++) instr_prepared_await(key_of((uint64_t)i), true);
    for (int i = 11; i < 3 * MOST; i++) {
        instr_prepared_await(key_of((uint64_t)i), true);
        if (!is_changed(i)) ck_abort_msg("class %d does not wait", i);
    }
    ck_assert(!is_changed(3 * MOST));
    for (int i = 1; i <= 10; i++) ck_assert(is_changed(i));
    ck_assert(!is_changed(1));
}
END_TEST

START_TEST(without_room_all_are_forgotten) {
    static struct instr_plan plan = {.options.interfaces = 1};
    plan.engine = (struct instr_engine *)(void *)&plan;
    ck_assert_int_eq(instr_plans_swap(&instr_agent.plans, &plan), 1);
    for (int i = 1; i <= MOST + 1; i++) instr_prepared_await(key_of((uint64_t)i), true);
    ck_assert(!is_changed(1));
    ck_assert(is_changed(MOST + 1));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("prepared");
    TCase *tests = tcase_create("prepared");
    tcase_add_test(tests, a_class_waits_while_thousands_come_and_go);
    tcase_add_test(tests, without_room_all_are_forgotten);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
