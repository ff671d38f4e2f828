#include "instr/vm/agent_state.h"

#include "instr/vm/delivered.h"
#include "instr/vm/other_agents.h"

#include <stdio.h>
#include <string.h>

struct instr_agent instr_agent = {.switching = PTHREAD_MUTEX_INITIALIZER};

// The loader whose parent is the bootstrap loader: ClassLoader.getPlatformClassLoader(), on JDK 8 the
// parent of the system loader.
static jobject find_platform_loader(JNIEnv *jni) {
    jclass cls = (*jni)->FindClass(jni, "java/lang/ClassLoader");
    jobject loader = NULL;
    jmethodID get;
    if (!cls) goto done;
    get =
        (*jni)->GetStaticMethodID(jni, cls, "getPlatformClassLoader", "()Ljava/lang/ClassLoader;");
    if (get) {
        loader = (*jni)->CallStaticObjectMethod(jni, cls, get);
        goto done;
    }
    (*jni)->ExceptionClear(jni);
    get = (*jni)->GetStaticMethodID(jni, cls, "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
    jobject system = get ? (*jni)->CallStaticObjectMethod(jni, cls, get) : NULL;
    if (!system || (*jni)->ExceptionCheck(jni)) goto done;
    get = (*jni)->GetMethodID(jni, cls, "getParent", "()Ljava/lang/ClassLoader;");
    if (get) loader = (*jni)->CallObjectMethod(jni, system, get);
done:
    if ((*jni)->ExceptionCheck(jni)) {
        (*jni)->ExceptionClear(jni);
        return NULL;
    }
    return loader ? (*jni)->NewGlobalRef(jni, loader) : NULL;
}

void instr_agent_find_loader(struct instr_agent *agent, JNIEnv *jni) {
    if (!agent->platform_loader) agent->platform_loader = find_platform_loader(jni);
}

int instr_agent_arm(struct instr_agent *agent, char *reason, size_t size) {
    jvmtiEnv *jvmti = agent->jvmti;
    jvmtiCapabilities potential, wanted;
    memset(&wanted, 0, sizeof wanted);
    jvmtiError error = (*jvmti)->GetPotentialCapabilities(jvmti, &potential);
    if (error == JVMTI_ERROR_NONE) {
        if (!potential.can_retransform_classes) {
            snprintf(reason, size, "this JVM cannot retransform classes");
            return 0;
        }
        wanted.can_retransform_classes = 1;
        wanted.can_retransform_any_class = potential.can_retransform_any_class;
        wanted.can_generate_all_class_hook_events = potential.can_generate_all_class_hook_events;
        wanted.can_get_constant_pool = potential.can_get_constant_pool;
        error = (*jvmti)->AddCapabilities(jvmti, &wanted);
    }
    if (error != JVMTI_ERROR_NONE) {
        snprintf(reason, size, "the JVM refuses what is needed (JVM TI error %d)", (int)error);
        return 0;
    }
    return 1;
}

void instr_agent_make_front(struct instr_agent *agent, jvmtiEventClassFileLoadHook hook) {
    jvmtiEventCallbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.ClassFileLoadHook = hook;
    if ((*agent->vm)->GetEnv(agent->vm, (void **)&agent->front, JVMTI_VERSION_1_2) != JNI_OK)
        agent->front = NULL;
    else
        (*agent->front)->SetEventCallbacks(agent->front, &callbacks, sizeof callbacks);
}

static void see_agent(void *context, const char *kind, const char *name) {
    (void)kind;
    (void)name;
    *(int *)context = 1;
}

void instr_agent_use_front(struct instr_agent *agent) {
    int others = 0;
    if (!agent->front) return;
    instr_agents_each(see_agent, &others);
    if (!others) return;
    agent->front_used = 1;
    (*agent->front)
        ->SetEventNotificationMode(agent->front, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                   NULL);
}

void instr_agent_forget_first(struct instr_agent *agent) {
    if (agent->first && agent->first->methods != agent->methods)
        instr_methods_free(agent->first->methods);
    instr_plan_free(agent->first);
    agent->first = NULL;
}

// One idle JVM TI environment, without capabilities and events, remains. HotSpot frees the JVM TI
// state of an exiting thread only while there is an environment (JavaThread::exit asks
// JvmtiEnv::environments_might_exist, up to 28 at least). When the next environment is made, it
// visits the state of all threads, exited ones included, and writes to their freed memory. So
// without any environment the next agent to attach, ours or another, can crash the JVM.
static int leave_idle_environment(const struct instr_agent *agent) {
    static jvmtiEnv *idle;
    if (!idle && (*agent->vm)->GetEnv(agent->vm, (void **)&idle, JVMTI_VERSION_1_2) != JNI_OK)
        idle = NULL;
    return idle != NULL;
}

void instr_agent_undo(struct instr_agent *agent) {
    instr_plans_end(&agent->plans);
    instr_plans_settle(&agent->plans);
    if (agent->jvmti && leave_idle_environment(agent))
        (*agent->jvmti)->DisposeEnvironment(agent->jvmti);
    if (agent->front) (*agent->front)->DisposeEnvironment(agent->front);
    agent->front = NULL;
    instr_agent_forget_first(agent);
    // `class_states` and `platform_loader` stay: a thread may still be in the hook.
    if (agent->class_states) instr_class_states_clear(agent->class_states);
    agent->jvmti = NULL;
    agent->armed = agent->finishing = 0;
    agent->release_at = agent->late_loaded_at = 0;
    agent->state = INSTR_ABSENT;
    instr_delivered_remove();
}
