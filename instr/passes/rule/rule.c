// The JVM TI half of rules: their tables and places in the runtime (java.lang.InstrRules), and results.
//
// Counts without a key are those of sites (instr_methods); all other tables are in the runtime.

#include "instr/passes/agent_pass.h"
#include "instr/passes/rule/fields.h"
#include "instr/passes/watch/watch.h"
#include "instr/report/tables.h"
#include "instr/rules/rules.h"
#include "instr/vm/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_KEYS = 1000, NUMBERS = 8 }; // NUMBERS: as in InstrRuleTable
enum { MOMENT_NS = 1000 * 1000, MOMENTS = 200 };

static const char *const reductions[] = {"count", "sum", "min", "max", "avg", "hist", "last"};

// --- the runtime ---

static bool call_void(JNIEnv *jni, jclass rules, const char *name, const char *descriptor, ...) {
    jmethodID method = (*jni)->GetStaticMethodID(jni, rules, name, descriptor);
    va_list arguments;
    va_start(arguments, descriptor);
    if (method) (*jni)->CallStaticVoidMethodV(jni, rules, method, arguments);
    va_end(arguments);
    bool ok = method && !(*jni)->ExceptionCheck(jni);
    (*jni)->ExceptionClear(jni);
    return ok;
}

// As in InstrRulePlace.
enum { FIELD, GETTER, PATTERNS };

static bool define_place(JNIEnv *jni, jclass rules, const struct instr_rule_place *place) {
    jstring text = (*jni)->NewStringUTF(jni, place->text);
    jint kind = place->kind == RULE_FIELD ? FIELD : place->kind == RULE_GETTER ? GETTER : PATTERNS;
    bool ok = text && call_void(jni, rules, "place", "(ILjava/lang/String;I)V", (jint)place->number,
                                text, kind);
    (*jni)->ExceptionClear(jni);
    if (text) (*jni)->DeleteLocalRef(jni, text);
    return ok;
}

static bool define(JNIEnv *jni, jclass rules, const struct instr_rule *rule) {
    bool ok = true;
    for (unsigned i = 0; i < rule->table_count; i++)
        ok = ok && call_void(jni, rules, "table", "(III)V", (jint)rule->tables[i].number,
                             (jint)rule->tables[i].reduction, (jint)MOST_KEYS);
    for (unsigned i = 0; i < rule->place_count; i++)
        ok = ok && define_place(jni, rules, &rule->places[i]);
    return ok && call_void(jni, rules, "rule", "(IZ)V", (jint)rule->number, JNI_TRUE);
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    (void)jvmti;
    if (instr_rule_of(options->pass)->prints && !instr_watch_prepare(jni, reason, size))
        return false;
    jclass rules = instr_runtime_class("InstrRules");
    if (rules && instr_rule_fields_start(jni) && define(jni, rules, instr_rule_of(options->pass)))
        return true;
    snprintf(reason, size, "out of memory");
    return false;
}

// Its results have been reported: tables, which may hold a thousand keys each, are given up.
static void stop(JNIEnv *jni, const struct rw_pass *pass) {
    const struct instr_rule *rule = instr_rule_of(pass);
    jclass rules = jni ? instr_runtime_class("InstrRules") : NULL;
    if (!rules) return;
    call_void(jni, rules, "rule", "(IZ)V", (jint)rule->number, JNI_FALSE);
    for (unsigned i = 0; i < rule->table_count; i++)
        call_void(jni, rules, "table", "(III)V", (jint)rule->tables[i].number, 0, 0);
    for (unsigned i = 0; i < rule->place_count; i++)
        call_void(jni, rules, "place", "(ILjava/lang/String;I)V", (jint)rule->places[i].number,
                  NULL, 0);
}

static uint64_t cost_ns(JNIEnv *jni, const struct rw_pass *pass) {
    jclass rules = instr_runtime_class("InstrRules");
    jmethodID cost = rules ? (*jni)->GetStaticMethodID(jni, rules, "cost", "(I)J") : NULL;
    jint number = (jint)instr_rule_of(pass)->number;
    jlong ns = cost ? (*jni)->CallStaticLongMethod(jni, rules, cost, number) : 0;
    (*jni)->ExceptionClear(jni);
    return (uint64_t)ns;
}

