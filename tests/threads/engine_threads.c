// The engine in many threads at once: engine_threads THREADS DIR. All threads process the classes
// below DIR, each in an order of its own, so that they rewrite the same and different classes at
// the same time, with all passes, while another thread reads the results. Twice: with method
// ids assigned before, so that every result must be the same bytes as in one thread; and with
// ids assigned on demand. Meant for ThreadSanitizer (tests/threads/run). Exit status 1 on
// failure.

#include "classfile/structure.h"
#include "instr/engine.h"
#include "tests/class_file.h"
#include "tests/passes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct class_bytes {
    uint8_t *bytes, *expected; // expected: NULL, not changed
    size_t length, expected_length;
};

static struct class_bytes *classes;
static size_t count;
static struct instr_options options;
static struct instr_methods *methods;
static struct instr_engine *engine;
static atomic_int failures, running;
static int known; // results are

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
    uint8_t *bytes = class_file_read(path, st, type, &length);
    if (!bytes) return 0;
    struct class_bytes *more = realloc(classes, (count + 1) * sizeof *classes);
    if (!more) return 1;
    classes = more;
    classes[count++] = (struct class_bytes){bytes, NULL, length, 0};
    return 0;
}

static void one_class(struct class_bytes *c, int first) {
    struct instr_rewritten result;
    instr_engine_rewrite(engine, c->bytes, c->length, allocate, NULL, &result);
    if (result.error.status) fail("a class was not rewritten");
    if (first) {
        c->expected = result.bytes;
        c->expected_length = result.length;
        return;
    }
    if (known && (!result.bytes != !c->expected ||
                  (result.bytes && (result.length != c->expected_length ||
                                    memcmp(result.bytes, c->expected, result.length) != 0))))
        fail("another result than in one thread");
    if (!known && !result.bytes != !c->expected) fail("changed or not, other than in one thread");
    free(result.bytes);
    free(result.refused);
}

static void *rewrite_all(void *context) {
    // A step without a common factor with the count reaches every class; some threads start at the
    // same class.
    size_t number = (size_t)(intptr_t)context, step = 1 + 2 * (number / 4);
    while (count % step == 0 && step > 1) step += 2;
    for (size_t i = 0, at = number % 4 * (count / 4); i < count; i++, at = (at + step) % count)
        one_class(&classes[at], 0);
    running--;
    return NULL;
}

static void look_at_skipped(void *context, const struct instr_skipped_item *kept) {
    *(size_t *)context += strlen(kept->class_name) + strlen(kept->reason);
}

// Does what the agent does for its report, all the time.
static void *take_results(void *context) {
    size_t length = 0;
    uint64_t seen = 0;
    (void)context;
    while (running > 0) {
        struct instr_totals account = instr_engine_totals(engine);
        if (account.classes_seen < seen) fail("the account went back");
        seen = account.classes_seen;
        instr_engine_skipped(engine, look_at_skipped, &length);
        for (int i = 0, n = instr_methods_count(methods); i < n; i++) {
            struct instr_method m = instr_methods_get(methods, i);
            if (m.pass >= options.pass_count || !m.class_name[0] || !m.name[0] ||
                m.descriptor[0] != '(')
                fail("a method is not whole");
            length += instr_methods_initialized_pc(methods, i) != 0;
        }
    }
    volatile size_t sum = length; // so that what was read counts as used
    (void)sum;
    return NULL;
}

static void in_threads(unsigned threads) {
    pthread_t ids[256], reader;
    running = (int)threads;
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, rewrite_all, (void *)(intptr_t)i) != 0) exit(2);
    if (pthread_create(&reader, NULL, take_results, NULL) != 0) exit(2);
    for (unsigned i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    pthread_join(reader, NULL);
}

static void begin(void) {
    methods = instr_methods_new();
    engine = methods ? instr_engine_new(&options, methods, "java/lang/") : NULL;
    if (!engine) exit(2);
    instr_engine_check_input(engine);
}

static struct instr_totals finish(int *methods_count) {
    struct instr_totals account = instr_engine_totals(engine);
    *methods_count = instr_methods_count(methods);
    instr_engine_free(engine);
    instr_methods_free(methods);
    return account;
}

int main(int argc, char **argv) {
    char error[INSTR_ERROR_SIZE];
    unsigned threads = argc == 3 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (threads < 1 || threads > 256) {
        fprintf(stderr, "usage: engine_threads THREADS DIR\n");
        return 2;
    }
    char list[PASSES_SIZE];
    every_pass(0, ",coverage.counts=yes,huge=yes", list);
    if (instr_options_parse(&options, list, error, sizeof error) != 0) {
        fprintf(stderr, "%s\n", error);
        return 2;
    }
    if (nftw(argv[2], each_file, 32, FTW_PHYS) != 0 || !count) return 2;
    int one_by_one, numbered;
    begin();
    for (size_t i = 0; i < count; i++) one_class(&classes[i], 1);
    struct instr_totals alone = instr_engine_totals(engine);
    known = 1;
    in_threads(threads);
    struct instr_totals all = finish(&one_by_one);
    if (all.classes_seen != (threads + 1) * alone.classes_seen ||
        all.methods_changed != (threads + 1) * alone.methods_changed ||
        all.bytes_out != (threads + 1) * alone.bytes_out)
        fail("the account of all threads is not that of one, times their number");
    known = 0;
    begin();
    in_threads(threads);
    all = finish(&numbered);
    if (all.methods_changed != threads * alone.methods_changed) fail("other methods were changed");
    if (numbered != one_by_one) fail("other methods got numbers");
    printf("%zu classes, %u threads, %d methods\n", count, threads, numbered);
    for (size_t i = 0; i < count; i++) {
        free(classes[i].bytes);
        free(classes[i].expected);
    }
    free(classes);
    instr_options_free(&options);
    return failures != 0;
}
