// Retransforming loaded classes in batches.

#include "instr/retransform/retransform.h"

#include "instr/vm/untouchable.h"
#include "instr/retransform/parallel.h"
#include "instr/retransform/order.h"
#include "instr/base/clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Headers of older JDKs lack these.
#define CLASS_ATTRIBUTE_CHANGED 72
#define UNSUPPORTED_OPERATION 73

enum { MOST_AGAIN = 5 };

// Lcom/acme/Foo; -> com/acme/Foo, in place. NULL: an array or a primitive.
static char *internal_name(char *signature) {
    size_t n = strlen(signature);
    if (signature[0] != 'L' || n < 3) return NULL;
    signature[n - 1] = '\0';
    return signature + 1;
}

const char *instr_retransform_reason(jvmtiError error) {
    switch ((int)error) {
    case JVMTI_ERROR_UNMODIFIABLE_CLASS: return "the JVM does not allow changes to it";
    case JVMTI_ERROR_INVALID_CLASS: return "it is unusable: its initialization has failed";
    case JVMTI_ERROR_UNSUPPORTED_VERSION:
        return "the JVM does not support its class file version, or preview features are disabled";
    case JVMTI_ERROR_INVALID_CLASS_FORMAT: return "the JVM finds its format invalid";
    case JVMTI_ERROR_CIRCULAR_CLASS_DEFINITION:
        return "it would become its own superclass or superinterface";
    case JVMTI_ERROR_FAILS_VERIFICATION: return "it fails the JVM's verification";
    case JVMTI_ERROR_NAMES_DONT_MATCH: return "its bytes are those of a class of another name";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_ADDED:
        return "a method was added since it was loaded";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_DELETED:
        return "a method was removed since it was loaded";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED:
        return "its fields have changed since it was loaded";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED:
        return "its superclass or interfaces have changed since it was loaded";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED:
        return "its modifiers have changed since it was loaded";
    case JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_MODIFIERS_CHANGED:
        return "the modifiers of a method have changed since it was loaded";
    case CLASS_ATTRIBUTE_CHANGED:
        return "its nest, record or permitted subclasses have changed since it was loaded";
    case UNSUPPORTED_OPERATION: return "the JVM does not support the change";
    case JVMTI_ERROR_OUT_OF_MEMORY: return "the JVM is out of memory";
    case JVMTI_ERROR_WRONG_PHASE: return "the JVM is shutting down";
    case JVMTI_ERROR_MUST_POSSESS_CAPABILITY: return "this JVM cannot redefine classes";
    case JVMTI_ERROR_INTERNAL: return "the JVM reports an internal error";
    default: return "the JVM refuses to change it";
    }
}

// A class as the caller's functions see it.
struct class_info {
    char *signature;
    const char *name; // NULL: an array or a primitive, or unknown
    jobject loader;
};

static void open_info(const struct instr_retransform *r, jclass cls, struct class_info *n) {
    *n = (struct class_info){NULL, NULL, NULL};
    if ((*r->jvmti)->GetClassSignature(r->jvmti, cls, &n->signature, NULL) != JVMTI_ERROR_NONE) {
        n->signature = NULL;
        return;
    }
    char *name = internal_name(n->signature);
    if (name && (*r->jvmti)->GetClassLoader(r->jvmti, cls, &n->loader) == JVMTI_ERROR_NONE)
        n->name = name;
}

static void close_info(const struct instr_retransform *r, struct class_info *n) {
    if (n->loader) (*r->jni)->DeleteLocalRef(r->jni, n->loader);
    (*r->jvmti)->Deallocate(r->jvmti, (unsigned char *)n->signature);
}

static void report_failure(struct instr_retransform *r, jclass cls, const char *reason) {
    struct class_info n;
    r->refused++;
    open_info(r, cls, &n);
    if (n.name) r->failed(r->context, n.loader, n.name, reason);
    close_info(r, &n);
}

// Is it an interface that the caller wants to skip?
static int is_skipped_interface(struct instr_retransform *r, jclass cls) {
    enum instr_interface kind =
        r->running && r->skip_interface ? instr_interface_of(r->jvmti, cls) : INSTR_INTERFACE_NONE;
    if (kind == INSTR_INTERFACE_NONE) return 0;
    struct class_info n;
    open_info(r, cls, &n);
    int yes =
        n.name && r->skip_interface(r->context, n.loader, n.name, kind == INSTR_INTERFACE_CODE);
    close_info(r, &n);
    return yes;
}

