// The table of passes, one row each.

#ifndef RW_REWRITERS_H
#define RW_REWRITERS_H

// More rows, for builds that add passes.
#ifndef RW_MORE_PASSES
#define RW_MORE_PASSES(PASS)
#endif

#define RW_PASSES(PASS)                                                                            \
    PASS(calls)                                                                                    \
    PASS(timing)                                                                                   \
    PASS(alloc)                                                                                    \
    PASS(coverage)                                                                                 \
    PASS(exceptions)                                                                               \
    PASS(natives)                                                                                  \
    PASS(watch)                                                                                    \
    RW_MORE_PASSES(PASS)

#define RW_DECLARE(name) extern const struct rw_pass rw_pass_##name;
RW_PASSES(RW_DECLARE)
#undef RW_DECLARE

#endif
