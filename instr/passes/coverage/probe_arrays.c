#include "instr/passes/coverage/probe_arrays.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classfile/format/build.h"
#include "instr/base/array.h"
#include "instr/coverage/mapping.h"
#include "instr/vm/agent_state.h"
#include "instr/vm/runtime.h"
#include "rewriters/coverage.h"

// An array is added when fewer probes than this are left. At the last moment a thread may have too
// little stack or heap for it.
#define AHEAD (RW_PROBES_PER_HOLDER / 2)

enum { MAX_ARRAYS = INT32_MAX / RW_PROBES_PER_HOLDER };

static struct {
    JavaVM *vm;
    const char *package;
    uint8_t *mapping;        // the file's bytes; NULL: the probes are only on the Java heap
    bool direct;             // the probes are only in the mapping
    pthread_mutex_t reading; // held to clear or copy probes; taken before `lock`
    pthread_mutex_t lock;    // for the fields below
    jobject *items;          // global references; NULL: not defined yet, or failed
    uint32_t count, pending;
    size_t capacity;
} arrays = {.reading = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

static uint8_t *probes_of_mapping(void) {
    return arrays.mapping + INSTR_COVERAGE_MAP_PROBES_AT;
}

// --- class files ---

// public final class NAME {
//     public static final boolean[] p = new boolean[32768];
//     public static void hit(int i) { p[i] = true; }   for methods with no room for more code
// }
static void build_array_class(struct cf_build *build, const char *name) {
    cf_build_field(build, CF_ACC_PUBLIC | CF_ACC_STATIC | CF_ACC_FINAL | CF_ACC_SYNTHETIC,
                   RW_HOLDER_FIELD, "[Z");
    uint16_t field = cf_add_reference(&build->pool, CF_TAG_FIELDREF, name, RW_HOLDER_FIELD, "[Z");
    cf_build_method(build, CF_ACC_STATIC, "<clinit>", "()V", 1, 0);
    cf_build_op2(build, CF_OP_ldc_w, cf_add_integer(&build->pool, RW_PROBES_PER_HOLDER));
    cf_build_op1(build, CF_OP_newarray, 4); // T_BOOLEAN
    cf_build_op2(build, CF_OP_putstatic, field);
    cf_build_op(build, CF_OP_return);
    cf_build_method(build, CF_ACC_PUBLIC | CF_ACC_STATIC | CF_ACC_SYNTHETIC, RW_HOLDER_METHOD,
                    "(I)V", 3, 1);
    cf_build_op2(build, CF_OP_getstatic, field);
    cf_build_op(build, CF_OP_iload_0);
    cf_build_op(build, CF_OP_iconst_1);
    cf_build_op(build, CF_OP_bastore);
    cf_build_op(build, CF_OP_return);
}

// public final class NAME { public static void hit(int i) { InstrUnsafe.mark(ADDRESS + i); } }
static void build_mapped_class(struct cf_build *build, uint64_t address) {
    char unsafe[128];
    snprintf(unsafe, sizeof unsafe, "%sInstrUnsafe", arrays.package);
    cf_build_method(build, CF_ACC_PUBLIC | CF_ACC_STATIC | CF_ACC_SYNTHETIC, RW_HOLDER_METHOD,
                    "(I)V", 4, 1);
    cf_build_op2(build, CF_OP_ldc2_w, cf_add_long(&build->pool, (int64_t)address));
    cf_build_op(build, CF_OP_iload_0);
    cf_build_op(build, CF_OP_i2l);
    cf_build_op(build, CF_OP_ladd);
    cf_build_op2(build, CF_OP_invokestatic,
                 cf_add_reference(&build->pool, CF_TAG_METHODREF, unsafe, "mark", "(J)V"));
    cf_build_op(build, CF_OP_return);
}

// --- in the VM ---

static jclass define(JNIEnv *jni, const char *name, uint32_t first) {
    struct cf_arena arena;
    struct cf_build build;
    const uint8_t *bytes;
    size_t length;
    jclass class = NULL;
    cf_arena_init(&arena);
    cf_build_begin(&build, &arena, CF_ACC_PUBLIC | CF_ACC_FINAL | CF_ACC_SYNTHETIC, name);
    if (arrays.direct)
        build_mapped_class(&build, (uint64_t)(uintptr_t)(probes_of_mapping() + first));
    else
        build_array_class(&build, name);
    if (cf_build_end(&build, &bytes, &length) == CF_OK)
        class = (*jni)->DefineClass(jni, name, NULL, (const jbyte *)bytes, (jsize)length);
    cf_arena_free(&arena);
    return class;
}

// Defines a class. Returns its array, or with `direct` the class, as a global reference; NULL:
// failed. `defined`: there is a class of this number, even if it has no array.
static jobject make(JNIEnv *jni, uint32_t number, bool *defined) {
    char name[128];
    jobject made = NULL;
    *defined = false;
    if ((*jni)->PushLocalFrame(jni, 8) != 0) return NULL;
    snprintf(name, sizeof name, "%s" RW_HOLDER_NAME "%u", arrays.package, number);
    jobject found = define(jni, name, number * RW_PROBES_PER_HOLDER);
    *defined = found != NULL;
    if (found && !arrays.direct) {
        // GetStaticFieldID initializes the class.
        jfieldID field = (*jni)->GetStaticFieldID(jni, found, RW_HOLDER_FIELD, "[Z");
        found = field ? (*jni)->GetStaticObjectField(jni, found, field) : NULL;
    }
    if (found && !(*jni)->ExceptionCheck(jni)) made = (*jni)->NewGlobalRef(jni, found);
    (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    if (made) instr_runtime_introduce(instr_agent.jvmti, jni, name + strlen(arrays.package));
    return made;
}

// With the lock held. Without disk space no number is taken: reading probes in a hole of a mapped
// file needs disk space, too, and raises SIGBUS if there is none.
static bool take_number(uint32_t *number) {
    uint32_t n = arrays.count;
    if (n == MAX_ARRAYS || !INSTR_ARRAY_RESERVE(arrays.items, arrays.capacity, (size_t)n + 1))
        return false;
    if (arrays.mapping &&
        !instr_coverage_map_reserve(n * RW_PROBES_PER_HOLDER, RW_PROBES_PER_HOLDER))
        return false;
    arrays.items[n] = NULL;
    arrays.count++;
    arrays.pending++;
    *number = n;
    return true;
}

// The lock is not held while Java runs: the class file hook is also called for the new class, and
// other agents' code may run there.
static bool add(JNIEnv *jni, bool needed) {
    uint32_t number;
    bool defined;
    pthread_mutex_lock(&arrays.lock);
    bool wanted = (needed || arrays.pending == 0) && take_number(&number);
    pthread_mutex_unlock(&arrays.lock);
    if (!wanted) return false;
    jobject made = make(jni, number, &defined);
    pthread_mutex_lock(&arrays.lock);
    arrays.items[number] = made;
    arrays.pending--;
    // The next class may succeed: a mapping has room for few numbers.
    if (!defined && number == arrays.count - 1) arrays.count--;
    pthread_mutex_unlock(&arrays.lock);
    return made != NULL;
}

bool instr_probe_arrays_start(JavaVM *vm, JNIEnv *jni, const char *runtime_package,
                              uint8_t *mapping, bool direct, char *reason, size_t size) {
    if (arrays.count > 0) return true;
    arrays.vm = vm;
    arrays.package = runtime_package;
    arrays.mapping = mapping;
    arrays.direct = direct;
    if (add(jni, true)) return true;
    arrays.count = 0;
    arrays.mapping = NULL;
    if (mapping) // the usual cause
        snprintf(reason, size, "coverage.mmap: not enough disk space for the probes");
    else
        snprintf(reason, size, "%s" RW_HOLDER_NAME "0: the VM refused to define it",
                 runtime_package);
    return false;
}

static int more(int needed) {
    JNIEnv *jni;
    return (*arrays.vm)->GetEnv(arrays.vm, (void **)&jni, JNI_VERSION_1_6) == JNI_OK &&
           add(jni, needed);
}

// A class's probes may span several consecutive arrays.
static int64_t room(uint32_t first, uint32_t count) {
    pthread_mutex_lock(&arrays.lock);
    uint32_t i = first / RW_PROBES_PER_HOLDER;
    for (; i < arrays.count && (uint64_t)i * RW_PROBES_PER_HOLDER < (uint64_t)first + count; i++)
        if (!arrays.items[i]) first = (i + 1) * RW_PROBES_PER_HOLDER;
    uint64_t available = (uint64_t)arrays.count * RW_PROBES_PER_HOLDER;
    pthread_mutex_unlock(&arrays.lock);
    return (uint64_t)first + count <= available ? (int64_t)first : -1;
}

static void added(const struct instr_covered_class *covered) {
    if (arrays.mapping) instr_coverage_map_add(covered);
}

const struct instr_coverage_store instr_probe_arrays_store = {room, more, added, AHEAD};

// --- reading ---

// Reads eight probes at once, because most are 0. `first`: the number of the array's first probe.
static void read_array(uint8_t *array, uint8_t *probes, uint32_t first, uint32_t count,
                       bool clear) {
    uint8_t *taken = arrays.mapping ? arrays.mapping + INSTR_COVERAGE_MAP_TAKEN_AT : NULL;
    for (uint32_t i = first; i < first + count; i += 8) {
        uint64_t eight;
        memcpy(&eight, array + i - first, sizeof eight);
        if (!eight) continue;
        for (uint32_t k = i; k < i + 8 && k < first + count; k++) {
            // Another thread may write a 1 at any time. It is not lost: a probe that is 1 is
            // reported, and a probe that is 0 is not written.
            volatile uint8_t *probe = array + (k - first);
            if (!*probe) continue;
            probes[k] = 1;
            if (clear && taken) taken[k] = 1; // recorded before it is cleared
            if (clear) *probe = 0;
        }
    }
}

static void read_one(JNIEnv *jni, uint32_t i, uint8_t *probes, uint32_t count, bool clear) {
    pthread_mutex_lock(&arrays.lock);
    jobject array = i < arrays.count ? arrays.items[i] : NULL;
    pthread_mutex_unlock(&arrays.lock);
    if (!array) return;
    uint8_t *elements = (*jni)->GetPrimitiveArrayCritical(jni, array, NULL);
    if (!elements) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    read_array(elements, probes, i * RW_PROBES_PER_HOLDER, count, clear);
    (*jni)->ReleasePrimitiveArrayCritical(jni, array, elements, clear ? 0 : JNI_ABORT);
}

// With `reading` held.
static void read_all(JNIEnv *jni, uint8_t *probes, uint32_t count, bool clear) {
    // Eight at a time; the mapping's area continues after the last probe.
    if (arrays.direct) read_array(probes_of_mapping(), probes, 0, count, clear);
    for (uint32_t i = 0; !arrays.direct && i * RW_PROBES_PER_HOLDER < count; i++) {
        uint32_t here = count - i * RW_PROBES_PER_HOLDER;
        read_one(jni, i, probes, here < RW_PROBES_PER_HOLDER ? here : RW_PROBES_PER_HOLDER, clear);
    }
}

void instr_probe_arrays_read(JNIEnv *jni, uint8_t *probes, uint32_t count, bool clear) {
    pthread_mutex_lock(&arrays.reading);
    read_all(jni, probes, count, clear);
    pthread_mutex_unlock(&arrays.reading);
}

// Includes the cleared probes: the area of these does not contain the hits that follow from them.
void instr_probe_arrays_flush(JNIEnv *jni, struct instr_coverage *coverage) {
    uint32_t count = instr_coverage_probes(coverage);
    uint8_t *hits = arrays.mapping && !arrays.direct ? calloc(1, (size_t)count + 1) : NULL;
    if (!hits) return; // try again the next time
    pthread_mutex_lock(&arrays.reading);
    memcpy(hits, arrays.mapping + INSTR_COVERAGE_MAP_TAKEN_AT, count);
    read_all(jni, hits, count, false);
    instr_coverage_follow(coverage, hits, count);
    instr_coverage_map_store(hits, count); // if it fails, the next one writes more
    pthread_mutex_unlock(&arrays.reading);
    free(hits);
}

// The probes copied to the mapping are cleared, too; the next flush copies the hits since then.
void instr_probe_arrays_forget(const uint8_t *hits, uint32_t count) {
    if (!arrays.mapping) return;
    pthread_mutex_lock(&arrays.reading);
    uint8_t *taken = arrays.mapping + INSTR_COVERAGE_MAP_TAKEN_AT;
    for (uint32_t i = 0; i < count; i++)
        if (hits[i] && taken[i]) taken[i] = 0;
    if (!arrays.direct) instr_coverage_map_store(taken, count);
    pthread_mutex_unlock(&arrays.reading);
}
