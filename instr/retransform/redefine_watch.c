// An environment that cannot retransform classes: the JVM offers it those that are loaded or redefined,
// but not those that are retransformed (JVM TI, ClassFileLoadHook).

#include "instr/retransform/redefine_watch.h"

#include "instr/retransform/hook.h"

#include <string.h>

static jvmtiEnv *watching; // guarded by agent->switching
static void (*when_redefined)(JNIEnv *jni, jclass class, const uint8_t *bytes, size_t length);

static void JNICALL see(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                        const char *name, jobject domain, jint length, const unsigned char *bytes,
                        jint *new_length, unsigned char **new_bytes) {
    (void)jvmti, (void)loader, (void)name, (void)domain, (void)new_length, (void)new_bytes;
    if (redefined && length > 0 && !instr_hook_batch_is_on())
        when_redefined(jni, redefined, bytes, (size_t)length);
}

bool instr_redefine_watch_begin(struct instr_agent *agent,
                                void (*redefined)(JNIEnv *jni, jclass class, const uint8_t *bytes,
                                                  size_t length)) {
    jvmtiEnv *env = NULL;
    jvmtiEventCallbacks callbacks;
    if (watching) return true;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.ClassFileLoadHook = see;
    when_redefined = redefined;
    if ((*agent->vm)->GetEnv(agent->vm, (void **)&env, JVMTI_VERSION_1_2) != JNI_OK) return false;
    if ((*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE &&
        (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                         NULL) == JVMTI_ERROR_NONE) {
        watching = env;
        return true;
    }
    (*env)->DisposeEnvironment(env);
    return false;
}

void instr_redefine_watch_end(void) {
    if (watching) (*watching)->DisposeEnvironment(watching);
    watching = NULL;
}
