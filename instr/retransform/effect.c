// Which passes can change a loaded class.

#include "instr/retransform/effect.h"

#include "instr/passes/agent_passes.h"
#include "instr/retransform/hook.h"
#include "instr/retransform/native_prefix.h"
#include "instr/retransform/prepared.h"
#include "instr/vm/class_resource.h"
#include "instr/vm/supertypes.h"

#include <stdlib.h>

enum { NATIVE = 0x0100 }; // JVMS table 4.6-A

static jobject domain_of(JNIEnv *jni, jclass cls) {
    jclass class = (*jni)->FindClass(jni, "java/lang/Class");
    jmethodID get = class ? (*jni)->GetMethodID(jni, class, "getProtectionDomain",
                                                "()Ljava/security/ProtectionDomain;")
                          : NULL;
    jobject domain = get ? (*jni)->CallObjectMethod(jni, cls, get) : NULL;
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, class);
    return domain;
}

// The passes that do not take the class, as the hook would ask them.
static uint64_t not_taking(JNIEnv *jni, const struct instr_options *options, jclass cls,
                           struct instr_candidate *candidate, uint64_t excluded) {
    if (!instr_agent_passes_choose(options)) return 0;
    candidate->domain = domain_of(jni, cls);
    uint64_t without = instr_agent_passes_without(jni, options, candidate, excluded, NULL);
    (*jni)->DeleteLocalRef(jni, candidate->domain);
    return without;
}

static bool has_wrappers(const struct instr_agent *agent, jclass cls) {
    struct instr_wrapped wrapped;
    bool any = instr_native_prefix_find(agent->jvmti, cls, &wrapped);
    if (any) instr_native_prefix_close(agent->jvmti, &wrapped);
    return any;
}

bool instr_effect_of(struct instr_agent *agent, JNIEnv *jni, const struct instr_options *options,
                     jclass cls, jobject loader, const char *name, struct instr_effect *effect) {
    struct instr_supertypes above = {.complete = false};
    effect->unwrapped = 0;
    if (instr_prepared_asks(options)) instr_supertypes_of_class(agent->jvmti, jni, cls, &above);
    struct instr_candidate candidate = {.loader = loader, .name = name, .supertypes = &above.found};
    bool matches = instr_hook_matches(jni, options, loader, name, &above.found, &effect->without,
                                      &effect->beyond);
    if (matches) effect->without |= not_taking(jni, options, cls, &candidate, effect->without);
    instr_supertypes_close(&above);
    if (!matches) return false;
    uint64_t wrapping = instr_wrapping_passes(options) & ~effect->without;
    if (wrapping && !has_wrappers(agent, cls)) effect->unwrapped = wrapping;
    effect->without |= effect->unwrapped;
    return ~effect->without != 0;
}

// `listed`: the JVM lists the methods of the class, which it does when the class is linked.
static bool has_natives(jvmtiEnv *jvmti, jclass cls, bool *listed) {
    jint count = 0, modifiers = 0;
    jmethodID *methods = NULL;
    bool any = false;
    *listed = (*jvmti)->GetClassMethods(jvmti, cls, &count, &methods) == JVMTI_ERROR_NONE;
    for (jint i = 0; *listed && i < count && !any; i++)
        any = (*jvmti)->GetMethodModifiers(jvmti, methods[i], &modifiers) == JVMTI_ERROR_NONE &&
              (modifiers & NATIVE);
    if (*listed) (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    return any;
}

static void *from_heap(void *unused, size_t size) {
    (void)unused;
    return malloc(size);
}

bool instr_effect_list_unwrapped(struct instr_agent *agent, JNIEnv *jni,
                                 const struct instr_plan *plan, jclass cls, jobject loader,
                                 const char *name, uint64_t unwrapped) {
    bool listed;
    uint8_t *file;
    size_t length;
    if (!has_natives(agent->jvmti, cls, &listed) && listed) return true;
    if (!instr_class_resource(jni, loader, name, &file, &length)) return !listed;
    struct instr_rewritten result;
    struct instr_origin origin = {.occasion = INSTR_CLASS_LOADED,
                                  .excluded_passes = ~unwrapped,
                                  .already_verified = 1,
                                  .bootstrap = loader == NULL,
                                  .running = 1};
    instr_engine_rewrite_known(plan->engine, &origin, file, length, from_heap, NULL, &result);
    free(result.bytes);
    free(result.refused);
    free(file);
    return true;
}
