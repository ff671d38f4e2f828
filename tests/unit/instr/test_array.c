// Arrays that grow.

#include "instr/base/array.h"

#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/run.h"

struct list {
    uint32_t *items;
    size_t count, capacity;
};

START_TEST(elements_survive_growth) {
    struct list list = {NULL, 0, 0};
    for (uint32_t i = 0; i < 10000; i++) {
        ck_assert(INSTR_ARRAY_RESERVE(list.items, list.capacity, list.count + 1));
        list.items[list.count++] = i;
    }
    for (uint32_t i = 0; i < 10000; i++) ck_assert_uint_eq(list.items[i], i);
    free(list.items);
}
END_TEST

START_TEST(capacity_doubles) {
    struct list list = {NULL, 0, 0};
    ck_assert(INSTR_ARRAY_RESERVE(list.items, list.capacity, 100));
    ck_assert_uint_eq(list.capacity, 100);
    uint32_t *before = list.items;
    ck_assert(INSTR_ARRAY_RESERVE(list.items, list.capacity, 100));
    ck_assert_ptr_eq(list.items, before);
    ck_assert(INSTR_ARRAY_RESERVE(list.items, list.capacity, 101));
    ck_assert_uint_eq(list.capacity, 200);
    free(list.items);
}
END_TEST

START_TEST(overflow_leaves_the_array_unchanged) {
    struct list list = {NULL, 0, 0};
    ck_assert(INSTR_ARRAY_RESERVE(list.items, list.capacity, 3));
    struct list before = list;
    ck_assert(!INSTR_ARRAY_RESERVE(list.items, list.capacity, SIZE_MAX));
    ck_assert(!INSTR_ARRAY_RESERVE(list.items, list.capacity, SIZE_MAX / sizeof *list.items + 1));
    ck_assert_ptr_eq(list.items, before.items);
    ck_assert_uint_eq(list.capacity, before.capacity);
    free(list.items);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("array");
    TCase *tests = tcase_create("array");
    tcase_add_test(tests, elements_survive_growth);
    tcase_add_test(tests, capacity_doubles);
    tcase_add_test(tests, overflow_leaves_the_array_unchanged);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
