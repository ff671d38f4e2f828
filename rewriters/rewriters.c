// The passes as an array, and by name.

#include "rewriter.h"
#include "rewriters.h"

#define RW_POINTER(name) &rw_pass_##name,
const struct rw_pass *const rw_passes[] = {RW_PASSES(RW_POINTER) NULL};
#undef RW_POINTER

const struct rw_pass *rw_pass_named(const char *name, size_t length) {
    for (const struct rw_pass *const *pass = rw_passes; *pass; pass++)
        if (strlen((*pass)->name) == length && memcmp((*pass)->name, name, length) == 0)
            return *pass;
    return NULL;
}
