// The class file hook: rewrites classes that are loaded or retransformed.

#ifndef INSTR_HOOK_H
#define INSTR_HOOK_H

#include "instr/vm/agent_state.h"

#include <stdbool.h>

// ClassFileLoadHook (JVM TI 11.2.1). On any failure the VM gets no new bytes and uses its own.
void JNICALL instr_hook(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                        const char *name, jobject domain, jint length, const unsigned char *bytes,
                        jint *new_length, unsigned char **new_bytes);

// The hook of instr_agent.front: passes that get classes before other agents change them.
void JNICALL instr_hook_front(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader,
                              const char *name, jobject domain, jint length,
                              const unsigned char *bytes, jint *new_length,
                              unsigned char **new_bytes);

// Does any pass apply to the class? `supertypes`: for passes that ask for them; NULL: unknown.
// `without`: the passes that do not, a bit for each; `beyond`: the passes that apply although the
// class is out of scope.
int instr_hook_matches(JNIEnv *jni, const struct instr_options *options, jobject loader,
                       const char *name, const struct rw_supertypes *supertypes, uint64_t *without,
                       uint64_t *beyond);

// Can no pass take a class of the JDK that the bootstrap loader has? Judged by the patterns alone.
bool instr_hook_leaves_jdk(const struct instr_options *options);

// The key of a class in instr_agent.class_states.
uint64_t instr_hook_key(jvmtiEnv *jvmti, const char *name, jobject loader);

// Between `begin` and `end`, changes to instr_agent.class_states by this thread's RetransformClasses
// calls are recorded, of the class `only`, or, with NULL, of all. When the JVM rejects the batch, `accepted` is 0 and `end` restores the
// entries.
struct instr_hook_batch {
    unsigned changed;  // classes that have inserted code now
    unsigned restored; // classes that had some, and have none now
};
void instr_hook_batch_begin(jclass only);
struct instr_hook_batch instr_hook_batch_end(int accepted);
// Is this thread between the two: are the classes that it changes the agent's doing?
bool instr_hook_batch_is_on(void);

// This class passes through the hook unchanged when this thread retransforms it; NULL: none does.
// Others do not: transformers of Java agents run meanwhile, and may load classes.
void instr_hook_pass_through(jclass cls);

#endif
