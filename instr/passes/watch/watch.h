// watch.h: watched calls, on their way from the application's threads to the control thread

#ifndef INSTR_PASSES_WATCH_H
#define INSTR_PASSES_WATCH_H

#include "instr/id_registry.h"

#include <jni.h>

#include <stdbool.h>
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
    bool has_stack; // it was taken, even if it is empty
    bool unsure;    // it is of the watch if its class has a supertype that a pattern names; it
                    // does not count for the limit
    size_t size;
    char text[];
};

// What a client watches.
struct instr_watch_filter {
    const char *methods; // patterns (rewriters/watch_methods.h); they outlive the watch
    uint64_t limit;      // calls
    uint64_t slower;     // ns; the shortest call to take
    int only_thrown, stack;
    const char *rule; // the pass whose calls it takes, a rule; NULL: those of the pass watch
};

// Clients that watch at the same time, and their calls that wait to be fetched, of all together.
enum { INSTR_WATCHES = 8 };

// Before the first call is reported: gets the runtime ready. False: `reason` says why it cannot be.
bool instr_watch_prepare(JNIEnv *jni, char *reason, size_t size);

// Starts to take the calls that match the filter, for one client more. While the pass is on. The
// names of methods are in `names`, which live until some seconds after the pass is off. Returns the number of the watch; -1: there are too many.
int instr_watch_begin(JNIEnv *jni, const struct instr_watch_filter *filter,
                      const struct instr_methods *names);
// Ends it. The other watches go on.
void instr_watch_end(JNIEnv *jni, int watch);
// Ends all watches: the names are about to be freed. Their clients fetch nothing more, and still call
// instr_watch_end.
void instr_watch_end_all(JNIEnv *jni);

// Takes the calls of a watch out of its queue, the oldest first; the caller frees them.
struct instr_watched *instr_watch_fetch(int watch);
void instr_watch_free(struct instr_watched *calls);

// How many calls were dropped since the watch began: too many waited, or out of memory.
uint64_t instr_watch_dropped(int watch);

// Did the runtime's code throw, and what? Then it has switched itself off.
int instr_watch_failed(char *what, size_t size);

#endif
