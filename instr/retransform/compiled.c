// Compiled methods, as JVM TI's GenerateEvents lists them (JVM TI 11.2.9).

#include "instr/retransform/compiled.h"

#include <jvmticmlr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FIRST = 4096, MOST = 1 << 20 };

// What the events have brought so far. Another thread of the JVM may still be in an event when they
// are switched off.
static struct {
    pthread_mutex_t lock;
    bool open;
    jmethodID *methods;
    size_t count, capacity;
} list = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int by_address(const void *a, const void *b) {
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    return (x > y) - (x < y);
}

size_t instr_methods_sort(jmethodID *methods, size_t count) {
    size_t different = 0;
    if (count) qsort(methods, count, sizeof *methods, by_address); // there may be no array
    for (size_t i = 0; i < count; i++)
        if (i == 0 || methods[i] != methods[different - 1]) methods[different++] = methods[i];
    return different;
}

// Makes room for one more; the same methods are inlined over and over.
static bool make_room(void) {
    if (list.count < list.capacity) return true;
    list.count = instr_methods_sort(list.methods, list.count);
    if (list.count < list.capacity / 2) return true;
    size_t capacity = list.capacity ? 2 * list.capacity : FIRST;
    jmethodID *methods =
        capacity <= MOST ? realloc(list.methods, capacity * sizeof *methods) : NULL;
    if (!methods) return list.count < list.capacity;
    list.methods = methods;
    list.capacity = capacity;
    return true;
}

static void add(jmethodID method) {
    if (method && make_room()) list.methods[list.count++] = method;
}

static void JNICALL compiled(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address,
                             jint length, const jvmtiAddrLocationMap *map, const void *info) {
    (void)jvmti, (void)size, (void)address, (void)length, (void)map;
    pthread_mutex_lock(&list.lock);
    if (list.open) add(method);
    for (const jvmtiCompiledMethodLoadRecordHeader *h = info; h && list.open; h = h->next) {
        if (h->kind != JVMTI_CMLR_INLINE_INFO) continue;
        const jvmtiCompiledMethodLoadInlineRecord *record = (const void *)h;
        for (jint pc = 0; pc < record->numpcs; pc++)
            for (jint frame = 0; frame < record->pcinfo[pc].numstackframes; frame++)
                add(record->pcinfo[pc].methods[frame]);
    }
    pthread_mutex_unlock(&list.lock);
}

// False: the JVM lists none.
static bool generate(jvmtiEnv *jvmti) {
    const jvmtiCapabilities wanted = {.can_generate_compiled_method_load_events = 1};
    const jvmtiEventCallbacks callbacks = {.CompiledMethodLoad = compiled};
    const jvmtiEvent event = JVMTI_EVENT_COMPILED_METHOD_LOAD;
    bool ok =
        (*jvmti)->AddCapabilities(jvmti, &wanted) == JVMTI_ERROR_NONE &&
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE &&
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event, NULL) == JVMTI_ERROR_NONE &&
        (*jvmti)->GenerateEvents(jvmti, event) == JVMTI_ERROR_NONE;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, event, NULL);
    return ok;
}

static void open_list(bool open) {
    pthread_mutex_lock(&list.lock);
    list.open = open;
    pthread_mutex_unlock(&list.lock);
}

size_t instr_compiled_methods(JNIEnv *jni, jmethodID **methods) {
    JavaVM *vm;
    jvmtiEnv *jvmti = NULL; // of its own: the capability goes back with it
    *methods = NULL;
    if ((*jni)->GetJavaVM(jni, &vm) != JNI_OK ||
        (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return 0;
    open_list(true);
    bool ok = generate(jvmti);
    open_list(false);
    (*jvmti)->DisposeEnvironment(jvmti);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    size_t count = ok ? instr_methods_sort(list.methods, list.count) : 0;
    if (count)
        *methods = list.methods;
    else
        free(list.methods);
    list.methods = NULL;
    list.count = list.capacity = 0;
    return count;
}