// Where another agent redefines a class meanwhile, HotSpot may read bytes of it that it has freed (seen in JDK 21 to 28).
// So such a verdict need not be the class's.
static bool may_be_of_freed_bytes(jvmtiError error) {
    return error == JVMTI_ERROR_INVALID_CLASS_FORMAT || error == JVMTI_ERROR_UNSUPPORTED_VERSION ||
           error == JVMTI_ERROR_NAMES_DONT_MATCH;
}

static jvmtiError retransform_once(struct instr_retransform *r, const jclass *classes, jint count) {
    r->begin(r->context);
    uint64_t start = instr_clock_now();
    jvmtiError error = (*r->jvmti)->RetransformClasses(r->jvmti, count, classes);
    uint64_t took = instr_clock_now() - start;
    if (took > r->longest) r->longest = took;
    r->calls++;
    r->end(r->context, error == JVMTI_ERROR_NONE, (unsigned)count);
    if ((*r->jni)->ExceptionCheck(r->jni)) (*r->jni)->ExceptionClear(r->jni);
    return error;
}

static void retransform(struct instr_retransform *r, jclass *classes, jint count) {
    if (count == 0) return;
    jvmtiError error = retransform_once(r, classes, count);
    for (int again = 0; count == 1 && again < MOST_AGAIN && may_be_of_freed_bytes(error); again++)
        error = retransform_once(r, classes, count);
    if (error == JVMTI_ERROR_NONE || error == JVMTI_ERROR_WRONG_PHASE) return;
    if (count == 1) {
        report_failure(r, classes[0], instr_retransform_reason(error));
        return;
    }
    retransform(r, classes, count / 2);
    retransform(r, classes + count / 2, count - count / 2);
}

static bool is_of_boot(const struct instr_retransform *r, jclass cls) {
    jobject loader = NULL;
    bool is = (*r->jvmti)->GetClassLoader(r->jvmti, cls, &loader) == JVMTI_ERROR_NONE && !loader;
    (*r->jni)->DeleteLocalRef(r->jni, loader);
    return is;
}

// What r->wanted returns.
static int is_wanted(struct instr_retransform *r, jclass cls) {
    jboolean modifiable = JNI_FALSE;
    if (r->skips_boot && is_of_boot(r, cls)) return 0;
    // The cheapest check first: there may be thousands of lambdas, which are not modifiable.
    if ((*r->jvmti)->IsModifiableClass(r->jvmti, cls, &modifiable) != JVMTI_ERROR_NONE ||
        !modifiable)
        return 0;
    struct class_info n;
    open_info(r, cls, &n);
    int kind = n.name && !instr_is_anonymous(r->jvmti, cls, n.name)
                   ? r->wanted(r->context, cls, n.loader, n.name)
                   : 0;
    close_info(r, &n);
    return kind;
}

// Retransforming a class while another thread links it can break its code or crash the VM
// (JDK-8277444). JNI has no function that only links a class. This method links a class and has the
// fewest side effects: it creates the list of public fields.
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

// Links the class if necessary. Returns why the VM cannot retransform it; NULL: no known reason.
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

// Links classes, and removes those that cannot be retransformed. Most servers have some, and the VM
// refuses a whole batch for one: finding them here avoids further safepoint pauses.
static jint link_all(struct instr_retransform *r, jclass *classes, jint count) {
    jmethodID linking = r->running ? find_linking(r->jni) : NULL;
    jint usable = 0;
    for (jint i = 0; i < count; i++) {
        const char *reason = link_class(r, linking, classes[i]);
        if (reason)
            report_failure(r, classes[i], reason);
        else if (!is_skipped_interface(r, classes[i]))
            classes[usable++] = classes[i];
    }
    return usable;
}

static jint batch_of(const struct instr_retransform *r) {
    return r->batch ? (jint)r->batch : INSTR_BATCH_DEFAULT;
}

// Moves the classes that can be retransformed to the front and returns their number.
static jint retransform_all(struct instr_retransform *r, jclass *classes, jint count) {
    jint batch = batch_of(r);
    count = link_all(r, classes, count);
    for (jint i = 0; i < count; i += batch) {
        if (i > 0 && r->go_on && !r->go_on(r->context)) break;
        retransform(r, classes + i, count - i < batch ? count - i : batch);
    }
    return count;
}

// --- the queue ---

