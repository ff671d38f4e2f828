// Taking up classes that are loaded already (JVM TI RetransformClasses).

#ifndef INSTR_RETRANSFORM_H
#define INSTR_RETRANSFORM_H

#include <jvmti.h>

#include <stdatomic.h>
#include <stdint.h>

enum { INSTR_BATCH_DEFAULT = 500 }; // classes in one call

// Classes that are still to come. The references are weak: nothing here keeps a class or its loader
// from being unloaded.
struct instr_rest {
    jweak *classes;
    uint32_t count, capacity;
    atomic_uint at; // those before it were taken
    uint32_t again; // those before it may be on the list once more, behind it
};

struct instr_retransform {
    jvmtiEnv *jvmti;
    JNIEnv *jni;
    unsigned batch; // classes in one call, in which the VM stands still for a while; 0: the default
    int running;    // other threads run Java code: classes are linked first
    // More classes than `first` are not all done at once: the first ones of
    // instr_retransform_order are, and the others added to the rest. NULL: all at once.
    struct instr_rest *rest;
    unsigned first;
    void *context;
    // Is the class to be retransformed? Asked of every modifiable class that is loaded, or left, by
    // its internal name.
    int (*wanted)(void *context, jobject loader, const char *name);
    // Before and after each call; `done`: the VM took the batch.
    void (*begin)(void *context);
    void (*end)(void *context, int done, unsigned count);
    // The VM does not take this class, and why, in words.
    void (*failed)(void *context, jobject loader, const char *name, const char *reason);
    // Asked of loaded interfaces, while other threads run, of which untouchable.h tells; `code`:
    // there is some in it. True: it stays as it is, and nothing more is said of it. NULL: none
    // does.
    int (*skipped_interfaces)(void *context, jobject loader, const char *name, int code);
    // Whether to go on, asked between the batches. May be NULL.
    int (*go_on)(void *context);
    // A batch of a list is done, for which so many were taken from it. May be NULL.
    void (*taken)(void *context, unsigned count);
    // What another thread is to go by that does batches meanwhile (retransform_both.h); its `jni`
    // is set there. NULL: none does.
    struct instr_retransform *other;
    unsigned processors; // it waits until half of one of so many is idle; 0: it does not wait
    // What came out of it, the other's included; `left` of the chosen were added to the rest.
    unsigned chosen, left, refused, calls;
    uint64_t longest; // ns that the longest call took; the VM stands still for part of it
};

// Retransforms the loaded, modifiable classes that are wanted, in batches. A batch fails as a whole
// when one class fails: it is halved until the class is found, which is then left alone. Leaves no
// exception pending and holds no reference. 0: the VM does not tell which classes are loaded.
int instr_retransform_loaded(struct instr_retransform *r);

// Retransforms a batch of the rest. Two threads may do so at once, each with its own `r`. 0: there
// was nothing left.
int instr_retransform_next(struct instr_retransform *r, struct instr_rest *rest);

// How many are left.
uint32_t instr_rest_left(const struct instr_rest *rest);

// Forgets what is left of it and gives the memory back.
void instr_rest_drop(struct instr_rest *rest, JNIEnv *jni);

// An error code of RetransformClasses (JVM TI 11.2.7) or RedefineClasses (11.2.8) as words that go
// on behind the name of a class and a colon.
const char *instr_retransform_reason(jvmtiError error);

#endif
