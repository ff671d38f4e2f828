#define _POSIX_C_SOURCE 200809L

#include "instr/vm/runtime.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "instr/vm/runtime_failures.h"
#include "instr/vm/snapshot.h"
#include "instr/vm/ticks.h"
#include "instr/counters/records.h"
#include "instr/counters/threads.h"
#include "instr/base/clock.h"

#define JAR_NAME "instr-runtime.jar"
#define EARLY_CLASS "java/lang/InstrNatives"
#define JNI_9 0x00090000
#define KNOWN_MODULES 512 // a power of two
#define HEAP_FULL "the JVM has no memory left in its heap"

// The VM has one runtime, as it has one package java.lang.
static struct {
    bool started;
    bool counts;        // InstrThreads and what uses it are defined
    bool early;         // InstrNatives is defined already
    unsigned groups;    // of `groups`, one bit each, those that are defined
    size_t page_budget; // bytes; 0: the default
    enum instr_delivery delivery;
    bool has_modules;
    enum instr_runtime_variant variant;
    jclass threads;         // InstrThreads, a global reference
    jobject unnamed_module; // the bootstrap loader's, for path delivery
    jclass *classes;        // global references, indexed as instr_runtime_classes
    _Atomic(jweak) open_modules[KNOWN_MODULES]; // indexed by hash code
    bool jar_added;                             // on the bootstrap class path
    char temporary_jar[4096];                   // a file that we made and will remove; empty: none
} runtime;

static bool fail(JNIEnv *jni, char *reason, size_t size, const char *what, const char *why) {
    if (jni != NULL) (*jni)->ExceptionClear(jni);
    if (what == NULL)
        snprintf(reason, size, "%s", why);
    else
        snprintf(reason, size, "%s: %s", what, why);
    return false;
}

const char *instr_runtime_package(enum instr_delivery delivery) {
    return delivery == INSTR_DELIVERY_DIRECT ? "java/lang/" : "instr/runtime/";
}

const char *instr_runtime_package_used(void) {
    return instr_runtime_package(runtime.delivery);
}

const char *instr_runtime_current_package(void) {
    return runtime.started ? instr_runtime_package(runtime.delivery) : "";
}

// Before version 9 the function tables of JVM TI and JNI are shorter, or have no functions in the
// places of those for modules. These places must not be read.
static bool has_modules(JNIEnv *jni) {
    return (*jni)->GetVersion(jni) >= JNI_9;
}

// Which variant of the classes that the runtime has several class files of.
static enum instr_runtime_variant variant(JNIEnv *jni, enum instr_delivery delivery) {
    if (!runtime.has_modules) return INSTR_RUNTIME_JDK8;
    if (delivery != INSTR_DELIVERY_DIRECT) return INSTR_RUNTIME_JDK11;
    jclass thread = (*jni)->FindClass(jni, "java/lang/Thread");
    bool has_carriers =
        thread != NULL && (*jni)->GetStaticMethodID(jni, thread, "currentCarrierThread",
                                                    "()Ljava/lang/Thread;") != NULL;
    (*jni)->ExceptionClear(jni);
    return has_carriers ? INSTR_RUNTIME_JDK19 : INSTR_RUNTIME_JDK11;
}

// Classes that only some passes call are defined with the first of these passes: each class takes
// time at the start and memory. How the names of a group's classes begin; the first is that of the group.
// All others but InstrNative count calls, which all groups need but those that do not count.
static const struct {
    const char *prefixes[3];
    bool counts;
} groups[] = {
    {{"InstrAlloc"}, true},
    {{"InstrExceptions", "InstrFlight"}, true},
    {{"InstrKitFailure", "InstrKitNote"}, false},
    {{"InstrKitNesting", "InstrKitSlot", "InstrUnsafe"}, false},
    {{"InstrKitRuns"}, false},
    {{"InstrKitThread", "InstrUnsafe"}, false},
    {{"InstrPlugin"}, true},
    {{"InstrRule"}, true},
    {{"InstrSampling"}, true},
    {{"InstrTests"}, true},
    {{"InstrWatch"}, true},
};
enum { GROUPS = sizeof groups / sizeof *groups, COUNTERS = GROUPS, ALWAYS };

