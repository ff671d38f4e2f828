// What the pass coverage needs of the JVM: holders for its probes, which classes have a code source
// location, the request to dump data, and its results as .exec files.

#include "instr/passes/coverage/coverage.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "instr/vm/class_resource.h"
#include "instr/registry.h"
#include "instr/passes/coverage/changed.h"
#include "instr/passes/coverage/counts.h"
#include "instr/passes/coverage/flush.h"
#include "instr/coverage/mapping.h"
#include "instr/passes/coverage/tests.h"
#include "instr/passes/coverage/probe_arrays.h"
#include "instr/passes/agent_pass.h"
#include "instr/report/text.h"
#include "instr/vm/runtime.h"
#include "rewriters/test_methods.h"

#define DEFAULT_FILE "jacoco.exec"
#define MOST_CHANGED_TOLD 10

static struct {
    struct instr_coverage *registry; // once made it stays: inserted code knows the numbers
    JavaVM *vm;
    jvmtiEnv *jvmti; // the part's own
    struct instr_methods *methods;
    bool append, no_location, counts;
    bool mapped, held; // probes are in a file, or copied there; they are there alone
    bool told;         // the last time, all was written
    bool ending;       // the JVM is
    char *file;        // as written
    char session[1024];
    size_t session_length;
    pthread_mutex_t lock; // one writes at a time; of what follows
    uint64_t start;       // milliseconds since 1970
} part = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void say(const char *line) {
    char text[INSTR_ERROR_SIZE + PATH_MAX];
    int n = snprintf(text, sizeof text, "%s\n", line);
    if (n > 0 && write(STDERR_FILENO, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1) < 0)
        return;
}

// --- which classes ---

