// holders.c: see holders.h

#include "instr/passes/coverage/probe_arrays.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instr/coverage/mapping.h"
#include "rewriters/coverage.h"

// A holder is made when fewer probes than this are left: not at the last moment, where a thread
// may have neither stack nor heap left for it.
#define AHEAD (RW_PROBES_PER_HOLDER / 2)

enum { CLASS_FILE_ROOM = 512, MOST_HOLDERS = INT32_MAX / RW_PROBES_PER_HOLDER };

static struct {
    JavaVM *vm;
    const char *package;
    uint8_t *mapping;       // NULL: the probes are on the Java heap alone
    bool held;              // they are in the mapping alone
    pthread_mutex_t taking; // back, or flushing to the mapping; taken before the lock
    pthread_mutex_t lock;   // of what follows
    jobject *made;          // global references; NULL: not made yet, or not to be made
    uint32_t count, capacity;
    uint32_t in_making;
} holders = {.taking = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

static uint8_t *probes_of_mapping(void) {
    return holders.mapping + INSTR_COVERAGE_MAP_PROBES_AT;
}

// --- a holder's class file ---

struct bytes {
    uint8_t *at;
};

static void put(struct bytes *to, unsigned size, uint32_t value) {
    while (size-- > 0) *to->at++ = (uint8_t)(value >> 8 * size);
}

static void put_utf8(struct bytes *to, const char *text) {
    size_t length = strlen(text);
    put(to, 1, 1);
    put(to, 2, (uint32_t)length);
    memcpy(to->at, text, length);
    to->at += length;
}

static void put_class(struct bytes *to, uint32_t name) {
    put(to, 1, 7);
    put(to, 2, name);
}

static void put_reference(struct bytes *to, unsigned tag, uint32_t a, uint32_t b) {
    put(to, 1, tag);
    put(to, 4, a << 16 | b);
}

// The constants of all holders, and the start of the class; CODE is the last of them.
enum {
    NAME = 1,
    THIS,
    OBJECT,
    SUPER,
    MEMBER,
    TYPE,
    METHOD,
    DESCRIPTOR,
    CODE,
    NAME_TYPE,
    REF,
    LAST
};

static void put_start(struct bytes *to, const char *name, unsigned constants) {
    put(to, 4, 0xCAFEBABE);
    put(to, 4, 52); // JDK 8
    put(to, 2, constants);
    put_utf8(to, name);
    put_class(to, NAME);
    put_utf8(to, "java/lang/Object");
    put_class(to, OBJECT);
}

// access_flags of a class, which has no interfaces, and how many fields there are.
static void put_class_head(struct bytes *to, unsigned fields) {
    put(to, 2, 0x1031); // public final super synthetic
    put(to, 4, (uint32_t)THIS << 16 | SUPER);
    put(to, 2, 0);
    put(to, 2, fields);
}

static void put_code_head(struct bytes *to, uint32_t code, unsigned max_stack,
                          unsigned max_locals) {
    put(to, 4, (uint32_t)METHOD << 16 | DESCRIPTOR);
    put(to, 4, 1u << 16 | CODE);
    put(to, 4, 8 + code + 4); // attribute_length
    put(to, 4, max_stack << 16 | max_locals);
    put(to, 4, code);
}

// public static void hit(int i) { p[i] = true; }
static void put_array_hit(struct bytes *to) {
    put(to, 2, 0x1009);                                  // public static synthetic
    put(to, 4, (uint32_t)(LAST + 1) << 16 | (LAST + 2)); // its name, (I)V
    put(to, 4, 1u << 16 | CODE);
    put(to, 4, 8 + 7 + 4);
    put(to, 4, 3u << 16 | 1); // max_stack, max_locals
    put(to, 4, 7);
    put(to, 1, 0xB2); // getstatic p
    put(to, 2, REF);
    put(to, 4, 0x1A0454B1); // iload_0, iconst_1, bastore, return
    put(to, 4, 0);
}

// public final class NAME {
//     public static final boolean[] p = new boolean[32768];
//     public static void hit(int i) { p[i] = true; }   for methods that have no room for more
// }
static size_t write_array_class(uint8_t *room, const char *name) {
    struct bytes to = {room};
    put_start(&to, name, LAST + 3);
    put_utf8(&to, RW_HOLDER_FIELD);
    put_utf8(&to, "[Z");
    put_utf8(&to, "<clinit>");
    put_utf8(&to, "()V");
    put_utf8(&to, "Code");
    put_reference(&to, 12, MEMBER, TYPE);
    put_reference(&to, 9, THIS, NAME_TYPE);
    put(&to, 1, 3);
    put(&to, 4, RW_PROBES_PER_HOLDER);
    put_utf8(&to, RW_HOLDER_METHOD);
    put_utf8(&to, "(I)V");
    put_class_head(&to, 1);
    put(&to, 2, 0x1019); // public static final synthetic
    put(&to, 4, (uint32_t)MEMBER << 16 | TYPE);
    put(&to, 2, 0);
    put(&to, 4, 0x00020008); // two methods; static
    put_code_head(&to, 8, 1, 0);
    put(&to, 2, 0x1200 | LAST); // ldc 32768
    put(&to, 2, 0xBC04);        // newarray boolean
    put(&to, 1, 0xB3);          // putstatic p
    put(&to, 2, REF);
    put(&to, 1, 0xB1); // return
    put(&to, 4, 0);    // no exceptions, no attributes
    put_array_hit(&to);
    put(&to, 2, 0); // no attributes of the class
    return (size_t)(to.at - room);
}

// public final class NAME { public static void hit(int i) { InstrUnsafe.mark(ADDRESS + i); } }
static size_t write_mapped_class(uint8_t *room, const char *name, uint64_t address) {
    enum { UNSAFE = LAST + 2, UNSAFE_CLASS }; // behind a long, which has two places
    char unsafe[128];
    struct bytes to = {room};
    snprintf(unsafe, sizeof unsafe, "%sInstrUnsafe", holders.package);
    put_start(&to, name, UNSAFE_CLASS + 1);
    put_utf8(&to, "mark");
    put_utf8(&to, "(J)V");
    put_utf8(&to, RW_HOLDER_METHOD);
    put_utf8(&to, "(I)V");
    put_utf8(&to, "Code");
    put_reference(&to, 12, MEMBER, TYPE);
    put_reference(&to, 10, UNSAFE_CLASS, NAME_TYPE);
    put(&to, 1, 5);
    put(&to, 4, (uint32_t)(address >> 32));
    put(&to, 4, (uint32_t)address);
    put_utf8(&to, unsafe);
    put_class(&to, UNSAFE);
    put_class_head(&to, 0);
    put(&to, 4, 0x00011009); // one method, public static synthetic
    put_code_head(&to, 10, 4, 1);
    put(&to, 1, 0x14); // ldc2_w ADDRESS
    put(&to, 2, LAST);
    put(&to, 3, 0x1A8561); // iload_0, i2l, ladd
    put(&to, 1, 0xB8);     // invokestatic mark
    put(&to, 2, REF);
    put(&to, 1, 0xB1); // return
    put(&to, 4, 0);
    put(&to, 2, 0);
    return (size_t)(to.at - room);
}

// --- in the VM ---

// The array of a new holder, or when the mapping holds its probes its class, as a global reference;
// NULL: it cannot be made.
static jobject make(JNIEnv *jni, uint32_t number) {
    char name[128];
    uint8_t bytes[CLASS_FILE_ROOM];
    jobject made = NULL;
    size_t length;
    uint32_t first = number * RW_PROBES_PER_HOLDER;
    if (holders.mapping && !instr_coverage_map_reserve(first, RW_PROBES_PER_HOLDER)) return NULL;
    if ((*jni)->PushLocalFrame(jni, 8) != 0) return NULL;
    snprintf(name, sizeof name, "%s" RW_HOLDER_NAME "%u", holders.package, number);
    if (holders.held)
        length =
            write_mapped_class(bytes, name, (uint64_t)(uintptr_t)(probes_of_mapping() + first));
    else
        length = write_array_class(bytes, name);
    jobject found = (*jni)->DefineClass(jni, name, NULL, (const jbyte *)bytes, (jsize)length);
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
    if (holders.count < holders.capacity) return true;
    uint32_t capacity = holders.capacity ? holders.capacity * 2 : 16;
    jobject *made = realloc(holders.made, capacity * sizeof *made);
    if (!made) return false;
    holders.made = made;
    holders.capacity = capacity;
    return true;
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
        snprintf(reason, size, "coverage.mmap: the disk has no room for the probes");
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
