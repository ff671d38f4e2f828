#include "instr/retransform/first_class.h"

#include "instr/passes/agent_passes.h"
#include "instr/retransform/hook.h"
#include "instr/retransform/native_prefix.h"

#include <stdatomic.h>
#include <string.h>

enum { OFF, WATCHING, DEFINED, WAITING };

static struct {
    pthread_mutex_t lock;
    atomic_int state; // changes with the lock held, but for WATCHING to DEFINED
} first = {.lock = PTHREAD_MUTEX_INITIALIZER};

static jvmtiError set(const struct instr_agent *agent, jvmtiEvent event, bool on) {
    return (*agent->jvmti)
        ->SetEventNotificationMode(agent->jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, event, NULL);
}

void instr_first_class_watch(const struct instr_agent *agent) {
    jvmtiCapabilities wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.can_generate_native_method_bind_events = 1;
    if ((*agent->jvmti)->AddCapabilities(agent->jvmti, &wanted) == JVMTI_ERROR_NONE &&
        set(agent, JVMTI_EVENT_NATIVE_METHOD_BIND, true) == JVMTI_ERROR_NONE)
        first.state = WATCHING;
}

// Wrappers of native methods can be added only while a class is loaded.
static bool may_wait(const struct instr_options *options) {
    return instr_hook_leaves_jdk(options) && !instr_wrapping_passes(options) &&
           !instr_agent_passes_may_wait(options);
}

void instr_first_class_end(struct instr_agent *agent) {
    pthread_mutex_lock(&first.lock);
    if (first.state != OFF) set(agent, JVMTI_EVENT_NATIVE_METHOD_BIND, false);
    if (first.state == WAITING) {
        set(agent, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, true);
        set(agent, JVMTI_EVENT_CLASS_PREPARE, false);
    }
    first.state = OFF;
    pthread_mutex_unlock(&first.lock);
}

bool instr_first_class_waits(void) {
    return first.state == WAITING;
}

void instr_first_class_wait(struct instr_agent *agent, const struct instr_options *options) {
    pthread_mutex_lock(&first.lock);
    int watching = WATCHING;
    bool waits =
        may_wait(options) && atomic_compare_exchange_strong(&first.state, &watching, WAITING);
    if (waits) {
        set(agent, JVMTI_EVENT_CLASS_PREPARE, true);
        set(agent, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, false);
    }
    pthread_mutex_unlock(&first.lock);
    if (!waits) instr_first_class_end(agent);
}

bool instr_first_class_is(struct instr_agent *agent, JNIEnv *jni, const struct instr_plan *plan,
                          jobject loader, const char *name) {
    uint64_t without, beyond;
    if (!instr_first_class_waits() || (!loader && strncmp(name, "java/", 5) == 0) ||
        !instr_hook_matches(jni, &plan->options, loader, name, NULL, &without, &beyond))
        return false;
    instr_first_class_end(agent);
    return true;
}

static void note_definition(struct instr_agent *agent) {
    int watching = WATCHING;
    if (!atomic_compare_exchange_strong(&first.state, &watching, DEFINED))
        instr_first_class_end(agent);
}

static bool is_class_loader(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method) {
    jclass cls = NULL;
    char *signature = NULL;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &cls) != JVMTI_ERROR_NONE) return false;
    bool found = (*jvmti)->GetClassSignature(jvmti, cls, &signature, NULL) == JVMTI_ERROR_NONE &&
                 strcmp(signature, "Ljava/lang/ClassLoader;") == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jni)->DeleteLocalRef(jni, cls);
    return found;
}

void JNICALL instr_first_class_bound(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method,
                                     void *address, void **new_address) {
    static const char define[] = "defineClass"; // and a digit, in all of JDK 8 to 28
    char *name = NULL;
    (void)thread;
    (void)address;
    (void)new_address;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) != JVMTI_ERROR_NONE) return;
    if (strncmp(name, define, sizeof define - 1) == 0 && is_class_loader(jvmti, jni, method))
        note_definition(&instr_agent);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
}