// JaCoCo's agent leaves its own classes alone; they are no part of what is to be covered.
static bool is_jacocos(const char *name) {
    static const char prefix[] = "org/jacoco/agent/rt/";
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

// `object`.method(), as a local reference; NULL: none, or an exception, which is gone.
static jobject call(JNIEnv *jni, jobject object, const char *method, const char *descriptor) {
    jclass class = (*jni)->GetObjectClass(jni, object);
    jmethodID id = (*jni)->GetMethodID(jni, class, method, descriptor);
    jobject result = id ? (*jni)->CallObjectMethod(jni, object, id) : NULL;
    (*jni)->DeleteLocalRef(jni, class);
    if (!(*jni)->ExceptionCheck(jni)) return result;
    (*jni)->ExceptionClear(jni);
    return NULL;
}

static bool has_location(JNIEnv *jni, jobject domain) {
    if (!domain) return false;
    jobject source = call(jni, domain, "getCodeSource", "()Ljava/security/CodeSource;");
    jobject location = source ? call(jni, source, "getLocation", "()Ljava/net/URL;") : NULL;
    bool has = location != NULL;
    (*jni)->DeleteLocalRef(jni, location);
    (*jni)->DeleteLocalRef(jni, source);
    return has;
}

// The loader of what reflection generates for a single call.
static bool is_delegating(JNIEnv *jni, jobject loader) {
    char *signature = NULL;
    jclass class = (*jni)->GetObjectClass(jni, loader);
    jvmtiError error = (*part.jvmti)->GetClassSignature(part.jvmti, class, &signature, NULL);
    (*jni)->DeleteLocalRef(jni, class);
    if (error != JVMTI_ERROR_NONE) return false;
    bool is = strstr(signature, "reflect/DelegatingClassLoader;") != NULL;
    (*part.jvmti)->Deallocate(part.jvmti, (unsigned char *)signature);
    return is;
}

static bool takes(JNIEnv *jni, jobject loader, const char *name, jobject domain) {
    if (is_jacocos(name)) return false;
    if (!loader) return true; // it was asked for by its name
    if (!part.no_location) return has_location(jni, domain);
    return !is_delegating(jni, loader);
}

// A class that came by when it was loaded has the same bytes now, or some that another agent made
// of them. Of one that was loaded before us the JVM puts together what it knows: that is not the
// class file, and the id would be another.
static void find_file(JNIEnv *jni, jobject loader, const char *name, const uint8_t *bytes,
                      size_t length, struct instr_origin *origin) {
    uint8_t *file;
    if (instr_coverage_knows(part.registry, instr_exec_class_id(bytes, length), name)) return;
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
};

static bool take_snapshot(JNIEnv *jni, bool reset, struct snapshot *s) {
    // In this order: a class that comes meanwhile is not seen.
    s->classes = instr_coverage_classes(part.registry);
    s->probes = instr_coverage_probes(part.registry);
    s->hits = calloc(1, (size_t)s->probes + 1);
    if (!s->hits) return false;
    instr_probe_arrays_read(jni, s->hits, s->probes, reset);
    instr_coverage_follow(part.registry, s->hits, s->probes);
    instr_coverage_tests_add(s->hits, s->probes, reset);
    return true;
}

static void write_classes(const struct snapshot *s, struct instr_exec_file *file,
                          struct instr_coverage_told *told) {
    memset(told, 0, sizeof *told);
    told->classes = s->classes;
    for (uint32_t i = 0; i < s->classes; i++) {
        struct instr_covered_class class = instr_coverage_class(part.registry, i);
        const uint8_t *hits = s->hits + class.first;
        uint32_t hit = 0;
        for (uint32_t k = 0; k < class.count; k++) hit += hits[k];
        told->probes += class.count;
        told->probes_hit += hit;
        told->classes_hit += hit > 0;
        if (hit) instr_exec_write_probes(file, class.id, class.name, hits, class.count);
    }
}

// Under the lock.
static int write_to(JNIEnv *jni, struct instr_exec_file *file, int reset,
                    struct instr_coverage_told *told) {
    struct snapshot s;
    if (!part.registry || !take_snapshot(jni, reset, &s)) return 0;
    struct instr_exec_session session = {part.session, part.session_length, part.start, now()};
    instr_exec_write_session(file, &session);
    write_classes(&s, file, told);
    instr_coverage_tests_outside(jni, &session);
    if (reset) instr_probe_arrays_forget();
    if (reset) part.start = session.dump;
    free(s.hits);
    return 1;
}

int instr_coverage_write(JNIEnv *jni, struct instr_exec_file *file, int reset,
                         struct instr_coverage_told *told) {
    pthread_mutex_lock(&part.lock);
    int written = write_to(jni, file, reset, told);
    pthread_mutex_unlock(&part.lock);
    return written;
}

int instr_coverage_write_file(JNIEnv *jni, int reset, struct instr_coverage_told *told, char *path,
                              size_t path_size, char *error, size_t size) {
    pthread_mutex_lock(&part.lock);
    char *expanded = instr_expand_file(part.file ? part.file : DEFAULT_FILE, (long)getpid());
    struct instr_exec_file file;
    int result = -1;
    if (expanded) {
        snprintf(path, path_size, "%s", expanded);
        instr_exec_open(&file, expanded, part.append);
        int written = write_to(jni, &file, reset, told);
        result = instr_exec_close(&file, error, size);
        if (result == 0 && !written) result = -1, expanded[0] = '\0';
    }
    if (result != 0 && (!expanded || !expanded[0]))
        snprintf(error, size, "instr: coverage: out of memory: nothing was written");
    free(expanded);
    pthread_mutex_unlock(&part.lock);
    return result;
}

static void write_counts(JNIEnv *jni, const char *path) {
    char counts[PATH_MAX + 8], error[INSTR_ERROR_SIZE];
    snprintf(counts, sizeof counts, "%s.counts", path);
    if (instr_coverage_write_counts(jni, part.registry, counts, error, sizeof error) != 0)
        say(error);
}

static void tell_to_file(JNIEnv *jni, bool quiet) {
    struct instr_coverage_told told;
    char path[PATH_MAX], error[INSTR_ERROR_SIZE], line[PATH_MAX + 256];
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], d[INSTR_NUMBER_SIZE];
    part.told =
        instr_coverage_write_file(jni, 0, &told, path, sizeof path, error, sizeof error) == 0;
    if (!part.told) {
        instr_say_unwritten(error);
        return;
    }
    if (part.ending) instr_coverage_map_remove();
    if (part.counts) write_counts(jni, path);
    snprintf(line, sizeof line,
             "instr: coverage: %s of %s probes in %s of %s classes passed, written to %s",
             instr_number(told.probes_hit, a), instr_number(told.probes, b),
             instr_number(told.classes_hit, c), instr_number(told.classes, d), path);
    if (!quiet) say(line);
}

