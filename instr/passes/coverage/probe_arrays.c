// holders.c: see holders.h

#include "instr/passes/coverage/probe_arrays.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classfile/format/build.h"
#include "instr/base/array.h"
#include "instr/coverage/mapping.h"
#include "rewriters/coverage.h"

// A holder is made when fewer probes than this are left: not at the last moment, where a thread
// may have neither stack nor heap left for it.
#define AHEAD (RW_PROBES_PER_HOLDER / 2)

enum { MOST_HOLDERS = INT32_MAX / RW_PROBES_PER_HOLDER };

static struct {
    JavaVM *vm;
    const char *package;
    uint8_t *mapping;       // NULL: the probes are on the Java heap alone
    bool held;              // they are in the mapping alone
    pthread_mutex_t taking; // back, or flushing to the mapping; taken before the lock
    pthread_mutex_t lock;   // of what follows
    jobject *made;          // global references; NULL: not made yet, or not to be made
    uint32_t count, in_making;
    size_t capacity;
} holders = {.taking = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

static uint8_t *probes_of_mapping(void) {
    return holders.mapping + INSTR_COVERAGE_MAP_PROBES_AT;
}

// --- a holder's class file ---

// public final class NAME {
//     public static final boolean[] p = new boolean[32768];
//     public static void hit(int i) { p[i] = true; }   for methods that have no room for more
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
    snprintf(unsafe, sizeof unsafe, "%sInstrUnsafe", holders.package);
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
    if (holders.held)
        build_mapped_class(&build, (uint64_t)(uintptr_t)(probes_of_mapping() + first));
    else
        build_array_class(&build, name);
    if (cf_build_end(&build, &bytes, &length) == CF_OK)
        class = (*jni)->DefineClass(jni, name, NULL, (const jbyte *)bytes, (jsize)length);
    cf_arena_free(&arena);
    return class;
}

