// Taking up classes that are loaded already (JVM TI RetransformClasses).

#ifndef INSTR_RETRANSFORM_H
#define INSTR_RETRANSFORM_H

#include <jvmti.h>

// Retransforms every loaded, modifiable class that `wanted` says yes to (its internal name, its loader), in
// batches. A batch fails as a whole when one class fails: it is halved until the class is found, `failed` is told
// its name and the reason, and it is left alone. Leaves no exception pending and holds no reference. With `running`
// other threads run Java code; classes are then linked first.
void instr_retransform_loaded(jvmtiEnv *jvmti, JNIEnv *jni,
                              int (*wanted)(void *context, JNIEnv *jni, jobject loader,
                                            const char *name),
                              void (*failed)(void *context, const char *name, const char *reason),
                              void *context, int running);

#endif
