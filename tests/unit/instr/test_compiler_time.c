// The CPU time of threads that have the names of HotSpot's compilers, among thousands of others.

#include "instr/vm/compiler_time.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "tests/unit/run.h"

enum { MS = 1000 * 1000, MOST = 3000, LEAST = 2000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[MOST];

static uint64_t read_clock(clockid_t clock) {
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000 * MS + (uint64_t)time.tv_nsec;
}

static void *wait_for_end(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *compile(void *used) {
    prctl(PR_SET_NAME, "C2 CompilerThre");
    while (read_clock(CLOCK_THREAD_CPUTIME_ID) < 200 * MS) continue;
    atomic_store((atomic_uint_fast64_t *)used, read_clock(CLOCK_THREAD_CPUTIME_ID));
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static uint64_t compilers(void) {
    struct instr_cpu_times times;
    instr_cpu_times_take(&times);
    ck_assert_uint_ge(times.process, times.compilers);
    return times.compilers;
}

static void pause_for(long ns) {
    const struct timespec pause = {ns / (1000 * MS), ns % (1000 * MS)};
    nanosleep(&pause, NULL);
}

START_TEST(compilers_are_found) {
    static atomic_uint_fast64_t used;
    pthread_t thread;
    pthread_mutex_lock(&lock);
    ck_assert_uint_eq(compilers(), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, compile, &used), 0);
    while (!atomic_load(&used)) pause_for(10 * MS);
    for (int i = 0; i < 100 && !compilers(); i++) pause_for(100 * MS);
    ck_assert_uint_ge(compilers(), 200 * MS);
    ck_assert_uint_le(compilers(), atomic_load(&used) + 200 * MS);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    ck_assert_uint_ge(compilers(), 200 * MS); // it has ended
}
END_TEST

// Looking through the threads, as the first call does, is not done again and again.
START_TEST(many_threads) {
    pthread_attr_t small;
    int n = 0;
    pthread_mutex_lock(&lock);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, (size_t)64 * 1024);
    while (n < MOST && pthread_create(&threads[n], &small, wait_for_end, NULL) == 0) n++;
    uint64_t begun = read_clock(CLOCK_THREAD_CPUTIME_ID);
    compilers();
    uint64_t first = read_clock(CLOCK_THREAD_CPUTIME_ID) - begun;
    for (int i = 0; i < 30; i++) {
        pause_for(100 * MS);
        compilers();
    }
    uint64_t others = read_clock(CLOCK_THREAD_CPUTIME_ID) - begun - first;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
    if (n < LEAST)
        printf("skipped: many_threads: only %d threads can be made here\n", n);
    else
        ck_assert_uint_lt(others, 3 * first);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("compiler time");
    TCase *tests = tcase_create("compiler time");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, compilers_are_found);
    tcase_add_test(tests, many_threads);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
