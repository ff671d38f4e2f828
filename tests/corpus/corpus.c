// Runs the class file layer on real classes, and on broken classes made from them.
//
//      corpus [--strict] [--time ROUNDS] [--mutate ROUNDS] [--truncate] [--sample N] [--seed N]
//      PATH...
//
// PATH: a class file, or a directory with class files anywhere below. Every class is opened, its
// structure checked and its text printed to nowhere; any error is a failure. --strict checks
// more, and writes the class again with an edit of each method that changes nothing: the same bytes
// must come out. --mutate and --truncate take a sample of N classes (300): each is broken in ROUNDS
// random ways, or truncated at every length; in no case may anything crash (run it under
// the sanitizers), and truncated classes must not open. --time opens all classes ROUNDS times and
// prints the time per class, best round. Exit status 1 on any failure.

#define _XOPEN_SOURCE 700

#include "classfile/edit.h"
#include "classfile/print.h"
#include "classfile/structure.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct file {
    char *path;
    uint8_t *bytes;
    size_t length;
};

static struct {
    struct file *files;
    size_t count, capacity;
    int strict, truncate;
    unsigned time_rounds, mutate_rounds;
    size_t sample;
    uint64_t random;
    size_t failures;
} run = {.sample = 300, .random = 1};

static struct cf_arena arena;

// --- reading ---

static void *must(void *memory) {
    if (memory) return memory;
    fprintf(stderr, "corpus: out of memory\n");
    exit(2);
}

