// holders.c: see holders.h

#include "instr/holders.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewriters/coverage.h"

// A holder is made when fewer probes than this are left: not at the last moment, where a thread
// may have neither stack nor heap left for it.
#define AHEAD (RW_PROBES_PER_HOLDER / 2)

enum { CLASS_FILE_ROOM = 512, MOST_HOLDERS = INT32_MAX / RW_PROBES_PER_HOLDER };

static struct {
    JavaVM *vm;
    const char *package;
    pthread_mutex_t lock;  // of what follows
    jbooleanArray *arrays; // global references; NULL: not made yet, or not to be made
    uint32_t count, capacity;
    uint32_t in_making;
} holders = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

// public final class NAME { public static final boolean[] p = new boolean[32768]; }
static size_t write_class(uint8_t *room, const char *name) {
    enum { NAME = 1, THIS, OBJECT, SUPER, FIELD, TYPE, CLINIT, VOID, CODE, NAME_TYPE, REF, LENGTH };
    struct bytes to = {room};
    put(&to, 4, 0xCAFEBABE);
    put(&to, 4, 52); // JDK 8
    put(&to, 2, LENGTH + 1);
    put_utf8(&to, name);
    put_class(&to, NAME);
    put_utf8(&to, "java/lang/Object");
    put_class(&to, OBJECT);
    put_utf8(&to, RW_HOLDER_FIELD);
    put_utf8(&to, "[Z");
    put_utf8(&to, "<clinit>");
    put_utf8(&to, "()V");
    put_utf8(&to, "Code");
    put(&to, 1, 12);
    put(&to, 4, (uint32_t)FIELD << 16 | TYPE);
    put(&to, 1, 9);
    put(&to, 4, (uint32_t)THIS << 16 | NAME_TYPE);
    put(&to, 1, 3);
    put(&to, 4, RW_PROBES_PER_HOLDER);
    put(&to, 2, 0x1031); // public final super synthetic
    put(&to, 4, (uint32_t)THIS << 16 | SUPER);
    put(&to, 2, 0);          // interfaces
    put(&to, 4, 0x00011019); // one field, public static final synthetic
    put(&to, 4, (uint32_t)FIELD << 16 | TYPE);
    put(&to, 2, 0);
    put(&to, 4, 0x00010008); // one method, static
    put(&to, 4, (uint32_t)CLINIT << 16 | VOID);
    put(&to, 4, 1u << 16 | CODE);
    put(&to, 4, 8 + 8 + 4);  // attribute_length
    put(&to, 4, 0x00010000); // max_stack, max_locals
    put(&to, 4, 8);
    put(&to, 2, 0x1200 | LENGTH); // ldc 32768
    put(&to, 2, 0xBC04);          // newarray boolean
    put(&to, 1, 0xB3);            // putstatic p
    put(&to, 2, REF);
    put(&to, 1, 0xB1); // return
    put(&to, 4, 0);    // no exceptions, no attributes
    put(&to, 2, 0);    // no attributes of the class
    return (size_t)(to.at - room);
}

// --- in the VM ---

// The array of a new holder as a global reference; NULL: it cannot be made.
static jbooleanArray make(JNIEnv *jni, uint32_t number) {
    char name[128];
    uint8_t bytes[CLASS_FILE_ROOM];
    jbooleanArray array = NULL;
    if ((*jni)->PushLocalFrame(jni, 8) != 0) return NULL;
    snprintf(name, sizeof name, "%s" RW_HOLDER_NAME "%u", holders.package, number);
    size_t length = write_class(bytes, name);
    jclass class = (*jni)->DefineClass(jni, name, NULL, (const jbyte *)bytes, (jsize)length);
    // This initializes the class.
    jfieldID field = class ? (*jni)->GetStaticFieldID(jni, class, RW_HOLDER_FIELD, "[Z") : NULL;
    jobject local = field ? (*jni)->GetStaticObjectField(jni, class, field) : NULL;
    if (local && !(*jni)->ExceptionCheck(jni)) array = (*jni)->NewGlobalRef(jni, local);
    (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    return array;
}

static bool grow(void) {
    if (holders.count == MOST_HOLDERS) return false;
    if (holders.count < holders.capacity) return true;
    uint32_t capacity = holders.capacity ? holders.capacity * 2 : 16;
    jbooleanArray *arrays = realloc(holders.arrays, capacity * sizeof *arrays);
    if (!arrays) return false;
    holders.arrays = arrays;
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
        holders.arrays[holders.count++] = NULL;
        holders.in_making++;
    }
    pthread_mutex_unlock(&holders.lock);
    if (!wanted) return false;
    jbooleanArray array = make(jni, number);
    pthread_mutex_lock(&holders.lock);
    holders.arrays[number] = array;
    holders.in_making--;
    pthread_mutex_unlock(&holders.lock);
    return array != NULL;
}

bool instr_holders_start(JavaVM *vm, JNIEnv *jni, const char *runtime_package, char *reason,
                         size_t size) {
    if (holders.count > 0) return true;
    holders.vm = vm;
    holders.package = runtime_package;
    if (add(jni, true)) return true;
    snprintf(reason, size, "%s" RW_HOLDER_NAME "0: the VM refused to define it", runtime_package);
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
        if (!holders.arrays[i]) first = (i + 1) * RW_PROBES_PER_HOLDER;
    uint64_t there = (uint64_t)holders.count * RW_PROBES_PER_HOLDER;
    pthread_mutex_unlock(&holders.lock);
    return (uint64_t)first + count <= there ? (int64_t)first : -1;
}

const struct instr_coverage_store instr_holders_store = {room, more, AHEAD};

// --- reading ---

// Eight at once: nearly all are 0, mostly.
static void read_array(uint8_t *array, uint8_t *probes, uint32_t count, bool clear) {
    for (uint32_t i = 0; i < count; i += 8) {
        uint64_t eight;
        memcpy(&eight, array + i, sizeof eight);
        if (!eight) continue;
        for (uint32_t k = i; k < i + 8 && k < count; k++) {
            // Another thread may write a 1 at any time. It is not lost: where there is one it is
            // told, and where there is none nothing is written.
            volatile uint8_t *probe = array + k;
            if (!*probe) continue;
            probes[k] = 1;
            if (clear) *probe = 0;
        }
    }
}

void instr_holders_read(JNIEnv *jni, uint8_t *probes, uint32_t count, bool clear) {
    for (uint32_t i = 0; i * RW_PROBES_PER_HOLDER < count; i++) {
        pthread_mutex_lock(&holders.lock);
        jbooleanArray array = i < holders.count ? holders.arrays[i] : NULL;
        pthread_mutex_unlock(&holders.lock);
        uint32_t here = count - i * RW_PROBES_PER_HOLDER;
        if (here > RW_PROBES_PER_HOLDER) here = RW_PROBES_PER_HOLDER;
        if (!array) continue;
        uint8_t *elements = (*jni)->GetPrimitiveArrayCritical(jni, array, NULL);
        if (!elements) {
            (*jni)->ExceptionClear(jni);
            continue;
        }
        read_array(elements, probes + i * RW_PROBES_PER_HOLDER, here, clear);
        (*jni)->ReleasePrimitiveArrayCritical(jni, array, elements, clear ? 0 : JNI_ABORT);
    }
}
