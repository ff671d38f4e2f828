#define _POSIX_C_SOURCE 200809L

#include "instr/vm/cpu_idle.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

// The kernel counts idle time in ticks of about 10 ms.
static const uint64_t shortest_interval = 40 * 1000 * 1000;

static uint64_t now(clockid_t clock) {
    struct timespec t;
    if (clock_gettime(clock, &t) != 0) return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// The first line of /proc/stat (proc(5)) holds user, nice, system, idle and iowait.
static uint64_t idle(void) {
    unsigned long long ticks = 0, more = 0;
    long each = sysconf(_SC_CLK_TCK);
    FILE *file = fopen("/proc/stat", "re");
    if (!file) return 0;
    if (fscanf(file, "cpu %*u %*u %*u %llu %llu", &ticks, &more) != 2 || each <= 0)
        ticks = more = 0;
    fclose(file);
    return (ticks + more) * (1000000000u / (unsigned long long)(each > 0 ? each : 1));
}

void instr_use_take(struct instr_use *use) {
    *use = (struct instr_use){now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID), idle()};
}

int instr_use_idle(const struct instr_use *before, const struct instr_use *after,
                   unsigned processors) {
    uint64_t wall = after->wall - before->wall, half = wall / 2;
    if (wall < shortest_interval) return 0;
    if (after->process - before->process + half > processors * wall) return 0;
    return after->idle == 0 || after->idle - before->idle >= half;
}
