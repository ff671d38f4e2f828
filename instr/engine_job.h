// The parts of the engine that see a class while it is being rewritten (engine.c, engine_wrap.c).

#ifndef INSTR_ENGINE_JOB_H
#define INSTR_ENGINE_JOB_H

#include "instr/engine.h"

#include "classfile/inline.h"
#include "classfile/wrap.h"

// What a thread needs while it rewrites a class. Idle ones wait in a list for the next class.
struct work {
    struct work *next;
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

// A class file that this layer made, in the arena.
struct image {
    uint8_t *bytes; // NULL: unchanged
    size_t length;
};

// Opens the class for all passes. An error is in job->cls.error.
enum cf_status instr_job_open(struct job *job, const uint8_t *bytes, size_t length);
// Runs the passes over one method with code; what fails is remembered.
void instr_job_method(struct job *job, const struct cf_member *method);
// Encodes the class into the arena, and verifies the code that was changed. False: it would not
// verify, or there is no memory; the error is in job->cls.error, and the image is left for
// whoever wants to look at it.
int instr_job_encode(struct job *job, struct image *image);

// Remembers why a class (method NULL) or a method stays as it is. `pass`: whose decision it was;
// -1: something was in the way.
void instr_job_remember(struct job *job, const struct cf_member *method, const char *reason,
                        int pass);

// Gives native methods their wrappers (engine_wrap.c). Of `job`, which was opened on the original
// class, all methods with code are done; *image is what that came to, and then with the wrappers.
// Whatever goes wrong, *image stays good, without the wrappers of some passes; the error is in
// job->cls.error. What the class itself does not allow is remembered, and no error.
enum cf_status instr_job_wrap(struct job *job, const uint8_t *bytes, size_t length,
                              struct image *image);

#endif
