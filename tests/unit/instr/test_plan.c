// What passes are on changes while threads load classes: plans and who uses them, what is known of
// changed classes, numbers of passes, and what of two sets of options is the same.

#include "instr/engine/class_states.h"
#include "instr/engine/pass_ids.h"
#include "instr/options/compare.h"
#include "instr/engine/plan.h"
#include "tests/unit/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct instr_options parse(const char *text) {
    struct instr_options options;
    char error[INSTR_ERROR_SIZE];
    ck_assert_msg(instr_options_parse(&options, text, error, sizeof error) == 0, "%s", error);
    return options;
}

static struct instr_plan *new_plan(const char *text, struct instr_methods *methods) {
    struct instr_options options = parse(text);
    struct instr_plan *plan = instr_plan_new(&options, methods, "java/lang/", NULL);
    ck_assert_ptr_nonnull(plan);
    ck_assert_uint_eq(options.pass_count, 0); // it was taken over
    return plan;
}

// --- plans ---

START_TEST(a_plan_stays_as_long_as_somebody_has_it) {
    static struct instr_plans plans;
    unsigned first, second;
    struct instr_methods *methods = plans.kept = instr_methods_new();
    ck_assert_ptr_null(instr_plans_take(&plans, &first)); // there is none
    instr_plans_give_back(&plans, first);
    ck_assert_int_eq(instr_plans_swap(&plans, new_plan("calls", methods)), 1);
    const struct instr_plan *held = instr_plans_take(&plans, &first);
    ck_assert_ptr_eq(held, instr_plans_current(&plans));
    ck_assert_int_eq(instr_plans_others(&plans, first), 0);
    ck_assert_ptr_eq(instr_plans_take(&plans, &second), held);
    ck_assert_int_eq(instr_plans_others(&plans, first), 1);
    instr_plans_give_back(&plans, second);
    ck_assert_int_eq(instr_plans_swap(&plans, new_plan("timing", methods)), 1);
    ck_assert_int_eq(instr_plans_settle(&plans), 0);
    ck_assert_str_eq(held->options.passes[0].pass->name, "calls");
    ck_assert_uint_ne(held->number, instr_plans_current(&plans)->number);
    instr_plans_give_back(&plans, first);
    ck_assert_int_eq(instr_plans_settle(&plans), 1);
    instr_plans_end(&plans);
    ck_assert_int_eq(instr_plans_settle(&plans), 1);
    ck_assert_ptr_null(instr_plans_current(&plans));
    instr_methods_free(methods);
}
END_TEST

START_TEST(held_plans_leave_no_room_until_they_are_given_back) {
    static struct instr_plans plans;
    unsigned tickets[INSTR_PLANS], n = 0;
    struct instr_methods *methods = plans.kept = instr_methods_new();
    struct instr_plan *plan;
    while (instr_plans_swap(&plans, plan = new_plan("", methods))) {
        ck_assert_uint_lt(n, INSTR_PLANS);
        instr_plans_take(&plans, &tickets[n++]);
    }
    ck_assert_uint_ge(n, INSTR_PLANS - 1);
    const struct instr_plan *current = instr_plans_current(&plans);
    ck_assert_ptr_ne(plan, current); // what found no room is the caller's, and nothing has changed
    instr_plans_give_back(&plans, tickets[3]);
    ck_assert_int_eq(instr_plans_swap(&plans, plan), 1);
    ck_assert_ptr_eq(instr_plans_current(&plans), plan);
    for (unsigned i = 0; i < n; i++)
        if (i != 3) instr_plans_give_back(&plans, tickets[i]);
    ck_assert_int_eq(instr_plans_settle(&plans), 1);
    instr_plans_end(&plans);
    instr_plans_settle(&plans);
    instr_methods_free(methods);
}
END_TEST

// --- changes ---

static uint64_t key(const char *name, int loader) {
    return instr_class_states_key(name, strlen(name), loader);
}

