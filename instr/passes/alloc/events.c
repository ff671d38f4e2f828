// events.c: allocations that no bytecode makes
//
// JVM TI's VMObjectAlloc reports reflection, clone and other work of the VM. Native methods are seen
// by intercepting their JNI functions. HotSpot sends the event for objects of its own entry points
// (Object.clone, Array.newInstance, Unsafe.allocateInstance ...), and never for JNI functions, so no
// object is counted twice.
//
// Sites have ids and counters of their own here: inserted code does not use them.

#define _POSIX_C_SOURCE 200809L

#include "instr/passes/alloc/internal.h"

#include "instr/base/hash.h"
#include "instr/id_registry.h"
#include "instr/vm/jvmti.h"
#include "instr/options.h"
#include "instr/engine/display_name.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 1024
#define CHUNKS (INSTR_METHODS_MAX / CHUNK)
#define FRAMES 16 // searched for one that has bytecode
#define FIRST 2   // of these are looked at first, and nearly always enough
#define CACHED 64 // sites that a thread caches

// What an object here costs: 1,100 ns where it is often counted, 4,000 as a JVM starts.
#define OBJECT_NS 2000

struct counter {
    atomic_uint_fast64_t count, bytes;
};

static struct {
    struct instr_methods *sites;
    struct counter *_Atomic counters[CHUNKS];
    pthread_mutex_t mutex;        // for adding counters
    atomic_uint_fast64_t objects; // so far, whether their counts were reset or not
    atomic_bool active;
    bool intercepted;
} vm = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// A cache of a thread: sites by method, location and class.
struct cached {
    jmethodID method;
    jlocation location;
    uint64_t class_hash;
    int id;
};
static _Thread_local struct cached cache[CACHED];
static _Thread_local bool busy; // in this file: its own allocations do not count

// --- sites ---

static struct counter *counter_of(int id) {
    struct counter *_Atomic *place = &vm.counters[id / CHUNK];
    struct counter *chunk = atomic_load_explicit(place, memory_order_acquire);
    if (chunk == NULL) {
        pthread_mutex_lock(&vm.mutex);
        chunk = atomic_load(place);
        if (chunk == NULL && (chunk = calloc(CHUNK, sizeof *chunk)) != NULL)
            atomic_store_explicit(place, chunk, memory_order_release);
        pthread_mutex_unlock(&vm.mutex);
    }
    return chunk == NULL ? NULL : &chunk[id % CHUNK];
}

static void release(void *memory) {
    if (memory != NULL) (*instr_alloc.jvmti)->Deallocate(instr_alloc.jvmti, memory);
}

char *instr_alloc_name_of(char *signature) {
    size_t length = strlen(signature);
    if (signature[0] == 'L' && length > 1) {
        signature[length - 1] = '\0';
        signature++;
    }
    instr_normalize_generated_name(signature);
    return signature;
}

char *instr_alloc_declaring_class(JNIEnv *jni, jmethodID method, char **to_release) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jclass class = NULL;
    *to_release = NULL;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE) return NULL;
    jvmtiError error = (*jvmti)->GetClassSignature(jvmti, class, to_release, NULL);
    instr_alloc.jni->DeleteLocalRef(jni, class);
    return error == JVMTI_ERROR_NONE ? instr_alloc_name_of(*to_release) : NULL;
}

// The id of a site; -1: there are no more ids, or the site is in the runtime, whose objects do not
// count. `detail`: the class of the object.
static int site_of(JNIEnv *jni, const jvmtiFrameInfo *frame, const char *detail) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    char *memory = NULL, *name = NULL, *descriptor = NULL;
    const char *class_name = "", *method = "", *signature = "";
    if (frame->method != NULL && (*jvmti)->GetMethodName(jvmti, frame->method, &name, &descriptor,
                                                         NULL) == JVMTI_ERROR_NONE) {
        const char *found = instr_alloc_declaring_class(jni, frame->method, &memory);
        if (found != NULL) class_name = found;
        method = name;
        signature = descriptor;
    }
    if (instr_scope_is_ours(class_name, strlen(class_name))) {
        release(name);
        release(descriptor);
        release(memory);
        return -1;
    }
    struct instr_site site = {
        .pc = frame->location < 0 ? UINT32_MAX : (uint32_t)frame->location,
        .line = frame->method == NULL ? 0 : instr_jvmti_line(jvmti, frame->method, frame->location),
        .detail = detail,
        .detail_length = strlen(detail),
    };
    struct instr_methods_cursor cursor =
        instr_methods_begin(vm.sites, class_name, strlen(class_name));
    int id = instr_methods_site_next(vm.sites, 0, &cursor, method, strlen(method), signature,
                                     strlen(signature), &site);
    release(name);
    release(descriptor);
    release(memory);
    return id;
}

