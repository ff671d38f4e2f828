// agent.c: JVM TI's entry points, the start and the end of the agent
//
// OnLoad only reads options and takes capabilities, so that CDS and an AOT cache stay in use. At
// VMInit the runtime's classes are defined, the class file hook is switched on, and the matching
// classes that are already loaded are retransformed in one call.

#include <jvmti.h>

#include "instr/base/log.h"
#include "instr/control/server.h"
#include "instr/passes/agent_passes.h"
#include "instr/passes/results.h"
#include "instr/kit/option.h"
#include "instr/plugins/plugins.h"
#include "instr/protocol/socket_path.h"
#include "instr/rules/option.h"
#include "instr/retransform/first_class.h"
#include "instr/retransform/hook.h"
#include "instr/retransform/prepared.h"
#include "instr/retransform/limits.h"
#include "instr/retransform/native_prefix.h"
#include "instr/retransform/pass_lifecycle.h"
#include "instr/retransform/reconfigure.h"
#include "instr/vm/agent_state.h"
#include "instr/vm/delivered.h"
#include "instr/vm/jvm_facts.h"
#include "instr/vm/linked.h"
#include "instr/vm/runtime.h"
#include "instr/vm/untouchable.h"
#include "instr/vm/wake.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef INSTR_EXPORT
#define INSTR_EXPORT __attribute__((visibility("default")))
#endif

// --- end ---

static pid_t process; // whose exit is watched; 0: not yet

// Reports the results, if nobody has. No pass does anything afterwards.
static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni) {
    struct instr_agent *agent = &instr_agent;
    unsigned ticket;
    instr_control_stop();
    instr_delivered_end();
    instr_first_class_end(agent);
    int state = atomic_exchange(&agent->state, INSTR_FINISHED);
    if (state != INSTR_ACTIVE && state != INSTR_DORMANT) return;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                       NULL);
    jvmtiEnv *front = agent->front; // the end of a detach may be under way
    if (front)
        (*front)->SetEventNotificationMode(front, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                           NULL);
    // What a command has switched off is not in the plan any more: its results come from there.
    instr_control_await_end();
    const struct instr_plan *plan = instr_plans_take(&agent->plans, &ticket);
    if (plan && plan->engine) // NULL after a detach
        instr_results_report(&(struct instr_results){.options = &plan->options,
                                                     .methods = plan->methods,
                                                     .engine = plan->engine,
                                                     .jvmti = jvmti,
                                                     .jni = jni});
    instr_plans_give_back(&agent->plans, ticket);
}

// There is no VMDeath when the last thread cannot enter the JVM again to end it, as with a full heap
// (DestroyJavaVM then returns at once), and none when native code calls exit(). A thread that is in
// the JVM may call exit() anywhere, as JDK 8 and 11 do for ExitOnOutOfMemoryError, and must not
// enter it again.
static void at_process_exit(void) {
    JavaVM *vm = instr_agent.vm;
    JNIEnv *jni = NULL;
    // A child that a fork made has neither the JVM's threads nor results of its own.
    if (getpid() != process || atomic_load(&instr_agent.state) != INSTR_ACTIVE) return;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_EDETACHED)
        instr_say("code in the JVM has ended the process with exit(): results are not written");
    else if ((*vm)->AttachCurrentThread(vm, (void **)&jni, NULL) != JNI_OK)
        instr_say("the process ends while no thread can enter the JVM, as with a full heap: "
                  "results are not written");
    else
        on_vm_death(instr_agent.jvmti, jni);
}

static void watch_process_exit(void) {
    if (process) return;
    process = getpid();
    atexit(at_process_exit);
}

// --- start ---

static void no_control(const char *reason) {
    instr_say("commands cannot reach this JVM: %s", reason);
}

// Without a socket the agent takes no commands. The control thread still enforces limits, and
// switches off passes that fail.
static void start_control(int wait, int asked) {
    unsigned ticket;
    const struct instr_plan *plan = instr_plans_take(&instr_agent.plans, &ticket);
    const char *option = plan ? plan->options.control : NULL;
    int deaf = option && strcmp(option, "off") == 0 && !asked;
    int wanted = plan && !(deaf && !plan->engine);
    struct instr_control_config config = {.without_socket = deaf,
                                          .agent = &instr_agent,
                                          .watch = instr_limits_watch,
                                          .failed = no_control};
    snprintf(config.folder, sizeof config.folder, "%s", instr_control_folder(option));
    instr_plans_give_back(&instr_agent.plans, ticket);
    if (!wanted) return;
    char reason[INSTR_ERROR_SIZE];
    if (!instr_control_start(&config, wait, reason, sizeof reason)) no_control(reason);
}

static void write_facts(void) {
    char error[INSTR_ERROR_SIZE];
    const char *facts = instr_agent.first->options.facts;
    if (facts && instr_jvm_facts_write(instr_agent.jvmti, facts, error, sizeof error) != 0)
        instr_say("%s", error);
}

// Makes the first plan the current one.
static int start(JNIEnv *jni, int running, char *reason, size_t size) {
    struct instr_agent *agent = &instr_agent;
    int ok = instr_reconfigure_start(agent, jni, agent->first, running, reason, size);
    if (ok) agent->first = NULL;
    return ok;
}

