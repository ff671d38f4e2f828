// Applying the current plan to the loaded classes: classes that it treats differently from the plan
// before are retransformed in batches.
//
// Late-loaded classes are those whose bytes a thread got from the old plan, but that the JVM does
// not list as loaded yet when the plan changes. They are looked for afterwards.

#ifndef INSTR_APPLY_H
#define INSTR_APPLY_H

#include "instr/retransform/retransform.h"
#include "instr/retransform/reconfigure.h"

enum { INSTR_LATE_LOADED_FOR = 600 }; // seconds during which they are looked for
enum { INSTR_FEW = 32 };              // classes for which nobody should wait long

// Retransforms the loaded classes that the current plan changes or has to revert. `before`: the
// previous plan, if it has the same rules; a class on which both plans have the same effect is not
// retransformed. NULL: there is no such plan. `late_loaded`: only late-loaded classes. `running`:
// other threads run Java code. Adds to `done`. 0: the JVM does not list its loaded classes.
int instr_reconfigure_retransform(struct instr_agent *agent, JNIEnv *jni,
                                  const struct instr_plan *before, int late_loaded, int running,
                                  struct instr_reconfigured *done);

// As above for a running JVM, but when there are many classes, only the first are retransformed at
// once and the others are queued for the background thread: `done->remaining` is their number.
// `start`: when the operation began.
int instr_reconfigure_retransform_first(struct instr_agent *agent, JNIEnv *jni,
                                        const struct instr_plan *before, uint64_t start,
                                        struct instr_reconfigured *done);

// Retransforms one batch of the queue, of `batch` classes; or, with 0 and if two threads may do so at
// once (parallel.h), batches as the options say until the queue is empty or a thread waits for
// agent->switching. After each batch calls
// `after_batch`, on the thread that did it, with the number of classes taken from the queue and
// what was done.
void instr_reconfigure_retransform_queued(
    struct instr_agent *agent, JNIEnv *jni, struct instr_class_queue *queue, unsigned batch,
    void (*after_batch)(unsigned count, const struct instr_reconfigured *done));

// Adds what another part of the same operation did.
void instr_reconfigured_add(struct instr_reconfigured *to, const struct instr_reconfigured *more);

// Schedules the next look for late-loaded classes, `pause` (ns) from `now`.
void instr_reconfigure_look_for_late_loaded(struct instr_agent *agent, uint64_t now,
                                            uint64_t pause);

#endif
