// natives.c: the JVM TI half of the pass natives: which native methods were bound, when, and to which
// library (natives.list=yes)
//
// JVM TI's NativeMethodBind reports all classes, whether their methods are wrapped or not. Before the
// JVM's start phase the name of a method is not available. Then only classes of the bootstrap loader
// are loaded, which are never unloaded, so the name is looked up later.

#include "instr/passes/agent_pass.h"

#include "instr/base/array.h"
#include "instr/base/clock.h"
#include "instr/report/text.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BOUND 65536 // methods in the list; later ones are only counted

struct bound {
    jmethodID method; // NULL: the names are already known
    char *class_name; // internal form
    char *name, *descriptor;
    const char *library; // one of `libraries`; NULL: unknown
    uint64_t at;         // nanoseconds since the pass was switched on
};

// One per JVM, as there is one pass of this name.
static struct {
    jvmtiEnv *jvmti;      // NULL: none yet; never disposed of, because threads may be in the event
    pthread_mutex_t lock; // for the fields below
    bool on;
    bool late;      // the JVM was already running
    uint64_t since; // ns
    struct bound *items;
    size_t count, capacity, unlisted;
    char **libraries;
    size_t libraries_count, libraries_capacity;
} list = {.lock = PTHREAD_MUTEX_INITIALIZER};

// With the lock held.
static uint64_t elapsed(void) {
    return instr_clock_now() - list.since;
}

// The path of the library that holds the address; never freed. With the lock held.
static const char *library_of(const void *address) {
    Dl_info info;
    if (!address || !dladdr(address, &info) || !info.dli_fname) return NULL;
    for (size_t i = 0; i < list.libraries_count; i++)
        if (strcmp(list.libraries[i], info.dli_fname) == 0) return list.libraries[i];
    if (!INSTR_ARRAY_RESERVE(list.libraries, list.libraries_capacity, list.libraries_count + 1))
        return NULL;
    char *copy = strdup(info.dli_fname);
    if (copy) list.libraries[list.libraries_count++] = copy;
    return copy;
}

// --- names ---

// Without the prefixes of wrapping passes: instr$PASS$.
static const char *own_name(const char *name) {
    while (strncmp(name, "instr$", 6) == 0 && strchr(name + 6, '$'))
        name = strchr(name + 6, '$') + 1;
    return name;
}

static char *class_name_of(JNIEnv *jni, jmethodID method) {
    jclass class = NULL;
    char *signature = NULL, *name = NULL;
    jvmtiEnv *jvmti = list.jvmti;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE) return NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        size_t length = strlen(signature);
        if (length > 2) name = strndup(signature + 1, length - 2); // L...;
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    if (jni) (*jni)->DeleteLocalRef(jni, class);
    return name;
}

// False: not available yet, or out of memory.
static bool find_names(JNIEnv *jni, jmethodID method, struct bound *bound) {
    char *name = NULL, *descriptor = NULL;
    jvmtiEnv *jvmti = list.jvmti;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL) != JVMTI_ERROR_NONE)
        return false;
    bound->class_name = class_name_of(jni, method);
    bound->name = strdup(own_name(name));
    bound->descriptor = strdup(descriptor);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    return bound->class_name && bound->name && bound->descriptor;
}

static void free_names(struct bound *bound) {
    free(bound->class_name);
    free(bound->name);
    free(bound->descriptor);
}

// --- the event ---

static bool reserve(void) {
    return list.count < MAX_BOUND && INSTR_ARRAY_RESERVE(list.items, list.capacity, list.count + 1);
}

// NativeMethodBind (JVM TI 11.2.28). No function of the JVM is called while the lock is held.
static void JNICALL on_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method,
                            void *address, void **new_address) {
    (void)thread;
    (void)new_address;
    jvmtiPhase phase = JVMTI_PHASE_DEAD;
    struct bound bound = {0};
    if ((*jvmti)->GetPhase(jvmti, &phase) != JVMTI_ERROR_NONE) return;
    if (!find_names(jni, method, &bound)) {
        free_names(&bound);
        memset(&bound, 0, sizeof bound);
        if (phase != JVMTI_PHASE_PRIMORDIAL) return;
        bound.method = method;
    }
    pthread_mutex_lock(&list.lock);
    bool listed = list.on && reserve();
    if (listed) {
        bound.at = elapsed();
        bound.library = library_of(address);
        list.items[list.count++] = bound;
    } else if (list.on) {
        list.unlisted++;
    }
    pthread_mutex_unlock(&list.lock);
    if (!listed) free_names(&bound);
}

// Empties the list: it has been reported.
static void forget(JNIEnv *jni, const struct rw_pass *pass) {
    (void)pass;
    (void)jni;
    pthread_mutex_lock(&list.lock);
    for (size_t i = 0; i < list.count; i++) free_names(&list.items[i]);
    list.count = list.unlisted = 0;
    list.on = false;
    pthread_mutex_unlock(&list.lock);
}

static void begin(enum instr_agent_pass_phase phase) {
    pthread_mutex_lock(&list.lock);
    if (!list.on) list.since = instr_clock_now();
    if (!list.on) list.late = phase == INSTR_PHASE_LIVE;
    list.on = true;
    pthread_mutex_unlock(&list.lock);
}

