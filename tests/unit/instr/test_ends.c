// What the agent has switched off of its own accord: two threads note, forget and read ends.

#include "instr/retransform/ends.h"
#include "instr/options/compare.h"
#include "tests/unit/run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int stop;

// Notes the end of a pass of this number; its reason is the same text.
static void note(unsigned number) {
    struct instr_end end = {.by_time = false};
    snprintf(end.pass, sizeof end.pass, "pass-%u", number);
    snprintf(end.why, sizeof end.why, "pass-%u", number);
    instr_ends_note(&end);
}

static void *note_all(void *unused) {
    (void)unused;
    for (unsigned i = 0; !atomic_load(&stop); i++) {
        note(i % 40);
        if (i % 50 == 0) instr_ends_forget();
    }
    return NULL;
}

START_TEST(an_end_that_is_read_is_whole) {
    pthread_t thread;
    struct instr_end end;
    size_t found = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, note_all, NULL), 0);
    for (int i = 0; i < 200000 || !found; i++) {
        if (!instr_ends_get((size_t)i % INSTR_ENDS, &end)) continue;
        found++;
        if (strcmp(end.pass, end.why) != 0) ck_abort_msg("%s: %s", end.pass, end.why);
    }
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
}
END_TEST

START_TEST(what_is_switched_on_again_has_no_end) {
    struct instr_pass_options passes[] = {{.pass = rw_pass_named("calls", 5)}};
    struct instr_options options = {.passes = passes, .pass_count = 1};
    struct instr_end end = {.pass = "calls", .why = "a reason"}, found;
    note(1);
    instr_ends_note(&end);
    ck_assert(instr_ends_get(0, &found));
    ck_assert_str_eq(found.why, "a reason");
    ck_assert(instr_ends_since("calls", 5, 0, &found));
    ck_assert_str_eq(found.pass, "calls");
    instr_ends_follow(&options);
    ck_assert_str_eq(found.why, "a reason"); // who has read it still has it
    ck_assert(!instr_ends_since("calls", 5, 0, &found));
    ck_assert(instr_ends_get(0, &found));
    ck_assert_str_eq(found.pass, "pass-1");
    ck_assert(!instr_ends_get(1, &found));
    instr_ends_forget();
    ck_assert(!instr_ends_get(0, &found));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ends");
    TCase *tests = tcase_create("ends");
    tcase_add_test(tests, an_end_that_is_read_is_whole);
    tcase_add_test(tests, what_is_switched_on_again_has_no_end);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
