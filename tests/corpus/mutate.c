// Broken classes through the whole rewriter: mutate ROUNDS DIR. Every class below DIR is broken ROUNDS times, by a few
// bytes drawn with a fixed seed, and goes through all passes, once as the agent does it and once without the
// look at its structure first. Nothing may crash (run it under the sanitizers), and what comes out must open.
// Exit status 1 when something does not.

#include "instr/engine.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static struct instr_engine *engines[2];
static uint64_t state = 88172645463325252u;
static unsigned rounds;
static unsigned long tried, rewritten, refused;
static int failed;

static uint32_t draw(uint32_t below) { // xorshift
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16) % below;
}

static void *allocate(void *context, size_t n) {
    (void)context;
    return malloc(n);
}

static void run(const char *path, const uint8_t *bytes, size_t length) {
    for (int i = 0; i < 2; i++) {
        struct instr_rewritten result;
        instr_engine_rewrite(engines[i], bytes, length, allocate, NULL, &result);
        tried++;
        rewritten += result.bytes != NULL;
        refused += result.error.status != CF_OK;
        if (!result.bytes) continue;
        struct cf_arena arena;
        struct cf_class cls;
        cf_arena_init(&arena);
        if (cf_class_open(&cls, result.bytes, result.length, &arena) != CF_OK) {
            printf("FAILED %s: what came out does not open\n", path);
            failed = 1;
        }
        cf_arena_free(&arena);
        free(result.bytes);
    }
}

static int each_file(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)ftw;
    size_t n = strlen(path), length = (size_t)st->st_size;
    if (type != FTW_F || n < 6 || strcmp(path + n - 6, ".class") != 0 || length == 0) return 0;
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = malloc(length), *broken = malloc(length);
    if (f && bytes && broken && fread(bytes, 1, length, f) == length)
        for (unsigned i = 0; i < rounds; i++) {
            memcpy(broken, bytes, length);
            for (uint32_t k = 1 + draw(4); k > 0; k--) {
                // Mostly small changes: a class that does not even open shows little.
                uint32_t at = draw((uint32_t)length);
                broken[at] = (uint8_t)(draw(2) ? broken[at] + 1u : draw(256));
            }
            run(path, broken, length);
        }
    if (f) fclose(f);
    free(bytes);
    free(broken);
    return 0;
}

int main(int argc, char **argv) {
    struct instr_options options;
    char error[INSTR_ERROR_SIZE];
    if (argc != 3 || (rounds = (unsigned)atoi(argv[1])) == 0) {
        fprintf(stderr, "usage: mutate ROUNDS DIR\n");
        return 2;
    }
    if (instr_options_parse(&options, "timing,calls", error, sizeof error) != 0) return 2;
    struct instr_methods *methods = instr_methods_new();
    for (int i = 0; i < 2; i++)
        if (!methods || !(engines[i] = instr_engine_new(&options, methods, "java/lang/"))) return 2;
    instr_engine_check_input(engines[0]);
    if (nftw(argv[2], each_file, 32, FTW_PHYS) != 0 || tried == 0) failed = 1;
    printf("%lu tried, %lu rewritten, %lu refused\n", tried, rewritten, refused);
    for (int i = 0; i < 2; i++) instr_engine_free(engines[i]);
    instr_methods_free(methods);
    instr_options_free(&options);
    return failed;
}
