// Entries of archives, as the threads read them.

#ifndef INSTR_CLI_REWRITE_READ_H
#define INSTR_CLI_REWRITE_READ_H

#include "instr/cli/rewrite/work.h"

// The bytes of a job's entry as they lie in the archive, neither inflated nor checked: what is
// broken stays so. -1 with a reason.
int cli_entry_raw(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                  char reason[CLI_REASON_SIZE]);
// The same inflated, with the length and the checksum that the archive states.
int cli_entry_class(struct cli_reader *reader, const struct cli_job *job, struct cli_bytes *bytes,
                    char reason[CLI_REASON_SIZE]);

#endif
