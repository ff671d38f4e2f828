// Retransforming loaded classes in batches (JVM TI RetransformClasses).

#ifndef INSTR_RETRANSFORM_H
#define INSTR_RETRANSFORM_H

#include <jvmti.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { INSTR_BATCH_DEFAULT = 500 }; // classes per RetransformClasses call
enum { INSTR_RETRANSFORM_FIRST = 2 };

// Classes to be retransformed later. The references are weak: a queued class and its loader can
// still be unloaded.
struct instr_class_queue {
    jweak *classes;
    uint32_t count, capacity;
    atomic_uint taken; // index of the first class that was not taken yet
    uint32_t repeated; // classes before this index may be queued again behind it
    uint32_t hot;      // those from `repeated` to this index had methods on stacks
    uint32_t used;     // those from this index on had no compiled code when they were queued
};

struct instr_retransform {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    unsigned batch;  // classes per call, each with a safepoint pause; 0: the default
    int running;     // other threads run Java code: classes are linked first
    bool skips_boot; // no class of the bootstrap loader is wanted
    bool listed;     // `wanted` was called for each class, and is called again for those in queues
    // Only the `first` classes, in the order of instr_retransform_order, are retransformed at once;
    // the others are added to the queue. NULL: all at once.
    struct instr_class_queue *queue;
    unsigned first;
    unsigned few;  // so many are not queued, but all retransformed at once
    bool thorough; // for that order
    void *context;
    // Should the class be retransformed? Called with the internal name of every modifiable class
    // that is loaded or taken from the queue. INSTR_RETRANSFORM_FIRST: before those that `room`
    // limits.
    int (*wanted)(void *context, jclass cls, jobject loader, const char *name);
    // The number of classes that may still be retransformed, beside those that come first; asked
    // before each batch. NULL: any number.
    unsigned (*room)(void *context);
    // Called for each class that is not retransformed for want of room. NULL without `room`.
    void (*left_out)(void *context);
    // Called before and after each RetransformClasses call; `done`: the VM accepted the batch.
    void (*begin)(void *context);
    void (*end)(void *context, int done, unsigned count);
    // The VM refuses this class.
    void (*failed)(void *context, jobject loader, const char *name, const char *reason);
    // Should this interface be skipped? Called, while other threads run, for loaded interfaces that
    // HotSpot cannot safely retransform (untouchable.h); `code`: it has methods with code. NULL: no
    // interface is skipped.
    int (*skip_interface)(void *context, jobject loader, const char *name, int code);
    // Called between the batches: should the next one be done? May be NULL.
    int (*go_on)(void *context);
    // Called after a batch of the queue, for which `count` classes were taken. May be NULL.
    void (*taken)(void *context, unsigned count);
    // The state of a second thread that does batches, too (parallel.h), which sets its `jni`. NULL:
    // there is no second thread.
    struct instr_retransform *other;
    // The second thread starts when half a processor of this many is idle; 0: at once.
    unsigned processors;
    // Numbers of classes and calls, including those of `other`.
    unsigned chosen, deferred, refused, calls;
    uint64_t longest; // ns of the longest call, which includes its safepoint pause
};

// Retransforms the loaded, modifiable classes that `wanted` selects, in batches. The JVM refuses a
// whole batch if it refuses one class: the batch is halved until that class is found and skipped.
// Leaves no exception pending and holds no references. 0: the VM does not list its loaded classes.
int instr_retransform_loaded(struct instr_retransform *r);

// Retransforms one batch of the queue. Two threads may do so at once, each with its own `r`. 0: the
// queue was empty.
int instr_retransform_next(struct instr_retransform *r, struct instr_class_queue *queue);

// The number of classes in the queue.
uint32_t instr_class_queue_remaining(const struct instr_class_queue *queue);

// Do threads run code of the next class of the queue? Its last use was looked at when it was queued.
bool instr_class_queue_next_is_hot(const struct instr_class_queue *queue);

// How many of the next classes, at most `most`, have no compiled code, as far as is known.
uint32_t instr_class_queue_unused(const struct instr_class_queue *queue, jvmtiEnv *jvmti,
                                  JNIEnv *jni, uint32_t most);

// Empties the queue and frees its memory.
void instr_class_queue_clear(struct instr_class_queue *queue, JNIEnv *jni);

// Text for an error of RetransformClasses (JVM TI 11.2.7) or RedefineClasses (11.2.8), to be printed
// after "CLASS: ".
const char *instr_retransform_reason(jvmtiError error);

#endif
