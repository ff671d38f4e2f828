// One class on its way through the rewriter.

#ifndef INSTR_CLI_REWRITE_CLASS_H
#define INSTR_CLI_REWRITE_CLASS_H

#include "instr/cli/rewrite/internal.h"

// One thread's.
struct cli_rewriter {
    struct cli_rewrite *rewrite;
    struct cf_arena arena;
};

struct cli_class {
    const uint8_t *bytes;
    size_t length;
    const char *name; // its path below the root
    struct cli_root *root;
    struct cf_class cls;
};

// Opens a class. -1: it must be skipped, for the reason given.
int cli_class_open(struct cli_rewriter *rewriter, struct cli_class *class,
                   char reason[CLI_REASON_SIZE]);
// Gives ids to its methods and adds them to the root's rows. To be called for one class after the
// other, in their order, so that the ids do not depend on the threads.
void cli_class_number(struct cli_rewriter *rewriter, struct cli_class *class);
// Rewrites it. 1: the result is in `out`; 0: it is unchanged; -1: it is skipped for the reason.
int cli_class_rewrite(struct cli_rewriter *rewriter, struct cli_class *class, struct cli_bytes *out,
                      char reason[CLI_REASON_SIZE]);

// The results of classes that occur more than once.
struct cli_cache *cli_cache_new(void);
void cli_cache_free(struct cli_cache *cache);

#endif
