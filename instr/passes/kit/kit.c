// The JVM TI half of kits: their classes are defined in the class file hook of the first class of a loader and package
// that an advice may apply to, before that class is. If that fails, the class is left as it is.

#include "instr/base/log.h"
#include "instr/kit/applied.h"
#include "instr/kit/fit.h"
#include "instr/kit/option.h"
#include "instr/kit/weave.h"
#include "instr/passes/agent_pass.h"
#include "instr/passes/kit/define.h"
#include "instr/passes/kit/defined.h"
#include "instr/vm/runtime.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 1024, REASON_SIZE = 1200 };

static struct {
    _Atomic(jvmtiEnv *) jvmti; // of kits alone, for its capability; stays until the JVM ends
    atomic_bool has_thread_id;
} state;

static bool load(JavaVM *vm, const struct instr_pass_options *options,
                 enum instr_agent_pass_phase phase, char *reason, size_t size) {
    const jvmtiCapabilities wanted = {.can_get_source_file_name = 1};
    jvmtiEnv *jvmti = NULL;
    (void)options;
    (void)phase;
    if (state.jvmti) return true;
    snprintf(reason, size, "this JVM does not say which classes are the kit's");
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK) return false;
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE) {
        (*jvmti)->DisposeEnvironment(jvmti);
        return false;
    }
    atomic_store(&state.jvmti, jvmti);
    return true;
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    (void)jvmti;
    (void)options;
    jclass thread = (*jni)->FindClass(jni, "java/lang/Thread");
    bool has = thread && (*jni)->GetMethodID(jni, thread, "threadId", "()J");
    (*jni)->ExceptionClear(jni);
    atomic_store(&state.has_thread_id, has);
    return instr_kit_define_runtime(jni, reason, size);
}

static bool names(const struct instr_kit_advice *advice, const char *name) {
    if (advice->calls) return instr_match(advice->callers, name, strlen(name));
    for (size_t i = 0; i < advice->target_count; i++)
        if (instr_kit_names_class(&advice->targets[i], name, strlen(name))) return true;
    return false;
}

static bool takes(const struct rw_pass *pass, JNIEnv *jni, jobject loader, const char *name,
                  jobject domain) {
    const struct instr_kit *kit = instr_kit_of(pass);
    const struct instr_kit_jvm jvm = {state.has_thread_id, instr_runtime_current_package()};
    struct cf_slice class_name = {(const uint8_t *)name, (uint32_t)strlen(name)};
    char package[NAME_SIZE], reason[REASON_SIZE];
    bool any = false;
    (void)domain;
    if (instr_kit_package(class_name, package, sizeof package) >= sizeof package) return false;
    for (size_t i = 0; i < kit->advice_count; i++) {
        const struct instr_kit_advice *advice = &kit->advices[i];
        if (!names(advice, name)) continue;
        any = true;
        struct instr_kit_place place =
            instr_kit_place_of(state.jvmti, kit, advice, loader, package);
        if (instr_kit_place_is_known(jni, &place)) continue;
        if (instr_kit_define(state.jvmti, jni, kit, advice, loader, package, &jvm, reason,
                             sizeof reason)) {
            instr_kit_place_add(jni, &place);
            continue;
        }
        char dotted[NAME_SIZE];
        instr_kit_dotted(name, dotted, sizeof dotted);
        instr_kit_applied_refuse(kit->applied, i, reason);
        instr_say("advice %s is not called from %s: %s", advice->name, dotted, reason);
        return false;
    }
    return any;
}

// Advice reports by itself what it sees.
static void report(const struct instr_results *results, unsigned pass) {
    (void)results;
    (void)pass;
}

const struct instr_agent_pass instr_agent_pass_kit = {
    .load = load,
    .takes = takes,
    .start = start,
    .report = report,
};
