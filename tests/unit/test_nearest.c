// The nearest pages: what is set is where inserted code looks, memory is paid for, and given back.

#include "instr/budget.h"
#include "instr/nearest.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/run.h"

enum { SLOTS = 16384, ARRAY = SLOTS * 64 };

static char *place;

static void start(size_t budget) {
    place = mmap(NULL, INSTR_NEAREST_SIZE(SLOTS), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(place, MAP_FAILED);
    instr_budget_set(budget);
    instr_nearest_start(place, SLOTS);
}

// As InstrThreads.page reads it.
static int64_t read_at(size_t slot, size_t page) {
    int64_t address;
    memcpy(&address, place + page / 8 * ARRAY + slot * 64 + page % 8 * 8, sizeof address);
    return address;
}

START_TEST(set_and_read) {
    static const size_t slots[] = {0, 1, 63, 64, 8191, SLOTS - 1};
    static const size_t pages[] = {0, 7, 8, 100, INSTR_NEAREST_PAGES - 1};
    char things[6][5];
    start(1 << 20);
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 5; k++) instr_nearest_set(slots[i], pages[k], &things[i][k]);
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 5; k++)
            ck_assert_int_eq(read_at(slots[i], pages[k]), (intptr_t)&things[i][k]);
    instr_nearest_set(slots[1], pages[1], NULL);
    ck_assert_int_eq(read_at(slots[1], pages[1]), 0);
    ck_assert_int_eq(read_at(slots[0], pages[1]), (intptr_t)&things[0][1]);
    instr_nearest_empty();
}
END_TEST

START_TEST(memory_is_paid_for) {
    start(3 * 4096 + 100);
    instr_nearest_set(0, 0, place);
    instr_nearest_set(1, 1, place);
    ck_assert_uint_eq(instr_nearest_bytes(), 4096);
    instr_nearest_set(64, 0, place);
    instr_nearest_set(0, 8, place);
    ck_assert_uint_eq(instr_nearest_bytes(), 3 * 4096);
    ck_assert_uint_eq(instr_budget_left(), 100);
    instr_nearest_set(0, 16, place);
    ck_assert_int_eq(read_at(0, 16), 0);
    instr_nearest_set(63, 0, place);
    ck_assert_int_eq(read_at(63, 0), (intptr_t)place);
    instr_nearest_set(64, 0, NULL); // the last of its 4 KB
    ck_assert_uint_eq(instr_nearest_bytes(), 2 * 4096);
    ck_assert_uint_eq(instr_budget_left(), 100 + 4096);
    instr_nearest_set(0, 0, NULL);
    ck_assert_uint_eq(instr_nearest_bytes(), 2 * 4096);
    ck_assert_int_eq(read_at(1, 1), (intptr_t)place);
    instr_nearest_empty();
    ck_assert_int_eq(read_at(63, 0), 0);
    ck_assert_uint_eq(instr_nearest_bytes(), 0);
    ck_assert_uint_eq(instr_budget_left(), 3 * 4096 + 100);
}
END_TEST

START_TEST(what_has_no_place) {
    start(1 << 20);
    instr_nearest_set(SLOTS, 0, place);
    instr_nearest_set(0, INSTR_NEAREST_PAGES, place);
    instr_nearest_set(5, 5, NULL);
    ck_assert_uint_eq(instr_nearest_bytes(), 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("nearest");
    TCase *tests = tcase_create("nearest");
    tcase_add_test(tests, set_and_read);
    tcase_add_test(tests, memory_is_paid_for);
    tcase_add_test(tests, what_has_no_place);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
