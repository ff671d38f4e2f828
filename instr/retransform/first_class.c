#include "instr/retransform/first_class.h"

#include "instr/passes/agent_passes.h"
#include "instr/retransform/hook.h"
#include "instr/retransform/native_prefix.h"
#include "instr/retransform/prepared.h"
#include "instr/vm/loaded_classes.h"

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

// Switches the hook on if it waits. Were classes looked at when they were prepared?
static bool end_wait(const struct instr_agent *agent) {
    pthread_mutex_lock(&first.lock);
    bool waited = first.state == WAITING;
    if (first.state != OFF) set(agent, JVMTI_EVENT_NATIVE_METHOD_BIND, false);
    if (waited) set(agent, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, true);
    first.state = OFF;
    pthread_mutex_unlock(&first.lock);
    return waited;
}

void instr_first_class_end(struct instr_agent *agent) {
    if (end_wait(agent)) set(agent, JVMTI_EVENT_CLASS_PREPARE, false);
}

// If a pass takes the class, and it was loaded without the hook but not prepared: lets it wait for that.
static bool await(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_options *options, jclass cls) {
    const jint past = JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ERROR |
                      JVMTI_CLASS_STATUS_ARRAY | JVMTI_CLASS_STATUS_PRIMITIVE;
    jint status = 0;
    jobject loader = NULL;
    char *name = NULL;
    uint64_t without, beyond;
    if ((*jvmti)->GetClassStatus(jvmti, cls, &status) != JVMTI_ERROR_NONE || (status & past) ||
        (*jvmti)->GetClassLoader(jvmti, cls, &loader) != JVMTI_ERROR_NONE ||
        (*jvmti)->GetClassSignature(jvmti, cls, &name, NULL) != JVMTI_ERROR_NONE)
        return false;
    name[strlen(name) - 1] = '\0'; // L...;
    bool taken = instr_hook_matches(jni, options, loader, name + 1, NULL, &without, &beyond);
    if (taken) instr_prepared_await(instr_hook_key(jvmti, name + 1, loader), true);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jni)->DeleteLocalRef(jni, loader);
    return taken;
}

// Ends the wait. The verifier loads classes from an archive of the program without preparing them.
static void end_before(const struct instr_agent *agent, JNIEnv *jni,
                       const struct instr_options *options) {
    struct instr_loaded_classes loaded;
    bool any = false;
    if (!end_wait(agent)) return;
    if (instr_loaded_classes_open(agent->jvmti, jni, &loaded)) {
        for (jint i = 0; i < loaded.count; i++)
            any |= await(agent->jvmti, jni, options, loaded.all[i]);
        instr_loaded_classes_close(&loaded);
    }
    if (!any) set(agent, JVMTI_EVENT_CLASS_PREPARE, false);
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
    end_before(agent, jni, &plan->options);
    return true;
}

static void note_definition(struct instr_agent *agent, JNIEnv *jni) {
    int watching = WATCHING;
    unsigned ticket;
    if (atomic_compare_exchange_strong(&first.state, &watching, DEFINED)) return;
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    if (plan && plan->engine)
        end_before(agent, jni, &plan->options);
    else
        instr_first_class_end(agent);
    instr_plans_give_back(&agent->plans, ticket);
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
        note_definition(&instr_agent, jni);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
}
