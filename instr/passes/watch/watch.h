// watch.h: calls that were watched, on their way from the application's threads to the control
// thread.

#ifndef INSTR_WATCH_H
#define INSTR_WATCH_H

#include <jni.h>

#include <stddef.h>
#include <stdint.h>

// A call that has ended. Texts are modified UTF-8, at offsets in `text`; those of a list stand one
// behind the other, each with its NUL.
struct instr_watched {
    struct instr_watched *next;
    int id;            // of the method (methods.h)
    int thrown;        // `result` is an exception
    int returned;      // there is a result
    uint64_t time;     // milliseconds since 1970, when it ended
    uint64_t duration; // ns
    size_t thread, result, arguments, stack;
    unsigned argument_count, stack_count;
    size_t size;
    char text[];
};

struct instr_watch_filter {
    uint64_t limit;  // calls
    uint64_t slower; // ns that a call must take at least
    int only_thrown, stack;
};

// From now on calls are taken that the filter lets pass. While the pass is on.
void instr_watch_begin(JNIEnv *jni, const struct instr_watch_filter *filter);
void instr_watch_end(JNIEnv *jni);

// Those that have come, the oldest first; the caller frees them.
struct instr_watched *instr_watch_fetch(void);
void instr_watch_free(struct instr_watched *calls);

// How many were left out since the beginning: the queue was full, or memory was short.
uint64_t instr_watch_dropped(void);

// The runtime's code threw, and what: it has switched itself off.
int instr_watch_failed(char *what, size_t size);

#endif
