// A tick each millisecond while the process is busy, and few while it is idle.

#include "instr/vm/ticks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

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

START_TEST(busy) {
    ck_assert(instr_ticks_start());
    int64_t mean = interval(2000);
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
    ck_assert_int_lt(interval(1000), MS * 3 / 2);
    atomic_store(&ended, true);
    pthread_join(thread, NULL);
    instr_ticks_stop();
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ticks");
    TCase *tests = tcase_create("ticks");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, busy);
    tcase_add_test(tests, idle);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
