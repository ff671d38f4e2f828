// sizes.c: the sizes of objects that inserted code counts: the natives of InstrAlloc
//
// Two facts give the size of any array, whatever the header, the alignment and the width of
// references are: the offset of its elements, and the unit of sizes. Both follow from the sizes of a
// few arrays, which JVM TI gives. The size of an object is found by creating one.

#define _DEFAULT_SOURCE // for MAP_ANONYMOUS

#include "instr/passes/alloc/internal.h"

#include "instr/id_registry.h"
#include "instr/vm/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// The kinds of arrays: by the logarithm of an element's size, and arrays of references.
enum { REFERENCES = 4, KINDS };

// The longest array tried for an element's effect on the size: objects may be aligned to 256 bytes.
#define MOST_ELEMENTS 600
#define MANY_ELEMENTS 4096

static struct {
    int64_t *sizes;      // by id, see InstrAlloc.SIZES
    int64_t base[KINDS]; // the true offset, or one that gives the same sizes
    int64_t alignment;
    int reference_shift;
} layout;

int64_t instr_alloc_size_of(jobject object) {
    jlong size = 0;
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    if (object == NULL || (*jvmti)->GetObjectSize(jvmti, object, &size) != JVMTI_ERROR_NONE)
        return 0;
    return size;
}

static jobject make_array(JNIEnv *jni, int kind, jsize length, jclass object) {
    switch (kind) {
    case 0: return (*jni)->NewByteArray(jni, length);
    case 1: return (*jni)->NewCharArray(jni, length);
    case 2: return (*jni)->NewIntArray(jni, length);
    case 3: return (*jni)->NewLongArray(jni, length);
    default: return (*jni)->NewObjectArray(jni, length, object, NULL);
    }
}

// 0: out of memory.
static int64_t array_size(JNIEnv *jni, int kind, jsize length, jclass object) {
    jobject array = make_array(jni, kind, length, object);
    if (array == NULL) (*jni)->ExceptionClear(jni);
    int64_t size = instr_alloc_size_of(array);
    (*jni)->DeleteLocalRef(jni, array);
    return size;
}

// The length from which an array of the kind is larger than an empty one. 0: failed.
static jsize first_larger(JNIEnv *jni, int kind, jclass object, int64_t *empty, int64_t *larger) {
    *empty = array_size(jni, kind, 0, object);
    for (jsize length = 1; *empty != 0 && length < MOST_ELEMENTS; length++) {
        *larger = array_size(jni, kind, length, object);
        if (*larger == 0) return 0;
        if (*larger > *empty) return length;
    }
    return 0;
}

static bool measure(JNIEnv *jni) {
    int64_t empty, larger, many;
    jclass object = (*jni)->FindClass(jni, "java/lang/Object");
    if (object == NULL) return false;
    many =
        array_size(jni, REFERENCES, MANY_ELEMENTS, object) - array_size(jni, REFERENCES, 0, object);
    layout.reference_shift = many > 6 * MANY_ELEMENTS ? 3 : 2;
    for (int kind = 0; kind < KINDS; kind++) {
        jsize length = first_larger(jni, kind, object, &empty, &larger);
        if (length == 0) return false;
        int shift = kind == REFERENCES ? layout.reference_shift : kind;
        if (kind == 0) layout.alignment = larger - empty;
        // So many elements fit into the size of an empty array.
        layout.base[kind] = empty - ((int64_t)(length - 1) << shift);
    }
    return true;
}

int64_t instr_alloc_instance_size(JNIEnv *jni, jclass class) {
    const struct JNINativeInterface_ *functions = instr_alloc.jni ? instr_alloc.jni : *jni;
    jobject object = functions->AllocObject(jni, class);
    if (object == NULL) functions->ExceptionClear(jni);
    int64_t size = instr_alloc_size_of(object);
    functions->DeleteLocalRef(jni, object);
    return size > 0 ? size : -1;
}

static jobject loaded_by(JNIEnv *jni, jobject loader, const char *name) {
    const struct JNINativeInterface_ *functions = instr_alloc.jni ? instr_alloc.jni : *jni;
    if (loader == NULL) return functions->FindClass(jni, name); // in a native method of that loader
    jclass loaders = functions->FindClass(jni, "java/lang/ClassLoader");
    jmethodID find = loaders ? functions->GetMethodID(jni, loaders, "findLoadedClass",
                                                      "(Ljava/lang/String;)Ljava/lang/Class;")
                             : NULL;
    char *dotted = find ? strdup(name) : NULL;
    for (char *at = dotted; at && (at = strchr(at, '/'));) *at = '.';
    jstring string = dotted ? functions->NewStringUTF(jni, dotted) : NULL;
    free(dotted);
    // It is final, and runs no code of the loader's class.
    return string ? functions->CallObjectMethod(jni, loader, find, string) : NULL;
}

// The class whose code has called InstrAlloc, so many frames below this native method. NULL: unknown.
static jclass calling_class(jint frames) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jmethodID method;
    jlocation location;
    jclass class;
    if ((*jvmti)->GetFrameLocation(jvmti, NULL, frames, &method, &location) != JVMTI_ERROR_NONE ||
        (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE)
        return NULL;
    return class;
}

