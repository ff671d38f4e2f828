// prepared.h: classes whose supertypes were not all known when they were loaded
//
// A pass may select what extends or implements a class (rw_pass.supertypes). When such a class is
// loaded, its supertypes may not be: the JVM loads them in the next moment. It then waits for
// ClassPrepare, when all are there, and is retransformed before its first use if a pass selects it.
// So does a class about which a plug-in asks: that is retransformed in any case.

#ifndef INSTR_RETRANSFORM_PREPARED_H
#define INSTR_RETRANSFORM_PREPARED_H

#include "instr/vm/agent_state.h"

// Does a pass of the options ask for supertypes?
bool instr_prepared_asks(const struct instr_options *options);

// Before the options apply: lets classes wait if a pass asks for supertypes. False: the JVM refuses,
// with one line in `reason`.
bool instr_prepared_begin(struct instr_agent *agent, JNIEnv *jni,
                          const struct instr_options *options, char *reason, size_t size);
// When the options apply: no class waits any more unless a pass asks for supertypes.
void instr_prepared_end(struct instr_agent *agent, const struct instr_options *options);

// The class with this key (hook.h) waits; `certain`: it is retransformed in any case. Any thread.
void instr_prepared_await(uint64_t key, bool certain);

// ClassPrepare (JVM TI 11.2.1).
void JNICALL instr_prepared(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass cls);

#endif
