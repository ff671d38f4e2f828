// alloc.c: the JVM TI half of the pass alloc: options, capabilities, results

#define _POSIX_C_SOURCE 200809L

#include "instr/passes/alloc/internal.h"
#include "instr/report/alloc.h"
#include "instr/report/flame.h"
#include "instr/vm/snapshot.h"
#include "instr/passes/agent_pass.h"
#include "instr/vm/runtime.h"
#include "instr/base/log.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL (4 * 1024 * 1024)

// can_support_value_objects (JDK 28) among the capabilities: headers of older JDKs have no name for
// the bit.
#define VALUE_OBJECTS_BYTE 5
#define VALUE_OBJECTS_BIT 0x20

struct instr_alloc instr_alloc;

// --- options ---

static bool is(const struct instr_pass_options *pass, const char *key, const char *word) {
    const char *value = instr_pass_option(pass, key);
    return value && strcmp(value, word) == 0;
}

static bool read_options(const struct instr_pass_options *pass, struct instr_alloc_options *o,
                         char *reason, size_t size) {
    const char *interval = instr_pass_option(pass, "interval"), *wrong = NULL;
    uint64_t bytes = INTERVAL;
    memset(o, 0, sizeof *o);
    o->sampled = is(pass, "mode", "sampled");
    o->live = is(pass, "live", "yes");
    o->track_object = is(pass, "track", "object");
    if (interval && (instr_option_size(interval, &bytes) != 0 || bytes > INT_MAX))
        wrong = "alloc.interval: must be below 2G";
    else if (!o->sampled && (interval || o->live))
        wrong = "alloc.interval and alloc.live need alloc.mode=sampled";
    else if (o->sampled && o->track_object)
        wrong = "alloc.track=object and alloc.mode=sampled exclude each other";
    o->interval = (int)bytes;
    if (wrong) snprintf(reason, size, "%s", wrong);
    return !wrong;
}

static bool accepts(JavaVM *vm, const struct instr_pass_options *pass,
                    enum instr_agent_pass_phase phase, char *reason, size_t size) {
    struct instr_alloc_options read;
    (void)vm, (void)phase;
    return read_options(pass, &read, reason, size);
}

// --- load, start, stop ---

