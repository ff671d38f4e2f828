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
#include "instr/passes/kit/listing.h"
#include "instr/passes/kit/required.h"
#include "instr/passes/kit/states.h"
#include "instr/vm/runtime.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 1024, REASON_SIZE = 1200 };

static struct {
    _Atomic(jvmtiEnv *) jvmti; // of kits alone, for its capability; stays until the JVM ends
    _Atomic(enum instr_kit_thread) thread;
    enum instr_agent_pass_phase phase; // of the last `load`, which `start` follows
} state;

static bool get_jvmti(JavaVM *vm, char *reason, size_t size) {
    const jvmtiCapabilities wanted = {.can_get_source_file_name = 1};
    jvmtiEnv *jvmti = NULL;
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

static bool accepts(JavaVM *vm, const struct instr_pass_options *options,
                    enum instr_agent_pass_phase phase, char *reason, size_t size) {
    return phase == INSTR_PHASE_LIVE ||
           (get_jvmti(vm, reason, size) &&
            instr_kit_required_at_start(state.jvmti, instr_kit_of(options->pass), reason, size));
}

static bool load(JavaVM *vm, const struct instr_pass_options *options,
                 enum instr_agent_pass_phase phase, char *reason, size_t size) {
    state.phase = phase;
    instr_kit_applied_count_runs(instr_kit_of(options->pass)->applied, options->file != NULL);
    return get_jvmti(vm, reason, size);
}

// What bridges can know threads by. On the bootstrap class path the runtime cannot be called from everywhere.
static enum instr_kit_thread find_thread(JNIEnv *jni) {
    char ignored[REASON_SIZE];
    jclass thread = (*jni)->FindClass(jni, "java/lang/Thread"), own;
    bool has_id = thread && (*jni)->GetMethodID(jni, thread, "threadId", "()J");
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, thread);
    if (has_id) return INSTR_KIT_THREAD_ID;
    bool works = strcmp(instr_runtime_current_package(), INSTR_KIT_BOOT) == 0 &&
                 instr_runtime_add(jni, "InstrKitThread", ignored, sizeof ignored) &&
                 (own = instr_runtime_class("InstrKitThread")) &&
                 (*jni)->GetStaticMethodID(jni, own, "id", "(Ljava/lang/Thread;)J");
    (*jni)->ExceptionClear(jni);
    return works ? INSTR_KIT_THREAD_FIELD_ID : INSTR_KIT_THREAD_OBJECT;
}

// Which threads are in calls of the kit's advice. GetStaticMethodID initializes the class, here and not in the
// application, since that needs memory: without any, a class that it uses could never be used again.
static bool define_nesting(JNIEnv *jni, char *reason, size_t size) {
    if (!instr_runtime_add(jni, "InstrKitNesting", reason, size)) return false;
    jclass nesting = instr_runtime_class("InstrKitNesting");
    bool ready = nesting && (*jni)->GetStaticMethodID(jni, nesting, "enter", "(J)I");
    (*jni)->ExceptionClear(jni);
    if (!ready) snprintf(reason, size, "out of memory");
    return ready;
}

// What the code that is woven for the kit calls, or its classes name.
static bool define_needed(JNIEnv *jni, const struct instr_kit *kit, bool counts_runs, char *reason,
                          size_t size) {
    bool nests = false;
    for (size_t i = 0; i < kit->advice_count; i++) nests = nests || kit->advices[i].outermost;
    return (!nests || define_nesting(jni, reason, size)) &&
           (!counts_runs || instr_runtime_add(jni, "InstrKitRuns", reason, size)) &&
           instr_kit_define_types(jni, kit, reason, size);
}

// The latest version of class files that this JVM takes; 0: unknown.
static int latest_version(JNIEnv *jni) {
    int version = 0;
    if ((*jni)->PushLocalFrame(jni, 8) == 0) {
        jclass system = (*jni)->FindClass(jni, "java/lang/System");
        jmethodID get = system ? (*jni)->GetStaticMethodID(jni, system, "getProperty",
                                                           "(Ljava/lang/String;)Ljava/lang/String;")
                               : NULL;
        jstring key = get ? (*jni)->NewStringUTF(jni, "java.class.version") : NULL,
                value = key ? (*jni)->CallStaticObjectMethod(jni, system, get, key) : NULL;
        bool found = value && !(*jni)->ExceptionCheck(jni);
        const char *text = found ? (*jni)->GetStringUTFChars(jni, value, NULL) : NULL;
        if (text) version = atoi(text);
        if (text) (*jni)->ReleaseStringUTFChars(jni, value, text);
        (*jni)->PopLocalFrame(jni, NULL);
    }
    (*jni)->ExceptionClear(jni);
    return version;
}

