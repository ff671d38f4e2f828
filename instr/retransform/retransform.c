// Retransforming loaded classes in batches.

#include "instr/retransform/retransform.h"

#include "instr/vm/untouchable.h"
#include "instr/retransform/parallel.h"
#include "instr/retransform/order.h"
#include "instr/base/clock.h"

#include <stdlib.h>
#include <string.h>

// Headers of older JDKs do not have them.
#define CLASS_ATTRIBUTE_CHANGED 72
#define UNSUPPORTED_OPERATION 73

// Lcom/acme/Foo; -> com/acme/Foo, in place. NULL: an array or a primitive.
static char *internal_name(char *signature) {
    size_t n = strlen(signature);
    if (signature[0] != 'L' || n < 3) return NULL;
    signature[n - 1] = '\0';
    return signature + 1;
}

const char *instr_retransform_reason(jvmtiError error) {
    switch ((int)error) {
    case JVMTI_ERROR_UNMODIFIABLE_CLASS: return "the JVM does not let it be changed";
    case JVMTI_ERROR_INVALID_CLASS: return "it cannot be used: its initialization has failed";
    case JVMTI_ERROR_UNSUPPORTED_VERSION:
        return "its class file version is newer than the JVM, or without preview features";
    case JVMTI_ERROR_INVALID_CLASS_FORMAT: return "the JVM finds its format invalid";
    case JVMTI_ERROR_CIRCULAR_CLASS_DEFINITION:
        return "it would become its own superclass or superinterface";
    case JVMTI_ERROR_FAILS_VERIFICATION: return "it fails the JVM's verification";
    case JVMTI_ERROR_NAMES_DONT_MATCH: return "its bytes are those of a class of another name";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_ADDED:
        return "it has a method more than when it was loaded";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_DELETED:
        return "it lacks a method that it had when it was loaded";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED:
        return "its fields are others than when it was loaded";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED:
        return "its superclass or interfaces are others than when it was loaded";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED:
        return "its modifiers are others than when it was loaded";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_MODIFIERS_CHANGED:
        return "the modifiers of a method are others than when it was loaded";
    case CLASS_ATTRIBUTE_CHANGED:
        return "its nest, record or permitted subclasses are others than when it was loaded";
    case UNSUPPORTED_OPERATION: return "the JVM does not support the change";
    case JVMTI_ERROR_OUT_OF_MEMORY: return "the JVM is out of memory";
    case JVMTI_ERROR_WRONG_PHASE: return "the JVM is ending";
    case JVMTI_ERROR_MUST_POSSESS_CAPABILITY: return "this JVM cannot redefine classes";
    case JVMTI_ERROR_INTERNAL: return "the JVM failed in itself (internal error)";
    default: return "the JVM refuses to change it";
    }
}

// A class as the caller's functions are told of it.
struct named {
    char *signature;
    const char *name; // NULL: an array or a primitive, or the JVM did not tell
    jobject loader;
};

static void open_named(const struct instr_retransform *r, jclass cls, struct named *n) {
    *n = (struct named){NULL, NULL, NULL};
    if ((*r->jvmti)->GetClassSignature(r->jvmti, cls, &n->signature, NULL) != JVMTI_ERROR_NONE) {
        n->signature = NULL;
        return;
    }
    char *name = internal_name(n->signature);
    if (name && (*r->jvmti)->GetClassLoader(r->jvmti, cls, &n->loader) == JVMTI_ERROR_NONE)
        n->name = name;
}

static void close_named(const struct instr_retransform *r, struct named *n) {
    if (n->loader) (*r->jni)->DeleteLocalRef(r->jni, n->loader);
    (*r->jvmti)->Deallocate(r->jvmti, (unsigned char *)n->signature);
}

static void tell_failed(struct instr_retransform *r, jclass cls, const char *reason) {
    struct named n;
    r->refused++;
    open_named(r, cls, &n);
    if (n.name) r->failed(r->context, n.loader, n.name, reason);
    close_named(r, &n);
}

// Is it an interface that had better not be touched?
static int is_spared(struct instr_retransform *r, jclass cls) {
    enum instr_interface kind = r->running && r->skipped_interfaces
                                    ? instr_interface_of(r->jvmti, cls)
                                    : INSTR_INTERFACE_NONE;
    if (kind == INSTR_INTERFACE_NONE) return 0;
    struct named n;
    open_named(r, cls, &n);
    int yes =
        n.name && r->skipped_interfaces(r->context, n.loader, n.name, kind == INSTR_INTERFACE_CODE);
    close_named(r, &n);
    return yes;
}