static int make_room(struct instr_class_queue *queue, uint32_t more) {
    if (more <= queue->capacity - queue->count) return 1;
    uint32_t wanted = queue->count + more;
    jweak *larger = realloc(queue->classes, wanted * sizeof *larger);
    if (!larger) return 0;
    queue->classes = larger;
    queue->capacity = wanted;
    return 1;
}

// Adds the classes from `first` on to the queue. Those that cannot be added for lack of memory are
// moved to the front, behind the first ones; returns the number of classes in front.
static jint enqueue(struct instr_retransform *r, struct instr_class_queue *queue, jclass *classes,
                    jint first, jint count) {
    if (!make_room(queue, (uint32_t)(count - first))) return count;
    queue->repeated = queue->hot = queue->used = queue->count;
    for (jint i = first; i < count; i++) {
        jweak weak = (*r->jni)->NewWeakGlobalRef(r->jni, classes[i]);
        if (weak) {
            queue->classes[queue->count++] = weak;
        } else {
            (*r->jni)->ExceptionClear(r->jni);
            classes[first++] = classes[i];
        }
    }
    return first;
}

// The same, with the classes that are in use first.
static jint enqueue_in_order(struct instr_retransform *r, struct instr_class_queue *queue,
                             jclass *classes, jint first, jint count) {
    struct instr_order order =
        instr_retransform_order(r->jvmti, r->jni, classes, count, r->thorough);
    jint left = enqueue(r, queue, classes, first, count);
    uint32_t begin = queue->repeated, queued = queue->count - begin;
    uint32_t hot = (uint32_t)(order.on_stacks > left ? order.on_stacks - left : 0),
             used = (uint32_t)(order.used > left ? order.used - left : 0);
    queue->hot = begin + (hot < queued ? hot : queued);
    queue->used = begin + (used < queued ? used : queued);
    return left;
}

// Queues all but the first classes; returns the number to be done now, including those that could
// not be queued.
static jint defer(struct instr_retransform *r, jclass *classes, jint count) {
    jint first = (jint)r->first < batch_of(r) ? (jint)r->first : batch_of(r);
    if (!r->queue || count <= first || count <= (jint)r->few) return count;
    jint left = enqueue_in_order(r, r->queue, classes, first, count);
    r->deferred += (unsigned)(count - left);
    return left;
}

uint32_t instr_class_queue_remaining(const struct instr_class_queue *queue) {
    return queue->count - atomic_load(&queue->taken);
}

bool instr_class_queue_next_is_hot(const struct instr_class_queue *queue) {
    uint32_t next = atomic_load(&queue->taken);
    return next >= queue->repeated && next < queue->hot;
}

// Is the class at this index of the queue without compiled code?
static bool is_unused(const struct instr_class_queue *queue, jvmtiEnv *jvmti, JNIEnv *jni,
                      uint32_t index) {
    if (index >= queue->used) return true;
    jclass class = (*jni)->NewLocalRef(jni, queue->classes[index]);
    bool unused = !class || instr_retransform_is_unused(jvmti, class); // NULL: it was unloaded
    (*jni)->DeleteLocalRef(jni, class);
    return unused;
}

uint32_t instr_class_queue_unused(const struct instr_class_queue *queue, jvmtiEnv *jvmti,
                                  JNIEnv *jni, uint32_t most) {
    uint32_t next = atomic_load(&queue->taken), n = 0;
    while (n < most && next + n < queue->count && is_unused(queue, jvmti, jni, next + n)) n++;
    return n;
}

// The size of the next batch. Without any room, only classes that come first are retransformed.
static uint32_t limited_batch(const struct instr_retransform *r, bool *full) {
    uint32_t batch = (uint32_t)batch_of(r), room = r->room ? r->room(r->context) : batch;
    *full = room == 0;
    return room && room < batch ? room : batch;
}

// Does the batch take this class of the queue?
static bool is_taken(struct instr_retransform *r, jclass cls, bool full) {
    int kind = cls ? is_wanted(r, cls) : 0;
    bool over = full && kind == 1;
    if (over) r->left_out(r->context);
    return kind && !over;
}

// Takes up to `most` classes of the queue, from index `from` on; returns their number.
static uint32_t dequeue(struct instr_class_queue *queue, uint32_t most, uint32_t *from) {
    uint32_t at = atomic_load(&queue->taken), n;
    do {
        n = queue->count - at < most ? queue->count - at : most;
        if (at < queue->repeated && n > queue->repeated - at) n = queue->repeated - at;
    } while (n && !atomic_compare_exchange_weak(&queue->taken, &at, at + n));
    *from = at;
    return n;
}

