// Makes the agent's library reachable for a JVM.

#ifndef INSTR_CLI_DELIVER_H
#define INSTR_CLI_DELIVER_H

#include "instr/process/process.h"

// Does the target see the same file under this name, and may its user read it?
int cli_target_sees(const struct instr_target *target, const char *path);

// The path under which the target can load `library`: its own, where the target sees the same file
// and may read it; else that of a copy, made in the control directory of the target's user, below
// its own root, and kept there: what is loaded once must not be loaded again from another file. 0;
// -1 with one line in `reason`.
int cli_deliver(const struct instr_target *target, const char *library, char *path,
                size_t path_size, char *reason, size_t size);

#endif
