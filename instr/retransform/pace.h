// The pace at which loaded classes are retransformed in a JVM that is at work.
//
// HotSpot drops the compiled code of a class that is retransformed. Until it is compiled again, the
// application runs more slowly. So the background thread retransforms small batches, and after each
// batch rests until the compilers have caught up, and for a multiple of that time:
//
//      batch | compilers busy |                rest                 | batch | ...
//      <------- busy -------->|<-------- 16 times as long --------->|
//
// A class that threads were seen in is a batch of its own: most of the compiled code has some of it.
// Other classes with compiled code come in batches that are as large as keeps the busy time short.
// Classes without compiled code come last, many at once: each batch is a safepoint in which HotSpot
// looks at all loaded classes, and throws away what its compilers are just compiling. So none begins
// while they are busy, either. In a JVM that is idle nothing rests. After two minutes the rests
// become shorter, and after four there are none: the change must end.

#ifndef INSTR_PACE_H
#define INSTR_PACE_H

#include <stdbool.h>
#include <stdint.h>

// The classes of a batch.
enum instr_pace_use {
    INSTR_PACE_HOT,    // methods of it were on stacks
    INSTR_PACE_USED,   // some of it is compiled
    INSTR_PACE_UNUSED, // nothing of it is
    INSTR_PACE_USES
};

struct instr_pace {
    unsigned batch[INSTR_PACE_USES]; // classes of the next batch
    enum instr_pace_use use;         // of the last batch
    uint64_t begun;                  // ns; when the first batch began, 0: not yet
    uint64_t start;                  // ns; when the last batch began
};

// Classes of the first batch, and of the largest of each kind.
enum { INSTR_PACE_FIRST = 1, INSTR_PACE_MOST_USED = 8, INSTR_PACE_MOST = 256 };

// Begins with small batches.
void instr_pace_begin(struct instr_pace *pace);

// Call both around a batch. The second one sleeps as long as the compilers need, and less if
// `go_on` returns false. `most`: the largest batch that the options allow.
void instr_pace_batch(struct instr_pace *pace, enum instr_pace_use use);
void instr_pace_rest(struct instr_pace *pace, unsigned most, bool (*go_on)(void));

// How many times as long as the busy time the rest is, `elapsed` ns after the first batch began.
unsigned instr_pace_ratio(uint64_t elapsed);

// The size of the batch after one of the same kind that kept the JVM busy for `busy` ns.
unsigned instr_pace_next(enum instr_pace_use use, unsigned batch, unsigned most, uint64_t busy);

// How large batches of each use are now, or will be: those that have not come yet as large as they may.
void instr_pace_largest(const struct instr_pace *pace, unsigned most,
                        unsigned largest[INSTR_PACE_USES]);

// How long these classes will take, in ns, if each batch takes as long as those so far, one before the thread
// began and `batches`. 0: unknown.
uint64_t instr_pace_left(uint64_t passed, uint64_t batches, const uint64_t classes[INSTR_PACE_USES],
                         const unsigned largest[INSTR_PACE_USES]);

#endif
