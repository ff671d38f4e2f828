// The agent: JVM TI's entry points, and the class file hook that hands classes to the engine.
//
// At OnLoad only options are read and capabilities taken, so that CDS and an AOT cache stay in use;
// the runtime is brought in and the class file hook switched on at VMInit. What is loaded by then,
// and matches, is retransformed in one go.

#include <jvmti.h>

#include "instr/agent.h"
#include "instr/control.h"
#include "instr/facts.h"
#include "instr/part.h"
#include "instr/results.h"
#include "instr/retransform.h"
#include "instr/runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef INSTR_EXPORT
#define INSTR_EXPORT __attribute__((visibility("default")))
#endif

static struct instr_agent agent;

static void say(const char *line) {
    // One write, so that lines of several threads stay whole; nothing to do when stderr is closed.
    char text[INSTR_ERROR_SIZE + 256];
    int n = snprintf(text, sizeof text, "%s\n", line);
    if (n > 0 && write(STDERR_FILENO, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1) < 0)
        return;
}

// --- classes ---

static enum instr_delivery delivery(void) {
    return agent.options.runtime == INSTR_RUNTIME_PATH ? INSTR_DELIVERY_PATH
                                                       : INSTR_DELIVERY_DIRECT;
}

// Is `loader` the boot loader (NULL) or the platform loader, which JDK 8 calls the extension
// loader?
static int is_platform(JNIEnv *jni, jobject loader) {
    if (!loader) return 1;
    return agent.platform_loader && (*jni)->IsSameObject(jni, loader, agent.platform_loader);
}

// Is the class to be instrumented, and which passes leave it alone, a bit for each?
static int find_passes(JNIEnv *jni, jobject loader, const char *name, uint64_t *without) {
    int platform = is_platform(jni, loader);
    *without = 0;
    if (instr_scope_matches(&agent.options, name, strlen(name), platform)) return 1;
    if (!platform || !loader) return 0;
    uint64_t with = instr_parts_platform(&agent.options);
    *without = ~with;
    return with && instr_scope_matches(&agent.options, name, strlen(name), 0);
}

static void *allocate(void *context, size_t n) {
    jvmtiEnv *jvmti = context;
    unsigned char *memory;
    return (*jvmti)->Allocate(jvmti, (jlong)n, &memory) == JVMTI_ERROR_NONE ? memory : NULL;
}

// The name of a class whose definer gave none (Lookup.defineClass and its like): it is in the
// bytes.
static int name_from_bytes(const uint8_t *bytes, size_t length, char *name, size_t size) {
    struct cf_arena arena;
    struct cf_class cls;
    cf_arena_init(&arena);
    int found = 0;
    if (cf_class_open(&cls, bytes, length, &arena) == CF_OK) {
        struct cf_slice s = cf_this_name(&cls);
        if (s.bytes && s.length < size) {
            memcpy(name, s.bytes, s.length);
            name[s.length] = '\0';
            found = 1;
        }
    }
    cf_arena_free(&arena);
    return found;
}

// ClassFileLoadHook (JVM TI 11.2.1). Whatever goes wrong, the VM gets nothing and takes its own
// bytes.
static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint length,
                             const unsigned char *bytes, jint *new_length,
                             unsigned char **new_bytes) {
    char found[1024];
    if (agent.state != INSTR_ACTIVE || length <= 0) return;
    if (!name) {
        if (!name_from_bytes(bytes, (size_t)length, found, sizeof found)) return;
        name = found;
    }
    struct instr_origin origin = {0, NULL, 0};
    if (!find_passes(jni, loader, name, &origin.without)) {
        instr_engine_seen(agent.engine);
        return;
    }
    origin.without |= instr_parts_without(jni, &agent.options, loader, name, domain);
    if (redefined)
        instr_parts_find_file(jni, &agent.options, loader, name, bytes, (size_t)length, &origin);
    struct instr_rewritten result;
    instr_engine_rewrite_known(agent.engine, &origin, bytes, (size_t)length, allocate, jvmti,
                               &result);
    free((void *)(uintptr_t)origin.file);
    if (result.refused) (*jvmti)->Deallocate(jvmti, result.refused);
    if (!result.bytes) return;
    if (!instr_runtime_open_module(jvmti, jni, loader, name) || result.length > INT32_MAX) {
        (*jvmti)->Deallocate(jvmti, result.bytes);
        return;
    }
    *new_bytes = result.bytes;
    *new_length = (jint)result.length;
}

// The loader whose parent is the boot loader: ClassLoader.getPlatformClassLoader(), on JDK 8 the
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

// --- start ---

// Is a class that is loaded already to be instrumented?
static int wanted(void *context, JNIEnv *jni, jobject loader, const char *name) {
    uint64_t without;
    (void)context;
    return find_passes(jni, loader, name, &without);
}

