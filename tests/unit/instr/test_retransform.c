// Retransforming loaded classes from a list, in a JVM that is made up: each class once, whether one
// thread does it or two.

#include "instr/vm/untouchable.h"
#include "instr/retransform/compiled.h"
#include "instr/retransform/order.h"
#include "instr/retransform/parallel.h"
#include "tests/unit/run.h"

#include <errno.h>
#include <jvmticmlr.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLASSES = 3000 };

static struct {
    pthread_mutex_t lock;
    int done[CLASSES], bad[CLASSES], failed[CLASSES], weak;
    int at_once, most_at_once, calls, largest, attached, detached;
    int refuse_frames, refuse_thread, refuse_to_attach, stop_after;
    // Threads that come here at once before one goes on, and calls that one makes alone before.
    int wait_for, alone;
    int unused[CLASSES];    // not initialized
    int on_stack[8], looks; // the class of the only frame, at each look
    // What is compiled: a class each, with a class that is inlined; up to repeated ones.
    int compiled[4][2], compiled_count, repeated;
    int environments; // that were not disposed of
    jvmtiEventCompiledMethodLoad event;
} vm = {.lock = PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

// A class, and a reference to it, is its number plus one.
static int number(jobject class) {
    return (int)(intptr_t) class - 1;
}

// --- what it makes of JVM TI ---

static jvmtiError JNICALL is_modifiable(jvmtiEnv *env, jclass class, jboolean *result) {
    (void)env, (void)class;
    *result = JNI_TRUE;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL signature_of(jvmtiEnv *env, jclass class, char **signature,
                                       char **generic) {
    (void)env, (void)generic;
    *signature = malloc(32);
    snprintf(*signature, 32, "LC%d;", number(class));
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL loader_of(jvmtiEnv *env, jclass class, jobject *loader) {
    (void)env, (void)class;
    *loader = NULL;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL status_of(jvmtiEnv *env, jclass class, jint *status) {
    (void)env;
    *status = JVMTI_CLASS_STATUS_PREPARED |
              (vm.unused[number(class)] ? 0 : JVMTI_CLASS_STATUS_INITIALIZED);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL all_threads(jvmtiEnv *env, jint *count, jthread **threads) {
    (void)env;
    *count = 1;
    *threads = calloc(1, sizeof **threads);
    return JVMTI_ERROR_NONE;
}

// A method is the reference to its class.
static jvmtiError JNICALL stacks_of(jvmtiEnv *env, jint count, const jthread *threads, jint depth,
                                    jvmtiStackInfo **stacks) {
    (void)env, (void)count, (void)threads, (void)depth;
    struct {
        jvmtiStackInfo info;
        jvmtiFrameInfo frame;
    } *one = calloc(1, sizeof *one);
    one->frame.method = (jmethodID)(intptr_t)(vm.on_stack[vm.looks++] + 1);
    one->info.frame_buffer = &one->frame;
    one->info.frame_count = 1;
    *stacks = &one->info;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_of(jvmtiEnv *env, jmethodID method, jclass *class) {
    (void)env;
    *class = (jclass)(void *)method;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL add_capabilities(jvmtiEnv *env, const jvmtiCapabilities *wanted) {
    (void)env;
    ck_assert(wanted->can_generate_compiled_method_load_events);
    return vm.compiled_count ? JVMTI_ERROR_NONE : JVMTI_ERROR_NOT_AVAILABLE;
}

static jvmtiError JNICALL set_callbacks(jvmtiEnv *env, const jvmtiEventCallbacks *callbacks,
                                        jint size) {
    (void)env, (void)size;
    vm.event = callbacks->CompiledMethodLoad;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_mode(jvmtiEnv *env, jvmtiEventMode mode, jvmtiEvent event,
                                   jthread thread, ...) {
    (void)env, (void)mode, (void)thread;
    ck_assert_int_eq(event, JVMTI_EVENT_COMPILED_METHOD_LOAD);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL generate(jvmtiEnv *env, jvmtiEvent event) {
    (void)event;
    for (int i = 0; i < vm.compiled_count * (vm.repeated + 1); i++) {
        const int *pair = vm.compiled[i % vm.compiled_count];
        jmethodID methods[] = {(jmethodID)(intptr_t)(pair[0] + 1),
                               (jmethodID)(intptr_t)(pair[1] + 1)};
        PCStackInfo places[] = {{.numstackframes = 1, .methods = methods},
                                {.numstackframes = 2, .methods = methods}};
        jvmtiCompiledMethodLoadInlineRecord inlined = {
            .header = {.kind = JVMTI_CMLR_INLINE_INFO}, .numpcs = 2, .pcinfo = places};
        jvmtiCompiledMethodLoadDummyRecord dummy = {
            .header = {.kind = JVMTI_CMLR_DUMMY, .next = &inlined.header}};
        vm.event(env, methods[0], 1, NULL, 0, NULL, &dummy);
    }
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL dispose(jvmtiEnv *env) {
    (void)env;
    vm.environments--;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL hash_of(jvmtiEnv *env, jobject object, jint *hash) {
    (void)env;
    *hash = number(object) % 3; // some share one
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL version_of(jvmtiEnv *env, jint *version) {
    (void)env;
    *version = JVMTI_VERSION_1_2;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *env, unsigned char *memory) {
    (void)env;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL retransform(jvmtiEnv *env, jint count, const jclass *classes) {
    (void)env;
    int bad = 0;
    pthread_mutex_lock(&vm.lock);
    vm.calls++;
    if (count > vm.largest) vm.largest = count;
    if (++vm.at_once > vm.most_at_once) vm.most_at_once = vm.at_once;
    pthread_cond_broadcast(&changed);
    while (vm.calls > vm.alone && vm.most_at_once < vm.wait_for)
        pthread_cond_wait(&changed, &vm.lock);
    pthread_mutex_unlock(&vm.lock);
    usleep(500);
    pthread_mutex_lock(&vm.lock);
    for (jint i = 0; i < count; i++) bad |= vm.bad[number(classes[i])];
    for (jint i = 0; i < count && !bad; i++) vm.done[number(classes[i])]++;
    vm.at_once--;
    pthread_mutex_unlock(&vm.lock);
    return bad ? JVMTI_ERROR_FAILS_VERIFICATION : JVMTI_ERROR_NONE;
}

// --- and of JNI ---

static jint JNICALL push_frame(JNIEnv *env, jint capacity) {
    (void)env, (void)capacity;
    return vm.refuse_frames ? JNI_ERR : JNI_OK;
}

static jobject JNICALL pop_frame(JNIEnv *env, jobject result) {
    (void)env;
    return result;
}

static jobject JNICALL new_local(JNIEnv *env, jobject from) {
    (void)env;
    return from;
}

static void JNICALL delete_local(JNIEnv *env, jobject reference) {
    (void)env, (void)reference;
}

static void JNICALL delete_weak(JNIEnv *env, jweak reference) {
    (void)env, (void)reference;
    pthread_mutex_lock(&vm.lock);
    vm.weak--;
    pthread_mutex_unlock(&vm.lock);
}

static jboolean JNICALL exception_check(JNIEnv *env) {
    (void)env;
    return JNI_FALSE;
}

static void JNICALL exception_clear(JNIEnv *env) {
    (void)env;
}

static jclass JNICALL find_class(JNIEnv *env, const char *name) {
    (void)env, (void)name;
    return NULL;
}

static jboolean JNICALL is_same(JNIEnv *env, jobject a, jobject b) {
    (void)env;
    return a == b;
}

static jint JNICALL attach(JavaVM *java, void **env, void *arguments);
static jint JNICALL detach(JavaVM *java);
static jint JNICALL java_vm_of(JNIEnv *env, JavaVM **java);
static jint JNICALL environment_of(JavaVM *java, void **env, jint version);

static const struct JNIInvokeInterface_ invoke = {
    .GetEnv = environment_of, .AttachCurrentThreadAsDaemon = attach, .DetachCurrentThread = detach};
static const struct JNINativeInterface_ native = {.PushLocalFrame = push_frame,
                                                  .PopLocalFrame = pop_frame,
                                                  .NewLocalRef = new_local,
                                                  .DeleteLocalRef = delete_local,
                                                  .DeleteWeakGlobalRef = delete_weak,
                                                  .ExceptionCheck = exception_check,
                                                  .ExceptionClear = exception_clear,
                                                  .FindClass = find_class,
                                                  .IsSameObject = is_same,
                                                  .GetJavaVM = java_vm_of};
static const struct jvmtiInterface_1_ tool = {.IsModifiableClass = is_modifiable,
                                              .GetClassSignature = signature_of,
                                              .GetClassLoader = loader_of,
                                              .GetClassStatus = status_of,
                                              .GetAllThreads = all_threads,
                                              .GetThreadListStackTraces = stacks_of,
                                              .GetMethodDeclaringClass = class_of,
                                              .GetObjectHashCode = hash_of,
                                              .GetVersionNumber = version_of,
                                              .AddCapabilities = add_capabilities,
                                              .SetEventCallbacks = set_callbacks,
                                              .SetEventNotificationMode = set_mode,
                                              .GenerateEvents = generate,
                                              .DisposeEnvironment = dispose,
                                              .Deallocate = deallocate,
                                              .RetransformClasses = retransform};
static JavaVM java_vm = &invoke;
static JNIEnv jni = &native;
static jvmtiEnv jvmti = &tool;

static jint JNICALL attach(JavaVM *java, void **env, void *arguments) {
    (void)java, (void)arguments;
    if (vm.refuse_to_attach) return JNI_ERR;
    *env = &jni;
    vm.attached++;
    return JNI_OK;
}

static jint JNICALL detach(JavaVM *java) {
    (void)java;
    vm.detached++;
    return JNI_OK;
}

static jint JNICALL java_vm_of(JNIEnv *env, JavaVM **java) {
    (void)env;
    *java = &java_vm;
    return JNI_OK;
}

static jint JNICALL environment_of(JavaVM *java, void **env, jint version) {
    (void)java, (void)version;
    *env = &jvmti;
    vm.environments++;
    return JNI_OK;
}

int __real_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context);

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context) {
    return vm.refuse_thread ? EAGAIN : __real_pthread_create(id, attributes, run, context);
}

// --- who asks for it ---

// What was done is not wanted any more, as in the agent.
static int wanted(void *context, jclass cls, jobject loader, const char *name) {
    (void)context, (void)cls, (void)loader;
    pthread_mutex_lock(&vm.lock);
    int done = vm.done[atoi(name + 1)];
    pthread_mutex_unlock(&vm.lock);
    return !done;
}

static void begin(void *context) {
    (void)context;
}

static void end(void *context, int done, unsigned count) {
    (void)context, (void)done, (void)count;
}

static void failed(void *context, jobject loader, const char *name, const char *reason) {
    (void)context, (void)loader;
    ck_assert_str_eq(reason, "it fails the JVM's verification");
    pthread_mutex_lock(&vm.lock);
    vm.failed[atoi(name + 1)]++;
    pthread_mutex_unlock(&vm.lock);
}

static int go_on(void *context) {
    (void)context;
    pthread_mutex_lock(&vm.lock);
    int yes = !vm.stop_after || vm.calls < vm.stop_after;
    pthread_mutex_unlock(&vm.lock);
    return yes;
}

static void taken(void *context, unsigned count) {
    *(unsigned *)context += count;
}

static struct instr_retransform asked(unsigned *count) {
    return (struct instr_retransform){.jvmti = &jvmti,
                                      .jni = &jni,
                                      .batch = 100,
                                      .running = 1,
                                      .context = count,
                                      .wanted = wanted,
                                      .begin = begin,
                                      .end = end,
                                      .failed = failed,
                                      .go_on = go_on,
                                      .taken = taken};
}

// The classes from `first` on, in order.
static void enqueue(struct instr_class_queue *queue, int first, int count) {
    queue->classes = realloc(queue->classes, (queue->count + (uint32_t)count) * sizeof(jweak));
    queue->repeated = queue->count;
    for (int i = 0; i < count; i++)
        queue->classes[queue->count++] = (jweak)(intptr_t)(first + i + 1);
    queue->capacity = queue->count;
    vm.weak += count;
}

static void reset(void) {
    memset((char *)&vm + sizeof vm.lock, 0, sizeof vm - sizeof vm.lock);
}

// By `threads` threads; gives how many were taken by either.
static unsigned run(struct instr_class_queue *queue, int threads, struct instr_retransform *r) {
    unsigned counts[2] = {0, 0};
    struct instr_retransform other = asked(&counts[1]);
    *r = asked(&counts[0]);
    if (threads == 2) r->other = &other;
    instr_retransform_parallel(r, queue);
    r->other = NULL;
    ck_assert_uint_eq(r->chosen, counts[0] + counts[1]);
    return counts[0] + counts[1];
}

START_TEST(each_class_is_done_once) {
    struct instr_retransform r;
    struct instr_class_queue queue = {0};
    reset();
    vm.refuse_frames = _i / 2;
    vm.wait_for = 1 + _i % 2;
    enqueue(&queue, 0, CLASSES);
    ck_assert_uint_eq(run(&queue, 1 + _i % 2, &r), CLASSES);
    for (int i = 0; i < CLASSES; i++) ck_assert_int_eq(vm.done[i], 1);
    ck_assert_int_eq(vm.most_at_once, 1 + _i % 2);
    ck_assert_int_eq(vm.attached, _i % 2);
    ck_assert_int_eq(vm.detached, _i % 2);
    ck_assert_int_eq(vm.calls, CLASSES / 100);
    ck_assert_int_eq(vm.largest, 100);
    ck_assert_int_eq(vm.weak, 0);
    ck_assert_uint_eq(instr_class_queue_remaining(&queue), 0);
    instr_class_queue_clear(&queue, &jni);
}
END_TEST

START_TEST(refused_classes_are_reported_and_the_others_retransformed) {
    struct instr_retransform r;
    struct instr_class_queue queue = {0};
    reset();
    for (int i = 0; i < CLASSES; i += 97) vm.bad[i] = 1;
    enqueue(&queue, 0, CLASSES);
    run(&queue, 1 + _i, &r);
    for (int i = 0; i < CLASSES; i++) {
        ck_assert_int_eq(vm.done[i], !vm.bad[i]);
        ck_assert_int_eq(vm.failed[i], vm.bad[i]);
    }
    ck_assert_uint_eq(r.refused, (CLASSES + 96) / 97);
    instr_class_queue_clear(&queue, &jni);
}
END_TEST

START_TEST(what_is_on_the_list_twice_is_done_once) {
    struct instr_retransform r;
    struct instr_class_queue queue = {0};
    reset();
    vm.wait_for = 2;
    vm.alone = 3;
    enqueue(&queue, 0, 250);
    enqueue(&queue, 0, CLASSES);
    ck_assert_uint_eq(run(&queue, 2, &r), 250 + CLASSES);
    for (int i = 0; i < CLASSES; i++) ck_assert_int_eq(vm.done[i], 1);
    ck_assert_int_eq(vm.most_at_once, 2);
    ck_assert_int_eq(vm.weak, 0);
    instr_class_queue_clear(&queue, &jni);
}
END_TEST

START_TEST(it_stops_on_request_and_continues_later) {
    struct instr_retransform r;
    struct instr_class_queue queue = {0};
    reset();
    enqueue(&queue, 0, CLASSES);
    vm.stop_after = 7;
    unsigned first = run(&queue, 2, &r);
    ck_assert_uint_ge(first, 700);
    ck_assert_uint_le(first, 900); // what the threads were at is done
    ck_assert_uint_eq(instr_class_queue_remaining(&queue), CLASSES - first);
    ck_assert_uint_eq(run(&queue, 2, &r), 100); // one batch is done at least
    vm.stop_after = 0;
    ck_assert_uint_eq(run(&queue, 2, &r), CLASSES - first - 100);
    for (int i = 0; i < CLASSES; i++) ck_assert_int_eq(vm.done[i], 1);
    instr_class_queue_clear(&queue, &jni);
}
END_TEST

START_TEST(what_is_dropped_leaves_no_reference) {
    struct instr_retransform r;
    struct instr_class_queue queue = {0};
    reset();
    enqueue(&queue, 0, CLASSES);
    vm.stop_after = 5;
    run(&queue, 2, &r);
    instr_class_queue_clear(&queue, &jni);
    ck_assert_int_eq(vm.weak, 0);
    ck_assert_uint_eq(instr_class_queue_remaining(&queue), 0);
}
END_TEST

START_TEST(one_batch_needs_no_other_thread) {
    struct instr_retransform r;
    struct instr_class_queue queue = {0};
    reset();
    enqueue(&queue, 0, 100);
    ck_assert_uint_eq(run(&queue, 2, &r), 100);
    ck_assert_int_eq(vm.attached, 0);
    instr_class_queue_clear(&queue, &jni);
}
END_TEST

START_TEST(without_another_thread_one_does_it_all) {
    struct instr_retransform r;
    struct instr_class_queue queue = {0};
    reset();
    vm.refuse_thread = _i == 0;
    vm.refuse_to_attach = _i == 1;
    enqueue(&queue, 0, CLASSES);
    ck_assert_uint_eq(run(&queue, 2, &r), CLASSES);
    for (int i = 0; i < CLASSES; i++) ck_assert_int_eq(vm.done[i], 1);
    ck_assert_int_eq(vm.most_at_once, 1);
    ck_assert_int_eq(vm.detached, 0);
    instr_class_queue_clear(&queue, &jni);
}
END_TEST

// The modifiers of methods (JVMS 4.6), and what an interface with them is.
static const struct {
    int is_class;
    jint modifiers[4]; // up to a 0
    enum instr_interface kind;
} interfaces[] = {
    {1, {0x0001, 0x0401}, INSTR_INTERFACE_NONE},         // a class
    {0, {0}, INSTR_INTERFACE_NONE},                      // a marker
    {0, {0x0401, 0x0401}, INSTR_INTERFACE_BARE},         // abstract methods
    {0, {0x0001}, INSTR_INTERFACE_CODE},                 // a default method
    {0, {0x0401, 0x0008}, INSTR_INTERFACE_CODE},         // an abstract one and <clinit>
    {0, {0x0401, 0x0009}, INSTR_INTERFACE_CODE},         // an abstract one and a static one
    {0, {0x0009, 0x1002, 0x100a}, INSTR_INTERFACE_NONE}, // static and private ones
};

static jvmtiError JNICALL is_interface(jvmtiEnv *env, jclass class, jboolean *result) {
    (void)env;
    *result = !interfaces[number(class)].is_class;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL methods_of(jvmtiEnv *env, jclass class, jint *count,
                                     jmethodID **methods) {
    (void)env;
    const jint *modifiers = interfaces[number(class)].modifiers;
    *methods = malloc(4 * sizeof **methods);
    for (*count = 0; *count < 4 && modifiers[*count]; ++*count)
        (*methods)[*count] = (jmethodID)(intptr_t)modifiers[*count];
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL no_methods(jvmtiEnv *env, jclass class, jint *count,
                                     jmethodID **methods) {
    (void)env, (void)class, (void)count, (void)methods;
    return JVMTI_ERROR_OUT_OF_MEMORY;
}

static jvmtiError JNICALL modifiers_of(jvmtiEnv *env, jmethodID method, jint *modifiers) {
    (void)env;
    *modifiers = (jint)(intptr_t)method;
    return JVMTI_ERROR_NONE;
}

START_TEST(interfaces_are_recognized_by_what_classes_inherit_from_them) {
    struct jvmtiInterface_1_ vm_of_interfaces = {.IsInterface = is_interface,
                                                 .GetClassMethods = methods_of,
                                                 .GetMethodModifiers = modifiers_of,
                                                 .Deallocate = deallocate};
    jvmtiEnv env = &vm_of_interfaces;
    jclass class = (jclass)(intptr_t)(_i + 1);
    ck_assert_int_eq(instr_interface_of(&env, class), interfaces[_i].kind);
    vm_of_interfaces.GetClassMethods = no_methods;
    ck_assert_int_eq(instr_interface_of(&env, class),
                     interfaces[_i].is_class ? INSTR_INTERFACE_NONE : INSTR_INTERFACE_CODE);
}
END_TEST

static const struct {
    const char *name, *specification, *version;
    int safe;
} jvms[] = {
    {"OpenJDK 64-Bit Server VM", "1.8", "25.412-b08", 0},
    {"OpenJDK 64-Bit Server VM", "11", "11.0.33-ea+8-post-1-Debian", 0},
    {"OpenJDK 64-Bit Server VM", "16", "16.0.2+7", 0},
    {"OpenJDK 64-Bit Server VM", "17", "17+35", 0},
    {"OpenJDK 64-Bit Server VM", "17", "17.0.2+8", 0},
    {"OpenJDK 64-Bit Server VM", "17", "17.0.3+7-LTS", 1},
    {"Java HotSpot(TM) 64-Bit Server VM", "17", "17.0.15+9-LTS-241", 1},
    {"OpenJDK 64-Bit Server VM", "18", "18+36", 1},
    {"OpenJDK 64-Bit Server VM", "25", "25.0.1+8-LTS", 1},
    {"OpenJDK 64-Bit Server VM", "28", "28-ea+18-1-Debian", 1},
    {"Eclipse OpenJ9 VM", "21", "openj9-0.42.0", 0},
    {"OpenJDK 64-Bit Server VM", "", "", 0},
    {"OpenJDK 64-Bit Server VM", NULL, "25", 0},
    {NULL, "25", "25", 0},
    {"OpenJDK 64-Bit Server VM", "17", NULL, 0},
};

START_TEST(two_threads_are_for_jvms_that_bear_it) {
    ck_assert_msg(instr_retransform_parallel_is_safe(jvms[_i].name, jvms[_i].specification,
                                                     jvms[_i].version) == jvms[_i].safe,
                  "%s, %s", jvms[_i].name, jvms[_i].version);
}
END_TEST

// --- order ---

static const struct {
    int thorough, compiled_count; // classes 6 and 3
    int order[10];
    jint on_stacks, used;
} orders[] = {
    {0, 0, {4, 0, 2, 6, 8, 1, 3, 5, 7, 9}, 1, 5},
    {0, 1, {4, 0, 2, 6, 8, 1, 3, 5, 7, 9}, 1, 5},
    {1, 0, {4, 7, 0, 2, 6, 8, 1, 3, 5, 9}, 2, 6}, // this JVM does not say
    {1, 1, {4, 7, 3, 6, 0, 1, 2, 5, 8, 9}, 2, 4},
};

START_TEST(what_is_in_use_is_first) {
    jclass classes[10];
    reset();
    for (int i = 0; i < 10; i++) {
        vm.unused[i] = i % 2;
        classes[i] = (jclass)(intptr_t)(i + 1);
    }
    for (int look = 0; look < 8; look++) vm.on_stack[look] = look < 4 ? 4 : 7;
    vm.compiled_count = orders[_i].compiled_count;
    vm.compiled[0][0] = 6;
    vm.compiled[0][1] = 3;
    struct instr_order order =
        instr_retransform_order(&jvmti, &jni, classes, 10, orders[_i].thorough);
    ck_assert_int_eq(order.on_stacks, orders[_i].on_stacks);
    ck_assert_int_eq(order.used, orders[_i].used);
    for (int i = 0; i < 10; i++) ck_assert_int_eq(number(classes[i]), orders[_i].order[i]);
    ck_assert_int_eq(vm.environments, 0);
}
END_TEST

START_TEST(what_is_compiled_is_listed_once) {
    static const int compiled[4][2] = {{5, 1}, {9, 5}, {2, 1}, {7, 7}};
    static const intptr_t expected[] = {1, 2, 5, 7, 9};
    jmethodID *methods;
    reset();
    memcpy(vm.compiled, compiled, sizeof compiled);
    vm.compiled_count = 4;
    vm.repeated = 10000;
    ck_assert_uint_eq(instr_compiled_methods(&jni, &methods), 5);
    for (int i = 0; i < 5; i++) ck_assert_int_eq((intptr_t)methods[i], expected[i] + 1);
    free(methods);
    jvmtiEventCompiledMethodLoad late = vm.event; // of a thread that is late
    late(&jvmti, (jmethodID)(intptr_t)1, 1, NULL, 0, NULL, NULL);
    vm.compiled_count = 0;
    ck_assert_uint_eq(instr_compiled_methods(&jni, &methods), 0);
    ck_assert_ptr_null(methods);
    ck_assert_int_eq(vm.environments, 0);
}
END_TEST

START_TEST(the_queue_knows_how_its_next_classes_are_used) {
    struct instr_class_queue queue = {0};
    reset();
    enqueue(&queue, 0, 10);
    queue.hot = 2;
    queue.used = _i ? 6 : 10;
    for (int i = 6; i < 10; i++) vm.unused[i] = !_i;
    for (uint32_t next = 0; next < 10; next++) {
        queue.taken = next;
        ck_assert_int_eq(instr_class_queue_next_is_hot(&queue), next < 2);
        ck_assert_uint_eq(instr_class_queue_unused(&queue, &jvmti, &jni, 3), next < 6 ? 0
                                                                             : next < 8
                                                                                 ? 3
                                                                                 : 10 - next);
    }
    queue.taken = 0;
    instr_class_queue_clear(&queue, &jni);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("retransform");
    TCase *tests = tcase_create("retransform");
    tcase_add_loop_test(tests, each_class_is_done_once, 0, 4);
    tcase_add_loop_test(tests, refused_classes_are_reported_and_the_others_retransformed, 0, 2);
    tcase_add_test(tests, what_is_on_the_list_twice_is_done_once);
    tcase_add_test(tests, it_stops_on_request_and_continues_later);
    tcase_add_test(tests, what_is_dropped_leaves_no_reference);
    tcase_add_test(tests, one_batch_needs_no_other_thread);
    tcase_add_loop_test(tests, what_is_in_use_is_first, 0, sizeof orders / sizeof *orders);
    tcase_add_loop_test(tests, the_queue_knows_how_its_next_classes_are_used, 0, 2);
    tcase_add_test(tests, what_is_compiled_is_listed_once);
    tcase_add_loop_test(tests, without_another_thread_one_does_it_all, 0, 2);
    tcase_add_loop_test(tests, two_threads_are_for_jvms_that_bear_it, 0,
                        sizeof jvms / sizeof *jvms);
    tcase_add_loop_test(tests, interfaces_are_recognized_by_what_classes_inherit_from_them, 0,
                        sizeof interfaces / sizeof *interfaces);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
