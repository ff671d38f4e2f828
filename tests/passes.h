// The passes, as their table has them: a new pass is part of the tests by its row there.

#ifndef TESTS_PASSES_H
#define TESTS_PASSES_H

#include "rewriters/rewriter.h"

#include <stdio.h>
#include <string.h>

enum { PASSES_SIZE = 1024 };

// Writes options that switch on all passes and `more` into `text`; returns `text`. A pass that names
// methods gets all of them. `backwards`: in the opposite order.
static inline const char *every_pass(int backwards, const char *more, char text[PASSES_SIZE]) {
    size_t count = rw_pass_count(), used = 0;
    for (size_t i = 0; i < count && used < PASSES_SIZE; i++) {
        const struct rw_pass *pass = rw_pass_at(backwards ? count - 1 - i : i);
        int named = (pass->flags & RW_NAMES_METHODS) != 0;
        used += (size_t)snprintf(text + used, PASSES_SIZE - used, "%s%s%s%s%s", i ? "," : "",
                                 pass->name, named ? "," : "", named ? pass->name : "",
                                 named ? ".methods=**.*(..)" : "");
    }
    if (used < PASSES_SIZE) snprintf(text + used, PASSES_SIZE - used, "%s", more);
    return text;
}

#endif
