// The background thread: retransforms the loaded classes that an operation queued, so that the
// operation could return early. Works batch by batch, always under the current plan; other
// operations run between the batches.

#ifndef INSTR_BACKGROUND_H
#define INSTR_BACKGROUND_H

#include "instr/retransform/apply.h"

// Progress of the background thread. Any thread may ask.
struct instr_reconfigure_progress {
    uint64_t total, done; // classes, including those of the operation itself; both 0: idle
    uint64_t generation;  // incremented when the queue is dropped
    uint64_t left;        // ns; how long the rest will take at the pace so far; 0: unknown
};
struct instr_reconfigure_progress instr_reconfigure_progress(void);

// Does the queue hold classes?
int instr_background_is_busy(void);

// Everything done by the last operation that queued classes, and for its queue. 0: the queue is not
// empty yet.
int instr_background_done(struct instr_reconfigured *done);

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