// Without passes the agent still takes commands.
static void start_dormant(JNIEnv *jni) {
    struct instr_agent *agent = &instr_agent;
    struct instr_options none = {0};
    char reason[INSTR_ERROR_SIZE];
    instr_agent_forget_first(agent);
    agent->first = instr_reconfigure_first(agent, &none, INSTR_PHASE_LIVE, reason, sizeof reason);
    if (!agent->first || !start(jni, 0, reason, sizeof reason)) agent->state = INSTR_FINISHED;
}

// Only with early hooks. From now on wrappers in the JVM's first classes call the runtime. Without it
// the JVM cannot start.
static void JNICALL on_vm_start(jvmtiEnv *jvmti, JNIEnv *jni) {
    char reason[INSTR_ERROR_SIZE];
    if (instr_runtime_start_early(jvmti, jni, instr_agent.library, reason, sizeof reason)) return;
    instr_say("native methods of the JDK cannot be wrapped: %s", reason);
    (*jni)->FatalError(jni, "instr: native methods of the JDK cannot be wrapped");
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) {
    (void)jvmti;
    (void)thread;
    char reason[INSTR_ERROR_SIZE];
    write_facts();
    if (!start(jni, 0, reason, sizeof reason)) {
        instr_say("nothing is instrumented: %s", reason);
        start_dormant(jni);
    }
    instr_agent_use_front(&instr_agent);
    watch_process_exit();
    start_control(0, 0);
}

// Switches hooks on from the start, if the options need it. 0: `reason` holds one line.
static int start_early(struct instr_agent *agent, const struct instr_options *options, char *reason,
                       size_t size) {
    jvmtiEnv *jvmti = agent->jvmti;
    jvmtiCapabilities taken;
    if (agent->recording || !instr_wraps_early(options)) return 1;
    if (options->runtime == INSTR_RUNTIME_PATH) {
        snprintf(reason, size, "native methods of the JDK's own classes need runtime=direct");
        return 0;
    }
    jvmtiError error = (*jvmti)->GetCapabilities(jvmti, &taken);
    if (error == JVMTI_ERROR_NONE && !taken.can_generate_early_vmstart &&
        !instr_runtime_start_early(jvmti, NULL, agent->library, reason, size))
        return 0;
    if (error == JVMTI_ERROR_NONE && taken.can_generate_early_vmstart)
        error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_START, NULL);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
                                                   JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
    agent->early = error == JVMTI_ERROR_NONE;
    if (agent->early) return 1;
    snprintf(reason, size, "the JVM refuses the class file hook (JVM TI error %d)", (int)error);
    return 0;
}

static int set_functions(jvmtiEnv *jvmti, char *reason, size_t size) {
    jvmtiEventCallbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.VMStart = on_vm_start;
    callbacks.VMInit = on_vm_init;
    callbacks.VMDeath = on_vm_death;
    callbacks.ClassFileLoadHook = instr_hook;
    callbacks.ClassPrepare = instr_prepared;
    callbacks.NativeMethodBind = instr_first_class_bound;
    jvmtiError error = (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    if (error == JVMTI_ERROR_NONE) return 1;
    snprintf(reason, size, "the JVM refuses events (JVM TI error %d)", (int)error);
    return 0;
}

static int set_events(jvmtiEnv *jvmti, int at_start, char *reason, size_t size) {
    if (!set_functions(jvmti, reason, size)) return 0;
    jvmtiError error = JVMTI_ERROR_NONE;
    if (at_start)
        error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    if (error == JVMTI_ERROR_NONE) return 1;
    snprintf(reason, size, "the JVM refuses events (JVM TI error %d)", (int)error);
    return 0;
}

static void find_library(void) {
    Dl_info info;
    if (dladdr((void *)&instr_agent, &info) && info.dli_fname &&
        strlen(info.dli_fname) < sizeof instr_agent.library)
        strcpy(instr_agent.library, info.dli_fname);
    instr_delivered_note(instr_agent.library, instr_control_in_random(instr_agent.library));
}

static int gets_originals(const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++) {
        const struct instr_agent_pass *pass = instr_agent_pass_of(options->passes[i].pass);
        if (pass && pass->gets_original) return 1;
    }
    return 0;
}

// Reads the options and prepares what needs no Java. False: `reason` holds one line.
static bool has_include(const struct instr_options *options) {
    for (size_t i = 0; i < options->pass_count; i++)
        if (options->passes[i].include) return true;
    return false;
}

