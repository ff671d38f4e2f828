// coverage.c: the JVM TI half of the pass coverage: which classes have a code source location, the
// request to dump data, and the results as .exec files

#include "instr/passes/coverage/coverage.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "instr/base/clock.h"
#include "instr/base/log.h"
#include "instr/vm/class_resource.h"
#include "instr/registry.h"
#include "instr/passes/coverage/changed.h"
#include "instr/passes/coverage/counts.h"
#include "instr/passes/coverage/flush.h"
#include "instr/passes/coverage/locations.h"
#include "instr/coverage/exec_reader.h"
#include "instr/coverage/mapping.h"
#include "instr/passes/coverage/test_types.h"
#include "instr/passes/coverage/tests.h"
#include "instr/passes/coverage/probe_arrays.h"
#include "instr/passes/agent_pass.h"
#include "instr/report/text.h"
#include "instr/vm/agent_state.h"
#include "instr/vm/runtime.h"
#include "rewriters/coverage.h"
#include "rewriters/test_methods.h"

#define DEFAULT_FILE "jacoco.exec"
#define MAX_CHANGED_NAMED 10

static struct {
    struct instr_coverage *registry; // never freed: inserted code holds its numbers
    JavaVM *vm;
    jvmtiEnv *jvmti; // the pass's own
    struct instr_methods *methods;
    bool append, no_location, no_bootstrap, counts;
    bool mapped, direct; // probes are in a file, or copied there; they are only there
    bool calls;          // inserted code calls the runtime
    atomic_uint presets; // the frameworks whose tests have sessions
    bool written;        // the last write succeeded
    bool ending;         // the JVM ends
    char *file;          // as given
    char session[1024];
    size_t session_length;
    pthread_mutex_t lock; // one thread writes at a time; for the fields below
    uint64_t start;       // milliseconds since 1970
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

// --- which classes ---

static bool is_below(const char *name, const char *package) {
    return strncmp(name, package, strlen(package)) == 0;
}

// JaCoCo's agent skips its own classes, which are not part of the program.
static bool is_jacocos(const char *name) {
    return is_below(name, "org/jacoco/agent/rt/");
}

// The ids of classes, and so the reports, should be those of their class files. Two agents are given
// precedence; their first classes are loaded before those of the program. JaCoCo's agent needs the
// class files, too. AspectJ's weaver reports errors at inserted calls, since it finds no class file
// of the runtime (rewriters/coverage.h).
static bool gets_original(const char *name) {
    static atomic_bool yields;
    if (is_jacocos(name) || (state.calls && is_below(name, "org/aspectj/weaver/"))) yields = true;
    return !yields;
}

static bool has_code(const uint8_t *bytes, size_t length) {
    char name[128];
    int n = snprintf(name, sizeof name, "%s" RW_HOLDER_NAME, instr_runtime_package_used());
    return memmem(bytes, length, name, (size_t)n) != NULL;
}

// The loader of classes that reflection generates.
static bool is_delegating(JNIEnv *jni, jobject loader) {
    char *signature = NULL;
    jclass class = (*jni)->GetObjectClass(jni, loader);
    jvmtiError error = (*state.jvmti)->GetClassSignature(state.jvmti, class, &signature, NULL);
    (*jni)->DeleteLocalRef(jni, class);
    if (error != JVMTI_ERROR_NONE) return false;
    bool is = strstr(signature, "reflect/DelegatingClassLoader;") != NULL;
    (*state.jvmti)->Deallocate(state.jvmti, (unsigned char *)signature);
    return is;
}

static bool is_taken(JNIEnv *jni, const struct instr_candidate *candidate) {
    if (is_jacocos(candidate->name)) return false;
    if (!candidate->loader) return !state.no_bootstrap; // include= names it
    if (!state.no_location) return instr_has_location(jni, candidate->domain);
    return !is_delegating(jni, candidate->loader);
}

static bool takes(const struct rw_pass *pass, JNIEnv *jni, const struct instr_candidate *candidate,
                  uint64_t *note) {
    (void)pass;
    if (!is_taken(jni, candidate)) return false;
    *note = instr_test_types_note(state.jvmti, jni, candidate, state.presets);
    return true;
}

// The bytes of a class that our hook got when it was loaded are still the same, or another agent has
// changed them. If the class was loaded before our hook was on, the JVM reconstitutes the bytes.
// They differ from the class file, and would give another id.
static void find_file(JNIEnv *jni, jobject loader, const char *name, const uint8_t *bytes,
                      size_t length, struct instr_origin *origin) {
    uint8_t *file;
    if (instr_coverage_knows(state.registry, instr_exec_class_id(bytes, length), name)) return;
    if (!instr_class_resource(jni, loader, name, &file, &origin->file_length)) return;
    if (origin->file_length == length && memcmp(file, bytes, length) == 0)
        free(file);
    else
        origin->file = file;
}

// --- writing ---

struct snapshot {
    uint32_t classes, probes;
    uint8_t *hits; // by number
    uint64_t date; // milliseconds since 1970
};

static bool take_snapshot(JNIEnv *jni, bool reset, struct snapshot *s) {
    // In this order, a class that is added meanwhile is not in the snapshot.
    s->classes = instr_coverage_classes(state.registry);
    s->probes = instr_coverage_probes(state.registry);
    s->hits = calloc(1, (size_t)s->probes + 1);
    bool shared = false; // with the tests: what is cleared here would be missing in theirs
    if (!s->hits || (reset && !instr_coverage_tests_prepare(jni, s->probes, &shared))) {
        free(s->hits);
        return false;
    }
    s->date = instr_clock_date();
    if (!shared) instr_probe_arrays_read(jni, s->hits, s->probes, reset);
    instr_coverage_follow(state.registry, s->hits, s->probes);
    instr_coverage_tests_add(s->hits, s->probes, reset);
    return true;
}

static void write_classes(const struct snapshot *s, struct instr_exec_file *file,
                          struct instr_coverage_written *written) {
    memset(written, 0, sizeof *written);
    written->classes = s->classes;
    for (uint32_t i = 0; i < s->classes; i++) {
        struct instr_covered_class class = instr_coverage_class(state.registry, i);
        const uint8_t *hits = s->hits + class.first;
        uint32_t hit = 0;
        for (uint32_t k = 0; k < class.count; k++) hit += hits[k];
        written->probes += class.count;
        written->probes_hit += hit;
        written->classes_hit += hit > 0;
        if (hit) instr_exec_write_probes(file, class.id, class.name, hits, class.count);
    }
}

// After a reset: if nothing was written, the hits belong to what is written next.
static void end_reset(const struct snapshot *s, bool written) {
    if (!written) {
        instr_coverage_tests_put_back(s->hits, s->probes);
        return;
    }
    instr_probe_arrays_forget(s->hits, s->probes);
    state.start = s->date;
}

// Closes the file. With the lock held.
static int write_to(JNIEnv *jni, struct instr_exec_file *file, int reset,
                    struct instr_coverage_written *written, char *error, size_t size) {
    struct snapshot s;
    if (!state.registry || !take_snapshot(jni, reset, &s)) {
        instr_exec_abandon(file);
        snprintf(error, size, "coverage: out of memory: nothing was written");
        return -1;
    }
    struct instr_exec_session session = {state.session, state.session_length, state.start, s.date};
    instr_exec_write_session(file, &session);
    write_classes(&s, file, written);
    instr_coverage_tests_outside(jni, &session);
    int result = instr_exec_close(file, error, size);
    if (reset) end_reset(&s, result == 0);
    free(s.hits);
    return result;
}

int instr_coverage_write_file(JNIEnv *jni, int reset, struct instr_coverage_written *written,
                              char *path, size_t path_size, char *error, size_t size) {
    struct instr_exec_file file;
    int result = -1;
    pthread_mutex_lock(&state.lock);
    char *expanded = instr_expand_file(state.file ? state.file : DEFAULT_FILE, (long)getpid());
    if (expanded) {
        snprintf(path, path_size, "%s", expanded);
        instr_exec_open(&file, expanded, state.append);
        result = write_to(jni, &file, reset, written, error, size);
    } else {
        snprintf(error, size, "coverage: out of memory: nothing was written");
    }
    free(expanded);
    pthread_mutex_unlock(&state.lock);
    return result;
}

int instr_coverage_write_descriptor(JNIEnv *jni, int reset, int fd, char *error, size_t size) {
    struct instr_coverage_written written;
    struct instr_exec_file file;
    pthread_mutex_lock(&state.lock);
    instr_exec_open_descriptor(&file, fd);
    int result = write_to(jni, &file, reset, &written, error, size);
    pthread_mutex_unlock(&state.lock);
    return result;
}

static void write_counts(JNIEnv *jni, const char *path) {
    char counts[PATH_MAX + 8], error[INSTR_ERROR_SIZE];
    snprintf(counts, sizeof counts, "%s.counts", path);
    if (instr_coverage_write_counts(jni, state.registry, counts, error, sizeof error) != 0)
        instr_say("%s", error);
}

// com.acme.Foo, without control characters.
static void show_name(const char *internal, char *name, size_t size) {
    snprintf(name, size, "%s", internal);
    for (char *c = name; *c; c++) {
        if (*c == '/') *c = '.';
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    }
}

// The classes that a pass could have covered, but that were skipped.
struct skipped_classes {
    const struct instr_pass_options *pass;
    uint32_t count;
    char first[256], reason[256];
};

static void see_skipped(void *context, const struct instr_skipped_item *item) {
    static const char prefix[] = "coverage: "; // of the pass's own reasons
    struct skipped_classes *skipped = context;
    size_t own = strncmp(item->reason, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    if (item->method[0] || !instr_scope_shows(skipped->pass, item->class_name)) return;
    if (skipped->count++) return;
    show_name(item->class_name, skipped->first, sizeof skipped->first);
    snprintf(skipped->reason, sizeof skipped->reason, "%s", item->reason + own);
}

// With include= alone, or exclude= too, there may be no such class, or none that could be covered.
static void report_no_class(const struct instr_results *results,
                            const struct instr_pass_options *pass) {
    const char *patterns = pass->include ? instr_match_text(pass->include) : NULL;
    struct skipped_classes skipped = {.pass = pass};
    char number[INSTR_NUMBER_SIZE];
    if (!patterns || instr_coverage_classes(state.registry)) return;
    instr_engine_skipped(results->engine, see_skipped, &skipped);
    if (skipped.count) {
        instr_say("coverage: no class that include=%.200s matches could be covered; skipped: %s, "
                  "the first %s: %s",
                  patterns, instr_number(skipped.count, number), skipped.first, skipped.reason);
        return;
    }
    instr_say(
        "coverage: no class was loaded that include=%.200s matches. com.acme.* is one package, "
        "com.acme.** has all below it, as JaCoCo's com.acme.*",
        patterns);
}

static void report_to_file(JNIEnv *jni, bool quiet) {
    struct instr_coverage_written written;
    char path[PATH_MAX], error[INSTR_ERROR_SIZE];
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], d[INSTR_NUMBER_SIZE];
    state.written =
        instr_coverage_write_file(jni, 0, &written, path, sizeof path, error, sizeof error) == 0;
    if (!state.written) {
        instr_say_unwritten(error);
        return;
    }
    if (state.ending) instr_coverage_map_remove();
    if (state.counts) write_counts(jni, path);
    if (quiet) return;
    instr_say("coverage: %s of %s probes hit in %s of %s classes, written to %s",
              instr_number(written.probes_hit, a), instr_number(written.probes, b),
              instr_number(written.classes_hit, c), instr_number(written.classes, d), path);
}

// Reports on the class files would show these classes as not covered, without a reason.
static void report_changed(void) {
    uint32_t classes = instr_coverage_classes(state.registry), changed = 0;
    char name[256], a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE];
    for (uint32_t i = 0; i < classes; i++)
        changed += instr_coverage_class(state.registry, i).file_id != 0;
    if (!changed) return;
    instr_say("coverage: %s of %s class%s differ%s from the class file%s, since another agent had "
              "changed %s; reports on class files show %s as not covered. On the command line "
              "instr has to stand before that agent",
              instr_number(changed, a), instr_number(classes, b), classes == 1 ? "" : "es",
              changed == 1 ? "s" : "", changed == 1 ? "" : "s", changed == 1 ? "it" : "them",
              changed == 1 ? "it" : "them");
    for (uint32_t i = 0, named = 0; i < classes && named < MAX_CHANGED_NAMED; i++) {
        struct instr_covered_class class = instr_coverage_class(state.registry, i);
        if (!class.file_id) continue;
        show_name(class.name, name, sizeof name);
        instr_say("coverage: %s: its id is %016" PRIx64 ", its class file's is %016" PRIx64, name,
                  class.id, class.file_id);
        named++;
    }
}

