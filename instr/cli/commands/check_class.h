// How `instr check` checks one class.

#ifndef INSTR_CLI_CHECK_CLASS_H
#define INSTR_CLI_CHECK_CLASS_H

#include "classfile/arena.h"
#include "instr/engine.h"

// One per thread.
struct cli_checker {
    struct instr_engine *engine;
    const struct instr_options *options;
    struct cf_arena arena;
};

struct cli_checked {
    uint32_t methods; // of the class
    int matched;      // by the options' patterns
    char reason[256]; // of a failure
};

// Checks that the bytes are a well-formed class, that the rewriter reproduces them byte for byte
// when nothing is edited, and that the class is well-formed again after all passes of the options.
// Returns 0; or -1 with the reason in `checked`.
int cli_check_class(struct cli_checker *checker, const uint8_t *bytes, size_t length,
                    struct cli_checked *checked);

#endif
