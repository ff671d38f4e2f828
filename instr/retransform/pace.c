// The pace at which loaded classes are retransformed.

#include "instr/retransform/pace.h"

#include "instr/base/clock.h"
#include "instr/vm/compiler_time.h"

#include <unistd.h>

#define MS UINT64_C(1000000)
enum {
    WINDOW_MS = 20,
    RATIO = 16,         // of rest to busy time, at first
    SHORT_MS = 20,      // a batch that kept the JVM busy for less may be larger
    LONG_MS = 50,       // ... for longer, must be smaller
    UNUSED_FACTOR = 3,  // times both
    LONGEST_MS = 4000,  // a JVM whose compilers never rest is not waited for
    QUIET_PERCENT = 25, // of a window: compilers that use less have nothing large at hand
    IDLE_PERCENT = 5    // of a processor: the application uses no more when it is idle
};

void instr_pace_begin(struct instr_pace *pace) {
    *pace = (struct instr_pace){.begun = 0};
    for (int use = 0; use < INSTR_PACE_USES; use++) pace->batch[use] = INSTR_PACE_FIRST;
}

void instr_pace_batch(struct instr_pace *pace, enum instr_pace_use use) {
    pace->use = use;
    pace->start = instr_clock_now();
    if (!pace->begun) pace->begun = pace->start;
}

unsigned instr_pace_ratio(uint64_t elapsed) {
    const uint64_t minute = 60000 * MS;
    return elapsed < 2 * minute   ? RATIO
           : elapsed < 3 * minute ? RATIO / 2
           : elapsed < 4 * minute ? RATIO / 4
                                  : 0;
}

static unsigned most_of(enum instr_pace_use use, unsigned most) {
    unsigned limit = use == INSTR_PACE_HOT    ? INSTR_PACE_FIRST
                     : use == INSTR_PACE_USED ? INSTR_PACE_MOST_USED
                                              : INSTR_PACE_MOST;
    return most < limit ? most : limit;
}

unsigned instr_pace_next(enum instr_pace_use use, unsigned batch, unsigned most, uint64_t busy) {
    // Large batches cost least where no compiled code is dropped: each has a safepoint.
    uint64_t factor = use == INSTR_PACE_UNUSED ? UNUSED_FACTOR : 1;
    most = most_of(use, most);
    if (busy > factor * LONG_MS * MS && batch > 1) return batch / 2;
    if (busy < factor * SHORT_MS * MS) return batch < most / 2 ? 2 * batch : most;
    return batch;
}

void instr_pace_rest(struct instr_pace *pace, unsigned most, bool (*go_on)(void)) {
    uint64_t end = instr_clock_now(), last = end, rested = 0, used = 0;
    unsigned ratio = instr_pace_ratio(end - pace->begun);
    uint64_t busy = end - pace->start; // the application may use all processors
    struct instr_cpu_times then, now;
    instr_cpu_times_take(&then);
    while (ratio && go_on() && last - end < LONGEST_MS * MS) {
        usleep(WINDOW_MS * 1000);
        uint64_t at = instr_clock_now(), wall = at - last;
        instr_cpu_times_take(&now);
        uint64_t compiling = now.compilers - then.compilers;
        used += now.process - then.process - compiling;
        if (compiling > wall) compiling = wall;
        busy += compiling;
        rested += wall - compiling;
        last = at;
        then = now;
        bool quiet = compiling * 100 <= QUIET_PERCENT * wall;
        if ((rested >= ratio * busy && quiet) || used * 100 <= IDLE_PERCENT * (last - end)) break;
    }
    unsigned *batch = &pace->batch[pace->use];
    *batch = ratio ? instr_pace_next(pace->use, *batch, most, busy) : most_of(pace->use, most);
}

void instr_pace_largest(const struct instr_pace *pace, unsigned most,
                        unsigned largest[INSTR_PACE_USES]) {
    for (unsigned use = 0; use < INSTR_PACE_USES; use++) {
        unsigned batch = pace->batch[use];
        bool has_come = use == pace->use || batch != INSTR_PACE_FIRST;
        largest[use] = has_come ? batch : most_of(use, most);
        if (!largest[use]) largest[use] = 1;
    }
}

uint64_t instr_pace_left(uint64_t passed, uint64_t batches, const uint64_t classes[INSTR_PACE_USES],
                         const unsigned largest[INSTR_PACE_USES]) {
    double left = 0;
    for (int use = 0; use < INSTR_PACE_USES; use++) left += (double)classes[use] / largest[use];
    return batches ? (uint64_t)((double)passed / (double)(batches + 1) * left) : 0;
}
