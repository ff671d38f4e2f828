// How the time of calls is told from those that were timed and from what ticks have seen.

#include "instr/counters/estimate.h"

#include <stdint.h>

#include "tests/unit/run.h"

enum { MS = 1000 * 1000 };

// A million calls of a microsecond, of which one in 64 was timed; ticks have seen 1.5 s, with those calls that lost their processor.
static const struct instr_estimate MICROSECOND = {.calls = 1000000,
                                                  .sampled = 15625,
                                                  .weight = 1000000,
                                                  .total = 1050 * (uint64_t)MS,
                                                  .squares = 15625 * (64 * 1050.0) * (64 * 1050.0),
                                                  .ticked = 1500 * (int64_t)MS,
                                                  .overhead = 50,
                                                  .tick = MS};

START_TEST(calls_count_where_ticks_are_in_time) {
    struct instr_estimate known = MICROSECOND;
    known.late = 0.04;
    uint64_t time = instr_estimate_time(&known);
    ck_assert_uint_gt(time, 1000 * (uint64_t)MS);
    ck_assert_uint_lt(time, 1200 * (uint64_t)MS);
}
END_TEST

START_TEST(ticks_count_where_they_are_late) {
    struct instr_estimate known = MICROSECOND;
    known.late = 0.3;
    uint64_t time = instr_estimate_time(&known);
    ck_assert_uint_gt(time, 1475 * (uint64_t)MS);
    ck_assert_uint_le(time, 1500 * (uint64_t)MS);
}
END_TEST

// Ten late ticks say little.
START_TEST(few_ticks_that_are_late) {
    struct instr_estimate known = {.calls = 10000,
                                   .sampled = 1000,
                                   .weight = 10000,
                                   .total = 10 * (uint64_t)MS,
                                   .squares = 1000 * 1e4 * 1e4,
                                   .ticked = 4 * (int64_t)MS,
                                   .tick = MS,
                                   .late = 0.15};
    uint64_t time = instr_estimate_time(&known);
    ck_assert_uint_gt(time, 9 * (uint64_t)MS);
    ck_assert_uint_le(time, 10 * (uint64_t)MS);
}
END_TEST

START_TEST(ticks_alone) {
    struct instr_estimate known = {.calls = 100, .ticked = 7 * (int64_t)MS, .tick = MS};
    ck_assert_uint_eq(instr_estimate_time(&known), 7 * (uint64_t)MS);
    known.ticked = -1;
    ck_assert_uint_eq(instr_estimate_time(&known), 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("estimate");
    TCase *tests = tcase_create("estimate");
    tcase_add_test(tests, calls_count_where_ticks_are_in_time);
    tcase_add_test(tests, ticks_count_where_they_are_late);
    tcase_add_test(tests, few_ticks_that_are_late);
    tcase_add_test(tests, ticks_alone);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