START_TEST(a_class_is_known_by_name_and_loader) {
    struct instr_class_states *c = instr_class_states_new();
    ck_assert(key("a/B", 1) != key("a/B", 2) && key("a/B", 1) != key("a/C", 1));
    ck_assert(key("a/B", 0) != 0);
    struct instr_class_state entry = {.key = key("a/B", 1), .methods = 3, .plan = 7};
    ck_assert_int_eq(instr_class_states_put(c, &entry), 1);
    ck_assert_uint_eq(instr_class_states_get(c, key("a/B", 1)).methods, 3);
    ck_assert_uint_eq(instr_class_states_get(c, key("a/B", 2)).methods, 0);
    entry.methods = 0; // as it was
    instr_class_states_put(c, &entry);
    ck_assert_uint_eq(instr_class_states_totals(c).classes, 0);
    instr_class_states_free(c);
}
END_TEST

START_TEST(totals_are_those_of_all_entries_however_they_come_and_go) {
    enum { CLASSES = 20000 };
    struct instr_class_states *c = instr_class_states_new();
    uint32_t methods[CLASSES] = {0}, random = 1;
    uint8_t refused[CLASSES] = {0};
    for (int i = 0; i < 8 * CLASSES; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t at = (random >> 8) % CLASSES;
        methods[at] = random >> 28;
        refused[at] = (uint8_t)(random >> 27 & 1);
        struct instr_class_state e = {
            .key = at + 1, .methods = methods[at], .refused = refused[at]};
        if (!instr_class_states_put(c, &e)) ck_abort_msg("change %d is not taken", i);
    }
    uint64_t classes = 0, all = 0, kept = 0;
    for (uint32_t i = 0; i < CLASSES; i++) {
        struct instr_class_state e = instr_class_states_get(c, i + 1);
        if (e.methods != methods[i] || e.refused != refused[i])
            ck_abort_msg("entry %u: %u methods", i, e.methods);
        classes += methods[i] != 0, all += methods[i], kept += refused[i];
    }
    struct instr_class_states_totals totals = instr_class_states_totals(c);
    ck_assert_uint_eq(totals.classes, classes);
    ck_assert_uint_eq(totals.methods, all);
    ck_assert_uint_eq(totals.refused, kept);
    instr_class_states_clear(c);
    ck_assert_uint_eq(instr_class_states_totals(c).classes, 0);
    instr_class_states_free(c);
}
END_TEST

START_TEST(a_sweep_takes_out_what_is_not_loaded_any_more) {
    struct instr_class_states *c = instr_class_states_new();
    struct instr_class_state unloaded = {.key = 1, .methods = 1, .plan = 1, .since = 50},
                             there = {.key = 2, .methods = 2, .plan = 1, .since = 50},
                             coming = {.key = 3,
                                       .methods = 4,
                                       .plan = 1,
                                       .since = 50,
                                       .loading = 1},
                             lost = {.key = 4, .methods = 8, .plan = 1, .since = 10, .loading = 1},
                             seen = {.key = 5, .methods = 16, .plan = 1, .since = 10, .loading = 1};
    const struct instr_class_state *all[] = {&unloaded, &there, &coming, &lost, &seen};
    for (int i = 0; i < 5; i++) instr_class_states_put(c, all[i]);
    ck_assert_uint_eq(instr_class_states_late_loaded(c, 2), 3);
    ck_assert_uint_eq(instr_class_states_late_loaded(c, 1), 0);
    instr_class_states_sweep_begin(c);
    instr_class_states_sweep_seen(c, 2);
    instr_class_states_sweep_seen(c, 5);
    instr_class_states_sweep_seen(c, 6); // of which nothing is known
    instr_class_states_sweep_end(c, 20, 0);
    struct instr_class_states_totals totals = instr_class_states_totals(c);
    ck_assert_uint_eq(totals.methods, 2 + 4 + 16);
    ck_assert_uint_eq(totals.loading, 1); // 3: it may still come
    ck_assert_uint_eq(instr_class_states_late_loaded(c, 2), 1);
    instr_class_states_free(c);
}
END_TEST

