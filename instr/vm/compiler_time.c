#define _POSIX_C_SOURCE 200809L

#include "instr/vm/compiler_time.h"

#include "instr/base/clock.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64 };

// HotSpot starts and ends such threads. With thousands of others it takes long to look for them: at most this
// part of the time goes to it, but each ten seconds somebody looks.
static const uint64_t look_again_after = 500 * 1000 * 1000,
                      longest_without = 10 * UINT64_C(1000000000);
enum { LOOKING = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    struct {
        int tid;
        uint64_t used; // ns
    } threads[MOST];
    unsigned count;
    uint64_t next_look; // 0: nobody has looked
    uint64_t ended;     // ns, of threads that have ended
} compilers;

// The clock of any thread of this process (the kernel's CPUCLOCK_PERTHREAD and CPUCLOCK_SCHED, as in
// pthread_getcpuclockid). 0: the thread has ended.
static uint64_t time_of(int tid) {
    struct timespec t;
    if (clock_gettime((clockid_t)(~(unsigned)tid << 3 | 6), &t) != 0) return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// HotSpot's names are "C1 CompilerThread0" and "C2 CompilerThread0", of which the kernel keeps 15
// bytes.
static bool is_compiler(const char *tid) {
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", tid);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bool is = fgets(name, sizeof name, file) && strstr(name, "CompilerThre");
    fclose(file);
    return is;
}

static void add(int tid) {
    for (unsigned i = 0; i < compilers.count; i++)
        if (compilers.threads[i].tid == tid) return;
    if (compilers.count == MOST) return;
    compilers.threads[compilers.count].tid = tid;
    compilers.threads[compilers.count++].used = 0;
}

static void find_threads(uint64_t now) {
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));)
        if (entry->d_name[0] != '.' && is_compiler(entry->d_name)) add(atoi(entry->d_name));
    if (tasks) closedir(tasks);
    uint64_t pause = (instr_clock_now() - now) * LOOKING;
    if (pause < look_again_after) pause = look_again_after;
    compilers.next_look = now + (pause < longest_without ? pause : longest_without);
}

static uint64_t compiler_time(void) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < compilers.count;) {
        uint64_t used = time_of(compilers.threads[i].tid);
        if (used) {
            compilers.threads[i++].used = used;
            sum += used;
        } else {
            compilers.ended += compilers.threads[i].used;
            compilers.threads[i] = compilers.threads[--compilers.count];
        }
    }
    return sum + compilers.ended;
}

void instr_cpu_times_take(struct instr_cpu_times *times) {
    struct timespec t = {0, 0};
    uint64_t now = instr_clock_now();
    pthread_mutex_lock(&lock);
    if (now >= compilers.next_look) find_threads(now);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    times->process = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    times->compilers = compiler_time();
    pthread_mutex_unlock(&lock);
}