static bool is_of(const char *simple_name, size_t group) {
    for (size_t i = 0; i < 3 && groups[group].prefixes[i]; i++)
        if (strncmp(simple_name, groups[group].prefixes[i], strlen(groups[group].prefixes[i])) == 0)
            return true;
    return false;
}

// The first group with the class.
static size_t group_of(const char *simple_name) {
    size_t i = 0;
    if (strcmp(simple_name, "InstrNative") == 0) return ALWAYS;
    while (i < GROUPS && !is_of(simple_name, i)) i++;
    return i;
}

static bool is_needed(const struct instr_runtime_class *class, enum instr_delivery delivery,
                      size_t group) {
    const char *simple = strrchr(class->name, '/') + 1;
    bool of_group = group < GROUPS ? is_of(simple, group)
                                   : group_of(simple) == group ||
                                         (group == COUNTERS && strcmp(simple, "InstrUnsafe") == 0);
    if (class->delivery != delivery || !of_group) return false;
    return class->variant == INSTR_RUNTIME_ANY || class->variant == runtime.variant;
}

static void find_basic_classes(struct instr_threads_classes *classes, const char *name,
                               jclass class) {
    const char *simple = strrchr(name, '/') + 1;
    if (strcmp(simple, "InstrNative") == 0) classes->natives = class;
    if (strcmp(simple, "InstrThreads") == 0) classes->threads = class;
}

static void remember(JNIEnv *jni, const struct instr_runtime_class *class, jclass defined) {
    size_t i = (size_t)(class - instr_runtime_classes);
    if (!runtime.classes)
        runtime.classes = calloc(instr_runtime_classes_count, sizeof *runtime.classes);
    if (runtime.classes) runtime.classes[i] = (*jni)->NewGlobalRef(jni, defined);
}

jclass instr_runtime_class(const char *simple_name) {
    for (size_t i = 0; runtime.classes && i < instr_runtime_classes_count; i++)
        if (runtime.classes[i] != NULL &&
            strcmp(strrchr(instr_runtime_classes[i].name, '/') + 1, simple_name) == 0)
            return runtime.classes[i];
    return NULL;
}

// The class as an attempt to start has defined it that failed later.
static jclass remembered(const struct instr_runtime_class *class) {
    return runtime.classes ? runtime.classes[class - instr_runtime_classes] : NULL;
}

// Is an OutOfMemoryError pending?
static bool is_out_of_memory(JNIEnv *jni) {
    jthrowable thrown = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    jclass error = thrown ? (*jni)->FindClass(jni, "java/lang/OutOfMemoryError") : NULL;
    bool is = error != NULL && (*jni)->IsInstanceOf(jni, thrown, error);
    (*jni)->ExceptionClear(jni);
    return is;
}

static bool define(JNIEnv *jni, const struct instr_runtime_class *class,
                   struct instr_threads_classes *classes, char *reason, size_t size) {
    jclass defined = remembered(class);
    if (defined == NULL) {
        defined = (*jni)->DefineClass(jni, class->name, NULL, (const jbyte *)class->bytes,
                                      (jsize) class->length);
        if (defined != NULL) remember(jni, class, defined);
    }
    if (defined != NULL) {
        find_basic_classes(classes, class->name, defined);
        return true;
    }
    const char *why = "the VM refused to define it";
    if (is_out_of_memory(jni))
        why = HEAP_FULL;
    else if ((*jni)->FindClass(jni, class->name) != NULL)
        why = "already defined by another agent";
    return fail(jni, reason, size, class->name, why);
}

// What a method of Runtime.getRuntime() says, such as freeMemory, in bytes; 0: unknown.
static jlong heap_bytes(JNIEnv *jni, const char *method) {
    jclass class = (*jni)->FindClass(jni, "java/lang/Runtime");
    jmethodID get =
        class ? (*jni)->GetStaticMethodID(jni, class, "getRuntime", "()Ljava/lang/Runtime;") : NULL;
    jmethodID call = get ? (*jni)->GetMethodID(jni, class, method, "()J") : NULL;
    jobject its = call ? (*jni)->CallStaticObjectMethod(jni, class, get) : NULL;
    jlong bytes = its && !(*jni)->ExceptionCheck(jni) ? (*jni)->CallLongMethod(jni, its, call) : 0;
    (*jni)->ExceptionClear(jni);
    return bytes;
}

