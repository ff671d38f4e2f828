// The histogram: percentiles within 2 % of exact ones, whatever the durations are.

#include "instr/counters/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "instr/counters/records.h"
#include "tests/unit/run.h"

#define VALUES 20000
#define CACHE_LINE 64 // stands before the counters
#define OCTAVE_BYTES (INSTR_HISTOGRAM_SUB * sizeof(uint32_t))
#define BEYOND (UINT64_C(1) << INSTR_HISTOGRAM_MAX_BITS)

static uint64_t random_state = 88172645463325252u;

static uint64_t random_value(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t *buckets_of(const struct instr_histogram *histogram) {
    uint64_t *buckets = calloc(INSTR_HISTOGRAM_BUCKETS, sizeof *buckets);
    ck_assert_ptr_nonnull(buckets);
    instr_histogram_sum(histogram, buckets);
    return buckets;
}

START_TEST(buckets_are_in_order_without_gaps) {
    ck_assert_uint_eq(instr_histogram_bucket(0), 0);
    unsigned last = 0;
    for (uint64_t value = 1; value < 1 << 20; value++) {
        unsigned bucket = instr_histogram_bucket(value);
        if (bucket != last && bucket != last + 1) ck_abort_msg("bucket %u after %u", bucket, last);
        last = bucket;
    }
    for (unsigned bucket = 0; bucket < INSTR_HISTOGRAM_BUCKETS; bucket++)
        ck_assert_uint_eq(instr_histogram_bucket(instr_histogram_middle(bucket)), bucket);
}
END_TEST

START_TEST(values_beyond_the_range_share_the_last_bucket) {
    ck_assert_uint_eq(instr_histogram_bucket(BEYOND - 1), INSTR_HISTOGRAM_BUCKETS - 1);
    ck_assert_uint_eq(instr_histogram_bucket(BEYOND), INSTR_HISTOGRAM_BUCKETS - 1);
    ck_assert_uint_eq(instr_histogram_bucket(UINT64_MAX), INSTR_HISTOGRAM_BUCKETS - 1);
}
END_TEST

START_TEST(the_middle_of_a_bucket_is_within_two_percent_of_its_values) {
    for (int i = 0; i < 1000000; i++) {
        uint64_t value = random_value() >> (22 + random_value() % 40);
        uint64_t middle = instr_histogram_middle(instr_histogram_bucket(value));
        uint64_t error = middle > value ? middle - value : value - middle;
        if (error * 50 > value)
            ck_abort_msg("%llu in a bucket around %llu", (unsigned long long)value,
                         (unsigned long long)middle);
    }
}
END_TEST

// Fills `values` with one kind of durations in nanoseconds.
static void make_values(int kind, uint64_t *values) {
    for (int i = 0; i < VALUES; i++) {
        switch (kind) {
        case 0: values[i] = random_value() % 100; break;                              // all short
        case 1: values[i] = random_value() % 1000000000; break;                       // even
        case 2: values[i] = random_value() >> (22 + random_value() % 42); break;      // all orders
        case 3: values[i] = i % 100 == 0 ? 50000000 : 40 + random_value() % 5; break; // two kinds
        default: values[i] = 12345; break; // all the same
        }
    }
}

START_TEST(percentiles_are_within_two_percent) {
    uint64_t *values = malloc(VALUES * sizeof *values);
    ck_assert_ptr_nonnull(values);
    struct instr_histogram histogram = {0};
    make_values(_i, values);
    for (int i = 0; i < VALUES; i++)
        if (!instr_histogram_add(&histogram, values[i])) ck_abort_msg("value %d is not added", i);
    qsort(values, VALUES, sizeof *values, ascending);
    uint64_t *buckets = buckets_of(&histogram);
    for (unsigned percent = 0; percent <= 100; percent++) {
        uint64_t exact = values[percent == 0 ? 0 : percent * (VALUES / 100) - 1];
        uint64_t found =
            instr_histogram_percentile(buckets, percent, values[0], values[VALUES - 1]);
        uint64_t error = found > exact ? found - exact : exact - found;
        ck_assert_msg(error * 50 <= exact, "p%u: %llu instead of %llu", percent,
                      (unsigned long long)found, (unsigned long long)exact);
    }
    free(buckets);
    free(values);
    instr_histogram_clear(&histogram);
}
END_TEST

START_TEST(percentiles_stay_between_the_smallest_and_the_largest_value) {
    struct instr_histogram histogram = {0};
    ck_assert(instr_histogram_add(&histogram, 1000003));
    uint64_t *buckets = buckets_of(&histogram);
    ck_assert_uint_eq(instr_histogram_percentile(buckets, 50, 1000003, 1000003), 1000003);
    free(buckets);
    instr_histogram_clear(&histogram);
}
END_TEST

START_TEST(nothing_counted_has_percentiles_of_zero) {
    uint64_t *buckets = calloc(INSTR_HISTOGRAM_BUCKETS, sizeof *buckets);
    ck_assert_ptr_nonnull(buckets);
    ck_assert_uint_eq(instr_histogram_percentile(buckets, 99, UINT64_MAX, 0), 0);
    free(buckets);
}
END_TEST

START_TEST(a_counter_goes_on_beyond_32_bits) {
    struct instr_histogram histogram = {0};
    ck_assert(instr_histogram_add(&histogram, 100));
    ck_assert(instr_histogram_add(&histogram, 5));
    *histogram.counts = UINT32_MAX; // of the octave of 100, in which 64 is first
    for (int i = 0; i < 3; i++) ck_assert(instr_histogram_add(&histogram, 64));
    ck_assert(instr_histogram_add(&histogram, 1000000)); // one octave more
    histogram.counts[0] = UINT32_MAX;
    ck_assert(instr_histogram_add(&histogram, 64));
    ck_assert(instr_histogram_add(&histogram, 64));
    uint64_t *buckets = buckets_of(&histogram);
    ck_assert_uint_eq(buckets[instr_histogram_bucket(64)], UINT64_C(0x200000001));
    ck_assert_uint_eq(buckets[instr_histogram_bucket(100)], 1);
    ck_assert_uint_eq(buckets[instr_histogram_bucket(5)], 1);
    ck_assert_uint_eq(buckets[instr_histogram_bucket(1000000)], 1);
    ck_assert_uint_eq(instr_histogram_percentile(buckets, 99, 5, 1000000),
                      instr_histogram_middle(instr_histogram_bucket(64)));
    ck_assert_uint_eq(instr_histogram_bytes(&histogram), 2 * (CACHE_LINE + 3 * OCTAVE_BYTES));
    free(buckets);
    instr_histogram_clear(&histogram);
}
END_TEST

START_TEST(a_value_counts_many_times) {
    struct instr_histogram histogram = {0};
    ck_assert(instr_histogram_add_many(&histogram, 100, 64));
    ck_assert(instr_histogram_add_many(&histogram, 100, 0));
    ck_assert(instr_histogram_add_many(&histogram, 5, 1));
    histogram.counts[1] = UINT32_MAX - 10; // of 66, in the octave of 100
    ck_assert(instr_histogram_add_many(&histogram, 66, 64));
    uint64_t *buckets = buckets_of(&histogram);
    ck_assert_uint_eq(buckets[instr_histogram_bucket(100)], 64);
    ck_assert_uint_eq(buckets[instr_histogram_bucket(5)], 1);
    ck_assert_uint_eq(buckets[instr_histogram_bucket(66)], UINT64_C(0x100000000) - 11 + 64);
    free(buckets);
    instr_histogram_clear(&histogram);
}
END_TEST

// clock=auto: a call that was timed exactly, one of many, two that were estimated, one of many that
// stands for itself alone, and what two of them have in the total twice.
START_TEST(estimates_stay_apart) {
    const int64_t first[] = {
        500,
        30 | (int64_t)INSTR_RECORD_SAMPLED | INT64_C(3) << INSTR_RECORD_LEVEL_SHIFT,
        2000 | (int64_t)INSTR_RECORD_ESTIMATED,
        10 | (int64_t)INSTR_RECORD_ESTIMATED,
        300000 | (int64_t)INSTR_RECORD_LONG | INT64_C(4) << INSTR_RECORD_LEVEL_SHIFT,
        1000 | (int64_t)INSTR_RECORD_TWICE};
    int64_t words[12];
    for (int i = 0; i < 6; i++) {
        words[2 * i] = ~first[i];
        words[2 * i + 1] = ~(int64_t)(3 << INSTR_RECORD_ID_BITS | 170);
    }
    unsigned shard = 0;
    instr_records_add(words, 6, &shard);
    instr_records_add_one(170, INSTR_EVENT_TIMING_TWICE, 200, 0, &shard);
    struct instr_counter_row rows[INSTR_ROWS_PER_PAGE] = {0};
    uint64_t *buckets = calloc(INSTR_ROWS_PER_PAGE * INSTR_HISTOGRAM_BUCKETS, sizeof *buckets);
    ck_assert_ptr_nonnull(buckets);
    ck_assert(instr_records_take(170 / INSTR_ROWS_PER_PAGE, UINT32_MAX, rows, buckets));
    const struct instr_counter_row *row = &rows[170 % INSTR_ROWS_PER_PAGE];
    const uint64_t *own = buckets + 170 % INSTR_ROWS_PER_PAGE * INSTR_HISTOGRAM_BUCKETS;
    ck_assert_uint_eq(row->timed, 4);
    ck_assert_uint_eq(row->estimated, 2);
    ck_assert_uint_eq(row->total, 301310);
    ck_assert_uint_eq(row->sampled, 1);
    ck_assert_uint_eq(row->sampled_weight, 64);
    ck_assert_uint_eq(row->sampled_total, 64 * 30);
    ck_assert_double_eq(row->sampled_squares, 64 * 30 * 64 * 30);
    ck_assert_uint_eq(row->self, 15);
    ck_assert_uint_eq(row->min, 30);
    ck_assert_uint_eq(row->max, 300000);
    ck_assert_uint_eq(own[instr_histogram_bucket(30)], 64);
    ck_assert_uint_eq(own[instr_histogram_bucket(2000)], 1);
    ck_assert_uint_eq(own[instr_histogram_bucket(300000)], 256);
    free(buckets);
}
END_TEST

// Since a reset no call may have been measured.
START_TEST(estimates_alone_have_a_minimum) {
    const int64_t words[] = {~(2000 | (int64_t)INSTR_RECORD_ESTIMATED),
                             ~(int64_t)(3 << INSTR_RECORD_ID_BITS | 171)};
    unsigned shard = 0;
    instr_records_add(words, 1, &shard);
    struct instr_counter_row rows[INSTR_ROWS_PER_PAGE] = {0};
    uint64_t *buckets = calloc(INSTR_ROWS_PER_PAGE * INSTR_HISTOGRAM_BUCKETS, sizeof *buckets);
    ck_assert_ptr_nonnull(buckets);
    ck_assert(instr_records_take(171 / INSTR_ROWS_PER_PAGE, UINT32_MAX, rows, buckets));
    const struct instr_counter_row *row = &rows[171 % INSTR_ROWS_PER_PAGE];
    ck_assert_uint_eq(row->timed, 1);
    ck_assert_uint_eq(row->estimated, 1);
    ck_assert_uint_eq(row->min, 2000);
    ck_assert_uint_eq(row->max, 2000);
    ck_assert_uint_eq(rows[172 % INSTR_ROWS_PER_PAGE].min, 0); // never timed
    free(buckets);
}
END_TEST

START_TEST(records_add_up_by_id) {
    enum { EVENT_CALL = 0, EVENT_CONSTRUCT = 2, EVENT_INITIALIZED = 3 };
    const int64_t first[] = {100,
                             300,
                             90 | (int64_t)INSTR_RECORD_AGAIN,
                             INSTR_RECORD_EVENT + EVENT_CALL,
                             INSTR_RECORD_EVENT + EVENT_CONSTRUCT,
                             INSTR_RECORD_EVENT + EVENT_CONSTRUCT,
                             INSTR_RECORD_EVENT + EVENT_INITIALIZED};
    const int64_t second[] = {60 << INSTR_RECORD_ID_BITS | 70,
                              5 << INSTR_RECORD_ID_BITS | 70,
                              90 << INSTR_RECORD_ID_BITS | 70,
                              70,
                              71,
                              71,
                              71};
    int64_t words[14];
    for (int i = 0; i < 7; i++) {
        words[2 * i] = ~first[i];
        words[2 * i + 1] = ~second[i];
    }
    unsigned shard = 0;
    instr_records_add(words, 7, &shard);
    instr_records_add_one(70, INSTR_EVENT_TIMING, 7, 3, &shard);
    struct instr_counter_row rows[INSTR_ROWS_PER_PAGE] = {0};
    uint64_t *buckets = calloc(INSTR_ROWS_PER_PAGE * INSTR_HISTOGRAM_BUCKETS, sizeof *buckets);
    ck_assert_ptr_nonnull(buckets);
    ck_assert(instr_records_sum(70 / INSTR_ROWS_PER_PAGE, rows, buckets));
    const struct instr_counter_row *timed = &rows[70 % INSTR_ROWS_PER_PAGE], *made = timed + 1;
    ck_assert_uint_eq(timed->timed, 4);
    // Not the call inside a call of the same method.
    ck_assert_uint_eq(timed->total, 407);
    ck_assert_uint_eq(timed->self, 158);
    ck_assert_uint_eq(timed->min, 7);
    ck_assert_uint_eq(timed->max, 300);
    ck_assert_uint_eq(timed->calls, 1);
    ck_assert_uint_eq(made->calls, 2);
    ck_assert_int_eq(made->thrown, 1);
    ck_assert_uint_eq(made->timed, 0);
    free(buckets);
}
END_TEST

START_TEST(numbers_of_estimates_go_on_beyond_32_bits) {
    const uint64_t sampled = INSTR_RECORD_SAMPLED | UINT64_C(1) << INSTR_RECORD_LEVEL_SHIFT;
    int64_t words[] = {(int64_t) ~(sampled | 30), ~((5 << 20) | 172),
                       (int64_t) ~(INSTR_RECORD_ESTIMATED | 30), ~((5 << 20) | 172)};
    struct instr_counter_row rows[INSTR_ROWS_PER_PAGE] = {0};
    struct instr_counter_row *row = &rows[172 % INSTR_ROWS_PER_PAGE];
    row->estimated = row->sampled = UINT32_MAX;
    for (unsigned i = 0; i < 2; i++) { // in two shards, where there is more than one processor
        unsigned shard = i;
        instr_records_add(words, 2, &shard);
    }
    uint64_t *buckets = calloc(INSTR_ROWS_PER_PAGE * INSTR_HISTOGRAM_BUCKETS, sizeof *buckets);
    ck_assert_ptr_nonnull(buckets);
    ck_assert(instr_records_sum(172 / INSTR_ROWS_PER_PAGE, rows, buckets));
    ck_assert_uint_eq(row->timed, 2);
    ck_assert_uint_eq(row->estimated, UINT64_C(1) + UINT32_MAX + 1);
    ck_assert_uint_eq(row->sampled, UINT64_C(1) + UINT32_MAX + 1);
    free(buckets);
}
END_TEST

START_TEST(the_memory_of_histograms_is_reported) {
    unsigned shard = 0;
    instr_records_add_one(70, INSTR_EVENT_CALL, 1, 0, &shard);
    size_t without = instr_records_bytes();
    instr_records_add_one(70, INSTR_EVENT_TIMING, 7, 3, &shard);
    instr_records_add_one(70, INSTR_EVENT_TIMING, 1000, 3, &shard);
    instr_records_add_one(70, INSTR_EVENT_TIMING, 1001, 3, &shard);
    ck_assert_uint_eq(instr_records_bytes(), without + CACHE_LINE + 2 * OCTAVE_BYTES);
    instr_records_reset();
    ck_assert_uint_eq(instr_records_bytes(), 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("histogram");
    TCase *tests = tcase_create("histogram");
    tcase_add_test(tests, buckets_are_in_order_without_gaps);
    tcase_add_test(tests, values_beyond_the_range_share_the_last_bucket);
    tcase_add_test(tests, the_middle_of_a_bucket_is_within_two_percent_of_its_values);
    tcase_add_loop_test(tests, percentiles_are_within_two_percent, 0, 5);
    tcase_add_test(tests, percentiles_stay_between_the_smallest_and_the_largest_value);
    tcase_add_test(tests, nothing_counted_has_percentiles_of_zero);
    tcase_add_test(tests, a_counter_goes_on_beyond_32_bits);
    tcase_add_test(tests, a_value_counts_many_times);
    tcase_add_test(tests, estimates_stay_apart);
    tcase_add_test(tests, estimates_alone_have_a_minimum);
    tcase_add_test(tests, records_add_up_by_id);
    tcase_add_test(tests, numbers_of_estimates_go_on_beyond_32_bits);
    tcase_add_test(tests, the_memory_of_histograms_is_reported);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
