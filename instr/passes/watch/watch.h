// watch.h: watched calls, on their way from the application's threads to the control thread

#ifndef INSTR_PASSES_WATCH_H
#define INSTR_PASSES_WATCH_H

#include <jni.h>

#include <stddef.h>
#include <stdint.h>

// A call that has ended. Its texts are modified UTF-8, at offsets in `text`. The texts of a list
// follow one another, each with a NUL.
struct instr_watched {
    struct instr_watched *next;
    int id;            // of the method (id_registry.h)
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
    uint64_t slower; // ns; the shortest call to take
    int only_thrown, stack;
};

// Starts to take the calls that match the filter. While the pass is on.
void instr_watch_begin(JNIEnv *jni, const struct instr_watch_filter *filter);
void instr_watch_end(JNIEnv *jni);

// Takes the calls out of the queue, the oldest first; the caller frees them.
struct instr_watched *instr_watch_fetch(void);
void instr_watch_free(struct instr_watched *calls);

// How many calls were dropped since the watch began: the queue was full, or out of memory.
uint64_t instr_watch_dropped(void);

// Did the runtime's code throw, and what? Then it has switched itself off.
int instr_watch_failed(char *what, size_t size);

#endif
