// switch_classes.h: the loaded classes when the plan changes: those that it changes are
// retransformed in batches, those that were on their way under the old plan are looked for
// afterwards.

#ifndef INSTR_SWITCH_CLASSES_H
#define INSTR_SWITCH_CLASSES_H

#include "instr/retransform/retransform.h"
#include "instr/retransform/reconfigure.h"

enum { INSTR_STRAGGLERS_FOR = 600 }; // seconds that such classes are looked for

// Retransforms the loaded classes that the current plan changes, or has to leave. `before`: a plan
// with the same rules; what has the same effect on a class is not done again. NULL: there is none.
// `stragglers`: only those that were being loaded. `running`: other threads run Java code. Adds to
// `done`. 0: the JVM does not tell which classes are loaded.
int instr_reconfigure_retransform(struct instr_agent *agent, JNIEnv *jni,
                                  const struct instr_plan *before, int late_loaded, int running,
                                  struct instr_switched *done);

// The same for a running JVM, but of many classes only the first are done at once, and the others
// put on the list of switch_rest.h: `done->left` says how many. `start`: when the change began.
int instr_reconfigure_retransform_first(struct instr_agent *agent, JNIEnv *jni,
                                        const struct instr_plan *before, uint64_t start,
                                        struct instr_switched *done);

// Batches of that list: one, or, where two threads may be at it (retransform_both.h), as many as
// there are until somebody waits for agent->switching. After each batch `came` is told on the
// thread that did it for how many classes of the list that was, and what came of it.
void instr_reconfigure_retransform_rest(struct instr_agent *agent, JNIEnv *jni,
                                        struct instr_rest *rest,
                                        void (*came)(unsigned count,
                                                     const struct instr_switched *done));

void instr_switched_add(struct instr_switched *to, const struct instr_switched *more);

// Sets when to look again for classes whose bytes a thread had got from the old plan and that may
// come into being only now, `pause` (ns) from `now`.
void instr_reconfigure_look_for_late_loaded(struct instr_agent *agent, uint64_t now,
                                            uint64_t pause);

#endif