// As people write it: com.acme.Foo.
static void show_name(const char *internal, char *name, size_t size) {
    snprintf(name, size, "%s", internal);
    for (char *c = name; *c; c++) {
        if (*c == '/') *c = '.';
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    }
}

// Reports on the class files would show nothing of these classes, and not say why.
static void tell_changed(void) {
    uint32_t classes = instr_coverage_classes(part.registry), changed = 0;
    char line[INSTR_ERROR_SIZE], name[256];
    for (uint32_t i = 0; i < classes; i++) {
        struct instr_covered_class class = instr_coverage_class(part.registry, i);
        if (!class.file_id || changed++ >= MOST_CHANGED_TOLD) continue;
        show_name(class.name, name, sizeof name);
        snprintf(line, sizeof line,
                 "instr: coverage: %s: changed by another agent before instr saw it: its id is "
                 "%016" PRIx64 ", that of its class file %016" PRIx64
                 ", and reports on that will not find it",
                 name, class.id, class.file_id);
        say(line);
    }
    if (changed <= MOST_CHANGED_TOLD) return;
    snprintf(line, sizeof line, "instr: coverage: and %" PRIu32 " more classes changed in this way",
             changed - MOST_CHANGED_TOLD);
    say(line);
}

static void report_results(const struct instr_results *results, unsigned pass) {
    (void)pass;
    instr_coverage_find_changed(results->jvmti, results->jni, part.registry);
    if (!results->options->quiet) tell_changed();
    tell_to_file(results->jni, results->options->quiet);
}

// --- start and end ---

static void JNICALL on_dump_request(jvmtiEnv *jvmti) {
    JNIEnv *jni;
    (void)jvmti;
    if ((*part.vm)->GetEnv(part.vm, (void **)&jni, JNI_VERSION_1_6) == JNI_OK)
        tell_to_file(jni, false);
}

// Before or behind the agent's, which tells all: the map goes with the second of the two.
static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni) {
    (void)jvmti;
    (void)jni;
    part.ending = true;
    instr_coverage_flush_stop();
    if (part.told) instr_coverage_map_remove();
}

static void engine(struct instr_engine *new_engine) {
    if (!part.registry) part.registry = instr_coverage_new(&instr_probe_arrays_store);
    if (part.registry) instr_engine_set_coverage(new_engine, part.registry);
    part.methods = instr_engine_methods(new_engine);
}

static bool is_yes(const struct instr_pass_options *options, const char *key, bool otherwise) {
    const char *value = instr_pass_option(options, key);
    return value ? strcmp(value, "yes") == 0 : otherwise;
}

// As JaCoCo's: the host and a random number.
static void name_session(const char *given) {
    char name[HOST_NAME_MAX + 64], host[HOST_NAME_MAX + 1] = "unknownhost";
    if (gethostname(host, sizeof host - 1) != 0) strcpy(host, "unknownhost");
    host[sizeof host - 1] = '\0';
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    uint32_t random = (uint32_t)((uint64_t)t.tv_nsec * 2654435761u ^ (uint64_t)getpid() << 16);
    snprintf(name, sizeof name, "%s-%x", host, random);
    part.session_length = instr_exec_text(given ? given : name, part.session, sizeof part.session);
}

// The environment stays: a thread that still loads a class may be using it. And the map is removed
// when the JVM ends, also by one that was detached from.
static void stop(JNIEnv *jni) {
    (void)jni;
    instr_coverage_flush_stop();
    if (part.jvmti)
        (*part.jvmti)
            ->SetEventNotificationMode(part.jvmti, JVMTI_DISABLE, JVMTI_EVENT_DATA_DUMP_REQUEST,
                                       NULL);
}

