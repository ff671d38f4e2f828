// hook.h: the class file hook, through which all classes come that are loaded or retransformed.

#ifndef INSTR_HOOK_H
#define INSTR_HOOK_H

#include "instr/vm/agent_state.h"

// ClassFileLoadHook (JVM TI 11.2.1). Whatever goes wrong, the VM gets nothing and takes its own
// bytes.
void JNICALL instr_hook(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                        const char *name, jobject domain, jint length, const unsigned char *bytes,
                        jint *new_length, unsigned char **new_bytes);

// Is the class to be changed, and which passes leave it alone, or take it though it is out of
// scope, a bit for each?
int instr_hook_matches(JNIEnv *jni, const struct instr_options *options, jobject loader,
                       const char *name, uint64_t *without, uint64_t *beyond);

// The number of a class in instr_agent.changes.
uint64_t instr_hook_key(jvmtiEnv *jvmti, const char *name, jobject loader);

// What this thread's calls of RetransformClasses do to instr_agent.changes is noted down from
// `begin` on, so that it can be taken back when the JVM takes none of the classes: then `end` says
// kept = 0. `end` gives the number of classes that were changed.
void instr_hook_batch_begin(void);
unsigned instr_hook_batch_end(int kept);

// On this thread, classes go through without being changed (1), or are changed again (0).
void instr_hook_leave_alone(int alone);

#endif
