// Measures the rewriter alone: rewrite ROUNDS DIR. Reads all class files below DIR, then opens
// each, and runs each pass on each, on one thread and in memory. Prints "name value" lines: the
// best of the rounds, in microseconds per class, and the native memory that stays in use for each
// class after a pass.

#include "instr/engine.h"
#include "tests/class_file.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct file {
    uint8_t *bytes;
    size_t length;
};

static struct file *files;
static size_t count, capacity;

static int add_file(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)ftw;
    size_t length;
    uint8_t *bytes = class_file_read(path, st, type, &length);
    if (!bytes) return 0;
    if (count == capacity) {
        capacity = capacity ? capacity * 2 : 4096;
        files = realloc(files, capacity * sizeof *files);
        if (!files) return -1;
    }
    files[count++] = (struct file){bytes, length};
    return 0;
}

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double open_all(void) {
    struct cf_arena arena;
    cf_arena_init(&arena);
    double start = now_us();
    for (size_t i = 0; i < count; i++) {
        struct cf_class cls;
        if (cf_class_open(&cls, files[i].bytes, files[i].length, &arena) != CF_OK) exit(1);
        cf_arena_reset(&arena, (size_t)1 << 20);
    }
    double time = now_us() - start;
    cf_arena_free(&arena);
    return time / (double)count;
}

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

// The engine's own figure is processor time, which it asks for in some classes only.
static double rewrite_all(struct instr_engine *engine, const struct instr_origin *origin) {
    double time = 0;
    for (size_t i = 0; i < count; i++) {
        struct instr_rewritten result;
        double start = now_us();
        instr_engine_rewrite_known(engine, origin, files[i].bytes, files[i].length, allocate, NULL,
                                   &result);
        time += now_us() - start;
        free(result.bytes);
        free(result.refused);
    }
    return time / (double)count;
}

// Work besides rewriting, as the agent does it. For classes that the JVM is going to verify:
// checking the whole structure (CHECKED) and verifying the result (VERIFIED). For classes that the
// JVM has verified or trusts: checking that the inserted code is correct (SHOWN).
enum { CHECKED = 1, VERIFIED = 2, SHOWN = 4 };

static void time_pass(const char *pass, unsigned besides, int rounds) {
    static const char *const names[] = {"", "_checked", "_verified", "_checked_verified", "_shown"};
    struct instr_origin origin = {.already_verified = besides == SHOWN,
                                  .bootstrap = besides == SHOWN};
    struct instr_options options;
    char error[INSTR_ERROR_SIZE], list[100];
    // The clock is read in each call, as in ASM's job.
    snprintf(list, sizeof list, "%s%s,verify=%s", pass,
             strcmp(pass, "timing") == 0 ? ",timing.clock=every" : "",
             besides & (VERIFIED | SHOWN) ? "on" : "off");
    if (instr_options_parse(&options, list, error, sizeof error) != 0) {
        fprintf(stderr, "%s\n", error);
        exit(2);
    }
    size_t used = mallinfo2().uordblks;
    struct instr_methods *methods = instr_methods_new();
    struct instr_engine *engine = instr_engine_new(&options, methods, "java/lang/");
    if (!engine) exit(1);
    const char *how = names[besides];
    if (besides & (CHECKED | SHOWN)) instr_engine_check_input(engine);
    double first = rewrite_all(engine, &origin), best = first;
    double kept = (double)(mallinfo2().uordblks - used) / (double)count;
    for (int i = 1; i < rounds; i++) {
        double time = rewrite_all(engine, &origin);
        if (time < best) best = time;
    }
    printf("instr_%s%s_first_us_per_class %.2f\n", pass, how, first);
    printf("instr_%s%s_us_per_class %.2f\n", pass, how, best);
    printf("instr_%s%s_native_bytes_per_class %.0f\n", pass, how, kept);
    instr_engine_free(engine);
    instr_methods_free(methods);
    instr_options_free(&options);
}

int main(int argc, char **argv) {
    if (argc != 3 || atoi(argv[1]) < 1) {
        fprintf(stderr, "usage: rewrite ROUNDS DIR\n");
        return 2;
    }
    int rounds = atoi(argv[1]);
    if (nftw(argv[2], add_file, 32, FTW_PHYS) != 0 || count == 0) {
        fprintf(stderr, "rewrite: no class files below %s\n", argv[2]);
        return 1;
    }
    double best = open_all();
    for (int i = 1; i < rounds; i++) {
        double time = open_all();
        if (time < best) best = time;
    }
    printf("classes %zu\ninstr_open_us_per_class %.2f\n", count, best);
    time_pass("calls", 0, rounds);
    time_pass("timing", 0, rounds);
    time_pass("timing", CHECKED, rounds);
    time_pass("timing", VERIFIED, rounds);
    time_pass("timing", CHECKED | VERIFIED, rounds);
    time_pass("timing", SHOWN, rounds);
    return 0;
}
