// An archive, rewritten from a file to a file.

#ifndef INSTR_CLI_REWRITE_FILE_H
#define INSTR_CLI_REWRITE_FILE_H

#include "instr/cli/rewrite/internal.h"

// Rewrites an archive to a new file. 0; or -1 with `reason`: then no file is left.
int cli_rewrite_archive_file(struct cli_rewrite *rewrite, const char *in, const char *out,
                             char reason[CLI_REASON_SIZE]);

// Rewrites the archive rewrite->in to rewrite->out, which is replaced when it is whole. The exit
// status.
int cli_rewrite_jar(struct cli_rewrite *rewrite);

#endif