static void retransform(struct instr_retransform *r, jclass *classes, jint count) {
    if (count == 0) return;
    r->begin(r->context);
    uint64_t start = instr_clock_now();
    jvmtiError error = (*r->jvmti)->RetransformClasses(r->jvmti, count, classes);
    uint64_t took = instr_clock_now() - start;
    if (took > r->longest) r->longest = took;
    r->calls++;
    r->end(r->context, error == JVMTI_ERROR_NONE, (unsigned)count);
    if ((*r->jni)->ExceptionCheck(r->jni)) (*r->jni)->ExceptionClear(r->jni);
    if (error == JVMTI_ERROR_NONE || error == JVMTI_ERROR_WRONG_PHASE) return;
    if (count == 1) {
        tell_failed(r, classes[0], instr_retransform_reason(error));
        return;
    }
    retransform(r, classes, count / 2);
    retransform(r, classes + count / 2, count - count / 2);
}

static int is_wanted(struct instr_retransform *r, jclass cls) {
    jboolean modifiable = JNI_FALSE;
    // First what costs least: of lambdas, which are not modifiable, there may be thousands.
    if ((*r->jvmti)->IsModifiableClass(r->jvmti, cls, &modifiable) != JVMTI_ERROR_NONE ||
        !modifiable)
        return 0;
    struct named n;
    open_named(r, cls, &n);
    int yes = n.name && !instr_is_anonymous(r->jvmti, cls, n.name) &&
              r->wanted(r->context, n.loader, n.name);
    close_named(r, &n);
    return yes;
}

// A class that one thread retransforms while another links it can end up with broken code, or take
// the VM down (JDK-8277444). Nothing in JNI links a class and no more; of what does in passing,
// this has the fewest effects: it makes the list of the public fields.
static jmethodID find_linking(JNIEnv *jni) {
    jclass cls = (*jni)->FindClass(jni, "java/lang/Class");
    jmethodID method = NULL;
    if (cls)
        method =
            (*jni)->GetMethodID(jni, cls, "getDeclaredFields0", "(Z)[Ljava/lang/reflect/Field;");
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, cls);
    return method;
}

// What keeps the VM from retransforming the class, whatever becomes of it; NULL: nothing that is
// known.
static const char *link_class(struct instr_retransform *r, jmethodID linking, jclass cls) {
    jint status = 0;
    if ((*r->jvmti)->GetClassStatus(r->jvmti, cls, &status) != JVMTI_ERROR_NONE) return NULL;
    if (status & JVMTI_CLASS_STATUS_ERROR)
        return instr_retransform_reason(JVMTI_ERROR_INVALID_CLASS);
    if (!linking || (status & JVMTI_CLASS_STATUS_PREPARED)) return NULL;
    jobject fields = (*r->jni)->CallObjectMethod(r->jni, cls, linking, JNI_TRUE);
    int failed = (*r->jni)->ExceptionCheck(r->jni);
    if (failed) (*r->jni)->ExceptionClear(r->jni);
    (*r->jni)->DeleteLocalRef(r->jni, fields);
    if (!failed || (*r->jvmti)->GetClassStatus(r->jvmti, cls, &status) != JVMTI_ERROR_NONE ||
        (status & JVMTI_CLASS_STATUS_PREPARED))
        return NULL;
    return "the JVM cannot link it: it, or a class that it needs, is invalid or absent";
}

// The VM refuses a whole batch for one such class, of which most servers have some: found out here
// they cost no further standstill of the VM.
static jint link_all(struct instr_retransform *r, jclass *classes, jint count) {
    jmethodID linking = r->running ? find_linking(r->jni) : NULL;
    jint usable = 0;
    for (jint i = 0; i < count; i++) {
        const char *reason = link_class(r, linking, classes[i]);
        if (reason)
            tell_failed(r, classes[i], reason);
        else if (!is_spared(r, classes[i]))
            classes[usable++] = classes[i];
    }
    return usable;
}

static jint batch_of(const struct instr_retransform *r) {
    return r->batch ? (jint)r->batch : INSTR_BATCH_DEFAULT;
}

// Gives how many of them could be, which are in front now.
static jint retransform_all(struct instr_retransform *r, jclass *classes, jint count) {
    jint batch = batch_of(r);
    count = link_all(r, classes, count);
    for (jint i = 0; i < count; i += batch) {
        if (i > 0 && r->go_on && !r->go_on(r->context)) break;
        retransform(r, classes + i, count - i < batch ? count - i : batch);
    }
    return count;
}

// --- the rest ---

static int make_room(struct instr_rest *rest, uint32_t more) {
    if (more <= rest->capacity - rest->count) return 1;
    uint32_t wanted = rest->count + more;
    jweak *larger = realloc(rest->classes, wanted * sizeof *larger);
    if (!larger) return 0;
    rest->classes = larger;
    rest->capacity = wanted;
    return 1;
}

// Adds the classes from `first` on to the list. Those that find no room there move to the front;
// gives how many are there now.
static jint put_on(struct instr_retransform *r, struct instr_rest *rest, jclass *classes,
                   jint first, jint count) {
    if (!make_room(rest, (uint32_t)(count - first))) return count;
    rest->again = rest->count;
    for (jint i = first; i < count; i++) {
        jweak weak = (*r->jni)->NewWeakGlobalRef(r->jni, classes[i]);
        if (weak) {
            rest->classes[rest->count++] = weak;
        } else {
            (*r->jni)->ExceptionClear(r->jni);
            classes[first++] = classes[i];
        }
    }
    return first;
}

