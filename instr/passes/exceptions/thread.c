// thread.c: exceptions that leave a thread
//
// They arrive at Thread.dispatchUncaughtException, which the JVM calls for platform threads and run()
// for virtual threads. A call of the runtime is inserted at its entry, even if classes of the JDK are
// not instrumented. So this needs a JVM TI environment of its own.

#include "instr/passes/exceptions/internal.h"

#include "classfile/edit.h"
#include "instr/base/log.h"
#include "instr/vm/jvmti.h"
#include "instr/vm/agent_state.h"

#include <stdio.h>
#include <string.h>

static struct {
    jvmtiEnv *jvmti; // NULL: none
    char gate[64];   // the class that is called, in internal form
} hook;

static enum cf_status edit_method(struct cf_rewrite *rewrite, const struct cf_member *method) {
    struct cf_edit *edit;
    CF_TRY(cf_edit_begin(rewrite, method, &edit));
    struct cf_snippet *s = cf_snippet_new(edit);
    cf_local(s, CF_OP_aload, 1);
    cf_call(s, cf_callee_new(rewrite, hook.gate, "uncaught", "(Ljava/lang/Throwable;)V"));
    cf_insert_entry(edit, s);
    return cf_edit_commit(edit);
}

static enum cf_status edit_class(struct cf_class *cls, jvmtiEnv *jvmti, uint8_t **bytes,
                                 size_t *length) {
    struct cf_rewrite rewrite;
    CF_TRY(cf_rewrite_begin(&rewrite, cls));
    for (uint32_t i = 0; i < cls->methods_count; i++) {
        const struct cf_member *method = &cls->methods[i];
        if (method->code && CF_IS(cf_member_name(cls, method), "dispatchUncaughtException") &&
            CF_IS(cf_member_descriptor(cls, method), "(Ljava/lang/Throwable;)V"))
            CF_TRY(edit_method(&rewrite, method));
    }
    if (!rewrite.methods_changed) return CF_OK;
    return cf_rewrite_encode(&rewrite, instr_jvmti_allocate, jvmti, bytes, length);
}

static void JNICALL on_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint length,
                             const unsigned char *bytes, jint *new_length,
                             unsigned char **new_bytes) {
    (void)jni;
    (void)domain;
    struct cf_arena arena;
    struct cf_class cls;
    uint8_t *result = NULL;
    size_t result_length = 0;
    if (!redefined || loader || !name || strcmp(name, "java/lang/Thread") != 0) return;
    cf_arena_init(&arena);
    if (cf_class_open(&cls, bytes, (size_t)length, &arena) == CF_OK &&
        edit_class(&cls, jvmti, &result, &result_length) == CF_OK && result) {
        *new_bytes = result;
        *new_length = (jint)result_length;
    }
    cf_arena_free(&arena);
}

jvmtiEnv *instr_exceptions_thread_env(void) {
    return hook.jvmti;
}

bool instr_exceptions_thread_load(JavaVM *vm, char *reason, size_t size) {
    jvmtiCapabilities wanted;
    jvmtiEventCallbacks callbacks;
    if (hook.jvmti) return true; // the pass was on before
    memset(&wanted, 0, sizeof wanted);
    memset(&callbacks, 0, sizeof callbacks);
    if ((*vm)->GetEnv(vm, (void **)&hook.jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
        hook.jvmti = NULL;
        snprintf(reason, size, "exceptions: cannot create another JVM TI environment");
        return false;
    }
    wanted.can_retransform_classes = 1;
    wanted.can_get_line_numbers = 1; // for stacks
    wanted.can_get_source_file_name = 1;
    callbacks.ClassFileLoadHook = on_class;
    jvmtiError error = (*hook.jvmti)->AddCapabilities(hook.jvmti, &wanted);
    if (error == JVMTI_ERROR_NONE)
        error = (*hook.jvmti)->SetEventCallbacks(hook.jvmti, &callbacks, sizeof callbacks);
    if (error == JVMTI_ERROR_NONE) return true;
    snprintf(reason, size, "exceptions: the JVM refuses the capabilities (JVM TI error %d)",
             (int)error);
    instr_exceptions_thread_stop(NULL, NULL);
    return false;
}

static jvmtiError retransform_thread(JNIEnv *jni) {
    if (instr_agent.recording) return JVMTI_ERROR_NONE;
    jclass thread = (*jni)->FindClass(jni, "java/lang/Thread");
    jvmtiError error = JVMTI_ERROR_INVALID_CLASS;
    if (thread) error = (*hook.jvmti)->RetransformClasses(hook.jvmti, 1, &thread);
    if ((*jni)->ExceptionCheck(jni)) (*jni)->ExceptionClear(jni);
    if (thread) (*jni)->DeleteLocalRef(jni, thread);
    return error;
}

static jvmtiError set_hook(jvmtiEventMode mode) {
    return (*hook.jvmti)
        ->SetEventNotificationMode(hook.jvmti, mode, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

static jvmtiError find_gate(jclass gate) {
    char *signature = NULL;
    jvmtiError error = (*hook.jvmti)->GetClassSignature(hook.jvmti, gate, &signature, NULL);
    if (error != JVMTI_ERROR_NONE) return error;
    snprintf(hook.gate, sizeof hook.gate, "%.*s", (int)strlen(signature) - 2, signature + 1);
    (*hook.jvmti)->Deallocate(hook.jvmti, (unsigned char *)signature);
    return JVMTI_ERROR_NONE;
}

// The pass goes on without what ends a thread where no agent can change Thread. In JDK 11 and 17 that
// is so with -XX:-EnableContended or another -XX:ContendedPaddingWidth than the archive of classes was
// made with: its class has other offsets of fields than HotSpot finds when it reads the file anew.
static jvmtiError without_thread(void) {
    instr_say("exceptions: this JVM cannot retransform java.lang.Thread: exceptions that end a "
              "thread count as ended in code that is not instrumented; -Xshare:off may help");
    return set_hook(JVMTI_DISABLE);
}

bool instr_exceptions_thread_start(JNIEnv *jni, jclass gate, char *reason, size_t size) {
    jvmtiError error = find_gate(gate);
    if (error == JVMTI_ERROR_NONE) error = set_hook(JVMTI_ENABLE);
    if (error == JVMTI_ERROR_NONE) error = retransform_thread(jni);
    if (error == JVMTI_ERROR_UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED) error = without_thread();
    if (error == JVMTI_ERROR_NONE) return true;
    snprintf(reason, size, "exceptions: java.lang.Thread cannot be retransformed (JVM TI error %d)",
             (int)error);
    return false;
}

void instr_exceptions_thread_stop(JNIEnv *jni, const struct rw_pass *pass) {
    (void)pass;
    if (!hook.jvmti) return;
    if (jni) { // the environment stays: running natives use it
        if (set_hook(JVMTI_DISABLE) == JVMTI_ERROR_NONE) retransform_thread(jni);
        return;
    }
    (*hook.jvmti)->DisposeEnvironment(hook.jvmti);
    hook.jvmti = NULL;
}
