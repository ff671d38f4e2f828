// How large the batches of a paced change are, how long it lasts, and what the compilers take.

#include "instr/retransform/pace.h"
#include "instr/vm/compiler_time.h"
#include "tests/unit/run.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

START_TEST(batches_grow_while_they_cost_little) {
    const uint64_t ms = 1000000;
    const unsigned most[] = {1, INSTR_PACE_MOST_USED, INSTR_PACE_MOST};
    for (enum instr_pace_use use = INSTR_PACE_HOT; use < INSTR_PACE_USES; use++) {
        unsigned batch = INSTR_PACE_FIRST;
        for (int i = 0; i < 10; i++) batch = instr_pace_next(use, batch, 500, 5 * ms);
        ck_assert_uint_eq(batch, most[use]);
    }
    ck_assert_uint_eq(instr_pace_next(INSTR_PACE_USED, 4, 500, 30 * ms), 4);
    ck_assert_uint_eq(instr_pace_next(INSTR_PACE_USED, 4, 500, 200 * ms), 2);
    ck_assert_uint_eq(instr_pace_next(INSTR_PACE_UNUSED, 1, 500, 200 * ms), 1);
    ck_assert_uint_eq(instr_pace_next(INSTR_PACE_UNUSED, 8, 3, 5 * ms), 3);
    ck_assert_uint_eq(instr_pace_next(INSTR_PACE_UNUSED, 1, 1, 5 * ms), 1);
    // Without compiled code they may take three times as long.
    ck_assert_uint_eq(instr_pace_next(INSTR_PACE_USED, 4, 500, 55 * ms), 2);
    ck_assert_uint_eq(instr_pace_next(INSTR_PACE_UNUSED, 64, 500, 55 * ms), 128);
    ck_assert_uint_eq(instr_pace_next(INSTR_PACE_UNUSED, 64, 500, 100 * ms), 64);
    ck_assert_uint_eq(instr_pace_next(INSTR_PACE_UNUSED, 64, 500, 160 * ms), 32);
}
END_TEST

START_TEST(a_slow_change_ends_at_last) {
    const uint64_t second = 1000000000;
    unsigned before = instr_pace_ratio(0);
    ck_assert_uint_ge(before, 9);
    for (uint64_t at = 0; at < 300 * second; at += second) {
        ck_assert_uint_le(instr_pace_ratio(at), before);
        before = instr_pace_ratio(at);
    }
    ck_assert_uint_eq(before, 0);
}
END_TEST

static _Atomic int compiles;

static void *compile(void *unused) {
    (void)unused;
    pthread_setname_np(pthread_self(), "C2 CompilerThre");
    while (compiles) continue;
    return NULL;
}

// The first classes come one by one, the last ones by the hundred: what counts is batches.
START_TEST(time_left_is_told_by_batches) {
    const uint64_t second = 1000000000u, classes[] = {28, 96, 840}, none[] = {0, 0, 8};
    struct instr_pace pace;
    unsigned largest[INSTR_PACE_USES];
    instr_pace_begin(&pace);
    instr_pace_batch(&pace, INSTR_PACE_HOT);
    instr_pace_largest(&pace, 500, largest);
    ck_assert_uint_eq(instr_pace_left(second, 0, classes, largest), 0);
    uint64_t left = instr_pace_left(2 * second, 1, classes, largest); // 28 + 12 + 3.3 batches
    ck_assert_uint_ge(left, 43 * second);
    ck_assert_uint_le(left, 44 * second);
    // Those that have come are as large as they are.
    instr_pace_batch(&pace, INSTR_PACE_UNUSED);
    pace.batch[INSTR_PACE_UNUSED] = 2;
    instr_pace_largest(&pace, 500, largest);
    ck_assert_uint_eq(instr_pace_left(10 * second, 4, none, largest), 8 * second);
    instr_pace_largest(&pace, 4, largest);
    ck_assert_uint_eq(largest[INSTR_PACE_USED], 4);
}
END_TEST

static uint64_t process_time(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// What a thread with a compiler's name uses is the compilers' time, also after it has ended.
START_TEST(time_of_compilers_is_measured) {
    struct instr_cpu_times times, last;
    pthread_t thread;
    clockid_t clock;
    compiles = 1;
    ck_assert_int_eq(pthread_create(&thread, NULL, compile, NULL), 0);
    ck_assert_int_eq(pthread_getcpuclockid(thread, &clock), 0);
    while (process_time(clock) < 700 * 1000 * 1000u) usleep(10000);
    uint64_t before = process_time(clock);
    instr_cpu_times_take(&times);
    uint64_t after = process_time(clock);
    ck_assert_uint_ge(times.compilers, before);
    ck_assert_uint_le(times.compilers, after);
    ck_assert_uint_ge(times.process, times.compilers);
    compiles = 0;
    pthread_join(thread, NULL);
    instr_cpu_times_take(&last);
    ck_assert_uint_ge(last.compilers, times.compilers);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("pace");
    TCase *tests = tcase_create("pace");
    tcase_set_timeout(tests, 120); // one waits for processor time
    tcase_add_test(tests, batches_grow_while_they_cost_little);
    tcase_add_test(tests, a_slow_change_ends_at_last);
    tcase_add_test(tests, time_left_is_told_by_batches);
    tcase_add_test(tests, time_of_compilers_is_measured);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