// Can a JVM of this version sample allocations, if no other agent does?
static bool samples(jvmtiEnv *jvmti) {
    jint version = 0;
    if ((*jvmti)->GetVersionNumber(jvmti, &version) != JVMTI_ERROR_NONE) return false;
    return (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR >= 11;
}

// Returns NULL, or what failed.
static const char *take_capabilities(jvmtiEnv *jvmti) {
    const struct instr_alloc_options *o = &instr_alloc.options;
    jvmtiCapabilities potential, wanted;
    unsigned char bits[sizeof potential];
    memset(&wanted, 0, sizeof wanted);
    if ((*jvmti)->GetPotentialCapabilities(jvmti, &potential) != JVMTI_ERROR_NONE)
        return "alloc: the JVM does not report its capabilities";
    if (o->sampled && !potential.can_generate_sampled_object_alloc_events)
        return samples(jvmti) ? "alloc.mode=sampled: another agent samples allocations in this "
                                "JVM, and only one can do so at a time"
                              : "alloc.mode=sampled: this JVM does not sample allocations; "
                                "JDK 11 or later does";
    if (o->track_object && !potential.can_retransform_any_class)
        return "alloc.track=object: this JVM cannot transform java.lang.Object";
    memcpy(bits, &potential, sizeof bits);
    instr_alloc.value_objects = bits[VALUE_OBJECTS_BYTE] & VALUE_OBJECTS_BIT;
    memset(bits, 0, sizeof bits);
    if (instr_alloc.value_objects) bits[VALUE_OBJECTS_BYTE] = VALUE_OBJECTS_BIT;
    memcpy(&wanted, bits, sizeof wanted);
    wanted.can_generate_sampled_object_alloc_events = o->sampled;
    wanted.can_retransform_classes = wanted.can_retransform_any_class = o->track_object;
    wanted.can_generate_all_class_hook_events = o->track_object;
    wanted.can_generate_vm_object_alloc_events =
        !o->sampled && potential.can_generate_vm_object_alloc_events;
    wanted.can_get_line_numbers = potential.can_get_line_numbers;
    wanted.can_get_bytecodes = !o->sampled && potential.can_get_bytecodes;
    wanted.can_get_constant_pool = !o->sampled && potential.can_get_constant_pool;
    return (*jvmti)->AddCapabilities(jvmti, &wanted) == JVMTI_ERROR_NONE
               ? NULL
               : "alloc: the JVM refuses the capabilities; another agent may hold them";
}

static void forget(JNIEnv *jni, const struct rw_pass *pass) {
    (void)pass;
    instr_alloc_vm_forget();
    instr_alloc_samples_forget(jni);
}

static void stop(JNIEnv *jni, const struct rw_pass *pass) {
    (void)pass;
    if (!instr_alloc.jvmti) return;
    if (instr_alloc.options.sampled) instr_alloc_samples_stop();
    if (instr_alloc.options.track_object) instr_alloc_object_stop(jni);
    if (!instr_alloc.options.sampled) instr_alloc_vm_stop();
}

static bool load(JavaVM *vm, const struct instr_pass_options *options,
                 enum instr_agent_pass_phase phase, char *reason, size_t size) {
    (void)phase;
    if (!read_options(options, &instr_alloc.options, reason, size)) return false;
    instr_alloc.vm = vm;
    if (!instr_alloc.jvmti &&
        (*vm)->GetEnv(vm, (void **)&instr_alloc.jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
        instr_alloc.jvmti = NULL;
        snprintf(reason, size, "alloc: cannot create another JVM TI environment");
        return false;
    }
    const char *failed = take_capabilities(instr_alloc.jvmti);
    if (!failed && instr_alloc.options.sampled) failed = instr_alloc_samples_set_interval();
    if (!failed) return true;
    snprintf(reason, size, "%s", failed);
    return false;
}

static bool inserts(const struct instr_pass_options *options) {
    return !is(options, "mode", "sampled");
}

static const char *begin_counting(JNIEnv *jni) {
    if (instr_alloc.options.sampled) return instr_alloc_samples_start(jni);
    const char *failed = instr_alloc_sizes_start(jni);
    if (!failed) failed = instr_alloc_vm_start(jni);
    if (!failed && instr_alloc.options.track_object)
        failed = instr_alloc_object_start(jni, instr_runtime_current_package());
    if (!failed) instr_alloc_samples_forget(jni); // the mode was another one
    return failed;
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    (void)jvmti;
    (void)options;
    const char *failed = begin_counting(jni);
    if (!failed) return true;
    (*jni)->ExceptionClear(jni);
    snprintf(reason, size, "%s", failed);
    return false;
}

static void use_engine(struct instr_engine *engine) {
    instr_alloc.methods = instr_engine_methods(engine);
}

// --- results ---

struct adding {
    const struct instr_results *results;
    unsigned pass;
    struct instr_alloc_report *report;
};

static void add_one(void *context, const struct instr_method *m, uint64_t count, uint64_t bytes) {
    const struct adding *adding = context;
    struct instr_alloc_report *report = adding->report;
    if (!instr_results_shows(adding->results, adding->pass, m->class_name)) return;
    struct instr_alloc_site site = {
        .class_name = instr_alloc_class_name(report, m->detail),
        .site_class = instr_alloc_class_name(report, m->class_name),
        .site_method = m->name,
        .site_line = m->line,
        .count = count,
        .bytes = bytes,
    };
    instr_alloc_report_add(report, &site);
}

// What no bytecode has allocated, at one site.
struct vm_count {
    struct instr_method site;
    uint64_t count, bytes;
};

static void keep_one(void *context, const struct instr_method *m, uint64_t count, uint64_t bytes) {
    struct instr_results_kept *kept = context;
    struct vm_count *more = kept->own;
    // Grows where the number is a power of two.
    if (!(kept->own_count & (kept->own_count - 1))) {
        size_t larger = kept->own_count ? 2 * kept->own_count : 1;
        more = realloc(more, larger * sizeof *more);
        if (!more) return;
        kept->own = more;
    }
    more[kept->own_count++] = (struct vm_count){*m, count, bytes};
}

static void add_of_vm(struct adding *adding) {
    const struct instr_results *r = adding->results;
    if (r->kept && !instr_results_are_kept(r)) instr_alloc_vm_each(keep_one, r->kept, true);
    if (!r->kept) instr_alloc_vm_each(add_one, adding, r->reset);
    const struct vm_count *kept = r->kept ? r->kept->own : NULL;
    for (size_t i = 0; kept && i < r->kept->own_count; i++)
        add_one(adding, &kept[i].site, kept[i].count, kept[i].bytes);
}

// Adds the counts of inserted code. `thrown` of a row holds bytes (rewriters/alloc.c).
static int add_counted(struct adding *adding) {
    const struct instr_results *r = adding->results;
    unsigned pass = adding->pass;
    struct instr_counts *counts = NULL;
    size_t n = 0, known = (size_t)instr_methods_count(r->methods);
    if (!instr_results_snapshot(r, pass, &counts, &n)) return -1;
    for (size_t id = 0; id < n && id < known; id++) {
        if (!counts[id].calls && !counts[id].thrown) continue; // a reset may part the two
        struct instr_method m = instr_methods_get(r->methods, (int)id);
        if (m.pass != r->options->passes[pass].number || !m.detail) continue;
        add_one(adding, &m, counts[id].calls,
                counts[id].thrown > 0 ? (uint64_t)counts[id].thrown : 0);
    }
    adding->report->cost = instr_results_cost(r, pass, counts, n);
    free(counts);
    return 0;
}

static void report_results(const struct instr_results *r, unsigned pass) {
    const struct instr_pass_options *options = &r->options->passes[pass];
    struct instr_alloc_report report;
    struct adding adding = {r, pass, &report};
    instr_alloc_report_init(&report, options->pass->name);
    if (instr_alloc.options.sampled)
        instr_alloc_samples_report(r->jni, &report);
    else
        add_of_vm(&adding);
    if (instr_alloc.options.sampled && r->reset && !(r->kept && r->kept->owners_left))
        instr_alloc_samples_forget(r->jni);
    if (add_counted(&adding) != 0 || instr_alloc_report_finish(&report) != 0) {
        instr_say("alloc: out of memory: the results are lost");
        instr_alloc_report_free(&report);
        return;
    }
    instr_results_put(r, pass, &instr_alloc_format, &report);
    instr_results_put_cost(r, pass, &report.cost);
    instr_results_write(options, instr_pass_option(options, "stacks"), instr_alloc_stacks, &report);
    instr_results_write(options, instr_pass_option(options, "html"), instr_flame, &report);
    instr_alloc_report_free(&report);
}

static size_t memory(const struct rw_pass *pass) {
    (void)pass;
    return instr_alloc_vm_bytes() + instr_alloc_samples_bytes();
}

static uint64_t cost_ns(JNIEnv *jni, const struct rw_pass *pass) {
    (void)jni, (void)pass;
    return instr_alloc_vm_cost_ns();
}

const struct instr_agent_pass instr_agent_pass_alloc = {
    .cost_ns = cost_ns,
    .memory = memory,
    .accepts = accepts,
    .load = load,
    .engine = use_engine,
    .inserts = inserts,
    .start = start,
    .forget = forget,
    .stop = stop,
    .report = report_results,
};