static int read_file(const char *path, size_t size) {
    FILE *in = fopen(path, "rb");
    if (!in) {
        fprintf(stderr, "corpus: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    if (run.count == run.capacity) {
        run.capacity = run.capacity ? run.capacity * 2 : 1024;
        run.files = must(realloc(run.files, run.capacity * sizeof *run.files));
    }
    struct file *f = &run.files[run.count++];
    f->path = must(strdup(path));
    f->bytes = must(malloc(size ? size : 1));
    f->length = fread(f->bytes, 1, size, in);
    fclose(in);
    return 0;
}

static int visit(const char *path, const struct stat *info, int type, struct FTW *at) {
    (void)at;
    size_t n = strlen(path);
    int is_class = n > 6 && strcmp(path + n - 6, ".class") == 0;
    return type == FTW_F && is_class ? read_file(path, (size_t)info->st_size) : 0;
}

// --- checking ---

static int nowhere(void *context, const char *bytes, size_t length) {
    (void)bytes;
    *(size_t *)context += length;
    return 1;
}

static void complain(const char *path, const char *what, const struct cf_error *error) {
    char text[256];
    if (++run.failures <= 50)
        printf("%s: %s: %s\n", path, what, cf_error_text(error, text, sizeof text));
}

static void *allocate(void *context, size_t size) {
    (void)context;
    return must(malloc(size));
}

static void round_trip(const char *path, struct cf_class *cls) {
    struct cf_rewrite rewrite;
    struct cf_edit *edit;
    uint8_t *bytes = NULL;
    size_t length = 0;
    int same = cf_rewrite_begin(&rewrite, cls) == CF_OK;
    for (unsigned i = 0; same && i < cls->methods_count; i++) {
        if (!cls->methods[i].code) continue;
        same = cf_edit_begin(&rewrite, &cls->methods[i], &edit) == CF_OK &&
               cf_edit_commit(edit) == CF_OK;
    }
    same = same && cf_rewrite_encode(&rewrite, allocate, NULL, &bytes, &length) == CF_OK &&
           length == cls->length && memcmp(bytes, cls->bytes, length) == 0;
    free(bytes);
    if (!same && ++run.failures <= 50) printf("%s: written again it differs\n", path);
}

// Opens, checks and prints; `path` is NULL for bytes that may be broken.
static enum cf_status examine(const char *path, const uint8_t *bytes, size_t length) {
    struct cf_class cls;
    struct cf_error error = {0};
    struct cf_text text;
    size_t printed = 0;
    cf_arena_reset(&arena, (size_t)1 << 20);
    enum cf_status opened = cf_class_open(&cls, bytes, length, &arena);
    if (opened != CF_OK && path) complain(path, "does not open", &cls.error);
    if (opened == CF_OK) {
        enum cf_status checked = run.strict ? cf_check_structure_strictly(&cls, &error)
                                            : cf_check_structure(&cls, &error);
        if (checked != CF_OK && path) complain(path, "structure", &error);
        if (run.strict && path) round_trip(path, &cls);
    }
    cf_text_init(&text, nowhere, &printed);
    enum cf_status status = cf_print_class(&cls, &text);
    if (status == CF_OK && !printed) status = CF_MALFORMED;
    if (status != CF_OK && path && ++run.failures <= 50)
        printf("%s: printing: status %d\n", path, (int)status);
    return opened;
}

// The bytes are copied to a block of their exact length, so that a sanitizer finds any access
// beyond.
static enum cf_status examine_copy(const uint8_t *bytes, size_t length) {
    uint8_t *copy = must(malloc(length ? length : 1));
    memcpy(copy, bytes, length);
    enum cf_status status = examine(NULL, copy, length);
    free(copy);
    return status;
}

// --- breaking ---

static uint64_t next_random(void) { // xorshift64*
    run.random ^= run.random >> 12;
    run.random ^= run.random << 25;
    run.random ^= run.random >> 27;
    return run.random * 0x2545F4914F6CDD1Du;
}

static size_t below(size_t n) {
    return (size_t)(next_random() % n);
}

// Effective mutations: flipped bits, extreme values in two-byte fields, a run of bytes moved
// elsewhere.
static void mutate(uint8_t *bytes, size_t length) {
    static const uint8_t extremes[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
    for (size_t k = 1 + below(4); k > 0; k--) {
        size_t at = below(length), other = below(length), n = 1 + below(16);
        switch (below(4)) {
        case 0: bytes[at] ^= (uint8_t)(1u << below(8)); break;
        case 1: bytes[at] = extremes[below(sizeof extremes)]; break;
        case 2: bytes[at] = (uint8_t)next_random(); break;
        default:
            if (at + n <= length && other + n <= length) memmove(bytes + at, bytes + other, n);
        }
    }
}

static void mutate_file(const struct file *f) {
    uint8_t *copy = must(malloc(f->length ? f->length : 1));
    for (unsigned i = 0; i < run.mutate_rounds && f->length; i++) {
        memcpy(copy, f->bytes, f->length);
        mutate(copy, f->length);
        examine(NULL, copy, f->length);
    }
    free(copy);
}

static void truncate_file(const struct file *f) {
    for (size_t n = 0; n < f->length; n++)
        if (examine_copy(f->bytes, n) == CF_OK && ++run.failures <= 50)
            printf("%s: opens when cut off at %zu\n", f->path, n);
}

// --- timing ---

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void time_opening(void) {
    double best = 0;
    struct cf_class cls;
    for (unsigned round = 0; round < run.time_rounds; round++) {
        double start = now_us();
        for (size_t i = 0; i < run.count; i++) {
            cf_arena_reset(&arena, (size_t)1 << 20);
            cf_class_open(&cls, run.files[i].bytes, run.files[i].length, &arena);
        }
        double taken = (now_us() - start) / (double)run.count;
        if (round == 0 || taken < best) best = taken;
    }
    printf("opening: %.3f us per class\n", best);
}

// --- main ---

static size_t number(const char *option, const char *text) {
    char *end;
    unsigned long n = text ? strtoul(text, &end, 10) : 0;
    if (text && *text && !*end) return n;
    fprintf(stderr, "corpus: %s wants a number\n", option);
    exit(2);
}

static int parse_options(int argc, char **argv) {
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *o = argv[i];
        if (strcmp(o, "--strict") == 0)
            run.strict = 1;
        else if (strcmp(o, "--truncate") == 0)
            run.truncate = 1;
        else if (strcmp(o, "--time") == 0)
            run.time_rounds = (unsigned)number(o, argv[++i]);
        else if (strcmp(o, "--mutate") == 0)
            run.mutate_rounds = (unsigned)number(o, argv[++i]);
        else if (strcmp(o, "--sample") == 0)
            run.sample = number(o, argv[++i]);
        else if (strcmp(o, "--seed") == 0)
            run.random = number(o, argv[++i]) * 2 + 1;
        else {
            fprintf(stderr, "corpus: unknown option %s\n", o);
            exit(2);
        }
    }
    return i;
}

static void examine_all(void) {
    double start = now_us();
    for (size_t i = 0; i < run.count; i++)
        examine(run.files[i].path, run.files[i].bytes, run.files[i].length);
    printf("%zu classes, %zu failures, %.1f us per class\n", run.count, run.failures,
           (now_us() - start) / (double)run.count);
}

static void break_sample(void) {
    size_t step = run.sample && run.sample < run.count ? run.count / run.sample : 1;
    for (size_t i = 0; i < run.count; i += step) {
        mutate_file(&run.files[i]);
        if (run.truncate) truncate_file(&run.files[i]);
    }
}

int main(int argc, char **argv) {
    int first = parse_options(argc, argv);
    for (int i = first; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) == 0 && S_ISREG(info.st_mode))
            read_file(argv[i], (size_t)info.st_size);
        else if (nftw(argv[i], visit, 32, FTW_PHYS) != 0)
            fprintf(stderr, "corpus: %s: %s\n", argv[i], strerror(errno));
    }
    if (!run.count) {
        fprintf(stderr, "corpus: no class files\n");
        return 2;
    }
    cf_arena_init(&arena);
    if (run.time_rounds) time_opening();
    examine_all();
    break_sample();
    if (run.mutate_rounds || run.truncate) printf("broken classes: %zu failures\n", run.failures);
    cf_arena_free(&arena);
    for (size_t i = 0; i < run.count; i++) {
        free(run.files[i].path);
        free(run.files[i].bytes);
    }
    free(run.files);
    return run.failures != 0;
}
