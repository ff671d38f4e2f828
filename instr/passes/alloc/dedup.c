// dedup.c: objects that both the VM reports and inserted code counts
//
// Where some methods are called (rewriters/allocating_callees.h), inserted code counts the objects
// that they return, whether they are compiled or not. While these methods are interpreted,
// VMObjectAlloc reports the same objects. The caller is on the stack, and its bytecode shows whether
// it counts: then a call of a method of InstrAlloc follows the call.

#include "instr/passes/alloc/internal.h"

#include "classfile/opcodes.h"
#include "classfile/reader.h"
#include "rewriters/allocating_callees.h"

#include <string.h>

#define CACHED 64 // calls that a thread caches
#define REACH 96  // bytes searched after a call: other passes may insert code in between

static jmethodID methods[RW_ALLOCATING_CALLEES]; // NULL: this JDK does not have the method

void instr_alloc_dedup_start(JNIEnv *jni) {
    for (int i = 0; i < RW_ALLOCATING_CALLEES; i++) {
        const struct rw_allocating_callee *c = &rw_allocating_callees[i];
        jclass class = (*jni)->FindClass(jni, c->class_name);
        if (class != NULL)
            methods[i] = c->is_static
                             ? (*jni)->GetStaticMethodID(jni, class, c->name, c->descriptor)
                             : (*jni)->GetMethodID(jni, class, c->name, c->descriptor);
        (*jni)->ExceptionClear(jni);
        if (class != NULL) (*jni)->DeleteLocalRef(jni, class);
    }
}

bool instr_alloc_inherits_clone(JNIEnv *jni, jclass class) {
    jmethodID clone = (*jni)->GetMethodID(jni, class, rw_allocating_callees[0].name,
                                          rw_allocating_callees[0].descriptor);
    (*jni)->ExceptionClear(jni);
    return clone != NULL && clone == methods[0];
}

bool instr_alloc_is_callee(jmethodID method) {
    for (int i = 0; i < RW_ALLOCATING_CALLEES; i++)
        if (methods[i] != NULL && methods[i] == method) return true;
    return false;
}

// --- the code after a call ---

struct pool { // the constant pool, from JVM TI GetConstantPool
    const uint8_t *bytes;
    uint32_t length;
    unsigned count;
};

// Bytes of a constant with its tag (JVMS 4.4); 0: unknown.
static uint32_t constant_length(const struct pool *pool, uint32_t at) {
    static const uint8_t lengths[] = {0, 0, 0, 5, 5, 9, 9, 3, 3, 5, 5,
                                      5, 5, 0, 0, 4, 3, 5, 5, 3, 3};
    uint8_t tag = pool->bytes[at];
    if (tag == 1) return at + 3 <= pool->length ? 3u + cf_be2(pool->bytes + at + 1) : 0;
    return tag < sizeof lengths ? lengths[tag] : 0;
}

// The start of the constant, if it has the tag and is complete; else NULL.
static const uint8_t *constant(const struct pool *pool, unsigned wanted, uint8_t tag) {
    uint32_t at = 0;
    for (unsigned i = 1; i < pool->count && at < pool->length; i++) {
        uint32_t length = constant_length(pool, at);
        if (length == 0 || length > pool->length - at) return NULL;
        if (i == wanted) return pool->bytes[at] == tag ? pool->bytes + at : NULL;
        if (pool->bytes[at] == 5 || pool->bytes[at] == 6) i++; // takes two indexes (JVMS 4.4.5)
        at += length;
    }
    return NULL;
}

static bool is_text(const struct pool *pool, unsigned index, const char *text) {
    const uint8_t *utf8 = constant(pool, index, 1);
    size_t n = strlen(text);
    return utf8 != NULL && cf_be2(utf8 + 1) == n && memcmp(utf8 + 3, text, n) == 0;
}

