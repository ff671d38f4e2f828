// What the fuzz targets share. A target is one file with one LLVMFuzzerTestOneInput: libFuzzer
// calls it with bytes of its own making (tests/fuzz/run), and replay.c with the inputs that once
// found something.

#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "classfile/classfile.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What must hold whatever the bytes are; a finding like any crash.
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

// An arena that makes an allocation of its own of everything, so that AddressSanitizer sees one
// byte too far.
static inline void fuzz_arena(struct cf_arena *arena) {
    cf_arena_init(arena);
    arena->smallest = 1;
}

#endif
