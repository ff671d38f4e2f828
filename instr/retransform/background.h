// switch_rest.h: loaded classes that a change of the plan has left for later, so that whoever asked
// for it need not wait. A thread of its own retransforms them, batch by batch, under whatever plan
// is the current one; other operations come in between the batches.

#ifndef INSTR_SWITCH_REST_H
#define INSTR_SWITCH_REST_H

#include "instr/retransform/apply.h"

// How far it is. Any thread.
struct instr_reconfigure_progress {
    uint64_t all, came; // classes, with those that were done first; both 0: nothing is under way
    uint64_t series;    // one higher each time that what was left is dropped
};
struct instr_reconfigure_progress instr_reconfigure_progress(void);

// What was done since the last change of the plan that left classes for later, with that change
// itself. 0: there is more to come.
int instr_background_done(struct instr_switched *done);

// Refusals of such classes that nobody has been told of yet; told, they are forgotten. 0: none.
int instr_background_unreported(struct instr_switched *done);

// --- for the thread that holds agent->switching ---

// The list; what is added to it has to be told to instr_background_start.
struct instr_rest *instr_background(void);

// Has what is on the list done. `done`: what the change of the plan, begun at `start`, has done by
// now; `chosen`: the classes that it is about, with those of the list.
void instr_background_start(const struct instr_switched *done, uint64_t start, unsigned chosen);

// The plan has changed so that what is on the list is to be dropped.
void instr_background_drop(JNIEnv *jni);

// Is there anything on the list, and no thread that does it, and is it time to try again? It could
// not be made, or attached.
int instr_background_is_stalled(uint64_t now);
void instr_background_again(void);

#endif