static int cached_site(JNIEnv *jni, const jvmtiFrameInfo *frame, const char *detail) {
    uint64_t hash = instr_hash(detail, strlen(detail), 0);
    uint64_t key = hash ^ (uint64_t)(uintptr_t)frame->method ^ (uint64_t)frame->location << 7;
    struct cached *c = &cache[(key ^ key >> 17) % CACHED];
    if (c->method == frame->method && c->location == frame->location && c->class_hash == hash &&
        hash != 0)
        return c->id;
    int id = site_of(jni, frame, detail);
    if (id >= 0) *c = (struct cached){frame->method, frame->location, hash, id};
    return id;
}

void instr_alloc_vm_count(JNIEnv *jni, const jvmtiFrameInfo *frame, jclass class, int64_t bytes) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    char *signature = NULL;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE) return;
    int id = cached_site(jni, frame, instr_alloc_name_of(signature));
    struct counter *counter = id < 0 ? NULL : counter_of(id);
    release(signature);
    if (counter == NULL) return;
    atomic_fetch_add_explicit(&vm.objects, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counter->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counter->bytes, (uint64_t)bytes, memory_order_relaxed);
}

// --- the event ---

// The nearest frame with bytecode, which called the native methods above it. Without one, the
// outermost frame that was searched.
static jvmtiFrameInfo nearest_bytecode(const jvmtiFrameInfo *frames, jint n) {
    jvmtiFrameInfo none = {NULL, -1};
    for (jint i = 0; i < n; i++)
        if (frames[i].location >= 0) return frames[i];
    return n == 0 ? none : frames[n - 1];
}

// The top of the stack, at least as far down as the first frame with bytecode that is of no allocating callee. Returns the
// number of frames. Each costs time, and its method gets a jmethodID, so there are few if these are enough.
static jint top_frames(jvmtiFrameInfo *frames) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jint n = 0;
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, FIRST, frames, &n) != JVMTI_ERROR_NONE) return 0;
    for (jint i = 0; i < n; i++)
        if (frames[i].location >= 0 && !instr_alloc_is_callee(frames[i].method)) return n;
    if (n < FIRST) return n;
    return (*jvmti)->GetStackTrace(jvmti, NULL, 0, FRAMES, frames, &n) == JVMTI_ERROR_NONE ? n : 0;
}

static bool is_clone(jmethodID method) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    char *name = NULL;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) != JVMTI_ERROR_NONE) return false;
    bool is = strcmp(name, "clone") == 0;
    release(name);
    return is;
}

static bool is_array(jclass class) {
    jboolean array = JNI_FALSE;
    return (*instr_alloc.jvmti)->IsArrayClass(instr_alloc.jvmti, class, &array) ==
               JVMTI_ERROR_NONE &&
           array;
}

// VMObjectAlloc (JVM TI 11.2.38). The object is null if it is a value object.
static void JNICALL on_vm_alloc(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object,
                                jclass class, jlong size) {
    (void)jvmti, (void)thread, (void)object;
    jvmtiFrameInfo frames[FRAMES];
    if (busy || !atomic_load_explicit(&vm.active, memory_order_relaxed)) return;
    busy = true;
    jint n = top_frames(frames);
    // Object's constructor will count the object. A clone runs no constructor.
    bool counted_later = instr_alloc.options.track_object && !is_array(class) &&
                         !(n > 0 && is_clone(frames[0].method));
    if (!counted_later && !instr_alloc_is_counted(jni, frames, n)) {
        jvmtiFrameInfo frame = nearest_bytecode(frames, n);
        instr_alloc_vm_count(jni, &frame, class, size);
    }
    busy = false;
}

