// rows.c: the natives of InstrExceptionsNative, which choose the row of an exception. The runtime
// caches their results.

#include "instr/passes/exceptions/internal.h"
#include "instr/engine/display_name.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS (1 << 16)
#define MOST_STACK_BYTES ((size_t)16 * 1024 * 1024)
#define STACKS_FIRST 256
// The detail of a row starts with the class of the exception. ';' follows if the exception left its
// thread. If it was caught, ';', the class, ';', the method and its descriptor follow. Class names
// contain no ';'.
#define SEPARATOR ';'
#define DETAIL_BYTES 4096
// Stands for the class of an exception when there are too many rows.
#define OTHERS "(others)"

struct stack {
    int row;      // -1: an empty slot
    char *frames; // NULL: none
    size_t count;
};

// Many threads look up rows. No function of the JVM is called while the lock is held.
static struct {
    jvmtiEnv *jvmti;
    struct instr_methods *methods;
    unsigned pass;
    pthread_mutex_t mutex;
    // A hash table of all rows; the capacity is a power of two.
    struct stack *stacks;
    size_t stacks_count, stacks_capacity, stack_bytes;
} rows = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// --- stacks ---

static struct stack *place_of(struct stack *stacks, size_t capacity, int row) {
    size_t i = (size_t)row * 0x9E3779B1u & (capacity - 1);
    while (stacks[i].row >= 0 && stacks[i].row != row) i = (i + 1) & (capacity - 1);
    return &stacks[i];
}

static bool make_room(void) {
    if (rows.stacks_count * 2 < rows.stacks_capacity) return true;
    size_t capacity = rows.stacks_capacity ? rows.stacks_capacity * 2 : STACKS_FIRST;
    struct stack *larger = malloc(capacity * sizeof *larger);
    if (!larger) return false;
    for (size_t i = 0; i < capacity; i++) larger[i].row = -1;
    for (size_t i = 0; i < rows.stacks_capacity; i++)
        if (rows.stacks[i].row >= 0)
            *place_of(larger, capacity, rows.stacks[i].row) = rows.stacks[i];
    free(rows.stacks);
    rows.stacks = larger;
    rows.stacks_capacity = capacity;
    return true;
}

// Stores the row and its first stack; takes over the frames of `stack` if it stores them.
static void store_stack(int row, struct instr_exception_stack *stack) {
    if (row < 0) return;
    pthread_mutex_lock(&rows.mutex);
    struct stack *place = make_room() ? place_of(rows.stacks, rows.stacks_capacity, row) : NULL;
    if (place && place->row < 0) {
        *place = (struct stack){row, NULL, 0};
        rows.stacks_count++;
    }
    if (place && !place->frames && stack->frames &&
        rows.stack_bytes + stack->length <= MOST_STACK_BYTES) {
        char *fitting = realloc(stack->frames, stack->length + 1);
        place->frames = fitting ? fitting : stack->frames;
        place->count = stack->count;
        rows.stack_bytes += stack->length;
        stack->frames = NULL;
    }
    pthread_mutex_unlock(&rows.mutex);
}

const char *instr_exceptions_stack(int row, size_t *count) {
    const char *frames = NULL;
    *count = 0;
    pthread_mutex_lock(&rows.mutex);
    if (rows.stacks_capacity) {
        const struct stack *place = place_of(rows.stacks, rows.stacks_capacity, row);
        if (place->row >= 0) {
            frames = place->frames;
            *count = place->count;
        }
    }
    pthread_mutex_unlock(&rows.mutex);
    return frames;
}

void instr_exceptions_rows_each(void (*each)(void *context, int row), void *context) {
    pthread_mutex_lock(&rows.mutex);
    for (size_t i = 0; i < rows.stacks_capacity; i++)
        if (rows.stacks[i].row >= 0) each(context, rows.stacks[i].row);
    pthread_mutex_unlock(&rows.mutex);
}

// --- rows ---

static bool is_full(void) {
    pthread_mutex_lock(&rows.mutex);
    bool full = rows.stacks_count >= MOST_ROWS;
    pthread_mutex_unlock(&rows.mutex);
    return full;
}