// The class that the caller of InstrAlloc.object has just instantiated, by the site's id: its code cannot name it.
static jclass instantiated(JNIEnv *jni, jint id) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jobject loader;
    jclass caller = calling_class(3); // learn, and in InstrAlloc learn and object
    if (caller == NULL || !instr_methods_has(instr_alloc.methods, id) ||
        (*jvmti)->GetClassLoader(jvmti, caller, &loader) != JVMTI_ERROR_NONE)
        return NULL;
    const char *name = instr_methods_get(instr_alloc.methods, id).detail;
    return name ? loaded_by(jni, loader, name) : NULL;
}

static jlong JNICALL native_learn(JNIEnv *jni, jclass self, jclass type, jint id) {
    (void)self;
    if ((*jni)->PushLocalFrame(jni, 16) != 0) {
        (*jni)->ExceptionClear(jni);
        return -1;
    }
    if (type == NULL) type = instantiated(jni, id);
    (*jni)->ExceptionClear(jni);
    int64_t size = type == NULL ? -1 : instr_alloc_instance_size(jni, type);
    (*jni)->PopLocalFrame(jni, NULL);
    return size;
}

static jint JNICALL native_kind(JNIEnv *jni, jclass self, jclass type, jint id) {
    struct instr_methods *methods = instr_alloc.methods;
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    char *signature = NULL;
    (void)jni, (void)self;
    if (!instr_methods_has(methods, id) ||
        (*jvmti)->GetClassSignature(jvmti, type, &signature, NULL) != JVMTI_ERROR_NONE)
        return -1;
    struct instr_method m = instr_methods_get(methods, id);
    struct instr_site site = {.pc = m.pc, .line = m.line, .detail = instr_alloc_name_of(signature)};
    site.detail_length = strlen(site.detail);
    struct instr_methods_cursor cursor =
        instr_methods_begin(methods, m.class_name, strlen(m.class_name));
    int kind = instr_methods_site_next(methods, m.pass, &cursor, m.name, strlen(m.name),
                                       m.descriptor, strlen(m.descriptor), &site);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return kind;
}

static jlong JNICALL native_inherits(JNIEnv *jni, jclass self, jclass class, jint id) {
    (void)self;
    if (class == NULL) { // super.clone() in code that cannot name it
        jclass caller = calling_class(2);
        class = caller ? (*jni)->GetSuperclass(jni, caller) : NULL;
        if (class == NULL) return -1;
    }
    int64_t inherits = instr_alloc_inherits_clone(jni, class) ? 1 : -1;
    if (id >= 0 && id < INSTR_METHODS_MAX) layout.sizes[id] = inherits;
    return inherits;
}

static jlong JNICALL native_size(JNIEnv *jni, jclass self, jobject array, jlong otherwise) {
    (void)jni, (void)self;
    int64_t size = instr_alloc_size_of(array);
    return size > 0 ? size : otherwise;
}

static jlong JNICALL native_sizes(JNIEnv *jni, jclass self) {
    (void)jni, (void)self;
    return (jlong)(intptr_t)layout.sizes;
}

static jlong JNICALL native_base(JNIEnv *jni, jclass self, jint kind) {
    (void)jni, (void)self;
    return kind >= 0 && kind < KINDS ? layout.base[kind] : 0;
}

static jint JNICALL native_reference_shift(JNIEnv *jni, jclass self) {
    (void)jni, (void)self;
    return layout.reference_shift;
}

static jlong JNICALL native_alignment(JNIEnv *jni, jclass self) {
    (void)jni, (void)self;
    return layout.alignment;
}

static jboolean JNICALL native_plain(JNIEnv *jni, jclass self) {
    (void)jni, (void)self;
    return !instr_alloc.value_objects;
}

static bool register_natives(JNIEnv *jni, jclass class) {
    const JNINativeMethod natives[] = {
        {"sizes", "()J", (void *)native_sizes},
        {"base", "(I)J", (void *)native_base},
        {"referenceShift", "()I", (void *)native_reference_shift},
        {"alignment", "()J", (void *)native_alignment},
        {"plain", "()Z", (void *)native_plain},
        {"size", "(Ljava/lang/Object;J)J", (void *)native_size},
        {"learn", "(Ljava/lang/Class;I)J", (void *)native_learn},
        {"kind", "(Ljava/lang/Class;I)I", (void *)native_kind},
        {"inherits", "(Ljava/lang/Class;I)J", (void *)native_inherits},
    };
    return (*jni)->RegisterNatives(jni, class, natives, sizeof natives / sizeof *natives) == 0;
}

const char *instr_alloc_sizes_start(JNIEnv *jni) {
    jclass natives = instr_runtime_class("InstrAllocNative"),
           alloc = instr_runtime_class("InstrAlloc");
    if (natives == NULL || alloc == NULL) return "alloc: its runtime class is missing";
    if (layout.sizes != NULL) return NULL;
    if ((*jni)->PushLocalFrame(jni, 64) != 0) return "alloc: out of memory";
    bool measured = measure(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    if (!measured) return "alloc: the JVM does not report the sizes of arrays";
    void *sizes = mmap(NULL, INSTR_METHODS_MAX * sizeof *layout.sizes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (sizes == MAP_FAILED) return "alloc: out of memory";
    layout.sizes = sizes;
    if (!register_natives(jni, natives)) return "alloc: InstrAllocNative: a method is missing";
    // GetStaticFieldID initializes the class.
    if ((*jni)->GetStaticFieldID(jni, alloc, "SIZES", "J") == NULL)
        return "alloc: InstrAlloc cannot be initialized";
    return NULL;
}
