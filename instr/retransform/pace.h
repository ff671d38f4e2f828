// The pace at which loaded classes are retransformed in a JVM that is at work.
//
// HotSpot drops the compiled code of a class that is retransformed. Until it is compiled again, the
// application runs more slowly. So the background thread retransforms small batches, and after each
// batch rests until the compilers have caught up, and for a multiple of that time:
//
//      batch | compilers busy |                rest                 | batch | ...
//      <------- busy -------->|<-------- 16 times as long --------->|
//
// A batch is as large as keeps the busy time short. In a JVM that is idle nothing rests. After two
// minutes the rests become shorter, and after four there are none: the change must end.

#ifndef INSTR_PACE_H
#define INSTR_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct instr_pace {
    unsigned batch; // classes of the next batch
    uint64_t begun; // ns; when the first batch began, 0: not yet
    uint64_t start; // ns; when the last batch began
};

// Classes of the first batch, and of the largest: unused classes cost little, and the next
// ones may be those that all threads use.
enum { INSTR_PACE_FIRST = 1, INSTR_PACE_MOST = 32 };

// Begins with small batches.
void instr_pace_begin(struct instr_pace *pace);

// Call both around a batch. The second one sleeps as long as the compilers need, and less if
// `go_on` returns false. `most`: the largest batch.
void instr_pace_batch(struct instr_pace *pace);
void instr_pace_rest(struct instr_pace *pace, unsigned most, bool (*go_on)(void));

// How many times as long as the busy time the rest is, `elapsed` ns after the first batch began.
unsigned instr_pace_ratio(uint64_t elapsed);

// The size of the batch after one that kept the JVM busy for `busy` ns.
unsigned instr_pace_next(unsigned batch, unsigned most, uint64_t busy);

#endif
