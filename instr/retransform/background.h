// The background thread: retransforms the loaded classes that an operation queued, so that the
// operation could return early. Works batch by batch, always under the current plan; other
// operations run between the batches.

#ifndef INSTR_BACKGROUND_H
#define INSTR_BACKGROUND_H

#include "instr/retransform/apply.h"

#include <stdbool.h>

// Progress of the background thread. Any thread may ask.
struct instr_reconfigure_progress {
    uint64_t total, done; // classes, including those of the operation itself; both 0: idle
    uint64_t generation;  // incremented when the queue is dropped
    uint64_t left;        // ns; how long the rest will take at the pace so far; 0: unknown
};
struct instr_reconfigure_progress instr_reconfigure_progress(void);

// Progress of what one operation has queued. Operations follow each other in the queue.
struct instr_background_progress {
    uint64_t total, done;      // its classes, including those that it changed itself
    uint64_t before;           // classes of earlier operations that come first
    uint64_t left;             // ns; how long all of that will take at the pace so far; 0: unknown
    char by[INSTR_OWNER_SIZE]; // who gave the command that queued those before; "": several people
};
// The number of the last operation that queued classes.
uint64_t instr_background_last(void);
// That of the last one of this owner which has classes in the queue; 0: there is none. Only the last ones are known.
uint64_t instr_background_last_of(const char *by);
// What the operation of this number has done so far, and what is left. Only the last ones are known.
// False: nothing is left.
bool instr_background_of(uint64_t number, struct instr_background_progress *progress,
                         struct instr_reconfigured *done);

// Does the queue hold classes?
int instr_background_is_busy(void);

// What was done in the background, if it holds refusals or skipped interfaces that were not
// reported yet; they count as reported afterwards. 0: there are none.
int instr_background_unreported(struct instr_reconfigured *done);

// --- for the thread that holds agent->switching ---

// The queue. Call instr_background_start after adding to it.
struct instr_class_queue *instr_background_queue(void);

// Starts the background thread on the queue. `done`: what the operation, begun at `start`, has done
// so far; `chosen`: the number of classes that it concerns, including queued ones.
void instr_background_start(const struct instr_reconfigured *done, uint64_t start, unsigned chosen);

// Empties the queue.
void instr_background_drop(JNIEnv *jni);

// Is it time to start the thread again? The queue is not empty, but the thread could not be created
// or could not attach.
int instr_background_is_stalled(uint64_t now);
void instr_background_resume(void);

#endif
