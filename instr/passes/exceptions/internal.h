// exceptions.h: the parts of the pass exceptions among each other (part_exceptions.c).
//
// What is counted are rows: exceptions of one class, from one place, that ended in one way. A row's
// number is that of a site in the registry (methods.h), whose detail tells the class and the end,
// and threads count it as they count calls: `calls` of it came to the row, `thrown` of it went.

#ifndef INSTR_EXCEPTIONS_H
#define INSTR_EXCEPTIONS_H

#include "instr/report/exceptions.h"
#include "instr/id_registry.h"

#include <jvmti.h>

#include <stdbool.h>

// --- exceptions_rows.c: the runtime's natives ---

// Rows get numbers of this pass from now on. To be called before instr_exceptions_rows_start.
void instr_exceptions_rows_use(struct instr_methods *methods, unsigned pass);

// Calls for each row.
void instr_exceptions_rows_each(void (*each)(void *context, int row), void *context);

// Registers the natives of InstrExceptionsNative. NULL: done; else what failed, and no exception is
// pending.
const char *instr_exceptions_rows_start(jvmtiEnv *jvmti, JNIEnv *jni, jclass natives);

// What the detail of a row says; `detail`, a copy of it, is cut into the strings.
struct instr_exception_end {
    const char *exception_class; // internal form
    enum instr_exception_fate fate;
    const char *caught_class, *caught_method; // NULL unless caught; the latter with its descriptor
};
struct instr_exception_end instr_exceptions_end(char *detail);

// The stack of a row when it first happened: strings one behind the other, `*count` of them. It
// stays. NULL: none is known.
const char *instr_exceptions_stack(int row, size_t *count);

// --- exceptions_stack.c: stacks as text ---

enum { INSTR_EXCEPTIONS_FRAMES = 64 }; // of a stack; what is below is left out

// A place in a method, and the stack from there on.
struct instr_exception_stack {
    char *class_name; // internal form; NULL: not known
    char *method;
    uint32_t line; // 0: not known
    char *frames;  // "com.acme.Foo.bar(Foo.java:12)", one string behind the other
    size_t count, length, capacity;
};

// Finds what is needed of the JVM. False: stacks of exceptions cannot be read; no exception is
// pending.
bool instr_exceptions_stack_start(JNIEnv *jni);
// Throwable.backtrace, as a local reference; NULL: none.
jobject instr_exceptions_backtrace(JNIEnv *jni, jobject exception);
// The stack trace that the JVM has noted in an exception, whatever its class makes of it. No Java
// code runs. Empty when there is none. To be freed.
struct instr_exception_stack instr_exceptions_traced(JNIEnv *jni, jobject exception);
// The stack of the current thread, without the runtime's own frames. To be freed.
struct instr_exception_stack instr_exceptions_current(jvmtiEnv *jvmti, JNIEnv *jni);
void instr_exceptions_stack_free(struct instr_exception_stack *stack);

// --- exceptions_thread.c: what leaves a thread ---

// From now on java.lang.Thread.dispatchUncaughtException tells the runtime, until stopped: it gets
// a call at its entry, by an environment of its own.
bool instr_exceptions_thread_load(JavaVM *vm, char *reason, size_t size);
// That environment, which can tell lines and source files too; NULL: there is none.
jvmtiEnv *instr_exceptions_thread_env(void);
// `gate`: the class of the runtime that is told.
bool instr_exceptions_thread_start(JNIEnv *jni, jclass gate, char *reason, size_t size);
void instr_exceptions_thread_stop(JNIEnv *jni);

// Bytes of memory that rows and stacks take, without their names.
size_t instr_exceptions_bytes(void);

#endif