// Has the heap room for the runtime? If the initialization of a class fails for want of memory, the
// class can never be used again in this JVM: nothing is begun then. Where little is free, only
// trying shows it, which takes some 0.3 ms.
static bool heap_has_room(JNIEnv *jni) {
    enum { PIECES = 8, PIECE = 64 * 1024 }; // the runtime needs about half of it
    if (heap_bytes(jni, "freeMemory") >= 4 * PIECES * PIECE) return true;
    bool has = (*jni)->PushLocalFrame(jni, PIECES + 1) == 0;
    bool pushed = has;
    for (int i = 0; i < PIECES && has; i++) has = (*jni)->NewByteArray(jni, PIECE) != NULL;
    (*jni)->ExceptionClear(jni);
    if (pushed) (*jni)->PopLocalFrame(jni, NULL);
    return has;
}

// Is the file the jar, byte for byte?
static bool is_our_jar(const char *path) {
    FILE *file = fopen(path, "rbe");
    if (file == NULL) return false;
    unsigned char *content = malloc(instr_runtime_jar_size + 1);
    bool same = content != NULL &&
                fread(content, 1, instr_runtime_jar_size + 1, file) == instr_runtime_jar_size &&
                memcmp(content, instr_runtime_jar, instr_runtime_jar_size) == 0;
    free(content);
    fclose(file);
    return same;
}

static void remove_temporary_jar(void) {
    if (runtime.temporary_jar[0] == '\0') return;
    unlink(runtime.temporary_jar);
    *strrchr(runtime.temporary_jar, '/') = '\0';
    rmdir(runtime.temporary_jar);
    runtime.temporary_jar[0] = '\0';
}

// Writes the jar to a new directory that only this user can enter. False: errno is set.
static bool write_jar(char *path, size_t size) {
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] != '/') folder = "/tmp";
    int length = snprintf(path, size, "%s/instr-XXXXXX", folder);
    if (length < 0 || (size_t)length + sizeof "/" JAR_NAME > size || mkdtemp(path) == NULL)
        return false;
    strcat(path, "/" JAR_NAME);
    snprintf(runtime.temporary_jar, sizeof runtime.temporary_jar, "%s", path);
    atexit(remove_temporary_jar);
    FILE *file = fopen(path, "wbxe");
    if (file == NULL) return false;
    size_t written = fwrite(instr_runtime_jar, 1, instr_runtime_jar_size, file);
    return fclose(file) == 0 && written == instr_runtime_jar_size;
}

static bool find_jar(const char *library, char *path, size_t size) {
    const char *slash = library == NULL ? NULL : strrchr(library, '/');
    if (slash != NULL) {
        int length = snprintf(path, size, "%.*s/%s", (int)(slash - library), library, JAR_NAME);
        if (length > 0 && (size_t)length < size && is_our_jar(path)) return true;
    }
    return write_jar(path, size);
}

// Class.getModule() as a local reference.
static jobject module_of(JNIEnv *jni, jclass class) {
    jclass meta = (*jni)->GetObjectClass(jni, class);
    jmethodID get = (*jni)->GetMethodID(jni, meta, "getModule", "()Ljava/lang/Module;");
    jobject module = get == NULL ? NULL : (*jni)->CallObjectMethod(jni, class, get);
    return (*jni)->ExceptionCheck(jni) ? NULL : module;
}

