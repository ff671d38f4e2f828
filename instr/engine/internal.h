// What the files of the engine share:
//
//      engine.c          engines, their idle working memory, the entry points
//      rewrite_class.c   one class, from its bytes to those that the JVM gets
//      rewrite_method.c  one method through all passes
//      services.c        what passes may ask the engine for
//      wrap_natives.c    wrappers for native methods
//      refused.c         classes that would not verify, as files
//      stats.c           what was done, and what was skipped and why

#ifndef INSTR_ENGINE_INTERNAL_H
#define INSTR_ENGINE_INTERNAL_H

#include "instr/engine.h"

#include "classfile/inline.h"
#include "classfile/wrap.h"
#include "instr/engine/stats.h"

#include <pthread.h>
#include <stdatomic.h>

struct instr_engine {
    const struct instr_options *options;
    struct instr_methods *methods;
    const char *runtime_package;
    int observes_speed; // a pass has RW_OBSERVES_SPEED: methods past the limit are skipped
    int some_complete;  // some passes, but not the only one, have RW_COMPLETE
    int wraps;          // a pass wraps native methods
    int prevents;       // a pass has RW_PREVENTS: it edits before all others
    int check_input;    // see instr_engine_check_input
    struct instr_stats *stats;
    _Atomic(struct work *)
        works;            // a list that only grows: one for each thread that runs at the same time
    pthread_mutex_t lock; // of what follows
    struct instr_coverage *coverage, *own_coverage;
    int offline; // see instr_engine_offline
};

// What a thread needs to rewrite a class.
struct work {
    struct work *next;
    atomic_int taken;
    struct instr_shard *shard; // of the statistics, for the thread that has taken the work
    uint32_t classes;          // that were rewritten with it
    struct cf_arena arena;
    struct cf_callees callees[]; // one for each pass
};

// A class being rewritten; rw_class.engine points here.
struct job {
    struct instr_engine *engine;
    const struct instr_options *options; // the engine's
    struct work *work;
    struct cf_class cls;
    struct cf_rewrite rewrite;
    struct rw_class *passes;            // one for each pass
    int *ids;                           // of the current method, per pass; -1: not asked for yet
    uint32_t *added;                    // bytes that each pass has inserted into the current method
    struct instr_pass_totals *inserted; // for each pass, into all methods
    struct instr_methods_cursor cursor;
    const uint16_t *lines; // of the current method, by pc; NULL: not asked for yet
    int wrappers;          // wrappers of native methods are edited, not the methods of the class
    uint64_t wanting;      // then: the passes that want the current wrapper, a bit for each
    struct instr_rewritten *result;
    uint8_t *refused_methods; // by index: the code did not verify, no pass edits it. NULL: none
    int silent;               // the class is rewritten anew: what is skipped is remembered already
    uint64_t gave_up;         // bit i: pass i cannot handle the current method
    struct instr_origin origin;
    const uint8_t *bytes; // the input; in cls subroutines may have been inlined
    size_t length;
    struct cf_inlined inlined;
    struct cf_class file; // of origin.file
    struct cf_inlined file_inlined;
};

// Where the result is allocated.
struct memory {
    void *(*allocate)(void *context, size_t size);
    void *context;
};

// A class file that this layer made, in the arena.
struct image {
    uint8_t *bytes; // NULL: unchanged
    size_t length;
};

// Is pass i not run on the class?
static inline int instr_job_excludes(const struct job *job, size_t i) {
    return job->origin.excluded_passes >> i & 1;
}
// Does pass i edit the current method?
static inline int instr_job_has_turn(const struct job *job, size_t i) {
    return job->wrappers ? (int)(job->wanting >> i & 1)
                         : !(job->engine->options->passes[i].pass->flags & RW_ONLY_WRAPPERS);
}

// Rewrites the class. Only the origin of `job` is set. The result is in job->result, its bytes come
// from `memory`.
void instr_job_rewrite(struct job *job, const uint8_t *bytes, size_t length, struct memory memory);

// Gives the passes the functions by which they ask the engine for ids, probes and options.
void instr_job_serve(struct job *job);

// Opens the class for all passes. An error is in job->cls.error.
enum cf_status instr_job_open(struct job *job, const uint8_t *bytes, size_t length);
// Runs the passes on one method with code; failures are remembered.
void instr_job_method(struct job *job, const struct cf_member *method);
// The same for all methods. CF_NO_MEMORY: nothing was done; the error is in job->cls.error.
enum cf_status instr_job_methods(struct job *job);
// Encodes the class into the arena and verifies the changed code. Returns 0 if it does not verify
// or memory runs out; the error is in job->cls.error, and the image stays for inspection.
int instr_job_encode(struct job *job, struct image *image);

// The name under which the class is reported; no bytes: it has none.
struct cf_slice instr_job_display_name(const struct job *job, const struct cf_class *cls);

// Remembers why a class (method NULL) or a method was skipped. `pass`: the pass that decided so;
// -1: something failed.
void instr_job_remember(struct job *job, const struct cf_member *method, const char *reason,
                        int pass);
// If the class's own memory limit was reached, says so in the error instead of "out of memory".
void instr_job_name_limit(const struct job *job, struct cf_error *error);

// The registry of probes; the engine makes its own if it was given none. NULL: out of memory.
struct instr_coverage *instr_job_coverage(struct instr_engine *engine);

// Wraps native methods. `job` was opened on the original class and has done all methods with code;
// *image is the class so far, and on return with the wrappers. On an error *image is still a good
// class, without the wrappers of some passes; the error is in job->cls.error. Methods that cannot
// be wrapped are remembered and are not errors.
enum cf_status instr_job_wrap(struct job *job, const uint8_t *bytes, size_t length,
                              struct image *image);

#endif
