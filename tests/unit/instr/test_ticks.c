// A tick each millisecond while the process is busy, and few while it is idle.

#include "instr/vm/ticks.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "instr/base/clock.h"
#include "tests/unit/run.h"

enum { MS = 1000 * 1000 };

static atomic_bool ended;

static void *spin(void *unused) {
    while (!atomic_load(&ended)) continue;
    return unused;
}

static int64_t last_tick(void) {
    return atomic_load(&instr_ticks()->last);
}

// The mean time between ticks in so many milliseconds, in ns. What is seen where this thread has lost its processor
// does not count.
static int64_t interval(int64_t milliseconds) {
    int64_t last = last_tick(), then = (int64_t)instr_clock_now(), end = then + milliseconds * MS;
    int64_t sum = 0, n = 0;
    bool lost = true;
    while (then < end) {
        int64_t tick = last_tick(), now = (int64_t)instr_clock_now();
        lost |= now - then > MS / 5;
        if (tick != last) {
            if (!lost) sum += tick - last, n++;
            last = tick;
            lost = false;
        }
        then = now;
    }
    ck_assert_int_gt(n, 10);
    return sum / n;
}

// The ticks of so many milliseconds, as seen by a thread that nearly always sleeps.
static int ticks_in(int64_t milliseconds) {
    const struct timespec pause = {0, 5 * MS};
    int64_t end = (int64_t)instr_clock_now() + milliseconds * MS, last = last_tick();
    int n = 0;
    while ((int64_t)instr_clock_now() < end) {
        n += last_tick() != last;
        last = last_tick();
        nanosleep(&pause, NULL);
    }
    return n;
}

// Where other processes have the processors it is tried some times.
static int64_t best_interval(void) {
    int64_t best = interval(1000);
    for (int i = 0; i < 9 && best >= MS * 3 / 2; i++) {
        int64_t mean = interval(500);
        if (mean < best) best = mean;
    }
    return best;
}

START_TEST(busy) {
    ck_assert(instr_ticks_start());
    int64_t mean = best_interval();
    instr_ticks_stop();
    ck_assert_int_ge(mean, MS);
    ck_assert_int_lt(mean, MS * 3 / 2);
}
END_TEST

// After a while; and then it is busy again.
START_TEST(idle) {
    pthread_t thread;
    ck_assert(instr_ticks_start());
    ticks_in(500);
    ck_assert_int_lt(ticks_in(500), 60);
    ck_assert_int_eq(pthread_create(&thread, NULL, spin, NULL), 0);
    ticks_in(100);
    ck_assert_int_lt(best_interval(), MS * 3 / 2);
    atomic_store(&ended, true);
    pthread_join(thread, NULL);
    instr_ticks_stop();
}
END_TEST

static int64_t used_time(void) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * INT64_C(1000) * MS + time.tv_nsec;
}

// How long the process has run: little while it sleeps, then as long as it has used a processor.
START_TEST(the_run) {
    ck_assert(instr_ticks_start());
    int64_t begun = (int64_t)instr_clock_now(), used = used_time();
    ticks_in(300);
    ck_assert_int_lt(atomic_load(&instr_ticks()->ran), 150 * MS);
    while (used_time() - used < 300 * MS) continue;
    ticks_in(200);
    int64_t ran = atomic_load(&instr_ticks()->ran);
    instr_ticks_stop();
    ck_assert_int_ge(ran, 250 * MS);
    ck_assert_int_le(ran, (int64_t)instr_clock_now() - begun);
    ck_assert_int_le(ran, used_time() - used + 20 * MS);
}
END_TEST

// The thread that ticks; 0: there is none. It has no name at once.
static pid_t ticking(void) {
    char path[300], name[64];
    const struct dirent *task;
    pid_t found = 0;
    DIR *tasks = opendir("/proc/self/task");
    ck_assert_ptr_nonnull(tasks);
    while (!found && (task = readdir(tasks))) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file) && strcmp(name, "instr ticks\n") == 0)
            found = (pid_t)strtol(task->d_name, NULL, 10);
        if (file) fclose(file);
    }
    closedir(tasks);
    return found;
}

// The time slice of a thread as the kernel has it, in ns; 0: it does not tell, since each has the same.
static uint64_t slice_of(pid_t thread) {
    uint64_t attributes[6] = {0}; // struct sched_attr
    ck_assert_int_eq(syscall(SYS_sched_getattr, thread, attributes, sizeof attributes, 0), 0);
    return attributes[3];
}

static pid_t begin(void) {
    pid_t thread = 0;
    ck_assert(instr_ticks_start());
    for (int i = 0; i < 1000 && !thread; i++) {
        ticks_in(10);
        thread = ticking();
    }
    ck_assert_int_ne(thread, 0);
    return thread;
}

START_TEST(short_slices) {
    pid_t thread = begin();
    uint64_t others = slice_of(0), slice = slice_of(thread);
    if (others)
        ck_assert_uint_eq(slice, INSTR_TICK_SLICE_NS);
    else
        ck_assert_uint_eq(slice, 0); // Linux before 6.12
    instr_ticks_stop();
}
END_TEST

// Gives two threads the same processor, the second one only while the first does not want it.
static bool share_processor(pid_t first, pid_t second) {
    cpu_set_t all, one;
    const struct sched_param none = {0};
    if (sched_getaffinity(0, sizeof all, &all) != 0) return false;
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    return sched_setaffinity(first, sizeof one, &one) == 0 &&
           sched_setaffinity(second, sizeof one, &one) == 0 &&
           sched_setscheduler(second, SCHED_IDLE, &none) == 0;
}

// The last test: it leaves this thread on one processor.
START_TEST(late) {
    pid_t thread = begin();
    ck_assert(share_processor((pid_t)syscall(SYS_gettid), thread));
    int64_t end = (int64_t)instr_clock_now() + 2000 * MS;
    while ((int64_t)instr_clock_now() < end) continue;
    double part = instr_ticks_late();
    instr_ticks_stop();
    ck_assert_double_gt(part, 0.2);
    ck_assert_double_le(part, 1);
}
END_TEST

// The processor time of a thread, in ns.
static int64_t time_of(pid_t thread) {
    char path[64];
    long long ns = -1;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)thread);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%lld", &ns), 1);
    fclose(file);
    return ns;
}

static void *wait_for_end(void *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

// With thousands of threads the clock of the process takes long to read: ticks take little of a processor all the same.
START_TEST(many_threads) {
    enum { MOST = 3000, LEAST = 2000 };
    static pthread_t threads[MOST];
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t small;
    int n = 0;
    pthread_mutex_lock(&lock);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, (size_t)64 * 1024);
    while (n < MOST && pthread_create(&threads[n], &small, wait_for_end, &lock) == 0) n++;
    pid_t thread = begin();
    int64_t before = time_of(thread), then = (int64_t)instr_clock_now(), end = then + 1000 * MS;
    while ((int64_t)instr_clock_now() < end) continue; // busy
    int64_t taken = time_of(thread) - before, passed = (int64_t)instr_clock_now() - then;
    instr_ticks_stop();
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
    if (n < LEAST)
        printf("skipped: many_threads: only %d threads can be made here\n", n);
    else
        ck_assert_int_lt(taken, passed / 20);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ticks");
    TCase *tests = tcase_create("ticks");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, busy);
    tcase_add_test(tests, idle);
    tcase_add_test(tests, the_run);
    tcase_add_test(tests, short_slices);
    tcase_add_test(tests, many_threads);
    tcase_add_test(tests, late);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
