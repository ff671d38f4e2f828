// The passes as a list, and by name.

#include "rewriters.h"
#include "rewriter.h"

#include <string.h>

enum { MOST = 64 };

#define RW_POINTER(name) &rw_pass_##name,
static const struct rw_pass *passes[MOST] = {RW_PASSES(RW_POINTER)};
#undef RW_POINTER

#define RW_ONE(name) +1
static size_t count = RW_PASSES(RW_ONE);
#undef RW_ONE

size_t rw_pass_count(void) {
    return count;
}

const struct rw_pass *rw_pass_at(size_t i) {
    return passes[i];
}

int rw_pass_add(const struct rw_pass *pass) {
    if (count == MOST || rw_pass_named(pass->name, strlen(pass->name))) return -1;
    passes[count++] = pass;
    return 0;
}

const struct rw_pass *rw_pass_named(const char *name, size_t length) {
    for (size_t i = 0; i < count; i++)
        if (strlen(passes[i]->name) == length && memcmp(passes[i]->name, name, length) == 0)
            return passes[i];
    return NULL;
}

void rw_pass_hold(const struct rw_pass *pass) {
    if (pass && pass->made) __atomic_fetch_add(&pass->made->holders, 1, __ATOMIC_RELAXED);
}

void rw_pass_release(const struct rw_pass *pass) {
    if (pass && pass->made && __atomic_fetch_sub(&pass->made->holders, 1, __ATOMIC_ACQ_REL) == 1)
        pass->made->free(pass);
}