// The JVM ends: also without VMDeath, where native code calls exit().
static void end(JNIEnv *jni) {
    state.ending = true;
    instr_coverage_flush_stop();
    instr_coverage_tests_end(jni);
}

static void report_results(const struct instr_results *results, unsigned pass) {
    const struct instr_pass_options *options = &results->options->passes[pass];
    instr_coverage_find_changed(results->jvmti, results->jni, state.registry);
    if (!options->terms.quiet) report_changed();
    if (!options->terms.quiet) report_no_class(results, options);
    if (!results->without_totals) end(results->jni);
    report_to_file(results->jni, options->terms.quiet);
    struct instr_cost cost = instr_results_cost(results, pass, NULL, 0);
    instr_results_put_cost(results, pass, &cost);
}

// --- start and end ---

static void JNICALL on_dump_request(jvmtiEnv *jvmti) {
    JNIEnv *jni;
    (void)jvmti;
    if ((*state.vm)->GetEnv(state.vm, (void **)&jni, JNI_VERSION_1_6) == JNI_OK)
        report_to_file(jni, false);
}

// May be called before or after the agent's VMDeath, which writes the results. The later of the two
// removes the map.
static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni) {
    (void)jvmti;
    (void)jni;
    state.ending = true;
    instr_coverage_flush_stop();
    if (state.written) instr_coverage_map_remove();
}

