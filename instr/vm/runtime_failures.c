// runtime_failures.c: see runtime_failures.h

#include "instr/vm/runtime_failures.h"

#include "instr/vm/wake.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST = 16, NAME_CHARACTERS = INSTR_FAILURE_SIZE / 3 - 1 }; // 3 bytes each at most

static struct {
    // Held briefly. An application thread that finds it held gives up.
    pthread_mutex_t mutex;
    atomic_int count;
    struct {
        int id;
        char what[INSTR_FAILURE_SIZE];
    } noted[MOST];
} failures = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void JNICALL instr_failures_native(JNIEnv *jni, jclass class, jint id, jstring name) {
    (void)class;
    char what[INSTR_FAILURE_SIZE] = "";
    if (atomic_load(&failures.count) == MOST) return;
    jsize length = name ? (*jni)->GetStringLength(jni, name) : 0;
    (*jni)->GetStringUTFRegion(jni, name, 0, length < NAME_CHARACTERS ? length : NAME_CHARACTERS,
                               what);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    if (pthread_mutex_trylock(&failures.mutex) != 0) return;
    int n = atomic_load(&failures.count), known = 0;
    for (int i = 0; i < n; i++) known |= failures.noted[i].id == id;
    if (!known && n < MOST) {
        failures.noted[n].id = id;
        memcpy(failures.noted[n].what, what, sizeof what);
        atomic_store(&failures.count, n + 1);
    }
    pthread_mutex_unlock(&failures.mutex);
    if (!known) instr_wake();
}

int instr_failures_any(void) {
    return atomic_load(&failures.count) > 0;
}

static int is_pass(const struct instr_plan *plan, size_t i, int id) {
    const struct instr_pass_options *pass = &plan->options.passes[i];
    if (id == INSTR_FAILED_EXCEPTIONS) return strcmp(pass->pass->name, "exceptions") == 0;
    if (id == INSTR_FAILED_ALLOC) return strcmp(pass->pass->name, "alloc") == 0;
    // The rows that all threads share belong to the passes that measure time.
    if (id < 0) return pass->pass->timed;
    return plan->methods && id < instr_methods_count(plan->methods) &&
           instr_methods_get(plan->methods, id).pass == pass->number;
}

int instr_failures_take(const struct instr_plan *plan, char what[INSTR_FAILURE_SIZE], int *more) {
    int id = 0, found = 0;
    pthread_mutex_lock(&failures.mutex);
    int n = atomic_load(&failures.count);
    if (n > 0) {
        found = 1;
        id = failures.noted[n - 1].id;
        memcpy(what, failures.noted[n - 1].what, INSTR_FAILURE_SIZE);
        atomic_store(&failures.count, n - 1);
    }
    pthread_mutex_unlock(&failures.mutex);
    *more = n > 1;
    for (size_t i = 0; found && plan && i < plan->options.pass_count; i++)
        if (is_pass(plan, i, id)) return (int)i;
    return -1;
}
