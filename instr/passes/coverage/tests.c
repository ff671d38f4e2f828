#include "instr/passes/coverage/tests.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "instr/base/array.h"
#include "instr/base/clock.h"
#include "instr/base/file.h"
#include "instr/base/log.h"
#include "instr/passes/coverage/probe_arrays.h"
#include "instr/options.h"
#include "instr/vm/runtime.h"
#include "rewriters/test_methods.h"

struct bits { // a byte for each probe
    uint8_t *hits;
    uint32_t count;
};

struct running {
    int id; // of the method
    pthread_t thread;
    uint64_t start;
    struct bits bits;
};

static struct {
    struct instr_coverage_tests_config config;
    char path[PATH_MAX];
    bool on;
    int fd;                    // of a file that is not regular, such as a pipe; -1: none
    struct instr_exec_end end; // of a regular file, to which other JVMs may append, too
    bool failed;               // to write; this was reported
    pthread_mutex_t lock;
    struct running *running;
    uint32_t count;
    size_t capacity;
    struct bits taken; // all hits that were taken out of the probe arrays
    struct bits outside;
} tests = {.fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static void say_once(const char *line) {
    if (!tests.failed) instr_say("%s", line);
    tests.failed = true;
}

// --- bits ---

static bool reach(struct bits *bits, uint32_t count) {
    if (count <= bits->count) return true;
    uint8_t *larger = realloc(bits->hits, count);
    if (!larger) {
        say_once("coverage: out of memory: some of what tests covered is not reported");
        return false;
    }
    memset(larger + bits->count, 0, count - bits->count);
    bits->hits = larger;
    bits->count = count;
    return true;
}

static void add_to(struct bits *bits, const struct bits *delta) {
    if (!reach(bits, delta->count)) return;
    for (uint32_t i = 0; i < delta->count; i++) bits->hits[i] |= delta->hits[i];
}

// Adds the hits since the last call to the running tests, or to `outside`. With the lock held. False:
// out of memory.
static bool share_out(JNIEnv *jni) {
    struct bits delta = {NULL, 0};
    if (!reach(&delta, instr_coverage_probes(tests.config.registry) + 1)) return false;
    // The probes are cleared only if their hits can be stored.
    bool stored = reach(&tests.taken, delta.count);
    if (stored) {
        instr_probe_arrays_read(jni, delta.hits, delta.count - 1, true);
        instr_coverage_follow(tests.config.registry, delta.hits, delta.count - 1);
        add_to(&tests.taken, &delta);
        for (uint32_t i = 0; i < tests.count; i++) add_to(&tests.running[i].bits, &delta);
        if (tests.count == 0) add_to(&tests.outside, &delta);
    }
    free(delta.hits);
    return stored;
}

// --- the file ---

static void open_file(struct instr_exec_file *file) {
    if (tests.fd < 0) {
        instr_exec_open_again(file, tests.path, &tests.end);
        return;
    }
    instr_exec_open_descriptor(file, tests.fd);
    snprintf(file->out.path, sizeof file->out.path, "%s", tests.path); // for messages
}

// With the lock held.
static void write_session(const struct instr_exec_session *session, const struct bits *bits) {
    static struct instr_exec_file file; // large, and the test may have left little stack
    char error[INSTR_ERROR_SIZE];
    if (!tests.on) return;
    open_file(&file);
    instr_exec_write_session(&file, session);
    uint32_t classes = instr_coverage_classes(tests.config.registry);
    for (uint32_t i = 0; i < classes; i++) {
        struct instr_covered_class class = instr_coverage_class(tests.config.registry, i);
        if (class.first + class.count > bits->count) continue; // added later: not hit
        instr_exec_write_probes(&file, class.id, class.name, bits->hits + class.first, class.count);
    }
    if (instr_exec_close(&file, error, sizeof error) != 0) {
        char line[INSTR_ERROR_SIZE + 64];
        snprintf(line, sizeof line, "%.400s (%.60s)", error, "what tests covered");
        say_once(line);
    }
}

static void write_test(const struct running *test) {
    struct instr_method method = instr_methods_get(tests.config.methods, test->id);
    static char whole[2048 + 8], name[2048]; // as static as the file of write_session
    // A dynamic test gets the name of the method that made it: this method can be run again.
    struct cf_slice own = {(const uint8_t *)method.name, (uint32_t)strlen(method.name)};
    struct cf_slice factory = rw_method_of_lambda(own);
    if (factory.length) own = factory;
    snprintf(whole, sizeof whole, "%s.%.*s", method.class_name, (int)own.length, own.bytes);
    for (char *c = whole; *c; c++)
        if (*c == '/') *c = '.';
    // What snprintf may have left of a last character is past the end of `name`.
    size_t n = instr_exec_text(whole, name, sizeof name);
    struct instr_exec_session session = {name, n, test->start, instr_clock_date()};
    write_session(&session, &test->bits);
}

// --- the natives of InstrTests ---

static void JNICALL native_begin(JNIEnv *jni, jclass class, jint id) {
    (void)class;
    pthread_mutex_lock(&tests.lock);
    if (tests.on) share_out(jni);
    if (tests.on && INSTR_ARRAY_RESERVE(tests.running, tests.capacity, (size_t)tests.count + 1)) {
        struct running test = {id, pthread_self(), instr_clock_date(), {NULL, 0}};
        tests.running[tests.count++] = test;
    }
    pthread_mutex_unlock(&tests.lock);
}

// The test that ends: the last one of the method on this thread, else on any thread (a virtual
// thread may change its carrier). tests.count: none.
static uint32_t find_running(int id) {
    uint32_t any = tests.count;
    for (uint32_t i = tests.count; i-- > 0;) {
        if (tests.running[i].id != id) continue;
        if (pthread_equal(tests.running[i].thread, pthread_self())) return i;
        if (any == tests.count) any = i;
    }
    return any;
}

static void JNICALL native_end(JNIEnv *jni, jclass class, jint id) {
    (void)class;
    pthread_mutex_lock(&tests.lock);
    if (tests.on) share_out(jni);
    uint32_t i = find_running(id);
    if (i < tests.count) {
        struct running test = tests.running[i];
        write_test(&test);
        free(test.bits.hits);
        tests.count--;
        memmove(&tests.running[i], &tests.running[i + 1],
                (tests.count - i) * sizeof *tests.running);
    }
    pthread_mutex_unlock(&tests.lock);
}

// --- for the pass ---

// jacoco.exec -> jacoco-tests.exec
static void name_file(const char *file) {
    size_t n = strlen(file);
    if (n > 5 && strcmp(file + n - 5, ".exec") == 0) n -= 5;
    snprintf(tests.path, sizeof tests.path, "%.*s-tests.exec", (int)n, file);
}

// Can the file be written? A regular one is opened for each session.
static bool find_file(bool append, char *reason, size_t size) {
    char target[PATH_MAX];
    struct stat st;
    memset(&tests.end, 0, sizeof tests.end);
    if (tests.fd >= 0) close(tests.fd);
    instr_exec_make_folders(tests.path);
    // Without O_NONBLOCK a named pipe that nobody reads would stop the program's start.
    tests.fd = instr_file_follow(tests.path, target) != 0
                   ? -1
                   : open(target,
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
                              instr_file_flags(target) | (append ? 0 : O_TRUNC),
                          0666);
    if (tests.fd < 0) {
        snprintf(reason, size, "%.200s: %s", tests.path,
                 errno == ENXIO ? "no process reads it" : instr_file_reason(errno));
        return false;
    }
    if (fstat(tests.fd, &st) == 0 && S_ISREG(st.st_mode)) {
        close(tests.fd);
        tests.fd = -1;
    }
    return true;
}

bool instr_coverage_tests_start(JNIEnv *jni, const struct instr_coverage_tests_config *config,
                                char *reason, size_t size) {
    const JNINativeMethod natives[] = {{"begin", "(I)V", (void *)native_begin},
                                       {"end", "(I)V", (void *)native_end}};
    if (!instr_runtime_add(jni, "InstrTests", reason, size)) return false;
    jclass class = instr_runtime_class("InstrTestsNative");
    if (!class || (*jni)->RegisterNatives(jni, class, natives, 2) != 0) {
        (*jni)->ExceptionClear(jni);
        snprintf(reason, size, "coverage: its runtime class is missing");
        return false;
    }
    pthread_mutex_lock(&tests.lock);
    tests.config = *config;
    name_file(config->file);
    tests.config.file = tests.path;
    tests.on = find_file(config->append, reason, size);
    bool on = tests.on;
    pthread_mutex_unlock(&tests.lock);
    return on;
}

// With the lock held.
static void end_running(JNIEnv *jni) {
    if (tests.on) share_out(jni);
    for (uint32_t i = 0; i < tests.count; i++) {
        write_test(&tests.running[i]);
        free(tests.running[i].bits.hits);
    }
    tests.count = 0;
}

void instr_coverage_tests_end(JNIEnv *jni) {
    pthread_mutex_lock(&tests.lock);
    end_running(jni);
    pthread_mutex_unlock(&tests.lock);
}

void instr_coverage_tests_stop(JNIEnv *jni) {
    pthread_mutex_lock(&tests.lock);
    end_running(jni);
    if (tests.fd >= 0) close(tests.fd);
    tests.fd = -1;
    tests.on = false;
    pthread_mutex_unlock(&tests.lock);
}

void instr_coverage_tests_add(uint8_t *hits, uint32_t count, bool reset) {
    pthread_mutex_lock(&tests.lock);
    uint32_t there = tests.taken.count < count ? tests.taken.count : count;
    for (uint32_t i = 0; i < there; i++) hits[i] |= tests.taken.hits[i];
    if (reset && there)
        memset(tests.taken.hits, 0, there); // the rest is of classes added meanwhile
    pthread_mutex_unlock(&tests.lock);
}

bool instr_coverage_tests_prepare(JNIEnv *jni, uint32_t count, bool *shared) {
    pthread_mutex_lock(&tests.lock);
    *shared = tests.on;
    bool done = reach(&tests.taken, count) && (!tests.on || share_out(jni));
    pthread_mutex_unlock(&tests.lock);
    return done;
}

void instr_coverage_tests_put_back(const uint8_t *hits, uint32_t count) {
    pthread_mutex_lock(&tests.lock);
    for (uint32_t i = 0; i < count && i < tests.taken.count; i++) tests.taken.hits[i] |= hits[i];
    pthread_mutex_unlock(&tests.lock);
}

void instr_coverage_tests_outside(JNIEnv *jni, const struct instr_exec_session *session) {
    pthread_mutex_lock(&tests.lock);
    if (tests.on) {
        share_out(jni);
        write_session(session, &tests.outside);
    }
    pthread_mutex_unlock(&tests.lock);
}