// --- JNI ---

// In JDK 8 and 11 Unsafe.allocateInstance is a native method whose result inserted code may count.
static bool is_counted(JNIEnv *jni, jmethodID native) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jvmtiFrameInfo frames[FRAMES];
    jint n = 0;
    return instr_alloc_is_callee(native) &&
           (*jvmti)->GetStackTrace(jvmti, NULL, 0, FRAMES, frames, &n) == JVMTI_ERROR_NONE &&
           instr_alloc_is_counted(jni, frames, n);
}

// Counts an object that a JNI function made. The site is the native method that called it.
static void made(JNIEnv *jni, jobject object) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jvmtiFrameInfo frame = {NULL, -1};
    if (object == NULL || busy || !atomic_load_explicit(&vm.active, memory_order_relaxed)) return;
    busy = true;
    if ((*jvmti)->GetFrameLocation(jvmti, NULL, 0, &frame.method, &frame.location) !=
        JVMTI_ERROR_NONE)
        frame = (jvmtiFrameInfo){NULL, -1};
    if (is_counted(jni, frame.method)) {
        busy = false;
        return;
    }
    jclass class = instr_alloc.jni->GetObjectClass(jni, object);
    if (class != NULL) {
        instr_alloc_vm_count(jni, &frame, class, instr_alloc_size_of(object));
        instr_alloc.jni->DeleteLocalRef(jni, class);
    }
    busy = false;
}

// The same for an object whose constructor has run.
static void constructed(JNIEnv *jni, jobject object) {
    if (!instr_alloc.options.track_object) made(jni, object);
}

static jfieldID string_value;

// Counts a string and its array.
static void made_string(JNIEnv *jni, jstring string) {
    made(jni, string);
    if (string == NULL || string_value == NULL || busy) return;
    jobject value = instr_alloc.jni->GetObjectField(jni, string, string_value);
    made(jni, value);
    instr_alloc.jni->DeleteLocalRef(jni, value);
}

static jobject JNICALL alloc_object(JNIEnv *jni, jclass class) {
    jobject object = instr_alloc.jni->AllocObject(jni, class);
    made(jni, object);
    return object;
}

static jobject JNICALL new_object_v(JNIEnv *jni, jclass class, jmethodID method, va_list args) {
    jobject object = instr_alloc.jni->NewObjectV(jni, class, method, args);
    constructed(jni, object);
    return object;
}

static jobject JNICALL new_object(JNIEnv *jni, jclass class, jmethodID method, ...) {
    va_list args;
    va_start(args, method);
    jobject object = new_object_v(jni, class, method, args);
    va_end(args);
    return object;
}

static jobject JNICALL new_object_a(JNIEnv *jni, jclass class, jmethodID method,
                                    const jvalue *args) {
    jobject object = instr_alloc.jni->NewObjectA(jni, class, method, args);
    constructed(jni, object);
    return object;
}

static jstring JNICALL new_string(JNIEnv *jni, const jchar *chars, jsize length) {
    jstring string = instr_alloc.jni->NewString(jni, chars, length);
    made_string(jni, string);
    return string;
}

static jstring JNICALL new_string_utf(JNIEnv *jni, const char *bytes) {
    jstring string = instr_alloc.jni->NewStringUTF(jni, bytes);
    made_string(jni, string);
    return string;
}

static jobjectArray JNICALL new_object_array(JNIEnv *jni, jsize length, jclass class,
                                             jobject first) {
    jobjectArray array = instr_alloc.jni->NewObjectArray(jni, length, class, first);
    made(jni, array);
    return array;
}

static jobject JNICALL new_direct_byte_buffer(JNIEnv *jni, void *address, jlong capacity) {
    jobject buffer = instr_alloc.jni->NewDirectByteBuffer(jni, address, capacity);
    constructed(jni, buffer);
    return buffer;
}

