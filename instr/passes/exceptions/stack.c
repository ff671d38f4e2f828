// stack.c: the stack of an exception, or of the current thread, as text. Nothing here calls code of
// the application or instrumented code.

#include "instr/passes/exceptions/internal.h"
#include "instr/base/array.h"
#include "instr/engine/display_name.h"
#include "instr/vm/jvmti.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN_FRAMES 12    // of the runtime, at most
#define NATIVE_METHOD -2 // instead of a line, as in StackTraceElement
#define NAME_MAX_BYTES 1024

// How the JVM gives the elements of an exception's stack trace.
enum form {
    ONE_BY_ONE,      // JDK 8: Throwable.getStackTraceElement
    ALL,             // JDK 9 to 18: StackTraceElement.initStackTraceElements of a Throwable
    ALL_OF_BACKTRACE // JDK 19 and later: of its backtrace
};

static struct {
    jclass element, overflow; // StackTraceElement and StackOverflowError, global references
    jfieldID backtrace, depth;
    jfieldID class_name, method, file, line;
    jmethodID fill, count; // depend on the form
    enum form form;
    bool known;
} vm;

static bool cleared(JNIEnv *jni) {
    bool pending = (*jni)->ExceptionCheck(jni);
    if (pending) (*jni)->ExceptionClear(jni);
    return pending;
}

static jmethodID find_static(JNIEnv *jni, const char *name, const char *descriptor) {
    jmethodID id = (*jni)->GetStaticMethodID(jni, vm.element, name, descriptor);
    return cleared(jni) ? NULL : id;
}

static void find_form(JNIEnv *jni, jclass throwable) {
    static const char name[] = "initStackTraceElements";
    vm.form = ALL;
    vm.fill = find_static(jni, name, "([Ljava/lang/StackTraceElement;Ljava/lang/Throwable;)V");
    if (vm.fill) return;
    vm.form = ALL_OF_BACKTRACE;
    vm.fill = find_static(jni, name, "([Ljava/lang/StackTraceElement;Ljava/lang/Object;I)V");
    if (vm.fill) return;
    vm.form = ONE_BY_ONE;
    vm.fill = (*jni)->GetMethodID(jni, throwable, "getStackTraceElement",
                                  "(I)Ljava/lang/StackTraceElement;");
    if (vm.fill) vm.count = (*jni)->GetMethodID(jni, throwable, "getStackTraceDepth", "()I");
    cleared(jni);
}

bool instr_exceptions_stack_start(JNIEnv *jni) {
    static const char text[] = "Ljava/lang/String;";
    if (vm.known) return true;
    jclass throwable = (*jni)->FindClass(jni, "java/lang/Throwable");
    jclass element = throwable ? (*jni)->FindClass(jni, "java/lang/StackTraceElement") : NULL;
    jclass overflow = element ? (*jni)->FindClass(jni, "java/lang/StackOverflowError") : NULL;
    if (element) vm.element = (*jni)->NewGlobalRef(jni, element);
    if (overflow) vm.overflow = (*jni)->NewGlobalRef(jni, overflow);
    if (cleared(jni) || !vm.element || !vm.overflow) return false;
    vm.backtrace = (*jni)->GetFieldID(jni, throwable, "backtrace", "Ljava/lang/Object;");
    if (cleared(jni)) return false;
    vm.depth = (*jni)->GetFieldID(jni, throwable, "depth", "I");
    cleared(jni); // JDK 8 does not have it
    find_form(jni, throwable);
    vm.class_name = (*jni)->GetFieldID(jni, element, "declaringClass", text);
    vm.method = vm.class_name ? (*jni)->GetFieldID(jni, element, "methodName", text) : NULL;
    vm.file = vm.method ? (*jni)->GetFieldID(jni, element, "fileName", text) : NULL;
    vm.line = vm.file ? (*jni)->GetFieldID(jni, element, "lineNumber", "I") : NULL;
    vm.known =
        !cleared(jni) && vm.line && vm.fill && (vm.form == ONE_BY_ONE ? !!vm.count : !!vm.depth);
    return vm.known;
}

