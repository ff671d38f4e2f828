// first_class.h: the moment before the program's first class is defined
//
// While the class file hook is on, HotSpot reads the class file of each class that it takes from its
// archive (KlassFactory::check_shared_class_file_load_hook). Between VMInit and main of a small program
// these are some 150 classes of the JDK, which cost 3 % of its time. If no pass can take a class of the
// bootstrap loader, the hook waits for the first class that a loader defines: that is when the JVM binds
// one of the native methods of ClassLoader that define classes. Until then each class that is prepared
// is looked at: one that a pass takes nevertheless, as from an archive of the program, ends the wait, and
// is retransformed before its first use. So are those that were loaded meanwhile, once they are prepared.

#ifndef INSTR_RETRANSFORM_FIRST_CLASS_H
#define INSTR_RETRANSFORM_FIRST_CLASS_H

#include "instr/vm/agent_state.h"

#include <stdbool.h>

// In Agent_OnLoad, before other events are set: notes from now on whether classes are defined. Without
// the capability for that nothing waits.
void instr_first_class_watch(const struct instr_agent *agent);

// At VMInit, if no loaded class was changed: switches the hook off until the first class, if the options
// allow it and none has been defined.
void instr_first_class_wait(struct instr_agent *agent, const struct instr_options *options);

// Before the plan changes: if the hook waits, it is switched on.
void instr_first_class_end(struct instr_agent *agent);

bool instr_first_class_waits(void);

// From ClassPrepare. Does a pass take the class? Then the wait is over.
bool instr_first_class_is(struct instr_agent *agent, JNIEnv *jni, const struct instr_plan *plan,
                          jobject loader, const char *name);

// NativeMethodBind (JVM TI 11.2.1).
void JNICALL instr_first_class_bound(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method,
                                     void *address, void **new_address);

#endif
