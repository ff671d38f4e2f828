#include "instr/base/clock.h"

#include <stdatomic.h>
#include <time.h>

uint64_t instr_clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// The least of a few, since the thread may be interrupted.
static uint64_t measure(void) {
    enum { TIMES = 8, READINGS = 128 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TIMES; i++) {
        uint64_t start = instr_clock_now(), end = start;
        for (int k = 0; k < READINGS; k++) end = instr_clock_now();
        if (end - start < least) least = end - start;
    }
    return least / READINGS + 1;
}

uint64_t instr_clock_cost(void) {
    static atomic_uint_fast64_t cost; // 0: not known yet
    if (atomic_load(&cost) == 0) atomic_store(&cost, measure());
    return atomic_load(&cost);
}

uint64_t instr_clock_thread_cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t instr_clock_date(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}
