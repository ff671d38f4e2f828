// exceptions.c: the JVM TI half of the pass exceptions: its natives and its results

#include "instr/passes/agent_pass.h"

#include "instr/vm/snapshot.h"
#include "instr/passes/exceptions/internal.h"
#include "instr/vm/runtime.h"
#include "instr/base/log.h"
#include "rewriters/exceptions.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_bool others_throw = true; // into threads, with Thread.stop()

static void find_whether_others_throw(jvmtiEnv *jvmti) {
    char *version = NULL;
    if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.specification.version", &version) !=
        JVMTI_ERROR_NONE)
        return;
    if (atoi(version) >= 20) others_throw = false;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)version);
}

static bool takes(const struct rw_pass *pass, JNIEnv *jni, const struct instr_candidate *candidate,
                  uint64_t *note) {
    (void)pass;
    (void)jni;
    (void)candidate;
    *note = others_throw ? 0 : RW_NOTHING_FROM_OTHERS;
    return true;
}

static void use_engine(struct instr_engine *engine) {
    int pass = instr_engine_pass(engine, "exceptions");
    if (pass >= 0) instr_exceptions_rows_use(instr_engine_methods(engine), (unsigned)pass);
}

static bool load(JavaVM *vm, const struct instr_pass_options *options,
                 enum instr_agent_pass_phase phase, char *reason, size_t size) {
    (void)options;
    (void)phase;
    return instr_exceptions_thread_load(vm, reason, size);
}

// When the pass is switched on again, it counts in new rows.
static bool forget_rows(JNIEnv *jni, jclass gate) {
    jmethodID forget = (*jni)->GetStaticMethodID(jni, gate, "forget", "()V");
    if (forget) (*jni)->CallStaticVoidMethod(jni, gate, forget);
    if (!(*jni)->ExceptionCheck(jni)) return true;
    (*jni)->ExceptionClear(jni);
    return false;
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    (void)options;
    find_whether_others_throw(jvmti);
    jclass natives = instr_runtime_class("InstrExceptionsNative");
    jclass gate = instr_runtime_class("InstrExceptions");
    const char *failed =
        natives && gate ? instr_exceptions_rows_start(instr_exceptions_thread_env(), jni, natives)
                        : "a class of the runtime is missing";
    if (!failed && !forget_rows(jni, gate)) failed = "InstrExceptions cannot be initialized";
    if (!failed) return instr_exceptions_thread_start(jni, gate, reason, size);
    snprintf(reason, size, "exceptions: %s", failed);
    return false;
}

// --- results ---

// Returns the memory of the names, which the caller frees; NULL: out of memory.
static char *fill_row(struct instr_exception_row *to, const struct instr_methods *methods, int row,
                      uint64_t count) {
    struct instr_method place = instr_methods_get(methods, row);
    char *names = strdup(place.detail);
    if (!names) return NULL;
    struct instr_exception_end end = instr_exceptions_end(names);
    char *descriptor = end.caught_method ? strchr(end.caught_method, '(') : NULL;
    if (descriptor) *descriptor = '\0';
    to->class_name = end.exception_class;
    to->site_class = place.class_name;
    to->site_method = place.name;
    to->site_line = place.line;
    to->count = count;
    to->fate = end.fate;
    to->caught_class = end.caught_class;
    to->caught_method = end.caught_method;
    to->frames = instr_exceptions_stack(row, &to->frame_count);
    return names;
}

// Counts errors that code without instrumentation has caught while the stack was exhausted.
static void tell_rest(const struct instr_results *results) {
    JNIEnv *jni = results->jni;
    jclass gate = instr_runtime_class("InstrExceptions");
    jmethodID tell = gate ? (*jni)->GetStaticMethodID(jni, gate, "tellRest", "(Z)V") : NULL;
    if (tell) (*jni)->CallStaticVoidMethod(jni, gate, tell, (jboolean)!results->goes_on);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
}

// Names of the rows that the owner has; they belong to the caller, one for each item of the list.
static void fill_rows(struct instr_exception_report *report, struct instr_exception_row *rows,
                      const struct instr_results *results, unsigned pass,
                      const struct instr_exception_counts *list, char **names) {
    for (size_t i = 0; i < list->count; i++) {
        const struct instr_exception_count *c = &list->items[i];
        if (c->row < 0 || !c->count ||
            !instr_results_shows(results, pass,
                                 instr_methods_get(results->methods, c->row).class_name))
            continue;
        names[i] = fill_row(&rows[report->row_count], results->methods, c->row, (uint64_t)c->count);
        if (names[i]) report->row_count++;
    }
}

static bool copy_list(struct instr_exception_counts *list,
                      const struct instr_exception_count *items, size_t n) {
    *list = (struct instr_exception_counts){NULL, n, n};
    if (n) list->items = malloc(n * sizeof *items);
    if (list->items) memcpy(list->items, items, n * sizeof *items);
    return !n || list->items;
}

static bool count(const struct instr_results *results, unsigned pass,
                  struct instr_exception_counts *list, struct instr_cost *cost) {
    struct instr_counts *counts = NULL;
    size_t n = 0;
    bool again = instr_results_are_kept(results);
    if (!instr_results_snapshot(results, pass, &counts, &n)) return false;
    *cost = instr_results_cost(results, pass, counts, n);
    bool counted =
        again ? copy_list(list, results->kept->own, results->kept->own_count)
              : instr_exceptions_count(results->methods, results->options->passes[pass].number,
                                       counts, n, results->reset, list);
    free(counts);
    struct instr_exception_counts copy = {NULL, 0, 0};
    if (!again && counted && results->kept && copy_list(&copy, list->items, list->count)) {
        results->kept->own = copy.items;
        results->kept->own_count = copy.count;
    }
    return counted;
}

static void report_results(const struct instr_results *results, unsigned pass) {
    struct instr_exception_counts list = {NULL, 0, 0};
    struct instr_exception_report report = {.pass = results->options->passes[pass].pass->name};
    tell_rest(results);
    bool counted = count(results, pass, &list, &report.cost);
    struct instr_exception_row *rows = calloc(list.count + 1, sizeof *rows);
    char **names = calloc(list.count + 1, sizeof *names);
    if (rows && names && counted) {
        report.rows = rows;
        fill_rows(&report, rows, results, pass, &list, names);
        instr_exception_report_sort(&report);
        instr_results_put(results, pass, &instr_exceptions_format, &report);
        instr_results_put_cost(results, pass, &report.cost);
    } else {
        instr_say("exceptions: out of memory: the results are lost");
    }
    for (size_t i = 0; names && i < list.count; i++) free(names[i]);
    free(names);
    free(rows);
    free(list.items);
}

static void forget(JNIEnv *jni, const struct rw_pass *pass) {
    (void)jni;
    (void)pass;
    instr_exceptions_count_forget();
}

const struct instr_agent_pass instr_agent_pass_exceptions = {
    .memory = instr_exceptions_bytes,
    .engine = use_engine,
    .load = load,
    .takes = takes,
    .start = start,
    .forget = forget,
    .stop = instr_exceptions_thread_stop,
    .report = report_results,
};
