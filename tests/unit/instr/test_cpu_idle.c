// Whether a processor is idle.

#include "instr/vm/cpu_idle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "tests/unit/run.h"

enum { MS = 1000 * 1000 };

static int idle(uint64_t wall, uint64_t process, uint64_t unused, unsigned processors) {
    const struct instr_use before = {7 * MS, 5 * MS, 900 * MS};
    const struct instr_use after = {before.wall + wall * MS, before.process + process * MS,
                                    before.idle + unused * MS};
    return instr_use_idle(&before, &after, processors);
}

START_TEST(half_a_processor) {
    ck_assert(idle(100, 100, 100, 2));
    ck_assert(idle(100, 150, 50, 2));
    ck_assert(!idle(100, 151, 50, 2)); // the process uses what it may
    ck_assert(!idle(100, 150, 49, 2)); // others do
    ck_assert(idle(100, 350, 6000, 4));
    ck_assert(!idle(100, 100, 6000, 1));
    ck_assert(!idle(39, 39, 39, 2));                                      // too short
    const struct instr_use before = {0}, after = {100 * MS, 100 * MS, 0}; // no /proc/stat
    ck_assert(instr_use_idle(&before, &after, 2));
}
END_TEST

static atomic_int stop;

static void *spin(void *unused) {
    while (!atomic_load(&stop)) continue;
    return unused;
}

START_TEST(what_a_process_uses) {
    struct instr_use before, after;
    pthread_t thread;
    instr_use_take(&before);
    ck_assert_int_eq(pthread_create(&thread, NULL, spin, NULL), 0);
    do instr_use_take(&after);
    while (after.process - before.process < 30 * MS);
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    ck_assert_uint_gt(after.wall, before.wall);
    ck_assert_uint_ge(after.idle, before.idle);
    ck_assert_uint_gt(before.idle, 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("idle");
    TCase *tests = tcase_create("idle");
    tcase_add_test(tests, half_a_processor);
    tcase_add_test(tests, what_a_process_uses);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
