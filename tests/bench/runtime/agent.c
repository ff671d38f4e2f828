// agent.c: an agent that brings the runtime into the VM and does nothing else. Java code plays the
// part of the inserted code and reads the counts. Options: path, budget=BYTES, jar=FILE (beside
// which library to look).

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "instr/vm/snapshot.h"
#include "instr/counters/records.h"
#include "instr/vm/runtime.h"
#include "instr/vm/ticks.h"
#include "instr/counters/threads.h"

static struct instr_runtime_config config;
static char library[4096];
static double started_us;

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) {
    (void)thread;
    char reason[256];
    double before = now_us();
    if (!instr_runtime_start(jvmti, jni, &config, reason, sizeof reason) ||
        !instr_runtime_add(jni, NULL, reason, sizeof reason) ||
        !instr_runtime_add(jni, "InstrSampling", reason, sizeof reason)) {
        fprintf(stderr, "agent: %s\n", reason);
        exit(1);
    }
    started_us = now_us() - before;
    // As the agent does for classes that inserted code calls: a full heap does not keep them from it.
    instr_runtime_introduce(jvmti, jni, "InstrCalls");
    instr_runtime_introduce(jvmti, jni, "InstrTiming");
    instr_runtime_introduce(jvmti, jni, "InstrSampling");
}

static void parse(char *options) {
    for (char *option = strtok(options, ","); option != NULL; option = strtok(NULL, ",")) {
        if (strcmp(option, "path") == 0) config.delivery = INSTR_DELIVERY_PATH;
        if (strncmp(option, "budget=", 7) == 0) config.page_budget = strtoul(option + 7, NULL, 10);
        if (strncmp(option, "jar=", 4) == 0) {
            snprintf(library, sizeof library, "%s", option + 4);
            config.library = library;
        }
    }
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    jvmtiEnv *jvmti;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
    if (options != NULL) parse(options);
    jvmtiEventCallbacks callbacks = {.VMInit = on_init};
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}

enum { NUMBERS = 10 };

static void put(jlong *to, const struct instr_counts *from) {
    const uint64_t numbers[NUMBERS] = {from->calls, (uint64_t)from->thrown,
                                       from->timed, from->total,
                                       from->self,  from->min,
                                       from->max,   from->p50,
                                       from->p90,   from->p99};
    for (int i = 0; i < NUMBERS; i++) to[i] = (jlong)numbers[i];
}

// All ids, with their numbers as RuntimeBench names them.
JNIEXPORT jlongArray JNICALL Java_RuntimeBench_counts(JNIEnv *jni, jclass class) {
    (void)class;
    struct instr_counts *counts;
    size_t n;
    if (!instr_snapshot(jni, &counts, &n)) return NULL;
    jlongArray array = (*jni)->NewLongArray(jni, (jsize)(n * NUMBERS));
    for (size_t id = 0; id < n; id++) {
        jlong numbers[NUMBERS];
        put(numbers, &counts[id]);
        (*jni)->SetLongArrayRegion(jni, array, (jsize)(id * NUMBERS), NUMBERS, numbers);
    }
    free(counts);
    return array;
}

JNIEXPORT jdouble JNICALL Java_RuntimeBench_startMicros(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    return started_us;
}

// Processor time of the whole process, ns: what other programs on the machine do does not show in
// it.
JNIEXPORT jlong JNICALL Java_RuntimeBench_processorTime(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (jlong)now.tv_sec * 1000000000 + now.tv_nsec;
}

JNIEXPORT jlong JNICALL Java_RuntimeBench_budget(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    return (jlong)instr_threads_budget();
}

// Bytes of native memory in use, those of the JVM included.
JNIEXPORT jlong JNICALL Java_RuntimeBench_allocated(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    struct mallinfo2 info = mallinfo2();
    return (jlong)(info.uordblks + info.hblkhd);
}

JNIEXPORT jlong JNICALL Java_RuntimeBench_lost(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    return (jlong)instr_records_lost();
}

JNIEXPORT void JNICALL Java_RuntimeBench_tick(JNIEnv *jni, jclass class) {
    (void)jni, (void)class;
    if (instr_ticks_start()) return;
    fprintf(stderr, "agent: no thread for ticks\n");
    exit(1);
}

JNIEXPORT jlong JNICALL Java_RuntimeBench_unseen(JNIEnv *jni, jclass class, jclass sampling,
                                                 jlong tick, jlong beyond, jint long_bits) {
    (void)class;
    jmethodID unseen = (*jni)->GetStaticMethodID(jni, sampling, "unseen", "(JJI)J");
    return unseen ? (*jni)->CallStaticLongMethod(jni, sampling, unseen, tick, beyond, long_bits)
                  : 0;
}

struct attaching {
    JavaVM *vm;
    jobject task;
    jmethodID run;
    int times;
};

// Attaches, runs the task and detaches, again and again: each time a new Thread on the same thread
// of the operating system.
static void *attach_again(void *argument) {
    const struct attaching *a = argument;
    for (int i = 0; i < a->times; i++) {
        JNIEnv *jni;
        if ((*a->vm)->AttachCurrentThread(a->vm, (void **)&jni, NULL) != JNI_OK) break;
        (*jni)->CallVoidMethod(jni, a->task, a->run);
        (*a->vm)->DetachCurrentThread(a->vm);
    }
    return NULL;
}

JNIEXPORT void JNICALL Java_RuntimeBench_attachAgain(JNIEnv *jni, jclass class, jobject task,
                                                     jint threads, jint times) {
    (void)class;
    struct attaching a = {.task = (*jni)->NewGlobalRef(jni, task), .times = times};
    a.run = (*jni)->GetMethodID(jni, (*jni)->GetObjectClass(jni, task), "run", "()V");
    (*jni)->GetJavaVM(jni, &a.vm);
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    for (int i = 0; i < threads; i++) pthread_create(&ids[i], NULL, attach_again, &a);
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    free(ids);
    (*jni)->DeleteGlobalRef(jni, a.task);
}