START_TEST(a_class_that_is_loading_for_long_does_not_count_until_it_is_seen) {
    struct instr_class_states *c = instr_class_states_new();
    for (uint32_t i = 1; i <= 3; i++)
        instr_class_states_put(
            c, &(struct instr_class_state){.key = i, .methods = i, .since = 10 * i, .loading = 1});
    for (int sweeps = 1; sweeps <= 3; sweeps++) {
        instr_class_states_sweep_begin(c);
        if (sweeps > 1) instr_class_states_sweep_loaded(c, 1);
        if (sweeps > 2) instr_class_states_sweep_loaded(c, 2);
        instr_class_states_sweep_end(c, 0, 25); // 3 has not been loading for long
        struct instr_class_states_totals totals = instr_class_states_totals(c);
        ck_assert_uint_eq(totals.classes, (unsigned)sweeps);
        ck_assert_uint_eq(totals.methods, sweeps == 1 ? 3 : sweeps == 2 ? 1 + 3 : 1 + 2 + 3);
        ck_assert_uint_eq(instr_class_states_late_loaded(c, 1), 3); // whatever counts
    }
    instr_class_states_free(c);
}
END_TEST

START_TEST(a_sweep_is_worth_while_when_entries_have_doubled) {
    struct instr_class_states *c = instr_class_states_new();
    for (uint32_t i = 1; i <= 5000; i++)
        instr_class_states_put(c, &(struct instr_class_state){.key = i, .methods = 1});
    ck_assert_int_eq(instr_class_states_grown(c), 1);
    instr_class_states_sweep_begin(c);
    for (uint32_t i = 1; i <= 5000; i++) instr_class_states_sweep_seen(c, i);
    instr_class_states_sweep_end(c, 0, 0);
    ck_assert_int_eq(instr_class_states_grown(c), 0);
    for (uint32_t i = 5001; i <= 10001; i++)
        instr_class_states_put(c, &(struct instr_class_state){.key = i, .methods = 1});
    ck_assert_int_eq(instr_class_states_grown(c), 1);
    instr_class_states_free(c);
}
END_TEST

enum { LOADING = 8, CLASSES_EACH = 10000, MOST_CLASSES = 30, MOST_METHODS = 100 };
static struct instr_class_states *loaded;

static void *load_classes(void *thread) {
    struct instr_class_state e = {.methods = 3};
    for (uint64_t i = 0; i < CLASSES_EACH; i++) {
        e.key = 1 + i * LOADING + (uint64_t)(uintptr_t)thread;
        if (instr_class_states_put_within(loaded, &e, MOST_CLASSES, MOST_METHODS) !=
            INSTR_CLASS_PUT)
            continue;
        struct instr_class_states_totals totals = instr_class_states_totals(loaded);
        if (totals.classes > MOST_CLASSES || totals.methods > MOST_METHODS) return "too many";
        // As if it were reverted, so that there is room again and again.
        instr_class_states_put(loaded, &(struct instr_class_state){.key = e.key});
    }
    return NULL;
}

START_TEST(threads_that_load_classes_do_not_exceed_the_limits_together) {
    pthread_t threads[LOADING];
    loaded = instr_class_states_new();
    // Room for one class.
    for (uint32_t i = 1; i < MOST_CLASSES; i++)
        instr_class_states_put(loaded, &(struct instr_class_state){.key = ~i, .methods = 3});
    for (uintptr_t i = 0; i < LOADING; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, load_classes, (void *)i), 0);
    for (int i = 0; i < LOADING; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        ck_assert_ptr_null(problem);
    }
    instr_class_states_free(loaded);
}
END_TEST