// Without memory for a whole batch it does a smaller one, so that no queued class is lost.
int instr_retransform_next(struct instr_retransform *r, struct instr_class_queue *queue) {
    enum { FEW = 16, MOST = 32768 }; // HotSpot allows 65536 references in a frame
    JNIEnv *jni = r->jni;
    jclass few[FEW], *classes = few;
    uint32_t left = instr_class_queue_remaining(queue), from, n = 0;
    bool full;
    uint32_t most = limited_batch(r, &full);
    if (most > left) most = left;
    if (most > MOST) most = MOST;
    if (most > FEW && !(classes = malloc(most * sizeof *classes))) {
        classes = few;
        most = FEW;
    }
    int framed = (*jni)->PushLocalFrame(jni, (jint)most + 64) == 0;
    if (!framed) (*jni)->ExceptionClear(jni);
    uint32_t taken = dequeue(queue, most, &from);
    for (uint32_t i = 0; i < taken; i++) {
        jweak weak = queue->classes[from + i];
        classes[n] = (*jni)->NewLocalRef(jni, weak);
        if (is_taken(r, classes[n], full))
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

void instr_class_queue_clear(struct instr_class_queue *queue, JNIEnv *jni) {
    for (uint32_t i = atomic_load(&queue->taken); i < queue->count; i++)
        (*jni)->DeleteWeakGlobalRef(jni, queue->classes[i]);
    free(queue->classes);
    queue->classes = NULL;
    queue->count = queue->capacity = queue->repeated = queue->hot = queue->used = 0;
    atomic_store(&queue->taken, 0);
}

// Retransforms all classes on two threads. This thread first does those that cannot be queued.
static void retransform_in_parallel(struct instr_retransform *r, jclass *classes, jint count) {
    struct instr_class_queue all = {0};
    retransform_all(r, classes, enqueue(r, &all, classes, 0, count));
    instr_retransform_parallel(r, &all);
    instr_class_queue_clear(&all, r->jni);
    r->chosen = (unsigned)count;
}

// Retransforms the classes batch by batch, as long as there is room. With r->queue, a background
// thread goes on after the first batch.
static void retransform_limited(struct instr_retransform *r, jclass *classes, jint count) {
    struct instr_class_queue all = {0}, *queue = r->queue ? r->queue : &all;
    retransform_all(r, classes, enqueue_in_order(r, queue, classes, 0, count));
    unsigned chosen = r->chosen;
    if (r->queue) {
        instr_retransform_next(r, queue);
        r->deferred = instr_class_queue_remaining(queue);
    } else {
        while (instr_retransform_next(r, queue) && (!r->go_on || r->go_on(r->context))) continue;
        instr_class_queue_clear(queue, r->jni);
    }
    r->chosen = chosen;
}

int instr_retransform_loaded(struct instr_retransform *r) {
    JNIEnv *jni = r->jni;
    jint count = 0, chosen = 0, first = 0;
    jclass *classes = NULL;
    // The frame releases the references to all classes.
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        return 0;
    }
    if ((*r->jvmti)->GetLoadedClasses(r->jvmti, &count, &classes) != JVMTI_ERROR_NONE) {
        (*jni)->PopLocalFrame(jni, NULL);
        return 0;
    }
    // There is now a local reference for each class; -Xcheck:jni expects their number declared.
    if ((*jni)->EnsureLocalCapacity(jni, count + 64) != JNI_OK) (*jni)->ExceptionClear(jni);
    for (jint i = 0; i < count; i++) {
        jclass cls = classes[i];
        int kind = is_wanted(r, cls);
        if (!kind) {
            (*jni)->DeleteLocalRef(jni, cls);
            continue;
        }
        classes[chosen++] = cls;
        if (kind != INSTR_RETRANSFORM_FIRST) continue;
        classes[chosen - 1] = classes[first];
        classes[first++] = cls;
    }
    r->chosen = (unsigned)chosen;
    r->listed = true;
    if (r->room) {
        retransform_all(r, classes, first);
        retransform_limited(r, classes + first, chosen - first);
    } else if (r->other && !r->queue && chosen > batch_of(r))
        retransform_in_parallel(r, classes, chosen);
    else
        retransform_all(r, classes, defer(r, classes, chosen));
    (*r->jvmti)->Deallocate(r->jvmti, (unsigned char *)classes);
    (*jni)->PopLocalFrame(jni, NULL);
    return 1;
}
