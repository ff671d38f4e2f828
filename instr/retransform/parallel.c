// Retransforming on two threads at once.

#include "instr/retransform/parallel.h"

#include "instr/vm/other_agents.h"
#include "instr/vm/cpu_idle.h"
#include "instr/base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_ENOUGH = 100 * 1000 * 1000 }; // ns; load measured longer ago says nothing
enum { STACK = 2 * 1024 * 1024 };         // the VM's verifier and our passes run on it

struct helper {
    struct instr_retransform *r;
    struct instr_class_queue *queue;
    JavaVM *vm;
};

static int may_continue(const struct instr_retransform *r) {
    return !r->go_on || r->go_on(r->context);
}

static void *help(void *argument) {
    struct helper *h = argument;
    JavaVMAttachArgs arguments = {JNI_VERSION_1_6, (char *)"instr classes 2", NULL};
    if ((*h->vm)->AttachCurrentThreadAsDaemon(h->vm, (void **)&h->r->jni, &arguments) != JNI_OK)
        return NULL;
    while (may_continue(h->r) && instr_retransform_next(h->r, h->queue)) continue;
    (*h->vm)->DetachCurrentThread(h->vm);
    return NULL;
}

static void add(struct instr_retransform *to, const struct instr_retransform *more) {
    to->chosen += more->chosen;
    to->refused += more->refused;
    to->calls += more->calls;
    if (more->longest > to->longest) to->longest = more->longest;
}

// Should the other thread start? `since`: CPU use at the last check, or at the beginning.
static int is_time(const struct instr_retransform *r, const struct instr_class_queue *queue,
                   struct instr_use *since) {
    struct instr_use use;
    if (!r->other ||
        instr_class_queue_remaining(queue) <= (r->batch ? r->batch : INSTR_BATCH_DEFAULT))
        return 0;
    if (r->processors == 0) return 1;
    instr_use_take(&use);
    if (instr_use_idle(since, &use, r->processors)) return 1;
    if (use.wall - since->wall > LONG_ENOUGH) *since = use;
    return 0;
}

static int start_other(const struct instr_retransform *r, pthread_t *thread,
                       struct helper *helper) {
    return (*r->jni)->GetJavaVM(r->jni, &helper->vm) == JNI_OK &&
           instr_thread_start_joined(thread, help, helper, STACK) == 0;
}

void instr_retransform_parallel(struct instr_retransform *r, struct instr_class_queue *queue) {
    struct instr_use since = {0};
    struct helper helper = {r->other, queue, NULL};
    pthread_t thread;
    enum { NOT_YET, HELPED, CANNOT } other = NOT_YET;
    // Classes that are queued twice must be done once before the other thread starts.
    int more = 1;
    if (r->processors != 0) instr_use_take(&since);
    while (atomic_load(&queue->taken) < queue->repeated && more)
        more = instr_retransform_next(r, queue) && may_continue(r);
    if (!more || !instr_class_queue_remaining(queue)) return;
    do {
        if (other == NOT_YET && is_time(r, queue, &since))
            other = start_other(r, &thread, &helper) ? HELPED : CANNOT;
    } while (instr_retransform_next(r, queue) && may_continue(r));
    if (other != HELPED) return;
    pthread_join(thread, NULL);
    add(r, r->other);
}

// Since JDK 13 (JDK-8222005), HotSpot serializes calls that have a class in common and protects the
// data that calls with different classes share. Before, the constant pool cache of a class in
// another call could keep methods that no longer existed. JDK 11 has the fix since 11.0.25 only,
// JDK 8 does not have it. Until 17.0.3 the mark that serializes calls could get lost (JDK-8276177).
// JDK 12 to 16 are no longer maintained and therefore excluded.
int instr_retransform_parallel_is_safe(const char *name, const char *specification,
                                       const char *version) {
    int feature, interim, update;
    if (!name || !specification || !version) return 0;
    if (!strstr(name, "HotSpot") && !strstr(name, "OpenJDK")) return 0;
    feature = atoi(specification); // 1.8 for JDK 8, whose HotSpot calls itself 25
    if (feature != 17) return feature > 17;
    return sscanf(version, "17.%d.%d", &interim, &update) == 2 && (interim > 0 || update >= 3);
}

static char *property(jvmtiEnv *jvmti, const char *name) {
    char *value = NULL;
    return (*jvmti)->GetSystemProperty(jvmti, name, &value) == JVMTI_ERROR_NONE ? value : NULL;
}

static int is_safe(jvmtiEnv *jvmti) {
    char *texts[] = {property(jvmti, "java.vm.name"),
                     property(jvmti, "java.vm.specification.version"),
                     property(jvmti, "java.vm.version")};
    int yes = instr_retransform_parallel_is_safe(texts[0], texts[1], texts[2]);
    for (int i = 0; i < 3; i++) (*jvmti)->Deallocate(jvmti, (unsigned char *)texts[i]);
    return yes;
}

// Not with Java agents: their transformers may retransform classes themselves, and two threads in
// them could wait for each other's classes forever.
int instr_retransform_parallel_allowed(jvmtiEnv *jvmti, int wanted, unsigned *processors) {
    jint available = 0;
    *processors = 0;
    if (wanted == 1) return 0;
    if (!wanted) {
        if ((*jvmti)->GetAvailableProcessors(jvmti, &available) != JVMTI_ERROR_NONE) return 0;
        if (available < 2) return 0;
        *processors = (unsigned)available;
    }
    return is_safe(jvmti) && !instr_agents_java();
}