static int prepare(JavaVM *vm, const char *text, int at_start, char *reason, size_t size) {
    struct instr_agent *agent = &instr_agent;
    agent->vm = vm;
    struct instr_options options;
    instr_options_add_source(&instr_kit_source);
    instr_options_add_source(&instr_plugin_source);
    instr_options_add_source(&instr_rule_source);
    if (instr_options_parse(&options, text, reason, size) != 0) return 0;
    for (size_t i = 0; i < options.pass_count; i++) options.passes[i].late = !at_start;
    int writable = instr_reconfigure_check_files(NULL, &options, reason, size);
    if (!writable && !at_start) {
        instr_options_free(&options);
        return 0;
    }
    // A program that starts goes on: its files may become writable before it ends.
    if (!writable)
        instr_say("%s; the program runs, and the file is tried again at its end", reason);
    if (!agent->class_states) agent->class_states = instr_class_states_new();
    unsigned count = (unsigned)rw_pass_count();
    if (agent->pass_ids.next < count) agent->pass_ids.next = count;
    if ((*vm)->GetEnv(vm, (void **)&agent->jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
        agent->jvmti = NULL;
        instr_options_free(&options);
        snprintf(reason, size, "this JVM has no JVM TI 1.2; use JDK 8 or later");
        return 0;
    }
    if (options.facts && at_start) instr_jvm_facts_at_start(agent->jvmti);
    // Without passes it takes no event except the first and the last.
    snprintf(reason, size, "out of memory");
    int passes = options.pass_count != 0;
    agent->recording = instr_records_cache(vm);
    if (agent->recording && has_include(&options))
        instr_say("the JVM records an AOT cache, which must hold unchanged JDK classes: classes of "
                  "the bootstrap loader are skipped");
    int early = at_start && !agent->recording && instr_wraps_early(&options);
    enum instr_agent_pass_phase phase = at_start ? INSTR_PHASE_AT_START : INSTR_PHASE_LIVE;
    // At the start also without passes: the compilers then record which classes compiled code depends
    // on. Otherwise HotSpot drops all compiled code at the first retransformation
    // (VM_RedefineClasses::flush_dependent_code).
    agent->armed = (passes || at_start) && agent->class_states &&
                   instr_agent_arm(agent, reason, size) &&
                   instr_native_prefix_prepare(agent->jvmti, &options, early, reason, size);
    if (agent->class_states && (!passes || agent->armed) &&
        set_events(agent->jvmti, at_start, reason, size)) {
        if (at_start && passes) instr_first_class_watch(agent);
        agent->first = instr_reconfigure_first(agent, &options, phase, reason, size);
    }
    if (agent->first && at_start && gets_originals(&agent->first->options))
        instr_agent_make_front(agent, instr_hook_front);
    if (agent->first && at_start && !start_early(agent, &agent->first->options, reason, size))
        instr_agent_forget_first(agent);
    instr_options_free(&options); // what the plan did not take over
    return agent->first != NULL;
}

// Claims the only agent of the JVM. False: it is already running.
static int claim_agent(void) {
    int expected = INSTR_ABSENT;
    return atomic_compare_exchange_strong(&instr_agent.state, &expected, INSTR_STARTING);
}

// --- JVM TI's entry points ---

INSTR_EXPORT JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    char reason[INSTR_ERROR_SIZE];
    find_library();
    if (!instr_linked_is_meant(instr_agent.library, options, true, reason, sizeof reason)) {
        instr_say("%s", reason);
        return JNI_ERR;
    }
    if (!claim_agent()) {
        instr_say(
            "this JVM loads the agent twice, from its command line or from JAVA_TOOL_OPTIONS, "
            "which 'instr run' sets; one -agentpath takes all passes");
        return JNI_ERR;
    }
    if (!prepare(vm, options, 1, reason, sizeof reason)) {
        instr_say("%s", reason);
        instr_agent_undo(&instr_agent);
        return JNI_ERR;
    }
    instr_agent.state = INSTR_LOADED;
    return JNI_OK;
}

// The agent is already in the JVM: the options are added to its own. Users who may attach may also
// send commands.
static jint attach_again(JNIEnv *jni, const char *options) {
    char reason[INSTR_ERROR_SIZE];
    struct instr_reconfigured done = {0};
    if (!options || !*options || strcmp(options, "control=on") == 0 ||
        instr_reconfigure_enable(&instr_agent, jni, options, &done, reason, sizeof reason)) {
        start_control(1, 1);
        instr_wake();
        return JNI_OK;
    }
    instr_say("%s", reason);
    return JNI_ERR;
}

INSTR_EXPORT JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    char reason[INSTR_ERROR_SIZE];
    JNIEnv *jni;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) != JNI_OK) return JNI_ERR;
    find_library();
    if (!instr_linked_is_meant(instr_agent.library, options, false, reason, sizeof reason)) {
        instr_say("%s", reason);
        return JNI_ERR;
    }
    if (!claim_agent()) return attach_again(jni, options);
    if (!prepare(vm, options, 0, reason, sizeof reason)) {
        instr_say("%s", reason);
        instr_agent_undo(&instr_agent);
        return JNI_ERR;
    }
    write_facts();
    if (!start(jni, 1, reason, sizeof reason)) {
        instr_say("%s", reason);
        instr_agent_undo(&instr_agent);
        return JNI_ERR;
    }
    watch_process_exit();
    start_control(1, 0);
    return JNI_OK;
}

// Threads may still be in inserted code, so nothing is freed. The process ends.
INSTR_EXPORT JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm) {
    (void)vm;
    instr_control_stop();
    instr_delivered_end();
    instr_agent.state = INSTR_FINISHED;
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