// The array of a new holder, or when the mapping holds its probes its class, as a global reference;
// NULL: it cannot be made.
static jobject make(JNIEnv *jni, uint32_t number) {
    char name[128];
    jobject made = NULL;
    uint32_t first = number * RW_PROBES_PER_HOLDER;
    if (holders.mapping && !instr_coverage_map_reserve(first, RW_PROBES_PER_HOLDER)) return NULL;
    if ((*jni)->PushLocalFrame(jni, 8) != 0) return NULL;
    snprintf(name, sizeof name, "%s" RW_HOLDER_NAME "%u", holders.package, number);
    jobject found = define(jni, name, first);
    if (found && !holders.held) {
        // This initializes the class.
        jfieldID field = (*jni)->GetStaticFieldID(jni, found, RW_HOLDER_FIELD, "[Z");
        found = field ? (*jni)->GetStaticObjectField(jni, found, field) : NULL;
    }
    if (found && !(*jni)->ExceptionCheck(jni)) made = (*jni)->NewGlobalRef(jni, found);
    (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    return made;
}

static bool grow(void) {
    if (holders.count == MOST_HOLDERS) return false;
    return INSTR_ARRAY_RESERVE(holders.made, holders.capacity, (size_t)holders.count + 1);
}

// Without the lock while Java runs: the class file hook is called for the holder, too, and other
// agents' code may run there.
static bool add(JNIEnv *jni, bool needed) {
    pthread_mutex_lock(&holders.lock);
    bool wanted = (needed || holders.in_making == 0) && grow();
    uint32_t number = holders.count;
    if (wanted) {
        holders.made[holders.count++] = NULL;
        holders.in_making++;
    }
    pthread_mutex_unlock(&holders.lock);
    if (!wanted) return false;
    jobject made = make(jni, number);
    pthread_mutex_lock(&holders.lock);
    holders.made[number] = made;
    holders.in_making--;
    pthread_mutex_unlock(&holders.lock);
    return made != NULL;
}

bool instr_probe_arrays_start(JavaVM *vm, JNIEnv *jni, const char *runtime_package,
                              uint8_t *mapping, bool held, char *reason, size_t size) {
    if (holders.count > 0) return true;
    holders.vm = vm;
    holders.package = runtime_package;
    holders.mapping = mapping;
    holders.held = held;
    if (add(jni, true)) return true;
    if (mapping) // what mostly is in the way
        snprintf(reason, size, "coverage.mmap: not enough disk space for the probes");
    else
        snprintf(reason, size, "%s" RW_HOLDER_NAME "0: the VM refused to define it",
                 runtime_package);
    return false;
}

static int more(int needed) {
    JNIEnv *jni;
    return (*holders.vm)->GetEnv(holders.vm, (void **)&jni, JNI_VERSION_1_6) == JNI_OK &&
           add(jni, needed);
}

// A class's probes may lie in several holders, which follow one another.
static int64_t room(uint32_t first, uint32_t count) {
    pthread_mutex_lock(&holders.lock);
    uint32_t i = first / RW_PROBES_PER_HOLDER;
    for (; i < holders.count && (uint64_t)i * RW_PROBES_PER_HOLDER < (uint64_t)first + count; i++)
        if (!holders.made[i]) first = (i + 1) * RW_PROBES_PER_HOLDER;
    uint64_t there = (uint64_t)holders.count * RW_PROBES_PER_HOLDER;
    pthread_mutex_unlock(&holders.lock);
    return (uint64_t)first + count <= there ? (int64_t)first : -1;
}

static void added(const struct instr_covered_class *covered) {
    if (holders.mapping) instr_coverage_map_add(covered);
}

const struct instr_coverage_store instr_probe_arrays_store = {room, more, added, AHEAD};

// --- reading ---

// Eight at once: nearly all are 0, mostly. `first` is the number of the first.
static void read_array(uint8_t *array, uint8_t *probes, uint32_t first, uint32_t count,
                       bool clear) {
    uint8_t *taken = holders.mapping ? holders.mapping + INSTR_COVERAGE_MAP_TAKEN_AT : NULL;
    for (uint32_t i = first; i < first + count; i += 8) {
        uint64_t eight;
        memcpy(&eight, array + i - first, sizeof eight);
        if (!eight) continue;
        for (uint32_t k = i; k < i + 8 && k < first + count; k++) {
            // Another thread may write a 1 at any time. It is not lost: where there is one it is
            // told, and where there is none nothing is written.
            volatile uint8_t *probe = array + (k - first);
            if (!*probe) continue;
            probes[k] = 1;
            if (clear && taken) taken[k] = 1; // what is cleared is kept there before
            if (clear) *probe = 0;
        }
    }
}

static void read_holder(JNIEnv *jni, uint32_t i, uint8_t *probes, uint32_t count, bool clear) {
    pthread_mutex_lock(&holders.lock);
    jobject array = i < holders.count ? holders.made[i] : NULL;
    pthread_mutex_unlock(&holders.lock);
    if (!array) return;
    uint8_t *elements = (*jni)->GetPrimitiveArrayCritical(jni, array, NULL);
    if (!elements) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    read_array(elements, probes, i * RW_PROBES_PER_HOLDER, count, clear);
    (*jni)->ReleasePrimitiveArrayCritical(jni, array, elements, clear ? 0 : JNI_ABORT);
}

// Under `taking`.
static void read_all(JNIEnv *jni, uint8_t *probes, uint32_t count, bool clear) {
    // In pieces of eight; the mapping's area goes on behind the last one.
    if (holders.held) read_array(probes_of_mapping(), probes, 0, count, clear);
    for (uint32_t i = 0; !holders.held && i * RW_PROBES_PER_HOLDER < count; i++) {
        uint32_t here = count - i * RW_PROBES_PER_HOLDER;
        read_holder(jni, i, probes, here < RW_PROBES_PER_HOLDER ? here : RW_PROBES_PER_HOLDER,
                    clear);
    }
}

void instr_probe_arrays_read(JNIEnv *jni, uint8_t *probes, uint32_t count, bool clear) {
    pthread_mutex_lock(&holders.taking);
    read_all(jni, probes, count, clear);
    pthread_mutex_unlock(&holders.taking);
}

// Also of what was taken back: what follows from that is not in the second area.
void instr_probe_arrays_flush(JNIEnv *jni, struct instr_coverage *coverage) {
    uint32_t count = instr_coverage_probes(coverage);
    uint8_t *hits = holders.mapping && !holders.held ? calloc(1, (size_t)count + 1) : NULL;
    if (!hits) return; // the next time, then
    pthread_mutex_lock(&holders.taking);
    memcpy(hits, holders.mapping + INSTR_COVERAGE_MAP_TAKEN_AT, count);
    read_all(jni, hits, count, false);
    instr_coverage_follow(coverage, hits, count);
    for (uint32_t i = 0; i < count; i++)
        if (hits[i] && !probes_of_mapping()[i]) probes_of_mapping()[i] = 1;
    pthread_mutex_unlock(&holders.taking);
    free(hits);
}

// What was copied to the mapping is of before, too; what is passed since comes with the next flush.
void instr_probe_arrays_forget(void) {
    if (!holders.mapping) return;
    pthread_mutex_lock(&holders.lock);
    size_t count = (size_t)holders.count * RW_PROBES_PER_HOLDER;
    pthread_mutex_unlock(&holders.lock);
    if (count > INSTR_COVERAGE_MAP_PROBES) count = INSTR_COVERAGE_MAP_PROBES;
    pthread_mutex_lock(&holders.taking);
    memset(holders.mapping + INSTR_COVERAGE_MAP_TAKEN_AT, 0, count);
    if (!holders.held) memset(probes_of_mapping(), 0, count);
    pthread_mutex_unlock(&holders.taking);
}