static void engine(struct instr_engine *new_engine) {
    if (!state.registry) state.registry = instr_coverage_new(&instr_probe_arrays_store);
    if (state.registry) instr_engine_set_coverage(new_engine, state.registry);
    state.methods = instr_engine_methods(new_engine);
}

static bool is_yes(const struct instr_pass_options *options, const char *key, bool otherwise) {
    const char *value = instr_pass_option(options, key);
    return value ? strcmp(value, "yes") == 0 : otherwise;
}

// Looks at the first block only: files may be long.
static bool fits_file(const char *path, const struct instr_pass_options *options, char *reason,
                      size_t size) {
    struct instr_exec_reader reader;
    struct stat st;
    if (!is_yes(options, "append", true) || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return true;
    bool fits = instr_exec_read_open(&reader, path) != 0 ||
                instr_exec_read(&reader) != INSTR_EXEC_BAD || reader.cut;
    instr_exec_read_close(&reader);
    if (!fits) snprintf(reason, size, "%s", reader.error);
    return fits;
}

// As JaCoCo does: the host and a random number.
static void name_session(const char *given) {
    char name[HOST_NAME_MAX + 64], host[HOST_NAME_MAX + 1] = "unknownhost";
    if (gethostname(host, sizeof host - 1) != 0) strcpy(host, "unknownhost");
    host[sizeof host - 1] = '\0';
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    uint32_t random = (uint32_t)((uint64_t)t.tv_nsec * 2654435761u ^ (uint64_t)getpid() << 16);
    snprintf(name, sizeof name, "%s-%x", host, random);
    state.session_length =
        instr_exec_text(given ? given : name, state.session, sizeof state.session);
}

// The environment stays: a thread that is loading a class may use it. It also removes the map when
// the JVM ends, even after a detach.
static void stop(JNIEnv *jni, const struct rw_pass *pass) {
    (void)pass;
    if (jni && instr_agent.front_used)
        instr_say("coverage: classes that were loaded beside another agent keep their probes");
    instr_coverage_flush_stop();
    if (state.jvmti)
        (*state.jvmti)
            ->SetEventNotificationMode(state.jvmti, JVMTI_DISABLE, JVMTI_EVENT_DATA_DUMP_REQUEST,
                                       NULL);
}

static bool accepts(JavaVM *vm, const struct instr_pass_options *options,
                    enum instr_agent_pass_phase phase, char *reason, size_t size) {
    (void)vm, (void)phase;
    if (!instr_pass_option(options, "html")) return true;
    snprintf(reason, size,
             "option 'coverage.html': only 'instr run' makes pages; here, write coverage.file and "
             "make them with 'instr coverage report FILE --html DIR'");
    return false;
}

static bool load(JavaVM *vm, const struct instr_pass_options *options,
                 enum instr_agent_pass_phase phase, char *reason, size_t size) {
    (void)phase;
    const char *tests = instr_pass_option(options, "per-test");
    jvmtiEventCallbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.DataDumpRequest = on_dump_request;
    callbacks.VMDeath = on_vm_death;
    state.vm = vm;
    state.append = is_yes(options, "append", true);
    state.no_location = is_yes(options, "nolocation", false);
    state.no_bootstrap = !is_yes(options, "bootstrap", true);
    state.counts = is_yes(options, "counts", false);
    const char *mmap = instr_pass_option(options, "mmap");
    state.mapped = mmap && strcmp(mmap, "no") != 0;
    state.direct = state.mapped && strcmp(mmap, "flush") != 0;
    state.calls = state.direct || state.counts || tests;
    state.presets = tests ? rw_test_presets(tests) : 0;
    state.start = instr_clock_date();
    name_session(instr_pass_option(options, "session"));
    free(state.file);
    state.file = options->file ? strdup(options->file) : NULL;
    if (!state.registry || (options->file && !state.file)) {
        snprintf(reason, size, "out of memory");
        return false;
    }
    if ((state.jvmti || (*vm)->GetEnv(vm, (void **)&state.jvmti, JVMTI_VERSION_1_2) == JNI_OK) &&
        (*state.jvmti)->SetEventCallbacks(state.jvmti, &callbacks, sizeof callbacks) ==
            JVMTI_ERROR_NONE)
        return true;
    snprintf(reason, size, "the JVM refuses what coverage needs");
    return false;
}

static bool enable(jvmtiEvent event) {
    return (*state.jvmti)->SetEventNotificationMode(state.jvmti, JVMTI_ENABLE, event, NULL) ==
           JVMTI_ERROR_NONE;
}

static bool start_tests(JNIEnv *jni, char *reason, size_t size) {
    char *file = instr_expand_file(state.file ? state.file : DEFAULT_FILE, (long)getpid());
    struct instr_coverage_tests_config config = {state.registry, state.methods, file, state.append};
    bool started = file && instr_coverage_tests_start(jni, &config, reason, size);
    if (!file) snprintf(reason, size, "out of memory");
    free(file);
    return started;
}

// FILE.PID.map, or FILE.PID-2.map if there is one
static uint8_t *open_map(char *reason, size_t size) {
    struct instr_coverage_map_header header = {
        INSTR_COVERAGE_MAP_MAGIC, 1, INSTR_COVERAGE_MAP_PROBES, state.start, 0, ""};
    char stem[PATH_MAX];
    char *file = instr_expand_file(state.file ? state.file : DEFAULT_FILE, (long)getpid());
    if (!file) {
        snprintf(reason, size, "out of memory");
        return NULL;
    }
    header.session_length = (uint32_t)state.session_length;
    memcpy(header.session, state.session, state.session_length);
    snprintf(stem, sizeof stem, "%s.%ld", file, (long)getpid());
    free(file);
    return instr_coverage_map_open(stem, &header, state.direct, reason, size);
}

// Once in a JVM: inserted code holds the addresses of the probes.
static bool start_arrays(JNIEnv *jni, char *reason, size_t size) {
    static bool started, mapped, direct;
    uint8_t *mapping = NULL;
    if (started && mapped == state.mapped && direct == state.direct) return true;
    if (started) {
        snprintf(reason, size,
                 "coverage.mmap: cannot change after the pass was first switched on in a JVM");
        return false;
    }
    if (state.mapped && !(mapping = open_map(reason, size))) return false;
    started = instr_probe_arrays_start(state.vm, jni, instr_runtime_package_used(), mapping,
                                       state.direct, reason, size);
    if (!started && mapping) instr_coverage_map_abandon();
    mapped = state.mapped;
    direct = state.direct;
    return started;
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    (void)jvmti;
    bool has_tests = instr_pass_option(options, "per-test") != NULL;
    if (has_tests && !start_tests(jni, reason, size)) return false;
    if (!has_tests) instr_coverage_tests_stop(jni); // of an earlier start
    if (!start_arrays(jni, reason, size)) return false;
    if (state.mapped && !state.direct &&
        !instr_coverage_flush_start(state.vm, state.registry, reason, size))
        return false;
    if (enable(JVMTI_EVENT_DATA_DUMP_REQUEST) && (!state.mapped || enable(JVMTI_EVENT_VM_DEATH)))
        return true;
    snprintf(reason, size, "the JVM refuses the events that coverage needs");
    return false;
}

const struct instr_agent_pass instr_agent_pass_coverage = {
    .one_owner = true,
    .engine = engine,
    .accepts = accepts,
    .load = load,
    .takes = takes,
    .find_file = find_file,
    .gets_original = gets_original,
    .has_code = has_code,
    .takes_platform = true, // as JaCoCo does: their classes have a code source
    .start = start,
    .stop = stop,
    .report = report_results,
    .default_file = DEFAULT_FILE,
    .makes_folders = true,
    .fits_file = fits_file,
};