jobject instr_exceptions_backtrace(JNIEnv *jni, jobject exception) {
    return vm.backtrace ? (*jni)->GetObjectField(jni, exception, vm.backtrace) : NULL;
}

// --- text ---

static void replace(char *text, char from, char to) {
    for (; *text; text++)
        if (*text == from) *text = to;
}

// Appends "com.acme.Foo.bar(Foo.java:12)". The first frame is the place.
static void put_frame(struct instr_exception_stack *stack, const char *class_name,
                      const char *method, const char *file, int line) {
    char place[NAME_MAX_BYTES], text[3 * NAME_MAX_BYTES];
    if (line == NATIVE_METHOD)
        snprintf(place, sizeof place, "Native Method");
    else if (file && line > 0)
        snprintf(place, sizeof place, "%s:%d", file, line);
    else
        snprintf(place, sizeof place, "%s", file ? file : "Unknown Source");
    snprintf(text, sizeof text, "%s.%s(%s)", class_name, method, place);
    for (size_t dot = strlen(class_name); dot-- > 0;)
        if (text[dot] == '/') text[dot] = '.';
    if (!stack->class_name) {
        stack->class_name = strdup(class_name);
        stack->method = strdup(method);
        stack->line = line > 0 ? (uint32_t)line : 0;
        if (stack->class_name) {
            replace(stack->class_name, '.', '/');
            instr_normalize_generated_name(stack->class_name);
        }
    }
    size_t length = strlen(text) + 1;
    if (!INSTR_ARRAY_RESERVE(stack->frames, stack->capacity, stack->length + length)) return;
    memcpy(stack->frames + stack->length, text, length);
    stack->length += length;
    stack->count++;
}

void instr_exceptions_stack_free(struct instr_exception_stack *stack) {
    free(stack->class_name);
    free(stack->method);
    free(stack->frames);
    memset(stack, 0, sizeof *stack);
}

// --- of an exception ---

// Copies a string into `text`, cut to its size. NULL: the field is null.
static const char *text_of(JNIEnv *jni, jobject element, jfieldID field, char *text, size_t size) {
    jstring string = (*jni)->GetObjectField(jni, element, field);
    const char *bytes = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;
    if (bytes) {
        snprintf(text, size, "%s", bytes);
        (*jni)->ReleaseStringUTFChars(jni, string, bytes);
    }
    if (string) (*jni)->DeleteLocalRef(jni, string);
    cleared(jni);
    return bytes ? text : NULL;
}

// The runtime, and what it calls of the JDK, overflows the stack on behalf of the method that calls it.
static int is_own_name(const char *class_name) {
    return strncmp(class_name, "java.lang.Instr", 15) == 0 ||
           strncmp(class_name, "instr.runtime.", 14) == 0;
}

// `above`: if this is a frame of the runtime, those above it belong to it.
static void put_element(JNIEnv *jni, struct instr_exception_stack *stack, jobject element,
                        bool above) {
    char *names = malloc(3 * NAME_MAX_BYTES);
    if (!names) return;
    char *b = names + NAME_MAX_BYTES, *c = b + NAME_MAX_BYTES;
    const char *class_name = text_of(jni, element, vm.class_name, names, NAME_MAX_BYTES);
    const char *method = text_of(jni, element, vm.method, b, NAME_MAX_BYTES);
    const char *file = text_of(jni, element, vm.file, c, NAME_MAX_BYTES);
    if (class_name && is_own_name(class_name) && (above || stack->count == 0))
        instr_exceptions_stack_free(stack); // it begins below
    else if (class_name && method)
        put_frame(stack, class_name, method, file, (*jni)->GetIntField(jni, element, vm.line));
    free(names);
}

// All elements as an array, from JDK 9 on.
static jobjectArray all_elements(JNIEnv *jni, jobject exception, jobject backtrace, jint count) {
    jobjectArray all = (*jni)->NewObjectArray(jni, count, vm.element, NULL);
    for (jint i = 0; all && i < count; i++) {
        jobject element = (*jni)->AllocObject(jni, vm.element);
        if (!element) return NULL;
        (*jni)->SetObjectArrayElement(jni, all, i, element);
        (*jni)->DeleteLocalRef(jni, element);
    }
    if (!all) return NULL;
    if (vm.form == ALL)
        (*jni)->CallStaticVoidMethod(jni, vm.element, vm.fill, all, exception);
    else
        (*jni)->CallStaticVoidMethod(jni, vm.element, vm.fill, all, backtrace, count);
    return (*jni)->ExceptionCheck(jni) ? NULL : all;
}