// Gives how many of the classes are to be done now; the others were added to the rest. What finds
// no room there is done now, too.
static jint put_off(struct instr_retransform *r, jclass *classes, jint count) {
    jint first = (jint)r->first < batch_of(r) ? (jint)r->first : batch_of(r);
    if (!r->rest || count <= first) return count;
    instr_retransform_order(r->jvmti, r->jni, classes, count);
    first = put_on(r, r->rest, classes, first, count);
    r->left += (unsigned)(count - first);
    return first;
}

uint32_t instr_rest_left(const struct instr_rest *rest) {
    return rest->count - atomic_load(&rest->at);
}

// Takes `most` of the list at most; gives how many, from `from` on.
static uint32_t take(struct instr_rest *rest, uint32_t most, uint32_t *from) {
    uint32_t at = atomic_load(&rest->at), n;
    do {
        n = rest->count - at < most ? rest->count - at : most;
        if (at < rest->again && n > rest->again - at) n = rest->again - at;
    } while (n && !atomic_compare_exchange_weak(&rest->at, &at, at + n));
    *from = at;
    return n;
}

// With no memory for a whole batch it is a smaller one: of what is on a list nothing stays undone.
int instr_retransform_next(struct instr_retransform *r, struct instr_rest *rest) {
    enum { FEW = 16, MOST = 32768 }; // HotSpot gives a frame no more than 65536 references
    JNIEnv *jni = r->jni;
    jclass few[FEW], *classes = few;
    uint32_t left = instr_rest_left(rest), most = (uint32_t)batch_of(r), from, n = 0;
    if (most > left) most = left;
    if (most > MOST) most = MOST;
    if (most > FEW && !(classes = malloc(most * sizeof *classes))) {
        classes = few;
        most = FEW;
    }
    int framed = (*jni)->PushLocalFrame(jni, (jint)most + 64) == 0;
    if (!framed) (*jni)->ExceptionClear(jni);
    uint32_t taken = take(rest, most, &from);
    for (uint32_t i = 0; i < taken; i++) {
        jweak weak = rest->classes[from + i];
        classes[n] = (*jni)->NewLocalRef(jni, weak);
        if (classes[n] && is_wanted(r, classes[n]))
            n++;
        else
            (*jni)->DeleteLocalRef(jni, classes[n]);
        (*jni)->DeleteWeakGlobalRef(jni, weak);
    }
    r->chosen += taken;
    n = (uint32_t)retransform_all(r, classes, (jint)n);
    if (framed) (*jni)->PopLocalFrame(jni, NULL);
    for (uint32_t i = 0; i < n && !framed; i++) (*jni)->DeleteLocalRef(jni, classes[i]);
    if (classes != few) free(classes);
    if (taken && r->taken) r->taken(r->context, taken);
    return taken != 0;
}

void instr_rest_drop(struct instr_rest *rest, JNIEnv *jni) {
    for (uint32_t i = atomic_load(&rest->at); i < rest->count; i++)
        (*jni)->DeleteWeakGlobalRef(jni, rest->classes[i]);
    free(rest->classes);
    rest->classes = NULL;
    rest->count = rest->capacity = rest->again = 0;
    atomic_store(&rest->at, 0);
}

// All of them, by two threads. What does not find its way onto a list is done here before.
static void retransform_both(struct instr_retransform *r, jclass *classes, jint count) {
    struct instr_rest all = {0};
    retransform_all(r, classes, put_on(r, &all, classes, 0, count));
    instr_retransform_parallel(r, &all);
    instr_rest_drop(&all, r->jni);
    r->chosen = (unsigned)count;
}

int instr_retransform_loaded(struct instr_retransform *r) {
    JNIEnv *jni = r->jni;
    jint count = 0, chosen = 0;
    jclass *classes = NULL;
    // The references to all classes go when this is done.
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        return 0;
    }
    if ((*r->jvmti)->GetLoadedClasses(r->jvmti, &count, &classes) != JVMTI_ERROR_NONE) {
        (*jni)->PopLocalFrame(jni, NULL);
        return 0;
    }
    // There is a local reference for each now; -Xcheck:jni wants to be told.
    if ((*jni)->EnsureLocalCapacity(jni, count + 64) != JNI_OK) (*jni)->ExceptionClear(jni);
    for (jint i = 0; i < count; i++) {
        if (is_wanted(r, classes[i]))
            classes[chosen++] = classes[i];
        else
            (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    r->chosen = (unsigned)chosen;
    if (r->other && !r->rest && chosen > batch_of(r))
        retransform_both(r, classes, chosen);
    else
        retransform_all(r, classes, put_off(r, classes, chosen));
    (*r->jvmti)->Deallocate(r->jvmti, (unsigned char *)classes);
    (*jni)->PopLocalFrame(jni, NULL);
    return 1;
}