// Is it a method of InstrAlloc that takes the result of an allocating callee?
static bool is_counter(const struct pool *pool, unsigned index) {
    const uint8_t *reference = constant(pool, index, 10), *name_and_type, *class, *name;
    static const char simple[] = "/InstrAlloc";
    if (reference == NULL) return false;
    class = constant(pool, cf_be2(reference + 1), 7);
    name_and_type = constant(pool, cf_be2(reference + 3), 12);
    name = class == NULL ? NULL : constant(pool, cf_be2(class + 1), 1);
    if (name == NULL || name_and_type == NULL) return false;
    size_t n = cf_be2(name + 1), end = sizeof simple - 1;
    if (n < end || memcmp(name + 3 + n - end, simple, end) != 0) return false;
    unsigned method = cf_be2(name_and_type + 1);
    return is_text(pool, method, "made") || is_text(pool, method, "cloned") ||
           is_text(pool, method, "clonedOwn");
}

// The next call of a static method behind an instruction, with no jump or return in between; -1: there is none before `end`.
static jlocation next_static_call(const uint8_t *code, jlocation at, jlocation end) {
    do {
        unsigned length = cf_lengths[code[at]];
        if (length == 0 || (cf_flags[code[at]] & (CF_ENDS | CF_RETURNS)) != 0) return -1;
        at += length;
    } while (at + 2 < end && code[at] != CF_OP_invokestatic);
    return at + 2 < end ? at : -1;
}

// Is one of the static calls, of which this is the first, one of InstrAlloc?
static bool calls_counter(JNIEnv *jni, jmethodID method, const uint8_t *code, jlocation call,
                          jlocation end) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jint count = 0, length = 0;
    unsigned char *bytes = NULL;
    jclass class = NULL;
    bool counts = false;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE) return false;
    if ((*jvmti)->GetConstantPool(jvmti, class, &count, &length, &bytes) == JVMTI_ERROR_NONE) {
        struct pool pool = {bytes, (uint32_t)length, (unsigned)count};
        for (; call >= 0 && !counts; call = next_static_call(code, call, end))
            counts = is_counter(&pool, cf_be2(code + call + 1));
        (*jvmti)->Deallocate(jvmti, bytes);
    }
    instr_alloc.jni->DeleteLocalRef(jni, class);
    return counts;
}

// Does a call of InstrAlloc follow this call? The constant pool is a copy that the JVM makes each time, so most callers are told
// by their code alone.
static bool is_counting_call(JNIEnv *jni, const jvmtiFrameInfo *frame) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jlocation at = frame->location;
    jint length = 0;
    unsigned char *code = NULL;
    bool counts = false;
    if ((*jvmti)->GetBytecodes(jvmti, frame->method, &length, &code) != JVMTI_ERROR_NONE)
        return false;
    jlocation end = at + REACH < length ? at + REACH : length;
    if (at >= 0 && at < length && code[at] >= CF_OP_invokevirtual &&
        code[at] <= CF_OP_invokestatic) {
        jlocation first = next_static_call(code, at, end);
        counts = first >= 0 && calls_counter(jni, frame->method, code, first, end);
    }
    (*jvmti)->Deallocate(jvmti, code);
    return counts;
}

// --- the frames of an event ---

struct call {
    jmethodID method;
    jlocation location, end; // rewriting a method changes its end
    bool counts;
};
static _Thread_local struct call calls[CACHED];

bool instr_alloc_is_counted(JNIEnv *jni, const jvmtiFrameInfo *frames, jint n) {
    jvmtiEnv *jvmti = instr_alloc.jvmti;
    jlocation start, end;
    jint i = 0;
    while (i < n && instr_alloc_is_callee(frames[i].method)) i++;
    if (i == 0 || i == n || frames[i].location < 0) return false;
    const jvmtiFrameInfo *caller = &frames[i];
    if ((*jvmti)->GetMethodLocation(jvmti, caller->method, &start, &end) != JVMTI_ERROR_NONE)
        return false;
    uint64_t key = (uint64_t)(uintptr_t)caller->method >> 3 ^ (uint64_t)caller->location * 31;
    struct call *call = &calls[(key ^ key >> 11) % CACHED];
    if (call->method != caller->method || call->location != caller->location || call->end != end)
        *call = (struct call){caller->method, caller->location, end, is_counting_call(jni, caller)};
    return call->counts;
}