// Adds a read edge for linking, without the objects by which Module.canRead would know it: the
// classes of those are not in the JDK's archive. False: this JDK does not have the method.
static bool add_reads(JNIEnv *jni, jobject from, jobject to) {
    jclass module = (*jni)->GetObjectClass(jni, from);
    jmethodID add = (*jni)->GetStaticMethodID(jni, module, "addReads0",
                                              "(Ljava/lang/Module;Ljava/lang/Module;)V");
    if (add) (*jni)->CallStaticVoidMethod(jni, module, add, from, to);
    bool added = add && !(*jni)->ExceptionCheck(jni);
    (*jni)->ExceptionClear(jni);
    return added;
}

// Lets java.base call InstrNative, which is in the bootstrap loader's unnamed module. With path
// delivery, lets the unnamed module use Unsafe.
static bool connect_modules(jvmtiEnv *jvmti, JNIEnv *jni, enum instr_delivery delivery,
                            jclass natives) {
    jclass object = (*jni)->FindClass(jni, "java/lang/Object");
    jobject base = object == NULL ? NULL : module_of(jni, object);
    jobject unnamed = base == NULL ? NULL : module_of(jni, natives);
    if (unnamed == NULL) return false;
    runtime.unnamed_module = (*jni)->NewGlobalRef(jni, unnamed);
    if (delivery == INSTR_DELIVERY_DIRECT && add_reads(jni, base, unnamed))
        return runtime.unnamed_module != NULL;
    jvmtiError error = delivery == INSTR_DELIVERY_DIRECT
                           ? (*jvmti)->AddModuleReads(jvmti, base, unnamed)
                           : (*jvmti)->AddModuleExports(jvmti, base, "jdk.internal.misc", unnamed);
    return runtime.unnamed_module != NULL && error == JVMTI_ERROR_NONE;
}

// Class.forName: `loader` finds the class (NULL: the bootstrap loader). FindClass would initialize it
// (InstrThreads before its natives are registered) and ask other loaders.
static jclass load(JNIEnv *jni, const char *internal_name, jobject loader) {
    jclass meta = (*jni)->FindClass(jni, "java/lang/Class");
    if (meta == NULL) return NULL;
    jmethodID for_name = (*jni)->GetStaticMethodID(
        jni, meta, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    if (for_name == NULL) return NULL;
    char name[256];
    snprintf(name, sizeof name, "%s", internal_name);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '/') *c = '.';
    jstring string = (*jni)->NewStringUTF(jni, name);
    if (string == NULL) return NULL;
    jclass loaded = (*jni)->CallStaticObjectMethod(jni, meta, for_name, string, JNI_FALSE, loader);
    return (*jni)->ExceptionCheck(jni) ? NULL : loaded;
}

// ClassLoader.getSystemClassLoader(), if its class is the JDK's; otherwise NULL.
static jobject own_system_loader(jvmtiEnv *jvmti, JNIEnv *jni) {
    jclass loaders = (*jni)->FindClass(jni, "java/lang/ClassLoader");
    jmethodID get = loaders == NULL
                        ? NULL
                        : (*jni)->GetStaticMethodID(jni, loaders, "getSystemClassLoader",
                                                    "()Ljava/lang/ClassLoader;");
    jobject loader = get == NULL ? NULL : (*jni)->CallStaticObjectMethod(jni, loaders, get);
    jobject its_loader = NULL;
    if (loader == NULL || (*jni)->ExceptionCheck(jni) ||
        (*jvmti)->GetClassLoader(jvmti, (*jni)->GetObjectClass(jni, loader), &its_loader) !=
            JVMTI_ERROR_NONE)
        return NULL;
    return its_loader == NULL ? loader : NULL;
}

