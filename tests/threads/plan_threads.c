// Plans swapped under the class file hook: plan_threads THREADS SWAPS DIR. Threads do with the
// classes below DIR what the hook does: take the current plan, rewrite a class with it, record what
// was changed, give the plan back. Another thread meanwhile installs other plans, and frees unused
// ones. Each result must be the bytes that the options of the plan in use make of the class. In a
// second round the registry of methods is created and freed with the plans. Meant for
// ThreadSanitizer (tests/threads/run). Exit status 1 on failure.

#include "instr/engine/class_states.h"
#include "instr/engine/plan.h"
#include "tests/class_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { KINDS = 4, MOST = 256 }; // sets of options; classes
static const char *const kinds[KINDS] = {"", "calls", "timing", "timing,calls"};

static struct {
    uint8_t *bytes;
    size_t length;
    struct {
        uint8_t *bytes; // NULL: not changed
        size_t length;
    } expected[KINDS];
} classes[MOST];
static size_t count;
static struct instr_plans plans;
static struct instr_class_states *changes;
static struct instr_methods *shared; // NULL: in the second round
static atomic_int failures, stop, rewritten[KINDS];

static void fail(const char *what) {
    if (failures++ < 10) printf("FAILED %s\n", what);
}

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

static int each_file(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)at;
    size_t length;
    uint8_t *bytes = count < MOST ? class_file_read(path, st, type, &length) : NULL;
    if (!bytes) return 0;
    classes[count].bytes = bytes;
    classes[count++].length = length;
    return 0;
}

static struct instr_plan *plan_of(int kind, const struct instr_plan *before) {
    struct instr_options options;
    char error[INSTR_ERROR_SIZE];
    struct instr_methods *methods = shared ? shared : before ? before->methods : NULL;
    // Now and then the last plan with a registry is freed.
    if (!shared && kind == 0) methods = NULL;
    if (!methods && !(methods = instr_methods_new())) exit(2);
    if (instr_options_parse(&options, kinds[kind], error, sizeof error) != 0) exit(2);
    options.max_classes = (unsigned)kind + 1; // identifies the plan
    struct instr_plan *plan = instr_plan_new(&options, methods, "java/lang/", before);
    if (!plan) exit(2);
    return plan;
}

static void by_plan(const struct instr_plan *plan, size_t at) {
    unsigned kind = plan->options.max_classes - 1;
    struct instr_rewritten result = {0};
    if (plan->engine)
        instr_engine_rewrite(plan->engine, classes[at].bytes, classes[at].length, allocate, NULL,
                             &result);
    rewritten[kind]++;
    if (!result.bytes != !classes[at].expected[kind].bytes)
        fail("changed or not, other than its plan says");
    else if (shared && result.bytes &&
             (result.length != classes[at].expected[kind].length ||
              memcmp(result.bytes, classes[at].expected[kind].bytes, result.length) != 0))
        fail("other bytes than its plan makes");
    struct instr_class_state entry = {.key = at + 1, .plan = plan->number};
    entry.methods = result.methods_changed;
    if (!instr_class_states_put(changes, &entry)) fail("not noted down");
    free(result.bytes);
    free(result.refused);
}

static void *hook(void *context) {
    unsigned at = (unsigned)(intptr_t)context * 7919, ticket;
    while (!stop) {
        const struct instr_plan *plan = instr_plans_take(&plans, &ticket);
        by_plan(plan, at++ % count);
        instr_plans_give_back(&plans, ticket);
    }
    return NULL;
}

// The work of the other threads.
static void *look(void *unused) {
    unsigned ticket;
    while (!stop) {
        const struct instr_plan *plan = instr_plans_take(&plans, &ticket);
        if (plan->options.max_classes < 1 || plan->options.max_classes > KINDS)
            fail("a plan is not whole");
        if (instr_methods_count(plan->methods) < 0) fail("no methods");
        instr_plans_give_back(&plans, ticket);
        struct instr_class_states_totals totals = instr_class_states_totals(changes);
        if (totals.classes > count) fail("more classes are changed than there are");
    }
    return unused;
}

static void expect(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        struct instr_plan *plan = plan_of(kind, NULL);
        for (size_t i = 0; i < count && plan->engine; i++) {
            struct instr_rewritten result;
            instr_engine_rewrite(plan->engine, classes[i].bytes, classes[i].length, allocate, NULL,
                                 &result);
            classes[i].expected[kind].bytes = result.bytes;
            classes[i].expected[kind].length = result.length;
            free(result.refused);
        }
        instr_plan_free(plan);
    }
}

static void swap_all(unsigned threads, unsigned swaps) {
    pthread_t ids[64], looking;
    unsigned refused = 0;
    stop = 0;
    if (!instr_plans_swap(&plans, plan_of(0, NULL))) fail("the first plan found no room");
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, hook, (void *)(intptr_t)i) != 0) exit(2);
    if (pthread_create(&looking, NULL, look, NULL) != 0) exit(2);
    for (unsigned i = 0; i < swaps; i++) {
        struct instr_plan *next = plan_of((int)(i * 7 / 3 % KINDS), instr_plans_current(&plans));
        struct instr_methods *methods = next->methods;
        if (instr_plans_swap(&plans, next)) continue;
        refused++;
        if (!shared && methods != instr_plans_current(&plans)->methods) instr_methods_free(methods);
        instr_plan_free(next);
    }
    stop = 1;
    for (unsigned i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    pthread_join(looking, NULL);
    if (!instr_plans_settle(&plans)) fail("plans stay although no thread has them");
    if (refused == swaps) fail("no plan found room");
    instr_plans_end(&plans);
    instr_plans_settle(&plans);
    if (instr_plans_current(&plans)) fail("there is still a plan");
}

int main(int argc, char **argv) {
    unsigned threads = argc == 4 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    unsigned swaps = argc == 4 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    if (threads < 1 || threads > 64 || swaps < 1) {
        fprintf(stderr, "usage: plan_threads THREADS SWAPS DIR\n");
        return 2;
    }
    if (nftw(argv[3], each_file, 16, FTW_PHYS) != 0 || count == 0) return 2;
    if (!(changes = instr_class_states_new()) || !(shared = instr_methods_new())) return 2;
    plans.kept = shared;
    expect();
    swap_all(threads, swaps);
    instr_methods_free(shared);
    shared = plans.kept = NULL;
    swap_all(threads, swaps);
    for (int kind = 0; kind < KINDS; kind++)
        if (rewritten[kind] == 0) fail("a plan was never seen");
    printf("%u swaps under %u threads, %d classes rewritten\n", 2 * swaps, threads,
           rewritten[0] + rewritten[1] + rewritten[2] + rewritten[3]);
    return failures != 0;
}