// --- results ---

struct gathered {
    struct instr_table_report report;
    size_t capacity;
    char **keys; // to be freed
    size_t key_count;
    bool no_memory;
};

static struct instr_table_row *new_row(struct gathered *g, const struct instr_rule_table *table) {
    if (g->report.row_count == g->capacity) {
        size_t larger = g->capacity ? 2 * g->capacity : 64;
        struct instr_table_row *rows = realloc(g->report.rows, larger * sizeof *rows);
        if (!rows) {
            g->no_memory = true;
            return NULL;
        }
        g->report.rows = rows;
        g->capacity = larger;
    }
    struct instr_table_row *row = &g->report.rows[g->report.row_count++];
    *row = (struct instr_table_row){.table = table->name,
                                    .key = "",
                                    .reduction = reductions[table->reduction],
                                    .metric = table->metric,
                                    .is_time = table->time};
    return row;
}

static char *copy_text(JNIEnv *jni, jobjectArray keys, jsize i) {
    jstring text = (*jni)->GetObjectArrayElement(jni, keys, i);
    const char *chars = text ? (*jni)->GetStringUTFChars(jni, text, NULL) : NULL;
    char *copy = chars ? strdup(chars) : NULL;
    if (chars) (*jni)->ReleaseStringUTFChars(jni, text, chars);
    if (text) (*jni)->DeleteLocalRef(jni, text);
    return copy;
}