static bool is_too_new(JNIEnv *jni, const struct instr_kit *kit, char *reason, size_t size) {
    int latest = latest_version(jni);
    for (size_t i = 0; i < kit->class_count; i++) {
        const uint8_t *bytes = kit->classes[i].bytes;
        int version = bytes[6] << 8 | bytes[7];
        if (!latest || version <= latest) continue;
        snprintf(reason, size, "%s has class file version %d, and this JVM takes up to %d",
                 kit->classes[i].original, version, latest);
        return true;
    }
    return false;
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    const struct instr_kit *kit = instr_kit_of(options->pass);
    if (is_too_new(jni, kit, reason, size)) return false;
    if (state.phase == INSTR_PHASE_LIVE && !instr_kit_required_live(jvmti, jni, kit, reason, size))
        return false;
    atomic_store(&state.thread, find_thread(jni));
    if (!define_needed(jni, kit, options->file != NULL, reason, size)) return false;
    instr_kit_define_ready(jni);
    return true;
}

static bool names(const struct instr_kit_advice *advice, const struct instr_candidate *c) {
    if (advice->calls) return instr_match(advice->callers, c->name, strlen(c->name));
    for (size_t i = 0; i < advice->target_count; i++)
        if (instr_kit_names_any(&advice->targets[i], c->name, strlen(c->name), c->supertypes))
            return true;
    return false;
}

// The internal name of the loader's class is what the advice's pattern is for.
static bool in_loader(JNIEnv *jni, const struct instr_kit_advice *advice, jobject loader) {
    char *signature = NULL;
    if (!advice->loader || !loader) return instr_kit_in_loader(advice, NULL);
    jvmtiEnv *jvmti = state.jvmti;
    jclass cls = (*jni)->GetObjectClass(jni, loader);
    jvmtiError error = (*jvmti)->GetClassSignature(jvmti, cls, &signature, NULL);
    (*jni)->DeleteLocalRef(jni, cls);
    if (error != JVMTI_ERROR_NONE) return false;
    size_t length = strlen(signature);
    signature[length - 1] = '\0';
    bool is = instr_kit_in_loader(advice, signature + 1);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return is;
}

// The thread defines advice. A class that is loaded for that gets none: it would be defined within itself, without
// end. What is known to be loaded is loaded when a kit starts (instr_kit_define_ready).
static _Thread_local bool defining;

// Defines what the advice needs for the classes of the package. False: `reason` says why it is not called from there.
static bool prepare(JNIEnv *jni, const struct instr_kit *kit, const struct instr_kit_advice *advice,
                    jobject loader, const char *package, char *reason, size_t size) {
    const struct instr_kit_jvm jvm = {atomic_load(&state.thread), instr_runtime_current_package()};
    struct instr_kit_place place = instr_kit_place_of(state.jvmti, kit, advice, loader, package);
    if (instr_kit_place_is_known(jni, &place)) return true;
    defining = true;
    bool done =
        instr_kit_define(state.jvmti, jni, kit, advice, loader, package, &jvm, reason, size);
    defining = false;
    if (!done) return false;
    instr_kit_place_add(jni, &place);
    return true;
}

static bool takes(const struct rw_pass *pass, JNIEnv *jni, const struct instr_candidate *candidate,
                  uint64_t *note) {
    const struct instr_kit *kit = instr_kit_of(pass);
    const char *name = candidate->name;
    struct cf_slice class_name = {(const uint8_t *)name, (uint32_t)strlen(name)};
    char package[NAME_SIZE], reason[REASON_SIZE];
    bool any = false;
    if (defining || instr_kit_package(class_name, package, sizeof package) >= sizeof package)
        return false;
    for (size_t i = 0; i < kit->advice_count; i++) {
        const struct instr_kit_advice *advice = &kit->advices[i];
        if (!names(advice, candidate)) continue;
        if (!in_loader(jni, advice, candidate->loader)) {
            *note |= instr_kit_note(i);
            continue;
        }
        if (prepare(jni, kit, advice, candidate->loader, package, reason, sizeof reason)) {
            any = true;
            continue;
        }
        char dotted[NAME_SIZE];
        instr_kit_dotted(name, dotted, sizeof dotted);
        instr_kit_applied_refuse(kit->applied, i, reason);
        instr_say("advice %s is not called from %s: %s", advice->name, dotted, reason);
        *note |= instr_kit_note(i);
    }
    return any;
}

