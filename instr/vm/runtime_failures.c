#include "instr/vm/runtime_failures.h"

#include "instr/base/log.h"
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
        const struct rw_pass *pass; // NULL: not known
        char what[INSTR_FAILURE_SIZE];
    } noted[MOST];
} failures = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void get_text(JNIEnv *jni, jstring string, char text[INSTR_FAILURE_SIZE]) {
    memset(text, 0, INSTR_FAILURE_SIZE);
    if (!string) return;
    jsize length = (*jni)->GetStringLength(jni, string);
    (*jni)->GetStringUTFRegion(jni, string, 0, length < NAME_CHARACTERS ? length : NAME_CHARACTERS,
                               text);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
}

void JNICALL instr_failures_native(JNIEnv *jni, jclass class, jint id, jstring pass_name,
                                   jstring name) {
    (void)class;
    char what[INSTR_FAILURE_SIZE];
    if (atomic_load(&failures.count) == MOST) return;
    get_text(jni, pass_name, what);
    const struct rw_pass *pass = rw_pass_named(what, strlen(what));
    get_text(jni, name, what);
    if (pthread_mutex_trylock(&failures.mutex) != 0) return;
    int n = atomic_load(&failures.count), known = 0;
    for (int i = 0; i < n; i++)
        known |= failures.noted[i].id == id && failures.noted[i].pass == pass;
    if (!known && n < MOST) {
        failures.noted[n].id = id;
        failures.noted[n].pass = pass;
        memcpy(failures.noted[n].what, what, sizeof what);
        atomic_store(&failures.count, n + 1);
    }
    pthread_mutex_unlock(&failures.mutex);
    if (!known) instr_wake();
}

void JNICALL instr_failures_say(JNIEnv *jni, jclass class, jstring line) {
    enum { MOST_CHARACTERS = 1000 };
    char text[3 * MOST_CHARACTERS + 1] = "";
    (void)class;
    jsize length = (*jni)->GetStringLength(jni, line);
    (*jni)->GetStringUTFRegion(jni, line, 0, length < MOST_CHARACTERS ? length : MOST_CHARACTERS,
                               text);
    if ((*jni)->ExceptionCheck(jni)) return;
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    instr_say("%s", text);
}

int instr_failures_any(void) {
    return atomic_load(&failures.count) > 0;
}

static int is_pass(const struct instr_plan *plan, size_t i, int id, const struct rw_pass *failed) {
    const struct instr_pass_options *pass = &plan->options.passes[i];
    if (failed) return pass->pass == failed;
    if (id < 0) return pass->pass->timed;
    return plan->methods && id < instr_methods_count(plan->methods) &&
           instr_methods_get(plan->methods, id).pass == pass->number;
}

int instr_failures_take(const struct instr_plan *plan, char what[INSTR_FAILURE_SIZE], int *more) {
    int id = 0, found = 0;
    const struct rw_pass *pass = NULL;
    pthread_mutex_lock(&failures.mutex);
    int n = atomic_load(&failures.count);
    if (n > 0) {
        found = 1;
        id = failures.noted[n - 1].id;
        pass = failures.noted[n - 1].pass;
        memcpy(what, failures.noted[n - 1].what, INSTR_FAILURE_SIZE);
        atomic_store(&failures.count, n - 1);
    }
    pthread_mutex_unlock(&failures.mutex);
    *more = n > 1;
    for (size_t i = 0; found && plan && i < plan->options.pass_count; i++)
        if (is_pass(plan, i, id, pass)) return (int)i;
    return -1;
}
