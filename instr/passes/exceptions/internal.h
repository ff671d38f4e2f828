// internal.h: what the files of the pass exceptions share
//
// The pass counts in rows: a row stands for exceptions of one class, from one place, that ended in
// one way. A row is a site in the registry of ids (id_registry.h); its detail holds the class and
// the end. Threads count rows as they count calls: `calls` exceptions have entered the row, `thrown`
// have left it for another.

#ifndef INSTR_PASSES_EXCEPTIONS_INTERNAL_H
#define INSTR_PASSES_EXCEPTIONS_INTERNAL_H

#include "instr/report/exceptions.h"
#include "instr/id_registry.h"
#include "instr/vm/snapshot.h"
#include "rewriters/rewriter.h"

#include <jvmti.h>

#include <stdbool.h>

// --- rows.c: the runtime's natives ---

// From now on new rows get ids of this pass. Called before instr_exceptions_rows_start.
void instr_exceptions_rows_use(struct instr_methods *methods, unsigned pass);

// Calls `each` for each row.
void instr_exceptions_rows_each(void (*each)(void *context, int row), void *context);

// Registers the natives of InstrExceptionsNative. Returns NULL, or what failed. No exception is
// pending afterwards.
const char *instr_exceptions_rows_start(jvmtiEnv *jvmti, JNIEnv *jni, jclass natives);

// Parses the detail of a row. `detail` is a copy, which is cut into the strings.
struct instr_exception_end {
    const char *exception_class; // internal form
    enum instr_exception_fate fate;
    const char *caught_class, *caught_method; // NULL unless caught; the latter with its descriptor
};
struct instr_exception_end instr_exceptions_end(char *detail);
// The length of the name of the exception's class at the start of a detail.
size_t instr_exceptions_class_length(const char *detail);

// The stack of a row's first exception: `*count` strings, one after the other. They are never freed.
// NULL: unknown.
const char *instr_exceptions_stack(int row, size_t *count);

// --- counts.c: how many exceptions each row has ---

struct instr_exception_count {
    uint64_t thrown_at; // the same for all rows of a throw
    int row;            // negative: none
    int64_t count;
};

struct instr_exception_counts {
    struct instr_exception_count *items;
    size_t count, capacity;
};

// Lists the rows of a pass, by its number, with what they have according to a snapshot: `counts`, of `n`
// ids. Rows without exceptions may be among them; none has less. `reset`: the snapshot has reset the
// pass. Called after the snapshot, or it would miss rows that are new. The caller frees the items.
// False: out of memory.
bool instr_exceptions_count(const struct instr_methods *methods, unsigned pass,
                            const struct instr_counts *counts, size_t n, bool reset,
                            struct instr_exception_counts *list);
// The pass begins anew.
void instr_exceptions_count_forget(void);

// --- stack.c: stacks as text ---

enum { INSTR_EXCEPTIONS_FRAMES = 64 }; // of a stack; outer frames are dropped

// A place in a method, and the stack from there on.
struct instr_exception_stack {
    char *class_name; // internal form; NULL: unknown
    char *method;
    uint32_t line; // 0: unknown
    char *frames;  // "com.acme.Foo.bar(Foo.java:12)", one string after the other
    size_t count, length, capacity;
};

// Finds the JVM's fields and methods. False: stacks of exceptions cannot be read. No exception is
// pending afterwards.
bool instr_exceptions_stack_start(JNIEnv *jni);
// Throwable.backtrace, as a local reference; NULL: none.
jobject instr_exceptions_backtrace(JNIEnv *jni, jobject exception);
// The stack trace that the JVM has recorded in an exception, even if the exception's class overrides
// getStackTrace. No Java code of the application runs. Empty if there is none. The caller frees it.
struct instr_exception_stack instr_exceptions_traced(JNIEnv *jni, jobject exception);
// The stack of the current thread without the runtime's frames. The caller frees it.
struct instr_exception_stack instr_exceptions_current(jvmtiEnv *jvmti, JNIEnv *jni);
void instr_exceptions_stack_free(struct instr_exception_stack *stack);

// --- thread.c: exceptions that leave a thread ---

// Prepares a JVM TI environment that makes java.lang.Thread.dispatchUncaughtException call the
// runtime at its entry.
bool instr_exceptions_thread_load(JavaVM *vm, char *reason, size_t size);
// That environment, which can also read lines and source files; NULL: there is none.
jvmtiEnv *instr_exceptions_thread_env(void);
// `gate`: the class of the runtime that is called.
bool instr_exceptions_thread_start(JNIEnv *jni, jclass gate, char *reason, size_t size);
void instr_exceptions_thread_stop(JNIEnv *jni, const struct rw_pass *pass);

// Bytes of memory that rows and stacks take, without their names.
size_t instr_exceptions_bytes(const struct rw_pass *pass);

#endif
