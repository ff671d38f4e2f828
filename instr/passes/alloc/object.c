// object.c: alloc.track=object
//
// Objects are counted in the constructor of Object, as the JVM TI specification's introduction does
// ("Bytecode Instrumentation"): the constructor calls a method that does nothing until a static flag
// is set. So the objects of all classes are counted, including hidden classes and those that must
// not be instrumented.

#include "instr/passes/alloc/internal.h"

#include "classfile/edit.h"
#include "instr/vm/jvmti.h"
#include "instr/vm/runtime.h"

#include <string.h>

#define FRAMES 32

static struct {
    const char *runtime_package;
    bool inserted;
} object;

// --- the call in the constructor ---

static enum cf_status edit_constructor(struct cf_rewrite *rewrite, const struct cf_member *method) {
    char owner[128];
    struct cf_edit *edit;
    enum cf_status status = cf_edit_begin(rewrite, method, &edit);
    if (status != CF_OK) return status;
    size_t n = strlen(object.runtime_package);
    if (n + sizeof "InstrAlloc" > sizeof owner) return CF_LIMIT;
    memcpy(owner, object.runtime_package, n);
    strcpy(owner + n, "InstrAlloc");
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_local(s, CF_OP_aload, 0);
    cf_call(s, cf_callee_new(rewrite, owner, "constructed", "(Ljava/lang/Object;)V"));
    cf_insert_entry(edit, s);
    return cf_edit_commit(edit);
}

static void rewrite_object(jvmtiEnv *jvmti, const unsigned char *bytes, jint length,
                           jint *new_length, unsigned char **new_bytes) {
    struct cf_arena arena;
    struct cf_class cls;
    struct cf_rewrite rewrite;
    uint8_t *out = NULL;
    size_t out_length = 0;
    cf_arena_init(&arena);
    enum cf_status status = cf_class_open(&cls, bytes, (size_t)length, &arena);
    if (status == CF_OK) status = cf_rewrite_begin(&rewrite, &cls);
    for (uint32_t i = 0; status == CF_OK && i < cls.methods_count; i++)
        if (CF_IS(cf_member_name(&cls, &cls.methods[i]), "<init>") && cls.methods[i].code)
            status = edit_constructor(&rewrite, &cls.methods[i]);
    if (status == CF_OK && rewrite.methods_changed)
        status = cf_rewrite_encode(&rewrite, instr_jvmti_allocate, jvmti, &out, &out_length);
    if (status == CF_OK && out != NULL) {
        *new_bytes = out;
        *new_length = (jint)out_length;
        object.inserted = true;
    }
    cf_arena_free(&arena);
}

// ClassFileLoadHook of the pass's own environment. It changes Object alone, each time that an agent
// retransforms it.
static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint length,
                             const unsigned char *bytes, jint *new_length,
                             unsigned char **new_bytes) {
    (void)jni, (void)redefined, (void)loader, (void)domain;
    if (name != NULL && strcmp(name, "java/lang/Object") == 0)
        rewrite_object(jvmti, bytes, length, new_length, new_bytes);
}

void instr_alloc_object_callbacks(jvmtiEventCallbacks *callbacks) {
    callbacks->ClassFileLoadHook = on_class;
}

// --- the native that it calls ---

// Is the method a constructor of `class` or of one of its superclasses? *own: of `class`.
static bool is_constructor_of(JNIEnv *jni, jmethodID method, jclass class, bool *own) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    const struct JNINativeInterface_ *f = instr_alloc.jni;
    char *name = NULL;
    jclass declaring = NULL;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) != JVMTI_ERROR_NONE) return false;
    bool is = strcmp(name, "<init>") == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    if (!is || (*jvmti)->GetMethodDeclaringClass(jvmti, method, &declaring) != JVMTI_ERROR_NONE)
        return false;
    *own = f->IsSameObject(jni, declaring, class);
    is = f->IsAssignableFrom(jni, class, declaring);
    f->DeleteLocalRef(jni, declaring);
    return is;
}

// The frame that created the object: below the constructors from Object's to the class's own.
static jint creator(JNIEnv *jni, const jvmtiFrameInfo *frames, jint n, jclass class) {
    bool own = false, was_own = false;
    for (jint i = 0; i < n; i++) {
        if (!is_constructor_of(jni, frames[i].method, class, &own)) return i;
        if (was_own && !own) return i;
        was_own = own;
    }
    return n - 1;
}

static void JNICALL native_constructed(JNIEnv *jni, jclass self, jobject made) {
    (void)self;
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jvmtiFrameInfo frames[FRAMES], none = {NULL, -1};
    jint n = 0;
    if (made == NULL || instr_alloc.jni == NULL) return;
    jclass class = instr_alloc.jni->GetObjectClass(jni, made);
    // Above are this method, InstrAlloc.constructed, and Object's constructor.
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 2, FRAMES, frames, &n) != JVMTI_ERROR_NONE) n = 0;
    instr_alloc_vm_count(jni, n > 0 ? &frames[creator(jni, frames, n, class)] : &none, class,
                         instr_alloc_size_of(made));
    instr_alloc.jni->DeleteLocalRef(jni, class);
}

// --- start and stop ---

static void set_flag(JNIEnv *jni, jboolean on) {
    jclass alloc = instr_runtime_class("InstrAlloc");
    jfieldID flag = alloc == NULL ? NULL : (*jni)->GetStaticFieldID(jni, alloc, "tracking", "Z");
    if (flag != NULL)
        (*jni)->SetStaticBooleanField(jni, alloc, flag, on);
    else
        (*jni)->ExceptionClear(jni);
}

const char *instr_alloc_object_start(JNIEnv *jni, const char *runtime_package) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jclass natives = instr_runtime_class("InstrAllocNative"),
           of_object = (*jni)->FindClass(jni, "java/lang/Object");
    const JNINativeMethod method = {"constructed", "(Ljava/lang/Object;)V",
                                    (void *)native_constructed};
    object.runtime_package = runtime_package;
    if (natives == NULL || of_object == NULL ||
        (*jni)->RegisterNatives(jni, natives, &method, 1) != 0)
        return "alloc: InstrAllocNative: a method is missing";
    if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                           NULL) != JVMTI_ERROR_NONE ||
        (*jvmti)->RetransformClasses(jvmti, 1, &of_object) != JVMTI_ERROR_NONE || !object.inserted)
        return "alloc: the constructor of java.lang.Object cannot be instrumented";
    (*jni)->DeleteLocalRef(jni, of_object);
    set_flag(jni, JNI_TRUE);
    return NULL;
}

void instr_alloc_object_stop(JNIEnv *jni) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    if (jni == NULL || object.runtime_package == NULL) return;
    set_flag(jni, JNI_FALSE);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                       NULL);
    jclass of_object = (*jni)->FindClass(jni, "java/lang/Object");
    if (of_object != NULL) (*jvmti)->RetransformClasses(jvmti, 1, &of_object);
    (*jni)->DeleteLocalRef(jni, of_object);
}
