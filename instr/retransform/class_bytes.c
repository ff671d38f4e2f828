// The bytes of a loaded class: the JVM is made to offer the class to a hook that is called last,
// and the change is refused.

#include "instr/retransform/class_bytes.h"

#include "classfile/classfile.h"
#include "instr/retransform/hook.h"
#include "instr/retransform/retransform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the hook of the second environment, which is called last, has seen on this thread.
static _Thread_local struct {
    jclass class;
    uint8_t *bytes;
    size_t length;
} seen;

// Makes the JVM refuse the class that it offers, by changing a modifier. The class then stays
// exactly as it is. If the change were accepted, HotSpot would merge the constant pools, and would
// add another copy of each NaN constant every time, because NaN never compares equal. 0: out of
// memory.
static int refuse(jvmtiEnv *jvmti, jint *new_length, unsigned char **new_bytes) {
    struct cf_class cls;
    struct cf_arena arena;
    unsigned char *copy = NULL;
    cf_arena_init(&arena);
    int done = cf_class_open(&cls, seen.bytes, seen.length, &arena) == CF_OK &&
               (*jvmti)->Allocate(jvmti, (jlong)seen.length, &copy) == JVMTI_ERROR_NONE;
    if (done) {
        memcpy(copy, seen.bytes, seen.length);
        cf_put2(copy + cls.constant_pool_end, cls.access_flags ^ CF_ACC_SYNTHETIC);
        *new_length = (jint)seen.length;
        *new_bytes = copy;
    }
    cf_arena_free(&arena);
    return done;
}

static void JNICALL see(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                        const char *name, jobject domain, jint length, const unsigned char *bytes,
                        jint *new_length, unsigned char **new_bytes) {
    (void)loader, (void)name, (void)domain;
    if (!redefined || !seen.class || seen.bytes || length <= 0 ||
        !(*jni)->IsSameObject(jni, redefined, seen.class))
        return;
    seen.bytes = malloc((size_t)length);
    if (!seen.bytes) return;
    memcpy(seen.bytes, bytes, (size_t)length);
    seen.length = (size_t)length;
    refuse(jvmti, new_length, new_bytes);
}

static jvmtiEnv *last_environment(struct instr_agent *agent) {
    jvmtiEnv *env = NULL;
    jvmtiEventCallbacks callbacks;
    jvmtiCapabilities wanted;
    memset(&callbacks, 0, sizeof callbacks);
    memset(&wanted, 0, sizeof wanted);
    callbacks.ClassFileLoadHook = see;
    wanted.can_retransform_classes = 1;
    wanted.can_retransform_any_class = 1;
    if ((*agent->vm)->GetEnv(agent->vm, (void **)&env, JVMTI_VERSION_1_2) != JNI_OK) return NULL;
    if ((*env)->AddCapabilities(env, &wanted) == JVMTI_ERROR_NONE &&
        (*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE &&
        (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                         NULL) == JVMTI_ERROR_NONE)
        return env;
    (*env)->DisposeEnvironment(env);
    return NULL;
}

// Makes the JVM offer the class again, with the bytes it was loaded or redefined with. `see` refuses
// the result.
static jvmtiError offer(struct instr_agent *agent, jvmtiEnv *last, jclass class,
                        const jvmtiClassDefinition *now) {
    return now ? (*agent->jvmti)->RedefineClasses(agent->jvmti, 1, now)
               : (*last)->RetransformClasses(last, 1, &class);
}

uint8_t *instr_class_bytes(struct instr_agent *agent, JNIEnv *jni, jclass class,
                           const jvmtiClassDefinition *now, int original, size_t *length,
                           char *reason, size_t size) {
    jvmtiEnv *last = last_environment(agent);
    if (!last) {
        snprintf(reason, size, "the JVM refuses the JVM TI environment that reading classes needs");
        return NULL;
    }
    seen.class = class;
    seen.bytes = NULL;
    instr_hook_pass_through(original ? class : NULL);
    instr_hook_batch_begin(class);
    jvmtiError error = offer(agent, last, class, now);
    instr_hook_batch_end(0);
    instr_hook_pass_through(NULL);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    (*last)->DisposeEnvironment(last);
    seen.class = NULL;
    *length = seen.length;
    if (error == JVMTI_ERROR_UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED && seen.bytes)
        return seen.bytes;
    free(seen.bytes);
    snprintf(reason, size, "%s",
             error == JVMTI_ERROR_NONE ? "out of memory" : instr_retransform_reason(error));
    return NULL;
}