START_TEST(limits_count_a_class_that_is_changed_again_once) {
    struct instr_class_states *c = instr_class_states_new();
    struct instr_class_state a = {.key = 1, .methods = 3}, b = {.key = 2, .methods = 2};
    ck_assert_int_eq(instr_class_states_put_within(c, &a, 1, 4), INSTR_CLASS_PUT);
    ck_assert_int_eq(instr_class_states_put_within(c, &b, 1, 9), INSTR_CLASS_NO_ROOM);
    ck_assert_int_eq(instr_class_states_put_within(c, &b, 2, 4), INSTR_CLASS_NO_ROOM);
    a.methods = 4;
    ck_assert_int_eq(instr_class_states_put_within(c, &a, 1, 4), INSTR_CLASS_PUT);
    a.methods = 5;
    ck_assert_int_eq(instr_class_states_put_within(c, &a, 1, 4), INSTR_CLASS_NO_ROOM);
    b.methods = 0; // unchanged, because of the limit
    b.over = 1;
    ck_assert_int_eq(instr_class_states_put_within(c, &b, 1, 4), INSTR_CLASS_PUT);
    struct instr_class_states_totals totals = instr_class_states_totals(c);
    ck_assert_uint_eq(totals.methods, 4);
    ck_assert_uint_eq(totals.over, 1);
    instr_class_states_free(c);
}
END_TEST

// --- numbers ---

START_TEST(a_pass_takes_its_number_again_when_it_is_free) {
    struct instr_pass_ids n = {.next = 7};
    int calls = 0, timing = 0, again;
    ck_assert_uint_eq(instr_pass_ids_take(&n, &calls, 0, 100, 0, &again), 0);
    ck_assert_int_eq(again, 0);
    ck_assert_uint_eq(instr_pass_ids_take(&n, &timing, 1, 100, 0, &again), 1);
    instr_pass_ids_leave(&n, 0, 200);
    ck_assert_uint_eq(instr_pass_ids_take(&n, &calls, 0, 199, 0, &again), 7); // too early
    ck_assert_int_eq(again, 0);
    instr_pass_ids_leave(&n, 7, 300);
    ck_assert_uint_eq(instr_pass_ids_take(&n, &calls, 0, 250, 0, &again), 0);
    ck_assert_int_eq(again, 1);
    ck_assert_uint_eq(instr_pass_ids_take(&n, &calls, 0, 300, 0, &again), 7);
}
END_TEST

START_TEST(numbers_stay_few_however_often_passes_are_switched) {
    struct instr_pass_ids n = {.next = 2};
    int calls = 0, timing = 0, again;
    unsigned most = 0;
    for (uint64_t now = 0; now < 100000; now += 10) {
        unsigned a = instr_pass_ids_take(&n, &calls, 0, now, 0, &again);
        unsigned b = instr_pass_ids_take(&n, &timing, 1, now, 1, &again);
        ck_assert_uint_ne(a, b);
        if (a > most) most = a;
        if (b > most) most = b;
        instr_pass_ids_leave(&n, a, now + 50);
        instr_pass_ids_leave(&n, b, now + 50);
    }
    ck_assert_uint_lt(most, 20);
}
END_TEST

// --- options ---

static int same(const char *a, uint64_t without_a, const char *b, uint64_t without_b) {
    struct instr_options x = parse(a), y = parse(b);
    int is = instr_same_effect(&x, without_a, &y, without_b);
    instr_options_free(&x);
    instr_options_free(&y);
    return is;
}

START_TEST(two_plans_do_the_same_to_a_class_or_not) {
    ck_assert_int_eq(same("calls,timing", 0, "calls,timing", 0), 1);
    ck_assert_int_eq(same("calls,timing", 0, "timing,calls", 0), 0); // they nest otherwise
    ck_assert_int_eq(same("calls,timing", 1, "timing", 0), 1);
    ck_assert_int_eq(same("calls,timing", 1, "timing,calls", 2), 1);
    ck_assert_int_eq(same("calls,timing", 3, "", 0), 1);
    ck_assert_int_eq(same("calls", 0, "", 0), 0);
    ck_assert_int_eq(same("calls,calls.file=x", 0, "calls,calls.file=y", 0), 1); // no matter there
    ck_assert_int_eq(same("watch,watch.methods=a.B.c(..)", 0, "watch,watch.methods=a.B.d(..)", 0),
                     0);
}
END_TEST

