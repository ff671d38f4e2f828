// A fuzz target in the normal tests: over the inputs that once found something, and over real
// classes broken with a fixed seed.
//
//      replay_TARGET [--truncate] [--mutate ROUNDS] [--sample N] [--seed N] [--keep FILE]
//      PATH...
//
// PATH: a file, or a directory with files anywhere below; --sample takes N of all (0: all). Each
// file is run as it is, cut off at every length, and changed in ROUNDS ways, each change made to
// the one before in half of the cases. Nothing may crash, and what the target says must hold; a run
// of more than five seconds has failed. --keep writes the input that failed to FILE. Exit status 1
// without input.

#include "tests/fuzz/fuzz.h"

#include <ftw.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { LARGEST = 1 << 16, SECONDS = 5 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                                                     unsigned int seed);

static struct {
    char **paths;
    size_t count;
    unsigned long mutate, sample, inputs;
    uint64_t random;
    int truncate;
    const char *keep;
    const uint8_t *input; // at hand
    size_t length;
} run = {.random = 1};

// What is being run, should it be the one that crashes.
static char current[256];

static void gone_wrong(int number) {
    char text[400];
    int n = snprintf(text, sizeof text, "FAILED (signal %d) at %s\n", number, current);
    if (n > 0 && write(STDOUT_FILENO, text, (size_t)n) < 0) _exit(3);
    FILE *f = run.keep ? fopen(run.keep, "wb") : NULL;
    if (f) {
        fwrite(run.input, 1, run.length, f);
        fclose(f);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static uint32_t below(size_t n) { // xorshift64*
    run.random ^= run.random >> 12;
    run.random ^= run.random << 25;
    run.random ^= run.random >> 27;
    return n ? (uint32_t)((run.random * 0x2545F4914F6CDD1Du >> 32) % n) : 0;
}

// libFuzzer's part when it is not there: small changes, growth and shrinking.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
    static const uint8_t extremes[] = {0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF};
    size_t at = below(size), other = below(size), n = 1 + below(8);
    switch (below(8)) {
    case 0: // longer
        if (size + n > max_size) break;
        memmove(data + at + n, data + at, size - at);
        return size + n;
    case 1: // shorter
        if (at + n > size) break;
        memmove(data + at, data + at + n, size - at - n);
        return size - n;
    case 2: // a run from elsewhere
        if (at + n <= size && other + n <= size) memmove(data + at, data + other, n);
        return size;
    default: break;
    }
    if (!size) return size;
    switch (below(4)) {
    case 0: data[at] ^= (uint8_t)(1u << below(8)); break;
    case 1: data[at] = extremes[below(sizeof extremes)]; break;
    case 2: data[at] = (uint8_t)below(256); break;
    default: data[at] = (uint8_t)(data[at] + (below(2) ? 1 : 255));
    }
    return size;
}

// In a block of the exact length, so that a sanitizer sees one byte too far.
static void one_input(const uint8_t *bytes, size_t length) {
    uint8_t *copy = malloc(length ? length : 1);
    MUST(copy);
    if (length) memcpy(copy, bytes, length);
    run.input = copy;
    run.length = length;
    const struct itimerval limit = {{0, 0}, {SECONDS, 0}}, none = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &limit, NULL);
    LLVMFuzzerTestOneInput(copy, length);
    setitimer(ITIMER_PROF, &none, NULL);
    run.inputs++;
    free(copy);
}

static void mutations(const char *path, const uint8_t *bytes, size_t length, uint8_t *changed) {
    size_t now = 0;
    for (unsigned long i = 0; i < run.mutate; i++) {
        if (now == 0 || below(2)) {
            memcpy(changed, bytes, length);
            now = length;
        }
        now = LLVMFuzzerCustomMutator
                  ? LLVMFuzzerCustomMutator(changed, now, LARGEST, below(1u << 30))
                  : LLVMFuzzerMutate(changed, now, LARGEST);
        snprintf(current, sizeof current, "%.200s, change %lu", path, i);
        one_input(changed, now);
    }
}

static void one_file(const char *path) {
    static uint8_t bytes[LARGEST], changed[LARGEST];
    FILE *f = fopen(path, "rb");
    MUST(f);
    size_t length = fread(bytes, 1, LARGEST, f);
    int whole = fgetc(f) == EOF;
    fclose(f);
    if (!whole) return;
    snprintf(current, sizeof current, "%.200s", path);
    one_input(bytes, length);
    for (size_t n = 0; run.truncate && n < length; n++) {
        snprintf(current, sizeof current, "%.200s, cut off at %zu", path, n);
        one_input(bytes, n);
    }
    mutations(path, bytes, length, changed);
}

static int each_file(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)at, (void)st;
    if (type != FTW_F) return 0;
    run.paths = realloc(run.paths, (run.count + 1) * sizeof *run.paths);
    MUST(run.paths && (run.paths[run.count] = strdup(path)));
    run.count++;
    return 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int parse_options(int argc, char **argv) {
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--truncate") == 0) {
            run.truncate = 1;
            continue;
        }
        if (strcmp(argv[i], "--mutate") == 0) {
            run.mutate = strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--sample") == 0) {
            run.sample = strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0) {
            run.random = strtoul(value, NULL, 10) * 2 + 1;
        } else if (strcmp(argv[i], "--keep") == 0) {
            run.keep = value;
        } else {
            fprintf(stderr, "replay: unknown option %s\n", argv[i]);
            exit(2);
        }
        i++;
    }
    return i;
}

int main(int argc, char **argv) {
    for (int i = parse_options(argc, argv); i < argc; i++)
        if (nftw(argv[i], each_file, 16, FTW_PHYS) != 0)
            fprintf(stderr, "replay: %s: cannot be read\n", argv[i]);
    if (run.count) qsort(run.paths, run.count, sizeof *run.paths, by_name);
    signal(SIGABRT, gone_wrong);
    signal(SIGPROF, gone_wrong);
#ifndef __SANITIZE_ADDRESS__ // which says more itself
    signal(SIGSEGV, gone_wrong);
    signal(SIGBUS, gone_wrong);
#endif
    size_t step = run.sample && run.sample < run.count ? run.count / run.sample : 1;
    for (size_t i = 0; i < run.count; i++) {
        if (i % step == 0) one_file(run.paths[i]);
        free(run.paths[i]);
    }
    free(run.paths);
    printf("%lu inputs\n", run.inputs);
    return run.inputs == 0;
}