static jvmtiError enable_event(jvmtiEnv *jvmti, enum instr_agent_pass_phase phase) {
    jvmtiCapabilities capabilities, potential;
    jvmtiEventCallbacks callbacks = {.NativeMethodBind = on_bind};
    jvmtiError error = (*jvmti)->GetPotentialCapabilities(jvmti, &potential);
    if (error != JVMTI_ERROR_NONE) return error;
    memset(&capabilities, 0, sizeof capabilities);
    capabilities.can_generate_native_method_bind_events = 1;
    // Makes names available from the first native method on.
    if (phase == INSTR_PHASE_AT_START)
        capabilities.can_generate_early_vmstart = potential.can_generate_early_vmstart;
    error = (*jvmti)->AddCapabilities(jvmti, &capabilities);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
                                                   JVMTI_EVENT_NATIVE_METHOD_BIND, NULL);
    return error;
}

static bool load(JavaVM *vm, const struct instr_pass_options *options,
                 enum instr_agent_pass_phase phase, char *reason, size_t size) {
    const char *wanted = instr_pass_option(options, "list");
    if (!wanted || strcmp(wanted, "yes") != 0) {
        forget(NULL, NULL);
        return true;
    }
    if (!list.jvmti && (*vm)->GetEnv(vm, (void **)&list.jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        list.jvmti = NULL;
    begin(phase);
    jvmtiError error = list.jvmti ? enable_event(list.jvmti, phase) : JVMTI_ERROR_NOT_AVAILABLE;
    if (error == JVMTI_ERROR_NONE) return true;
    forget(NULL, NULL);
    snprintf(reason, size,
             "natives.list: the JVM does not report bindings of native methods (JVM TI error %d)",
             (int)error);
    return false;
}

static void stop(JNIEnv *jni, const struct rw_pass *pass) {
    (void)pass;
    (void)jni;
    if (!list.jvmti) return;
    (*list.jvmti)
        ->SetEventNotificationMode(list.jvmti, JVMTI_DISABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL);
}

// --- results ---

// Looks up the names that were not available before.
static void find_late_names(JNIEnv *jni) {
    for (size_t i = 0; i < list.count; i++) {
        struct bound found = {0}, *b = &list.items[i];
        if (!b->method) continue;
        if (find_names(jni, b->method, &found)) {
            found.library = b->library;
            found.at = b->at;
            *b = found;
        } else {
            free_names(&found);
        }
    }
}

static void put_json(struct instr_json *json) {
    instr_json_open(json, "bound", '[');
    for (size_t i = 0; i < list.count; i++) {
        const struct bound *b = &list.items[i];
        if (b->method) continue;
        instr_json_open_flat(json, NULL, '{');
        instr_json_class(json, "class", b->class_name);
        instr_json_text(json, "method", b->name);
        instr_json_text(json, "descriptor", b->descriptor);
        instr_json_text(json, "library", b->library);
        instr_json_number(json, "at_ns", b->at);
        instr_json_close(json, '}');
    }
    instr_json_close(json, ']');
}

static void put_row(struct instr_output *out, const struct bound *b) {
    char time[INSTR_DURATION_SIZE];
    const char *file = b->library ? strrchr(b->library, '/') : NULL;
    instr_output_format(out, "  %8s  ", instr_duration(b->at, time));
    instr_report_text(out, file ? file + 1 : b->library ? b->library : "?", INSTR_PLAIN);
    instr_output_text(out, "  ");
    instr_report_method(out, b->class_name, b->name, b->descriptor, INSTR_PLAIN);
    instr_output_text(out, "\n");
}

// Classes in scope come first.
static void put_table(struct instr_output *out, const struct instr_results *r, unsigned pass) {
    char count[INSTR_NUMBER_SIZE], libraries[INSTR_NUMBER_SIZE];
    unsigned shown = 0, top = r->options->passes[pass].top;
    instr_output_format(out, "natives: %s methods bound in %s libraries%s; times since then:\n",
                        instr_number(list.count + list.unlisted, count),
                        instr_number(list.libraries_count, libraries),
                        list.late ? " since the pass was switched on" : "");
    for (int in_scope = 1; in_scope >= 0; in_scope--)
        for (size_t i = 0; i < list.count && shown < top; i++) {
            const struct bound *b = &list.items[i];
            if (b->method) continue;
            if (instr_scope_shows(&r->options->passes[pass], b->class_name) != in_scope) continue;
            put_row(out, b);
            shown++;
        }
}

static void more(const struct instr_results *results, unsigned pass, struct instr_output *table,
                 struct instr_json *json) {
    if (!list.on) return;
    pthread_mutex_lock(&list.lock);
    find_late_names(results->jni);
    if (table) put_table(table, results, pass);
    if (json) put_json(json);
    pthread_mutex_unlock(&list.lock);
}

const struct instr_agent_pass instr_agent_pass_natives = {
    .load = load,
    .forget = forget,
    .stop = stop,
    .more = more,
};