void instr_runtime_introduce(jvmtiEnv *jvmti, JNIEnv *jni, const char *simple_name) {
    if (simple_name == NULL || (*jni)->PushLocalFrame(jni, 16) != 0) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    char name[64];
    snprintf(name, sizeof name, "%s%s", instr_runtime_current_package(), simple_name);
    jobject loader = own_system_loader(jvmti, jni);
    if (loader != NULL) load(jni, name, loader);
    (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
}

bool instr_runtime_found_by(JNIEnv *jni, jobject loader, const char *internal_name) {
    if ((*jni)->PushLocalFrame(jni, 8) != 0) {
        (*jni)->ExceptionClear(jni);
        return false;
    }
    bool found = load(jni, internal_name, loader) != NULL;
    (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    return found;
}

static bool add_jar(jvmtiEnv *jvmti, JNIEnv *jni, const char *library, char *reason, size_t size) {
    char path[4096];
    if (runtime.jar_added) return true;
    if (!find_jar(library, path, sizeof path))
        return fail(jni, reason, size, path, "cannot be written");
    if ((*jvmti)->AddToBootstrapClassLoaderSearch(jvmti, path) != JVMTI_ERROR_NONE)
        return fail(jni, reason, size, path, "the VM refuses it on its bootstrap class path");
    runtime.jar_added = true;
    return true;
}

static bool get_classes(JNIEnv *jni, enum instr_delivery delivery, size_t group,
                        struct instr_threads_classes *classes, char *reason, size_t size) {
    for (size_t i = 0; i < instr_runtime_classes_count; i++) {
        const struct instr_runtime_class *class = &instr_runtime_classes[i];
        if (!is_needed(class, delivery, group)) continue;
        if (runtime.early && strcmp(class->name, EARLY_CLASS) == 0) continue;
        if (class->bytes != NULL) {
            if (!define(jni, class, classes, reason, size)) return false;
            continue;
        }
        jclass loaded = load(jni, class->name, NULL);
        if (loaded == NULL)
            return fail(jni, reason, size, class->name,
                        is_out_of_memory(jni) ? HEAP_FULL : "cannot be loaded");
        find_basic_classes(classes, class->name, loaded);
        remember(jni, class, loaded);
    }
    return true;
}

// Initializes a class now, so that the first instrumented method does not have to.
static bool initialize(JNIEnv *jni, const char *package, const char *simple) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", package, simple);
    jclass class = (*jni)->FindClass(jni, name);
    return class != NULL &&
           (*jni)->GetStaticMethodID(jni, class, "thrown",
                                     strcmp(simple, "InstrCalls") == 0 ? "(I)V" : "(JJI)V") != NULL;
}

// Handlers of the runtime call it, and may do so for the first time while the heap is full: HotSpot
// could neither link it then nor load what it refers to.
static bool prepare_failures(JNIEnv *jni) {
    jclass class = instr_runtime_class("InstrFailure");
    jclass throwable = (*jni)->FindClass(jni, "java/lang/Throwable");
    jobject nothing = throwable != NULL ? (*jni)->AllocObject(jni, throwable) : NULL;
    jmethodID drop = class != NULL && nothing != NULL
                         ? (*jni)->GetStaticMethodID(jni, class, "drop", "(Ljava/lang/Throwable;)V")
                         : NULL;
    if (drop == NULL) return false;
    (*jni)->CallStaticVoidMethod(jni, class, drop, nothing);
    return !(*jni)->ExceptionCheck(jni);
}

// From now on the wrappers of native methods count.
static bool switch_natives_on(JNIEnv *jni, const char *package) {
    char name[64];
    snprintf(name, sizeof name, "%sInstrNatives", package);
    jclass class = (*jni)->FindClass(jni, name);
    jfieldID on = class == NULL ? NULL : (*jni)->GetStaticFieldID(jni, class, "on", "Z");
    if (on == NULL) return false;
    (*jni)->SetStaticBooleanField(jni, class, on, JNI_TRUE);
    return true;
}

static jlong JNICALL native_tick(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    return (jlong)(intptr_t)instr_ticks();
}

static bool register_natives(JNIEnv *jni, jclass natives) {
    static char failed[] = "failed",
                failed_descriptor[] = "(ILjava/lang/String;Ljava/lang/String;)V", say[] = "say",
                say_descriptor[] = "(Ljava/lang/String;)V", tick[] = "tick",
                tick_descriptor[] = "()J";
    const JNINativeMethod methods[] = {{failed, failed_descriptor, (void *)instr_failures_native},
                                       {say, say_descriptor, (void *)instr_failures_say},
                                       {tick, tick_descriptor, (void *)native_tick}};
    return (*jni)->RegisterNatives(jni, natives, methods, 3) == 0;
}

// For the counters of all threads where no memory= is given. A thread takes 32 bytes for each method near
// those that it calls, as does a server's each worker; what has no room takes ten times as long to count.
static size_t usual_budget(JNIEnv *jni) {
    const jlong least = 8 << 20, most = 128 << 20, part = heap_bytes(jni, "maxMemory") / 8;
    return (size_t)(part < least ? least : part < most ? part : most);
}

// What counts calls, and what else needs the counters of threads.
static bool start_counters(JNIEnv *jni, char *reason, size_t size) {
    const char *package = instr_runtime_package(runtime.delivery);
    struct instr_threads_classes classes = {.natives = instr_runtime_class("InstrNative")};
    if (!classes.natives) return fail(jni, reason, size, NULL, "out of memory");
    if (!heap_has_room(jni)) return fail(jni, reason, size, NULL, HEAP_FULL);
    if (!get_classes(jni, runtime.delivery, COUNTERS, &classes, reason, size)) return false;
    const char *failed = instr_threads_start(
        jni, &classes, runtime.page_budget ? runtime.page_budget : usual_budget(jni));
    if (failed != NULL) return fail(jni, reason, size, NULL, failed);
    runtime.threads = (*jni)->NewGlobalRef(jni, classes.threads);
    if (!initialize(jni, package, "InstrCalls") || !initialize(jni, package, "InstrTiming") ||
        !prepare_failures(jni) || !switch_natives_on(jni, package))
        return fail(jni, reason, size, package, "the classes cannot be initialized");
    return true;
}

static bool add(JNIEnv *jni, size_t group, char *reason, size_t size) {
    struct instr_threads_classes ignored = {0};
    if (!runtime.counts && (group >= GROUPS || groups[group].counts)) {
        runtime.counts = start_counters(jni, reason, size);
        if (!runtime.counts) return false;
    }
    if (group >= GROUPS || runtime.groups >> group & 1) return true;
    if (!get_classes(jni, runtime.delivery, group, &ignored, reason, size)) return false;
    runtime.groups |= 1U << group;
    return true;
}

bool instr_runtime_add(JNIEnv *jni, const char *simple_name, char *reason, size_t size) {
    size_t group = simple_name ? group_of(simple_name) : COUNTERS;
    if ((*jni)->PushLocalFrame(jni, 64) != 0) return fail(jni, reason, size, NULL, "out of memory");
    bool added = add(jni, group, reason, size);
    (*jni)->PopLocalFrame(jni, NULL);
    return added;
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_runtime_config *config,
                  char *reason, size_t size) {
    struct instr_threads_classes classes = {0};
    if (config->delivery == INSTR_DELIVERY_PATH &&
        !add_jar(jvmti, jni, config->library, reason, size))
        return false;
    if (!get_classes(jni, config->delivery, ALWAYS, &classes, reason, size)) return false;
    if (runtime.has_modules && !connect_modules(jvmti, jni, config->delivery, classes.natives))
        return fail(jni, reason, size, "java.base",
                    "its module cannot be connected to the runtime");
    if (!register_natives(jni, classes.natives))
        return fail(jni, reason, size, "InstrNative", "its natives cannot be registered");
    return true;
}

bool instr_runtime_start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_runtime_config *config,
                         char *reason, size_t size) {
    if (runtime.started) {
        if (runtime.delivery == config->delivery) return true;
        return fail(
            jni, reason, size, "runtime",
            runtime.delivery == INSTR_DELIVERY_PATH
                ? "it is already loaded as runtime=path, which cannot change while the JVM runs"
                : "it is already loaded as runtime=direct, which cannot change while the JVM runs");
    }
    if ((*jni)->PushLocalFrame(jni, 64) != 0) return fail(jni, reason, size, NULL, "out of memory");
    runtime.page_budget = config->page_budget;
    runtime.has_modules = has_modules(jni);
    runtime.delivery = config->delivery;
    runtime.variant = variant(jni, config->delivery);
    runtime.started = start(jvmti, jni, config, reason, size);
    (*jni)->PopLocalFrame(jni, NULL);
    return runtime.started;
}