static void failed_class(void *context, const char *name, const char *reason) {
    (void)context;
    char line[INSTR_ERROR_SIZE];
    snprintf(line, sizeof line, "instr: %s: kept as it was: %s", name, reason);
    say(line);
}

// In the live phase: brings the runtime in, switches the hook on, takes up what is loaded. False:
// one line is in `reason`, and nothing has changed in the VM. `running`: Java code runs already.
static int activate(jvmtiEnv *jvmti, JNIEnv *jni, int running, char *reason, size_t size) {
    struct instr_runtime_config config = {delivery(), agent.library, (size_t)agent.options.memory};
    if (!instr_runtime_start(jvmti, jni, &config, reason, size)) return 0;
    if (!instr_parts_start(jvmti, jni, &agent.options, reason, size)) return 0;
    agent.platform_loader = find_platform_loader(jni);
    agent.state = INSTR_ACTIVE;
    jvmtiError error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
                                                          JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
    if (error != JVMTI_ERROR_NONE) {
        agent.state = INSTR_LOADED;
        instr_parts_stop(jni, &agent.options);
        snprintf(reason, size, "the JVM refuses the class file hook (JVM TI error %d)", (int)error);
        return 0;
    }
    instr_retransform_loaded(jvmti, jni, wanted, failed_class, NULL, running);
    return 1;
}

static void no_control(const char *reason) {
    char line[INSTR_ERROR_SIZE + 64];
    snprintf(line, sizeof line, "instr: commands cannot reach this JVM: %s", reason);
    say(line);
}

// Without it the agent does what its options say, and no more can be asked of it.
static void start_control(int wait) {
    struct instr_control_config config = {.agent = &agent, .vm = agent.vm, .failed = no_control};
    char reason[INSTR_ERROR_SIZE];
    if (agent.options.control) return;
    if (!instr_control_start(&config, wait, reason, sizeof reason)) no_control(reason);
}

static void tell_facts(void) {
    char error[INSTR_ERROR_SIZE];
    if (agent.options.facts &&
        instr_facts_write(agent.jvmti, agent.options.facts, error, sizeof error) != 0)
        say(error);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) {
    (void)thread;
    char reason[INSTR_ERROR_SIZE - 64], line[INSTR_ERROR_SIZE];
    tell_facts();
    if (agent.state == INSTR_LOADED && !activate(jvmti, jni, 0, reason, sizeof reason)) {
        snprintf(line, sizeof line, "instr: nothing is instrumented: %s", reason);
        say(line);
    }
    start_control(0);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni) {
    instr_control_stop();
    if (agent.state != INSTR_ACTIVE) return;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                       NULL);
    agent.state = INSTR_FINISHED;
    struct instr_results results = {&agent.options, agent.methods, agent.engine, jvmti, jni};
    instr_results_tell(&results);
}

static int take_capabilities(jvmtiEnv *jvmti, char *reason, size_t size) {
    jvmtiCapabilities potential, wanted_ones;
    memset(&wanted_ones, 0, sizeof wanted_ones);
    jvmtiError error = (*jvmti)->GetPotentialCapabilities(jvmti, &potential);
    if (error == JVMTI_ERROR_NONE) {
        if (!potential.can_retransform_classes) {
            snprintf(reason, size, "this JVM cannot retransform classes");
            return 0;
        }
        wanted_ones.can_retransform_classes = 1;
        wanted_ones.can_retransform_any_class = potential.can_retransform_any_class;
        wanted_ones.can_generate_all_class_hook_events =
            potential.can_generate_all_class_hook_events;
        error = (*jvmti)->AddCapabilities(jvmti, &wanted_ones);
    }
    if (error != JVMTI_ERROR_NONE) {
        snprintf(reason, size, "the JVM refuses what is needed (JVM TI error %d)", (int)error);
        return 0;
    }
    return 1;
}