static int row_in(const char *class_name, const char *method, const char *descriptor,
                  const struct instr_site *site) {
    struct instr_methods_cursor cursor =
        instr_methods_begin(rows.methods, class_name, strlen(class_name));
    return instr_methods_site_next(rows.methods, rows.pass, &cursor, method, strlen(method),
                                   descriptor, strlen(descriptor), site);
}

static int row_of(const struct instr_method *place, const char *detail) {
    struct instr_site site = {place->pc, place->line, detail, strlen(detail)};
    if (is_full()) {
        site = (struct instr_site){0, 0, OTHERS, sizeof OTHERS - 1};
        return row_in(OTHERS, "", "", &site);
    }
    return row_in(place->class_name, place->name, place->descriptor, &site);
}

size_t instr_exceptions_class_length(const char *detail) {
    const char *end = strchr(detail, SEPARATOR);
    return end ? (size_t)(end - detail) : strlen(detail);
}

struct instr_exception_end instr_exceptions_end(char *detail) {
    struct instr_exception_end end = {detail, INSTR_EXCEPTION_UNSEEN, NULL, NULL};
    char *first = strchr(detail, SEPARATOR);
    if (!first) return end;
    *first++ = '\0';
    char *second = strchr(first, SEPARATOR);
    end.fate = second ? INSTR_EXCEPTION_CAUGHT : INSTR_EXCEPTION_LEFT;
    if (!second) return end;
    *second++ = '\0';
    end.caught_class = first;
    end.caught_method = second;
    return end;
}

// --- natives ---

static jobject JNICALL native_backtrace(JNIEnv *jni, jclass class, jobject exception) {
    (void)class;
    return instr_exceptions_backtrace(jni, exception);
}

static jlongArray JNICALL native_stack(JNIEnv *jni, jclass class, jint ours, jint most) {
    (void)class;
    jvmtiFrameInfo frames[64];
    jlong words[2 * 64];
    jint count = 0;
    if (most > 64) most = 64;
    // This native method is one of our frames, too.
    if ((*rows.jvmti)->GetStackTrace(rows.jvmti, NULL, ours + 1, most, frames, &count) !=
        JVMTI_ERROR_NONE)
        return NULL;
    for (jint i = 0; i < count; i++) {
        words[2 * i] = (jlong)(intptr_t)frames[i].method;
        words[2 * i + 1] = frames[i].location;
    }
    jlongArray result = (*jni)->NewLongArray(jni, 2 * count);
    if (result)
        (*jni)->SetLongArrayRegion(jni, result, 0, 2 * count, words);
    else
        (*jni)->ExceptionClear(jni);
    return result;
}

