// A directory and everything in it.

#ifndef INSTR_CLI_REWRITE_TREE_H
#define INSTR_CLI_REWRITE_TREE_H

#include "instr/cli/rewrite/internal.h"

// Rewrites the directory rewrite->in to rewrite->out. The exit status.
int cli_rewrite_tree(struct cli_rewrite *rewrite);

#endif