static bool load(JavaVM *vm, const struct instr_pass_options *options,
                 enum instr_agent_pass_phase phase, char *reason, size_t size) {
    (void)phase;
    const char *tests = instr_pass_option(options, "per-test");
    jvmtiEventCallbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.DataDumpRequest = on_dump_request;
    callbacks.VMDeath = on_vm_death;
    part.vm = vm;
    part.append = is_yes(options, "append", true);
    part.no_location = is_yes(options, "nolocation", false);
    part.counts = is_yes(options, "counts", false);
    const char *mmap = instr_pass_option(options, "mmap");
    part.mapped = mmap && strcmp(mmap, "no") != 0;
    part.held = part.mapped && strcmp(mmap, "flush") != 0;
    if (tests) {
        const char *wrong = rw_test_methods_check(tests);
        if (wrong) {
            snprintf(reason, size, "option 'coverage.per-test': %s, not '%.64s'", wrong, tests);
            return false;
        }
    }
    part.start = now();
    name_session(instr_pass_option(options, "session"));
    free(part.file);
    part.file = options->file ? strdup(options->file) : NULL;
    if (!part.registry || (options->file && !part.file)) {
        snprintf(reason, size, "out of memory");
        return false;
    }
    if ((part.jvmti || (*vm)->GetEnv(vm, (void **)&part.jvmti, JVMTI_VERSION_1_2) == JNI_OK) &&
        (*part.jvmti)->SetEventCallbacks(part.jvmti, &callbacks, sizeof callbacks) ==
            JVMTI_ERROR_NONE)
        return true;
    snprintf(reason, size, "the JVM refuses what coverage needs");
    return false;
}

static bool enable(jvmtiEvent event) {
    return (*part.jvmti)->SetEventNotificationMode(part.jvmti, JVMTI_ENABLE, event, NULL) ==
           JVMTI_ERROR_NONE;
}

static bool start_tests(JNIEnv *jni, char *reason, size_t size) {
    char *file = instr_expand_file(part.file ? part.file : DEFAULT_FILE, (long)getpid());
    struct instr_coverage_tests_config config = {part.registry, part.methods, file, part.append};
    bool started = file && instr_coverage_tests_start(jni, &config, reason, size);
    if (!file) snprintf(reason, size, "out of memory");
    free(file);
    return started;
}

// FILE.PID.map; once made it stays, as holders have its addresses.
static uint8_t *open_map(char *reason, size_t size) {
    static uint8_t *mapping;
    struct instr_coverage_map_header header = {
        INSTR_COVERAGE_MAP_MAGIC, 1, INSTR_COVERAGE_MAP_PROBES, part.start, 0, ""};
    char path[PATH_MAX];
    char *file = instr_expand_file(part.file ? part.file : DEFAULT_FILE, (long)getpid());
    if (mapping || !file) {
        free(file);
        return mapping;
    }
    header.session_length = (uint32_t)part.session_length;
    memcpy(header.session, part.session, part.session_length);
    snprintf(path, sizeof path, "%s.%ld.map", file, (long)getpid());
    free(file);
    return mapping = instr_coverage_map_open(path, &header, reason, size);
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    (void)jvmti;
    uint8_t *mapping = NULL;
    static bool started, mapped, held; // inserted code and the holders know one place alone
    if (started && (mapped != part.mapped || held != part.held)) {
        snprintf(reason, size,
                 "coverage.mmap: cannot change after the pass was first switched on in a JVM");
        return false;
    }
    if (part.mapped && !(mapping = open_map(reason, size))) return false;
    if (!instr_probe_arrays_start(part.vm, jni, instr_runtime_package_used(), mapping, part.held,
                                  reason, size))
        return false;
    started = true;
    mapped = part.mapped;
    held = part.held;
    if (mapping && !held && !instr_coverage_flush_start(part.vm, part.registry, reason, size))
        return false;
    if (instr_pass_option(options, "per-test") && !start_tests(jni, reason, size)) return false;
    if (enable(JVMTI_EVENT_DATA_DUMP_REQUEST) && (!part.mapped || enable(JVMTI_EVENT_VM_DEATH)))
        return true;
    snprintf(reason, size, "the JVM refuses the events that coverage needs");
    return false;
}

const struct instr_agent_pass instr_agent_pass_coverage = {
    .engine = engine,
    .load = load,
    .takes = takes,
    .find_file = find_file,
    .takes_platform = true, // as JaCoCo: they have a code source
    .start = start,
    .stop = stop,
    .report = report_results,
};