static jint JNICALL throw_new(JNIEnv *jni, jclass class, const char *message) {
    jint result = instr_alloc.jni->ThrowNew(jni, class, message);
    jthrowable thrown = result == 0 ? instr_alloc.jni->ExceptionOccurred(jni) : NULL;
    if (thrown == NULL || busy) return result;
    // No other function may be called while an exception is pending.
    instr_alloc.jni->ExceptionClear(jni);
    constructed(jni, thrown);
    instr_alloc.jni->Throw(jni, thrown);
    instr_alloc.jni->DeleteLocalRef(jni, thrown);
    return result;
}

#define PRIMITIVE_ARRAYS(ARRAY)                                                                    \
    ARRAY(Boolean, boolean)                                                                        \
    ARRAY(Byte, byte)                                                                              \
    ARRAY(Char, char)                                                                              \
    ARRAY(Short, short)                                                                            \
    ARRAY(Int, int)                                                                                \
    ARRAY(Long, long)                                                                              \
    ARRAY(Float, float)                                                                            \
    ARRAY(Double, double)

#define DEFINE(Name, name)                                                                         \
    static j##name##Array JNICALL new_##name##_array(JNIEnv *jni, jsize length) {                  \
        j##name##Array array = instr_alloc.jni->New##Name##Array(jni, length);                     \
        made(jni, array);                                                                          \
        return array;                                                                              \
    }
PRIMITIVE_ARRAYS(DEFINE)
#undef DEFINE

// --- start and stop ---

// The JNI functions that are intercepted, and their replacements.
#define INTERCEPTED(ROW)                                                                           \
    ROW(AllocObject, alloc_object)                                                                 \
    ROW(NewObject, new_object)                                                                     \
    ROW(NewObjectV, new_object_v)                                                                  \
    ROW(NewObjectA, new_object_a)                                                                  \
    ROW(NewString, new_string)                                                                     \
    ROW(NewStringUTF, new_string_utf)                                                              \
    ROW(NewObjectArray, new_object_array)                                                          \
    ROW(NewDirectByteBuffer, new_direct_byte_buffer)                                               \
    ROW(ThrowNew, throw_new)                                                                       \
    ROW(NewBooleanArray, new_boolean_array)                                                        \
    ROW(NewByteArray, new_byte_array)                                                              \
    ROW(NewCharArray, new_char_array)                                                              \
    ROW(NewShortArray, new_short_array)                                                            \
    ROW(NewIntArray, new_int_array)                                                                \
    ROW(NewLongArray, new_long_array)                                                              \
    ROW(NewFloatArray, new_float_array)                                                            \
    ROW(NewDoubleArray, new_double_array)

static void intercept(struct JNINativeInterface_ *table) {
#define SET(Name, name) table->Name = name;
    INTERCEPTED(SET)
#undef SET
}

static void restore_functions(struct JNINativeInterface_ *table,
                              const struct JNINativeInterface_ *before) {
#define SET(Name, name) table->Name = before->Name;
    INTERCEPTED(SET)
#undef SET
}

static bool all_are_ours(const struct JNINativeInterface_ *table) {
#define IS(Name, name) &&table->Name == name
    return true INTERCEPTED(IS);
#undef IS
}

// The first table of original functions is never freed, because threads may use it. Later tables
// that equal it are. Only the functions that all JVMs have are compared: JNI 1.6.
static jniNativeInterface *original_table(jniNativeInterface *now) {
    static jniNativeInterface *original;
    const size_t common = offsetof(struct JNINativeInterface_, GetObjectRefType);
    if (original != NULL && memcmp(original, now, common) == 0)
        release(now);
    else
        original = now;
    return original;
}

// The table is a copy from the VM, of its full length: entries unknown to our header are unchanged.
static bool intercept_all(jvmtiEnv *jvmti) {
    struct JNINativeInterface_ *table = NULL;
    if (vm.intercepted) return true;
    jniNativeInterface *before = NULL;
    if ((*jvmti)->GetJNIFunctionTable(jvmti, &before) != JVMTI_ERROR_NONE ||
        (*jvmti)->GetJNIFunctionTable(jvmti, &table) != JVMTI_ERROR_NONE)
        return false;
    instr_alloc.jni = original_table(before);
    intercept(table);
    jvmtiError error = (*jvmti)->SetJNIFunctionTable(jvmti, table);
    release(table);
    return vm.intercepted = error == JVMTI_ERROR_NONE;
}

