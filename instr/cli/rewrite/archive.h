// A jar, and the jars in it.

#ifndef INSTR_CLI_REWRITE_ARCHIVE_H
#define INSTR_CLI_REWRITE_ARCHIVE_H

#include "instr/cli/rewrite/internal.h"

// Rewrites the classes of an archive and of those in it. 1: the result is in `out`; 0: there is
// nothing to rewrite, and `out` is untouched; -1 with `reason`: it cannot be read or written.
// Messages call it `name`.
int cli_rewrite_archive(struct cli_rewrite *rewrite, const struct cli_store *in,
                        struct cli_sink *out, const char *name, int depth,
                        char reason[CLI_REASON_SIZE]);

// Does the name of a file end like that of an archive?
int cli_names_archive(const char *name);

#endif
