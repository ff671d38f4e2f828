// The bytes of a class in a JVM.

#ifndef INSTR_CLI_DUMP_H
#define INSTR_CLI_DUMP_H

#include "instr/cli/talk.h"
#include "instr/cli/input.h"

// Fetches the class that control->argv[0] names, as the JVM has it now or, with `original`, as it
// was first loaded. CLI_OK: the bytes are the caller's. CLI_FAILED: a line was printed.
int cli_dump_fetch(const struct cli_control *control, int original, struct cli_bytes *bytes);

#endif