static void find_string_value(JNIEnv *jni) {
    jclass string = (*jni)->FindClass(jni, "java/lang/String");
    if (string == NULL) return;
    string_value = (*jni)->GetFieldID(jni, string, "value", "[B");
    if (string_value == NULL) {
        (*jni)->ExceptionClear(jni);
        string_value = (*jni)->GetFieldID(jni, string, "value", "[C"); // JDK 8
    }
    if (string_value == NULL) (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, string);
}

const char *instr_alloc_vm_start(JNIEnv *jni) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jvmtiEventCallbacks callbacks = {.VMObjectAlloc = on_vm_alloc};
    instr_alloc_object_callbacks(&callbacks);
    if (vm.sites == NULL && (vm.sites = instr_methods_new()) == NULL) return "alloc: out of memory";
    find_string_value(jni);
    instr_alloc_dedup_start(jni);
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_OBJECT_ALLOC,
                                           NULL) != JVMTI_ERROR_NONE)
        return "alloc: the JVM does not report its own allocations";
    if (!intercept_all(jvmti))
        return "alloc: the JVM does not allow JNI functions to be intercepted";
    atomic_store(&vm.active, true);
    return NULL;
}

// Restores the original JNI functions. If another agent has intercepted one of ours, all of ours
// stay and only call the originals. Other functions that another agent has intercepted are unchanged.
static void stop_intercepting(jvmtiEnv *jvmti) {
    struct JNINativeInterface_ *now = NULL;
    if (!vm.intercepted || (*jvmti)->GetJNIFunctionTable(jvmti, &now) != JVMTI_ERROR_NONE) return;
    if (all_are_ours(now)) {
        restore_functions(now, instr_alloc.jni);
        vm.intercepted = (*jvmti)->SetJNIFunctionTable(jvmti, now) != JVMTI_ERROR_NONE;
    }
    release(now);
}

void instr_alloc_vm_stop(void) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    atomic_store(&vm.active, false);
    stop_intercepting(jvmti);
    if (jvmti != NULL)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_VM_OBJECT_ALLOC, NULL);
}

void instr_alloc_vm_forget(void) {
    int n = vm.sites == NULL ? 0 : instr_methods_count(vm.sites);
    atomic_store(&vm.objects, 0);
    for (int id = 0; id < n; id++) {
        struct counter *counter = counter_of(id);
        if (counter == NULL) continue;
        atomic_store(&counter->count, 0);
        atomic_store(&counter->bytes, 0);
    }
}

void instr_alloc_vm_each(void (*each)(void *context, const struct instr_method *site,
                                      uint64_t count, uint64_t bytes),
                         void *context, bool reset) {
    int n = vm.sites == NULL ? 0 : instr_methods_count(vm.sites);
    for (int id = 0; id < n; id++) {
        struct counter *counter = counter_of(id);
        if (counter == NULL) continue;
        uint64_t count = reset ? atomic_exchange(&counter->count, 0) : atomic_load(&counter->count),
                 bytes = reset ? atomic_exchange(&counter->bytes, 0) : atomic_load(&counter->bytes);
        struct instr_method site = instr_methods_get(vm.sites, id);
        if (count != 0 || bytes != 0) each(context, &site, count, bytes);
    }
}

uint64_t instr_alloc_vm_cost_ns(void) {
    return atomic_load_explicit(&vm.objects, memory_order_relaxed) * OBJECT_NS;
}

size_t instr_alloc_vm_bytes(void) {
    size_t bytes = vm.sites == NULL ? 0 : instr_methods_bytes(vm.sites);
    for (int i = 0; i < CHUNKS; i++)
        if (atomic_load(&vm.counters[i]) != NULL) bytes += CHUNK * sizeof(struct counter);
    return bytes;
}