START_TEST(rules_for_all_classes_are_the_same_or_not) {
    static const struct {
        const char *a, *b;
        int same;
    } cases[] = {{"timing", "calls,include=a.*", 1},
                 {"timing", "timing,huge=yes", 0},
                 {"timing,max-classes=1", "timing,max-classes=2", 1},
                 {"timing,verify=off", "timing", 0},
                 {"timing,max-methods=5", "timing", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct instr_options x = parse(cases[i].a), y = parse(cases[i].b);
        ck_assert_msg(instr_same_rules(&x, &y) == cases[i].same, "%s", cases[i].b);
        instr_options_free(&x);
        instr_options_free(&y);
    }
}
END_TEST

START_TEST(options_allow_more_classes_or_not) {
    static const struct {
        const char *a, *b;
        int more;
    } cases[] = {{"timing", "timing", 0},
                 {"timing,max-classes=2", "timing,max-classes=1", 1},
                 {"timing,max-classes=1", "timing,max-classes=2", 0},
                 {"timing", "timing,max-methods=9", 1},
                 {"timing,max-methods=9", "timing", 0},
                 {"timing,interfaces=yes", "timing", 1},
                 {"timing", "timing,interfaces=yes", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct instr_options x = parse(cases[i].a), y = parse(cases[i].b);
        ck_assert_msg(instr_allows_more(&x, &y) == cases[i].more, "%s, %s", cases[i].a, cases[i].b);
        instr_options_free(&x);
        instr_options_free(&y);
    }
}
END_TEST

START_TEST(a_pass_goes_on_with_the_same_values_only) {
    struct instr_options before = parse("calls,watch,watch.methods=a.B.c(..)"),
                         next = parse("watch,watch.methods=a.B.d(..),calls,timing");
    ck_assert_int_eq(instr_goes_on(&before, &next.passes[0]), 0);
    ck_assert_int_eq(instr_goes_on(&before, &next.passes[1]), 1);
    ck_assert_int_eq(instr_goes_on(&before, &next.passes[2]), 0);
    ck_assert_int_eq(instr_goes_on(NULL, &next.passes[1]), 0);
    instr_options_free(&before);
    instr_options_free(&next);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("plan");
    TCase *test = tcase_create("all");
    tcase_add_test(test, a_plan_stays_as_long_as_somebody_has_it);
    tcase_add_test(test, held_plans_leave_no_room_until_they_are_given_back);
    tcase_add_test(test, a_class_is_known_by_name_and_loader);
    tcase_add_test(test, totals_are_those_of_all_entries_however_they_come_and_go);
    tcase_add_test(test, a_sweep_takes_out_what_is_not_loaded_any_more);
    tcase_add_test(test, a_class_that_is_loading_for_long_does_not_count_until_it_is_seen);
    tcase_add_test(test, a_sweep_is_worth_while_when_entries_have_doubled);
    tcase_add_test(test, threads_that_load_classes_do_not_exceed_the_limits_together);
    tcase_add_test(test, limits_count_a_class_that_is_changed_again_once);
    tcase_add_test(test, a_pass_takes_its_number_again_when_it_is_free);
    tcase_add_test(test, numbers_stay_few_however_often_passes_are_switched);
    tcase_add_test(test, two_plans_do_the_same_to_a_class_or_not);
    tcase_add_test(test, rules_for_all_classes_are_the_same_or_not);
    tcase_add_test(test, options_allow_more_classes_or_not);
    tcase_add_test(test, a_pass_goes_on_with_the_same_values_only);
    suite_add_tcase(suite, test);
    return run_suite(suite);
}