static int set_events(jvmtiEnv *jvmti, int at_start, char *reason, size_t size) {
    jvmtiEventCallbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.VMInit = on_vm_init;
    callbacks.VMDeath = on_vm_death;
    callbacks.ClassFileLoadHook = on_class;
    jvmtiError error = (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    if (error == JVMTI_ERROR_NONE && at_start)
        error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    if (error == JVMTI_ERROR_NONE) return 1;
    snprintf(reason, size, "the JVM refuses events (JVM TI error %d)", (int)error);
    return 0;
}

static void find_library(void) {
    Dl_info info;
    if (dladdr((void *)&agent, &info) && info.dli_fname &&
        strlen(info.dli_fname) < sizeof agent.library)
        strcpy(agent.library, info.dli_fname);
}

// Gives everything back; the VM is as if the library had not been loaded.
static void undo(void) {
    if (agent.jvmti) (*agent.jvmti)->DisposeEnvironment(agent.jvmti);
    instr_engine_free(agent.engine);
    instr_methods_free(agent.methods);
    instr_options_free(&agent.options);
    agent.jvmti = NULL;
    agent.engine = NULL;
    agent.methods = NULL;
    agent.state = INSTR_ABSENT;
}

// Reads the options and prepares what needs no Java. False: one line is in `reason`.
static int prepare(JavaVM *vm, const char *text, int at_start, char *reason, size_t size) {
    agent.vm = vm;
    if (agent.jvmti) (*agent.jvmti)->DisposeEnvironment(agent.jvmti); // it was dormant
    agent.jvmti = NULL;
    if (instr_options_parse(&agent.options, text, reason, size) != 0) return 0;
    find_library();
    if ((*vm)->GetEnv(vm, (void **)&agent.jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
        agent.jvmti = NULL;
        snprintf(reason, size, "instr: this JVM has no JVM TI 1.2; JDK 8 or later is needed");
        return 0;
    }
    char why[INSTR_ERROR_SIZE - 16];
    if (agent.options.facts && at_start) instr_facts_at_start(agent.jvmti);
    // Dormant: no capability, and no event but the first and the last.
    if (agent.options.pass_count == 0) {
        if (set_events(agent.jvmti, at_start, why, sizeof why)) return 1;
        snprintf(reason, size, "instr: %s", why);
        return 0;
    }
    agent.methods = instr_methods_new();
    if (agent.methods)
        agent.engine =
            instr_engine_new(&agent.options, agent.methods, instr_runtime_package(delivery()));
    if (!agent.engine) {
        snprintf(reason, size, "instr: out of memory");
        return 0;
    }
    instr_engine_check_input(agent.engine);
    instr_parts_engine(agent.engine, &agent.options);
    if (take_capabilities(agent.jvmti, why, sizeof why) &&
        set_events(agent.jvmti, at_start, why, sizeof why) &&
        instr_parts_load(vm, &agent.options, at_start ? INSTR_PART_AT_START : INSTR_PART_LIVE, why,
                         sizeof why))
        return 1;
    snprintf(reason, size, "instr: %s", why);
    return 0;
}

// Takes the one place that there is. False: another start has it.
static int take_place(void) {
    int expected = INSTR_ABSENT;
    if (atomic_compare_exchange_strong(&agent.state, &expected, INSTR_STARTING)) return 1;
    expected = INSTR_DORMANT;
    return atomic_compare_exchange_strong(&agent.state, &expected, INSTR_STARTING);
}

// --- JVM TI's entry points ---

INSTR_EXPORT JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    char reason[INSTR_ERROR_SIZE];
    if (!take_place()) {
        say("instr: the agent is on this JVM's command line already");
        return JNI_ERR;
    }
    if (!prepare(vm, options, 1, reason, sizeof reason)) {
        say(reason);
        undo();
        return JNI_ERR;
    }
    agent.state = agent.options.pass_count ? INSTR_LOADED : INSTR_DORMANT;
    return JNI_OK;
}

INSTR_EXPORT JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    char reason[INSTR_ERROR_SIZE], line[INSTR_ERROR_SIZE + 16];
    JNIEnv *jni;
    if (!take_place()) {
        say("instr: the agent is active in this JVM already; nothing was changed");
        return JNI_ERR;
    }
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK ||
        !prepare(vm, options, 0, reason, sizeof reason)) {
        say(reason);
        undo();
        return JNI_ERR;
    }
    tell_facts();
    if (agent.options.pass_count == 0) {
        agent.state = INSTR_DORMANT;
        start_control(1);
        return JNI_OK;
    }
    if (!activate(agent.jvmti, jni, 1, reason, sizeof reason)) {
        snprintf(line, sizeof line, "instr: %s", reason);
        say(line);
        undo();
        return JNI_ERR;
    }
    start_control(1);
    return JNI_OK;
}

// Threads may still be in inserted code, so nothing is freed; the process ends.
INSTR_EXPORT JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm) {
    (void)vm;
    instr_control_stop();
    agent.state = INSTR_FINISHED;
}

// The same for a library that is linked into the launcher (JVM TI, "Statically Linked Agents").
INSTR_EXPORT JNIEXPORT jint JNICALL Agent_OnLoad_instr(JavaVM *vm, char *options, void *reserved) {
    return Agent_OnLoad(vm, options, reserved);
}
INSTR_EXPORT JNIEXPORT jint JNICALL Agent_OnAttach_instr(JavaVM *vm, char *options,
                                                         void *reserved) {
    return Agent_OnAttach(vm, options, reserved);
}
INSTR_EXPORT JNIEXPORT void JNICALL Agent_OnUnload_instr(JavaVM *vm) {
    Agent_OnUnload(vm);
}