// The internal name of the exception's class, in memory of JVM TI; NULL: unknown.
static char *class_of(JNIEnv *jni, jobject exception, char **name) {
    char *signature = NULL;
    jclass class = (*jni)->GetObjectClass(jni, exception);
    if ((*rows.jvmti)->GetClassSignature(rows.jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
        signature = NULL;
    (*jni)->DeleteLocalRef(jni, class);
    size_t length = signature ? strlen(signature) : 0;
    if (length < 2) return NULL;
    signature[length - 1] = '\0';
    *name = signature + 1;
    instr_normalize_generated_name(*name);
    return signature;
}

// Where the exception comes from: the site if there is one, else the start of its stack trace, else
// the instrumented method that it reached first.
static struct instr_method place_of_throw(const struct instr_exception_stack *stack, int site,
                                          int method) {
    struct instr_method place = {0};
    if (site >= 0) return instr_methods_get(rows.methods, site);
    if (stack->class_name && stack->method) {
        place.class_name = stack->class_name;
        place.name = stack->method;
        place.descriptor = "";
        place.line = stack->line;
    } else if (method >= 0) {
        place = instr_methods_get(rows.methods, method);
        place.pc = place.line = 0;
    } else {
        place.class_name = place.name = place.descriptor = "";
    }
    return place;
}

static jint JNICALL native_row(JNIEnv *jni, jclass class, jobject exception, jint site,
                               jint method) {
    (void)class;
    char *name = NULL, *memory = class_of(jni, exception, &name);
    if (!memory) return -1;
    struct instr_exception_stack stack = {0};
    if (site < 0) stack = instr_exceptions_traced(jni, exception);
    struct instr_method place = place_of_throw(&stack, site, method);
    int row = row_of(&place, name);
    if (!stack.count) {
        instr_exceptions_stack_free(&stack);
        stack = instr_exceptions_current(rows.jvmti, jni);
    }
    store_stack(row, &stack);
    instr_exceptions_stack_free(&stack);
    (*rows.jvmti)->Deallocate(rows.jvmti, (unsigned char *)memory);
    return row;
}

// Stores the stack of a row of caught exceptions: the exception's own if it starts at the row's
// place, else that of the row before it was caught.
static void store_stack_of(JNIEnv *jni, int caught, int row, const struct instr_method *place,
                           jobject exception) {
    struct instr_exception_stack stack = instr_exceptions_traced(jni, exception);
    if (!stack.class_name || !stack.method || strcmp(stack.class_name, place->class_name) != 0 ||
        strcmp(stack.method, place->name) != 0 || stack.line != place->line) {
        size_t count, length = 0;
        const char *frames = instr_exceptions_stack(row, &count);
        instr_exceptions_stack_free(&stack);
        for (size_t i = 0; i < count; i++) length += strlen(frames + length) + 1;
        stack.frames = frames ? malloc(length + 1) : NULL;
        if (stack.frames) memcpy(stack.frames, frames, length);
        stack.count = count;
        stack.length = length;
    }
    store_stack(caught, &stack);
    instr_exceptions_stack_free(&stack);
}

static jint JNICALL native_caught(JNIEnv *jni, jclass class, jint row, jobject exception,
                                  jint method) {
    (void)class;
    struct instr_method place = instr_methods_get(rows.methods, row), in;
    char *detail = malloc(DETAIL_BYTES);
    int length, caught = -1;
    if (!detail) return -1;
    if (method < 0) {
        length = snprintf(detail, DETAIL_BYTES, "%s%c", place.detail, SEPARATOR);
    } else {
        in = instr_methods_get(rows.methods, method);
        length = snprintf(detail, DETAIL_BYTES, "%s%c%s%c%s%s", place.detail, SEPARATOR,
                          in.class_name, SEPARATOR, in.name, in.descriptor);
    }
    // A detail that is cut off says less, but counts the same.
    if (length > 0 && strcmp(place.class_name, OTHERS) != 0)
        caught = row_of(&place, detail);
    else
        caught = row;
    if (caught >= 0 && caught != row) store_stack_of(jni, caught, row, &place, exception);
    free(detail);
    return caught;
}

void instr_exceptions_rows_use(struct instr_methods *methods, unsigned pass) {
    rows.methods = methods;
    rows.pass = pass;
}

const char *instr_exceptions_rows_start(jvmtiEnv *jvmti, JNIEnv *jni, jclass natives) {
    static char backtrace[] = "backtrace", stack[] = "stack", row[] = "row", caught[] = "caught";
    static char of_throwable[] = "(Ljava/lang/Throwable;)Ljava/lang/Object;", longs[] = "(II)[J";
    static char find[] = "(Ljava/lang/Throwable;II)I", end[] = "(ILjava/lang/Throwable;I)I";
    const JNINativeMethod methods[] = {
        {backtrace, of_throwable, (void *)native_backtrace},
        {stack, longs, (void *)native_stack},
        {row, find, (void *)native_row},
        {caught, end, (void *)native_caught},
    };
    rows.jvmti = jvmti;
    // If this fails, exceptions thrown in uninstrumented code are reported at the instrumented method
    // that they reached first.
    instr_exceptions_stack_start(jni);
    if ((*jni)->RegisterNatives(jni, natives, methods, sizeof methods / sizeof *methods) == 0)
        return NULL;
    (*jni)->ExceptionClear(jni);
    return "InstrExceptionsNative: a method is missing";
}

size_t instr_exceptions_bytes(const struct rw_pass *pass) {
    (void)pass;
    pthread_mutex_lock(&rows.mutex);
    size_t bytes = rows.stack_bytes + rows.stacks_capacity * sizeof *rows.stacks;
    pthread_mutex_unlock(&rows.mutex);
    return bytes;
}
