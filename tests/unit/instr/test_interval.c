// Percentiles of an interval, beside those that a sorted list of the interval's durations gives.

#include "instr/control/interval.h"
#include "instr/counters/records.h"
#include "tests/unit/run.h"

#include <stdlib.h>

static struct instr_interval *interval;
static unsigned shard;

static void set_up(void) {
    instr_records_reset();
    interval = instr_interval_new();
}

static void tear_down(void) {
    instr_interval_free(interval);
    instr_records_reset();
}

static void add(uint32_t id, uint64_t duration) {
    instr_records_add_one(id, INSTR_EVENT_TIMING, duration, duration, &shard);
}

static void is_near(uint64_t found, uint64_t expected) {
    ck_assert_uint_ge(found, expected - expected / 50);
    ck_assert_uint_le(found, expected + expected / 50);
}

START_TEST(only_the_interval_counts) {
    struct instr_interval_times times[2];
    const int ids[] = {70, 3};
    for (uint64_t i = 1; i <= 100; i++) add(70, 1000 * 1000), add(3, 50);
    ck_assert_int_eq(instr_interval_next(interval, ids, 2, times), 1);
    ck_assert_int_eq(times[0].known | times[1].known, 0); // there is no interval yet
    for (uint64_t i = 1; i <= 100; i++) add(70, 1000 * i), add(3, 200);
    ck_assert_int_eq(instr_interval_next(interval, ids, 2, times), 1);
    ck_assert_int_eq(times[0].known & times[1].known, 1);
    is_near(times[0].p50, 50 * 1000);
    is_near(times[0].p99, 99 * 1000);
    is_near(times[0].max, 100 * 1000);
    is_near(times[1].p50, 200);
    ck_assert_uint_eq(times[1].max, 200); // the highest of all is known exactly
    ck_assert_int_eq(instr_interval_next(interval, ids, 2, times), 1);
    ck_assert_uint_eq(times[0].max, 0); // nothing ended
}
END_TEST

START_TEST(a_method_that_comes_up_is_known_from_the_next_interval_on) {
    struct instr_interval_times times[2];
    const int first[] = {1}, both[] = {2, 1};
    add(1, 500), add(2, 700);
    instr_interval_next(interval, first, 1, times);
    add(1, 900), add(2, 70);
    instr_interval_next(interval, both, 2, times);
    ck_assert_int_eq(times[0].known, 0);
    is_near(times[1].p50, 900);
    add(2, 5000);
    instr_interval_next(interval, both, 2, times);
    is_near(times[0].p50, 5000);
    is_near(times[0].p99, 5000);
}
END_TEST

START_TEST(counts_that_were_reset_are_not_known) {
    struct instr_interval_times times[1];
    const int ids[] = {9};
    add(9, 500), add(9, 500);
    instr_interval_next(interval, ids, 1, times);
    instr_records_forget(9, 10);
    add(9, 500);
    instr_interval_next(interval, ids, 1, times);
    ck_assert_int_eq(times[0].known, 0);
    add(9, 600);
    instr_interval_next(interval, ids, 1, times);
    is_near(times[0].max, 600);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("interval");
    TCase *tcase = tcase_create("interval");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, only_the_interval_counts);
    tcase_add_test(tcase, a_method_that_comes_up_is_known_from_the_next_interval_on);
    tcase_add_test(tcase, counts_that_were_reset_are_not_known);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