bool instr_runtime_started(void) {
    return runtime.started;
}

// Long calls that are running now will not be counted when they end.
static void forget_long_calls(JNIEnv *jni) {
    jfieldID since = (*jni)->GetStaticFieldID(jni, runtime.threads, "since", "J");
    if (since != NULL)
        (*jni)->SetStaticLongField(jni, runtime.threads, since, (jlong)instr_clock_now());
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
}

void instr_runtime_release(JNIEnv *jni) {
    if (!runtime.counts) return;
    forget_long_calls(jni);
    instr_threads_release();
    instr_records_reset();
    instr_snapshot_cleared(0, UINT32_MAX);
}

void instr_runtime_forget(JNIEnv *jni, const struct instr_methods *methods, unsigned pass,
                          bool timed) {
    if (!runtime.counts) return;
    if (timed) forget_long_calls(jni);
    instr_threads_drain();
    for (int id = 0, n = instr_methods_count(methods); id < n;) {
        int from = id;
        while (id < n && instr_methods_get(methods, id).pass == pass) id++;
        if (id > from) {
            instr_threads_forget((uint32_t)from, (uint32_t)id);
            instr_records_forget((uint32_t)from, (uint32_t)id);
            instr_snapshot_cleared((uint32_t)from, (uint32_t)id);
        }
        while (id < n && instr_methods_get(methods, id).pass != pass) id++;
    }
}