static void put_elements(JNIEnv *jni, struct instr_exception_stack *stack, jobject exception,
                         jobject backtrace) {
    jobjectArray all = NULL;
    jint count =
        vm.form == ONE_BY_ONE
            ? (*jni)->CallIntMethod(jni, exception, vm.count) // package-private: not overridden
            : (*jni)->GetIntField(jni, exception, vm.depth);
    if (cleared(jni) || count <= 0) return;
    jint above = (*jni)->IsInstanceOf(jni, exception, vm.overflow) ? OWN_FRAMES : 0;
    if (vm.form != ONE_BY_ONE && !(all = all_elements(jni, exception, backtrace, count))) return;
    for (jint i = 0; i < count && i < INSTR_EXCEPTIONS_FRAMES; i++) {
        jobject element = all ? (*jni)->GetObjectArrayElement(jni, all, i)
                              : (*jni)->CallObjectMethod(jni, exception, vm.fill, i);
        if (cleared(jni) || !element) return;
        put_element(jni, stack, element, i < above);
        (*jni)->DeleteLocalRef(jni, element);
    }
}

struct instr_exception_stack instr_exceptions_traced(JNIEnv *jni, jobject exception) {
    struct instr_exception_stack stack = {0};
    if (!vm.known || (*jni)->PushLocalFrame(jni, 16) != 0) {
        cleared(jni);
        return stack;
    }
    jobject backtrace = instr_exceptions_backtrace(jni, exception);
    if (backtrace) put_elements(jni, &stack, exception, backtrace);
    cleared(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    return stack;
}

// --- of the current thread ---

static int is_own(const char *signature) {
    return strncmp(signature, "Ljava/lang/Instr", 16) == 0 ||
           strncmp(signature, "Linstr/runtime/", 15) == 0;
}

static int line_of(jvmtiEnv *jvmti, const jvmtiFrameInfo *frame) {
    uint32_t line = instr_jvmti_line(jvmti, frame->method, frame->location);
    return frame->location < 0 ? NATIVE_METHOD : (int)line;
}

static void put_jvmti_frame(jvmtiEnv *jvmti, JNIEnv *jni, struct instr_exception_stack *stack,
                            const jvmtiFrameInfo *frame) {
    char *signature = NULL, *name = NULL, *file = NULL;
    jclass class = NULL;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, frame->method, &class) != JVMTI_ERROR_NONE) return;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE &&
        (stack->count > 0 || !is_own(signature)) &&
        (*jvmti)->GetMethodName(jvmti, frame->method, &name, NULL, NULL) == JVMTI_ERROR_NONE) {
        if ((*jvmti)->GetSourceFileName(jvmti, class, &file) != JVMTI_ERROR_NONE) file = NULL;
        size_t length = strlen(signature);
        if (length > 1) signature[length - 1] = '\0'; // L...;
        put_frame(stack, signature + 1, name, file, line_of(jvmti, frame));
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)file);
    (*jni)->DeleteLocalRef(jni, class);
}

struct instr_exception_stack instr_exceptions_current(jvmtiEnv *jvmti, JNIEnv *jni) {
    struct instr_exception_stack stack = {0};
    jint count = 0;
    jvmtiFrameInfo *frames = malloc((INSTR_EXCEPTIONS_FRAMES + OWN_FRAMES) * sizeof *frames);
    if (frames && (*jvmti)->GetStackTrace(jvmti, NULL, 0, INSTR_EXCEPTIONS_FRAMES + OWN_FRAMES,
                                          frames, &count) == JVMTI_ERROR_NONE)
        for (jint i = 0; i < count && stack.count < INSTR_EXCEPTIONS_FRAMES; i++)
            put_jvmti_frame(jvmti, jni, &stack, &frames[i]);
    free(frames);
    return stack;
}
