// A single class.

#ifndef INSTR_CLI_REWRITE_SINGLE_H
#define INSTR_CLI_REWRITE_SINGLE_H

#include "instr/cli/rewrite/internal.h"

// Rewrites the class file rewrite->in to rewrite->out. The exit status.
int cli_rewrite_single(struct cli_rewrite *rewrite);

#endif