void instr_give_back_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

bool instr_runtime_start_early(jvmtiEnv *jvmti, JNIEnv *jni, const char *library, char *reason,
                               size_t size) {
    struct instr_threads_classes classes = {0};
    if (jni == NULL) return runtime.early = add_jar(jvmti, jni, library, reason, size);
    for (size_t i = 0; i < instr_runtime_classes_count && !runtime.early; i++)
        if (strcmp(instr_runtime_classes[i].name, EARLY_CLASS) == 0)
            runtime.early = define(jni, &instr_runtime_classes[i], &classes, reason, size);
    return runtime.early;
}

static bool is_open(JNIEnv *jni, jobject module, jint hash) {
    jweak known = atomic_load(&runtime.open_modules[hash & (KNOWN_MODULES - 1)]);
    return known != NULL && (*jni)->IsSameObject(jni, known, module);
}

static void remember_open(JNIEnv *jni, jobject module, jint hash) {
    jweak weak = (*jni)->NewWeakGlobalRef(jni, module);
    if (weak == NULL) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    // The first module keeps its place: a reference removed here could be in use by another thread.
    // Another module with the same place is opened again each time, which is harmless.
    jweak none = NULL;
    if (!atomic_compare_exchange_strong(&runtime.open_modules[hash & (KNOWN_MODULES - 1)], &none,
                                        weak))
        (*jni)->DeleteWeakGlobalRef(jni, weak);
}

static bool open_module(jvmtiEnv *jvmti, JNIEnv *jni, jobject module) {
    jint hash = 0;
    if ((*jvmti)->GetObjectHashCode(jvmti, module, &hash) != JVMTI_ERROR_NONE) return false;
    if (is_open(jni, module, hash)) return true;
    if ((*jvmti)->AddModuleReads(jvmti, module, runtime.unnamed_module) != JVMTI_ERROR_NONE)
        return false;
    remember_open(jni, module, hash);
    return true;
}

bool instr_runtime_open_module(jvmtiEnv *jvmti, JNIEnv *jni, jobject loader,
                               const char *class_name) {
    if (runtime.delivery == INSTR_DELIVERY_DIRECT || !runtime.has_modules) return true;
    char package[512];
    const char *slash = strrchr(class_name, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - class_name);
    if (length >= sizeof package) return false;
    memcpy(package, class_name, length);
    package[length] = '\0';
    jobject module = NULL;
    if ((*jvmti)->GetNamedModule(jvmti, loader, package, &module) != JVMTI_ERROR_NONE) return false;
    if (module == NULL) return true;
    bool opened = open_module(jvmti, jni, module);
    (*jni)->DeleteLocalRef(jni, module);
    return opened;
}