// --- reloading ---

static const struct instr_kit_advice *advice_named(const struct instr_kit *kit, const char *name) {
    for (size_t i = 0; i < kit->advice_count; i++)
        if (strcmp(kit->advices[i].name, name) == 0) return &kit->advices[i];
    return NULL;
}

// Defines the new kit's advice where the old one has its bridge.
static bool prepare_beside(JNIEnv *jni, const struct instr_kit *kit,
                           const struct instr_kit_advice *advice,
                           const struct instr_kit_loaded_class *bridge, char *reason, size_t size) {
    char package[NAME_SIZE], why[REASON_SIZE];
    struct cf_slice name = {(const uint8_t *)bridge->name, (uint32_t)strlen(bridge->name)};
    jobject loader = NULL;
    bool boot = advice->classes[advice->class_count - 1]->boot;
    (*state.jvmti)->GetClassLoader(state.jvmti, bridge->class, &loader);
    // A bridge in the bootstrap loader does not say where it is called from.
    bool known = (loader || boot) && instr_kit_package(name, package, sizeof package) < NAME_SIZE;
    bool ok = !known || prepare(jni, kit, advice, loader, package, why, sizeof why);
    if (!ok) snprintf(reason, size, "advice %s: %s", advice->name, why);
    (*jni)->DeleteLocalRef(jni, loader);
    return ok;
}

// What this JVM does not take is found before anything changes, and most of the work is done then.
static bool reload(jvmtiEnv *jvmti, JNIEnv *jni, const struct rw_pass *old,
                   const struct rw_pass *pass, char *reason, size_t size) {
    const struct instr_kit *before = instr_kit_of(old), *kit = instr_kit_of(pass);
    struct instr_kit_loaded loaded;
    bool ok = true;
    if (is_too_new(jni, kit, reason, size) || !instr_kit_define_types(jni, kit, reason, size))
        return false;
    snprintf(reason, size, "the JVM does not list its loaded classes");
    if (!instr_kit_loaded_find(jvmti, jni, &loaded)) return false;
    for (size_t i = 0; i < before->advice_count; i++) {
        const struct instr_kit_advice *advice = advice_named(kit, before->advices[i].name);
        for (size_t k = 0; k < loaded.count && advice && ok; k++)
            if (instr_kit_is_bridge(&before->advices[i], &loaded.classes[k]))
                ok = prepare_beside(jni, kit, advice, &loaded.classes[k], reason, size);
    }
    instr_kit_loaded_free(&loaded);
    return ok;
}

static void stop(JNIEnv *jni, const struct rw_pass *pass) {
    if (jni) instr_kit_places_forget(jni, instr_kit_of(pass));
}

static void ended(JNIEnv *jni, const struct instr_options *on) {
    if (state.jvmti) instr_kit_states_clear(state.jvmti, jni, on);
}

struct seen {
    const struct instr_results *results;
    const struct instr_pass_options *options;
    const struct instr_kit_loaded *loaded;
};

static void write_seen(const void *context, struct instr_output *out) {
    const struct seen *seen = context;
    struct instr_json json = instr_json_start(out);
    instr_kit_list(&json, seen->results->jvmti, seen->results->jni, seen->loaded, seen->options);
}

// Advice reports by itself what it sees; the file has what is known of the kit.
static void report(const struct instr_results *results, unsigned pass) {
    struct instr_kit_loaded loaded;
    struct seen seen = {results, &results->options->passes[pass], &loaded};
    instr_kit_required_report(instr_kit_of(seen.options->pass));
    if (!seen.options->file || !results->jni ||
        !instr_kit_loaded_find(results->jvmti, results->jni, &loaded))
        return;
    char *path = instr_expand_file(seen.options->file, (long)getpid()), line[INSTR_ERROR_SIZE];
    if (instr_output_file(path, write_seen, &seen, line, sizeof line) != 0)
        instr_say_unwritten(line);
    else if (!seen.options->terms.quiet)
        instr_say("%s: %s", seen.options->pass->name, line);
    instr_kit_loaded_free(&loaded);
}

const struct instr_agent_pass instr_agent_pass_kit = {
    .accepts = accepts,
    .load = load,
    .takes = takes,
    .start = start,
    .reload = reload,
    .stop = stop,
    .ended = ended,
    .report = report,
};
