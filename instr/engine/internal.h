// What the parts of the engine share:
//
//      engine.c         engines, what they have idle, the way in
//      engine_class.c   a class, from its bytes to those that the JVM gets
//      engine_method.c  a method through all passes
//      engine_calls.c   what passes ask for meanwhile
//      engine_wrap.c    wrappers for native methods
//      engine_book.c    what has been done, and what was kept and why

#ifndef INSTR_ENGINE_JOB_H
#define INSTR_ENGINE_JOB_H

#include "instr/engine.h"

#include "classfile/inline.h"
#include "classfile/rewritten/delta_known.h"
#include "classfile/wrap.h"
#include "instr/engine/stats.h"

#include <pthread.h>
#include <stdatomic.h>

// What an engine is, for its parts alone.
struct instr_engine {
    const struct instr_options *options;
    struct instr_methods *methods;
    const char *runtime_package;
    int observes_speed; // a pass does: methods past the limit are kept
    int some_are_whole; // the results of some passes must be whole, whatever becomes of others
    int wraps;          // a pass wraps native methods
    int check_input;    // see instr_engine_check_input
    struct instr_stats *book;
    _Atomic(struct work *)
        works;            // a list that only grows, as many as threads have been at it at once
    pthread_mutex_t lock; // of what follows
    struct instr_coverage *coverage, *own_coverage;
    int one_holder;
};

// What a thread needs while it rewrites a class.
struct work {
    struct work *next;
    atomic_int taken;
    struct instr_shard *shard; // of the account, for who has taken the work
    struct cf_arena arena;
    struct cf_same_memory known;
    struct cf_callees callees[]; // one for each pass
};

// A class being rewritten; rw_class.engine points here.
struct job {
    struct instr_engine *engine;
    const struct instr_options *options; // the engine's
    struct work *work;
    struct cf_class cls;
    struct cf_rewrite rewrite;
    struct rw_class *passes; // one for each pass
    int *ids;                // of the method at hand, per pass; -1: none asked for
    struct instr_methods_cursor cursor;
    const uint16_t *lines; // of the method at hand, by pc; NULL: nobody has asked
    int wrapping;          // the pass whose wrappers are edited; -1: all that do not wrap
    struct instr_rewritten *result;
    uint64_t gave_up; // bit i: pass i cannot handle the method at hand
    struct instr_origin origin;
    const uint8_t *bytes; // of the class as it came; cls may have had its subroutines inlined
    size_t length;
    struct cf_inlined inlined;
    struct cf_class file; // of origin.file
    struct cf_inlined file_inlined;
};

// Where the result goes.
struct memory {
    void *(*allocate)(void *context, size_t size);
    void *context;
};

// A class file that this layer made, in the arena.
struct image {
    uint8_t *bytes; // NULL: unchanged
    size_t length;
};

// Does pass i leave the class alone?
static inline int instr_job_is_without(const struct job *job, size_t i) {
    return job->origin.without >> i & 1;
}
// A pass that wraps native methods edits their wrappers and nothing else, and does so alone.
static inline int instr_job_has_turn(const struct job *job, size_t i) {
    return job->engine->options->passes[i].pass->wraps ? job->wrapping == (int)i
                                                       : job->wrapping < 0;
}

// Rewrites the class, of which nothing is known yet but the origin; what came of it is in
// job->result, what is changed in `memory`.
void instr_job_rewrite(struct job *job, const uint8_t *bytes, size_t length, struct memory memory);

// Gives the passes what they may ask for.
void instr_job_serve(struct job *job);

// Opens the class for all passes. An error is in job->cls.error.
enum cf_status instr_job_open(struct job *job, const uint8_t *bytes, size_t length);
// Runs the passes over one method with code; what fails is remembered.
void instr_job_method(struct job *job, const struct cf_member *method);
// The same for all of the class. CF_NO_MEMORY: nothing was done; the error is in job->cls.error.
enum cf_status instr_job_methods(struct job *job);
// Encodes the class into the arena, and verifies the code that was changed. False: it would not
// verify, or there is no memory; the error is in job->cls.error, and the image is left for
// whoever wants to look at it.
int instr_job_encode(struct job *job, struct image *image);

// The name under which it is told; no bytes: the class has none.
struct cf_slice instr_job_display_name(const struct job *job);

// Remembers why a class (method NULL) or a method stays as it is. `pass`: whose decision it was;
// -1: something was in the way.
void instr_job_remember(struct job *job, const struct cf_member *method, const char *reason,
                        int pass);
// It was not the machine that had no more memory.
void instr_job_name_limit(const struct job *job, struct cf_error *error);

// The probes' registry; one of its own if the engine was given none. NULL: out of memory.
struct instr_coverage *instr_job_coverage(struct instr_engine *engine);

// Gives native methods their wrappers (engine_wrap.c). Of `job`, which was opened on the original
// class, all methods with code are done; *image is what that came to, and then with the wrappers.
// Whatever goes wrong, *image stays good, without the wrappers of some passes; the error is in
// job->cls.error. What the class itself does not allow is remembered, and no error.
enum cf_status instr_job_wrap(struct job *job, const uint8_t *bytes, size_t length,
                              struct image *image);

#endif
