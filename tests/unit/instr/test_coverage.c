// The registry of classes with probes: who gets which numbers, and what follows from what was
// passed.

#include "instr/registry.h"
#include "tests/unit/run.h"

#include <string.h>

static struct instr_coverage *coverage;

static void set_up(void) {
    coverage = instr_coverage_new(NULL);
    ck_assert_ptr_nonnull(coverage);
}

static void tear_down(void) {
    instr_coverage_free(coverage);
}

static uint32_t reserve(uint64_t id, const char *name, uint32_t count) {
    struct instr_covered_class covered = {.id = id, .count = count};
    int64_t first = instr_coverage_reserve(coverage, &covered, name, strlen(name));
    ck_assert_int_ge(first, 0);
    return (uint32_t)first;
}

START_TEST(the_same_class_has_the_same_probes) {
    uint32_t foo = reserve(1, "Foo", 10), bar = reserve(2, "Bar", 3);
    ck_assert_uint_eq(foo, 0);
    ck_assert_uint_eq(bar, 64); // in another cache line
    ck_assert_uint_eq(reserve(1, "Foo", 10), foo);
    ck_assert_uint_eq(reserve(2, "Bar", 3), bar);
    // Another class, by its id, its name, or its number of probes.
    ck_assert_uint_eq(reserve(3, "Foo", 10), 128);
    ck_assert_uint_eq(reserve(1, "Fou", 10), 192);
    ck_assert_uint_eq(reserve(1, "Foo", 11), 256);
    ck_assert_uint_eq(instr_coverage_classes(coverage), 5);
    ck_assert_uint_eq(instr_coverage_probes(coverage), 267);
    ck_assert(instr_coverage_knows(coverage, 2, "Bar"));
    ck_assert(!instr_coverage_knows(coverage, 2, "Foo"));
}
END_TEST

START_TEST(what_is_derived_follows_in_chains_and_circles) {
    uint32_t first = reserve(1, "Foo", 8);
    reserve(2, "Bar", 8);
    // 5 by 4 by 3 by 1 or 2, against the order; 6 and 7 by each other, and 7 by 0.
    const struct rw_implication list[] = {{first + 5, first + 4}, {first + 4, first + 3},
                                          {first + 3, first + 1}, {first + 3, first + 2},
                                          {first + 6, first + 7}, {first + 7, first + 6},
                                          {first + 7, first + 0}};
    ck_assert(instr_coverage_derive(coverage, first, list, 7));
    uint8_t hits[16] = {0, 0, 1, 0, 0, 0, 0, 0, 1};
    const uint8_t expected[16] = {0, 0, 1, 1, 1, 1, 0, 0, 1};
    instr_coverage_follow(coverage, hits, 16);
    ck_assert_mem_eq(hits, expected, 16);
    hits[0] = 1;
    instr_coverage_follow(coverage, hits, 16);
    ck_assert_uint_eq(hits[6] + hits[7], 2);
    // A reader that knows fewer probes.
    uint8_t few[5] = {0, 1, 0, 0, 0};
    instr_coverage_follow(coverage, few, 4);
    ck_assert_uint_eq(few[3], 1);
    ck_assert_uint_eq(few[4], 0);
}
END_TEST

// The code that runs leaves out what was implied the first time: another opinion must not count.
START_TEST(a_class_that_comes_again_must_imply_the_same) {
    uint32_t foo = reserve(1, "Foo", 4), bar = reserve(2, "Bar", 4);
    const struct rw_implication one[] = {{foo + 1, foo}}, other[] = {{foo + 2, foo}};
    ck_assert(instr_coverage_derive(coverage, foo, one, 1));
    ck_assert(instr_coverage_derive(coverage, foo, one, 1));
    ck_assert(!instr_coverage_derive(coverage, foo, other, 1));
    ck_assert(!instr_coverage_derive(coverage, foo, NULL, 0));
    ck_assert(instr_coverage_derive(coverage, bar, NULL, 0));
    ck_assert(!instr_coverage_derive(coverage, bar, one, 1));
    ck_assert(!instr_coverage_derive(coverage, bar + 1, one, 1)); // the first probe of no class
    ck_assert(!instr_coverage_derive(coverage, 1000, one, 1));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("coverage");
    TCase *tcase = tcase_create("coverage");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, the_same_class_has_the_same_probes);
    tcase_add_test(tcase, what_is_derived_follows_in_chains_and_circles);
    tcase_add_test(tcase, a_class_that_comes_again_must_imply_the_same);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