static double real(jlong bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void take_row(struct gathered *g, const struct instr_rule_table *table, char *key,
                     const jlong *numbers) {
    // The order of InstrRuleTable.NUMBERS: count, sum, min, max, last, p50, p90, p99.
    struct instr_table_row *row = key ? new_row(g, table) : NULL;
    if (!row) {
        g->no_memory = true;
        free(key);
        return;
    }
    g->keys[g->key_count++] = key;
    row->key = key;
    row->count = (uint64_t)numbers[0];
    for (size_t i = 0; i < INSTR_TABLE_NUMBERS; i++) row->numbers[i] = real(numbers[i + 1]);
}

static void take_rows(struct gathered *g, JNIEnv *jni, const struct instr_rule_table *table,
                      jobjectArray keys, jlongArray numbers) {
    jsize n = (*jni)->GetArrayLength(jni, keys);
    jlong *all = (*jni)->GetLongArrayElements(jni, numbers, NULL);
    char **more = realloc(g->keys, (g->key_count + (size_t)n + 1) * sizeof *more);
    if (more) g->keys = more;
    for (jsize i = 0; all && more && i < n; i++)
        take_row(g, table, copy_text(jni, keys, i), all + i * NUMBERS);
    g->no_memory |= !all || !more;
    if (all) (*jni)->ReleaseLongArrayElements(jni, numbers, all, JNI_ABORT);
}

static void take_table(struct gathered *g, JNIEnv *jni, const struct instr_rule_table *table,
                       bool reset) {
    jclass rules = instr_runtime_class("InstrRules");
    if (!rules || (*jni)->PushLocalFrame(jni, 16) != 0) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    jmethodID rows = (*jni)->GetStaticMethodID(jni, rules, "rows", "(IZ)[Ljava/lang/Object;");
    jobjectArray pair = rows ? (*jni)->CallStaticObjectMethod(jni, rules, rows, (jint)table->number,
                                                              (jboolean)reset)
                             : NULL;
    if (pair && !(*jni)->ExceptionCheck(jni)) {
        jobjectArray keys = (*jni)->GetObjectArrayElement(jni, pair, 0);
        jlongArray numbers = (*jni)->GetObjectArrayElement(jni, pair, 1);
        if (keys && numbers) take_rows(g, jni, table, keys, numbers);
    }
    g->no_memory |= (*jni)->ExceptionCheck(jni);
    (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
}

static void wait_a_moment(void) {
    nanosleep(&(struct timespec){.tv_nsec = MOMENT_NS}, NULL);
}

// Waits until threads that were in a rule when its tables were replaced have left it: they add to the
// old ones. At first it is not known which they are, since they say so without a barrier. One that
// waits in a rule, as with `delay`, is not waited for.
static void wait_for_threads(JNIEnv *jni, jclass rules) {
    wait_a_moment();
    jmethodID inside = (*jni)->GetStaticMethodID(jni, rules, "inside", "()[J");
    jmethodID stays = (*jni)->GetStaticMethodID(jni, rules, "anyStays", "([J)Z");
    jobject threads = inside && stays ? (*jni)->CallStaticObjectMethod(jni, rules, inside) : NULL;
    for (int i = 0; threads && i < MOMENTS; i++) {
        if (!(*jni)->CallStaticBooleanMethod(jni, rules, stays, threads)) break;
        wait_a_moment();
    }
    (*jni)->ExceptionClear(jni);
    if (threads) (*jni)->DeleteLocalRef(jni, threads);
}

// False: out of memory.
static bool replace_tables(JNIEnv *jni, const struct instr_rule *rule) {
    jclass rules = instr_runtime_class("InstrRules");
    bool ok = rules;
    for (unsigned i = 0; i < rule->table_count; i++)
        ok = ok && call_void(jni, rules, "replace", "(I)V", (jint)rule->tables[i].number);
    if (ok && rule->table_count) wait_for_threads(jni, rules);
    return ok;
}

// The sum of the sites of a count without a key.
static void take_count(struct gathered *g, const struct instr_results *results, unsigned pass,
                       const struct instr_rule_table *table, const struct instr_counts *counts,
                       size_t n) {
    unsigned number = results->options->passes[pass].number;
    size_t known = (size_t)instr_methods_count(results->methods);
    uint64_t count = 0;
    for (size_t id = 0; id < n && id < known; id++) {
        if (!counts[id].calls) continue;
        struct instr_method m = instr_methods_get(results->methods, (int)id);
        if (m.pass == number && m.detail && strcmp(m.detail, table->name) == 0)
            count += counts[id].calls;
    }
    struct instr_table_row *row = count ? new_row(g, table) : NULL;
    if (row) row->count = count;
}

static void gather(struct gathered *g, const struct instr_results *results, unsigned pass,
                   const struct instr_rule *rule) {
    struct instr_counts *counts = NULL;
    size_t n = 0;
    if (!instr_results_snapshot(results, pass, &counts, &n)) g->no_memory = true;
    if (results->reset && !replace_tables(results->jni, rule)) g->no_memory = true;
    for (unsigned i = 0; i < rule->table_count; i++) {
        const struct instr_rule_table *table = &rule->tables[i];
        if (table->keys == 0 && table->reduction == INSTR_RULE_COUNT)
            take_count(g, results, pass, table, counts, counts ? n : 0);
        else
            take_table(g, results->jni, table, results->reset);
    }
    g->report.cost = instr_results_cost(results, pass, counts, counts ? n : 0);
    free(counts);
}

static void report(const struct instr_results *results, unsigned pass) {
    const struct rw_pass *of = results->options->passes[pass].pass;
    const struct instr_rule *rule = instr_rule_of(of);
    const struct instr_pass_options *options = &results->options->passes[pass];
    if (!rule->table_count && !options->file) return;
    struct gathered g = {
        .report = {.pass = of->name,
                   .rule = rule->text,
                   .matched = __atomic_load_n(&rule->found->woven, __ATOMIC_RELAXED)}};
    gather(&g, results, pass, rule);
    if (g.no_memory) {
        instr_say_unwritten("out of memory: a result is lost");
    } else if (!rule->table_count) { // the file that was asked for, and nothing to print
        instr_results_write(options, options->file, instr_tables_format.json, &g.report);
    } else {
        instr_table_report_sort(&g.report);
        instr_results_put(results, pass, &instr_tables_format, &g.report);
        instr_results_put_cost(results, pass, &g.report.cost);
    }
    for (size_t i = 0; i < g.key_count; i++) free(g.keys[i]);
    free(g.keys);
    free(g.report.rows);
}

const struct instr_agent_pass instr_agent_pass_rule = {
    .start = start,
    .stop = stop,
    .cost_ns = cost_ns,
    .report = report,
};
