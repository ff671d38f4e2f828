// The bytes of a class in a JVM.

#ifndef INSTR_CLI_DUMP_H
#define INSTR_CLI_DUMP_H

#include "instr/cli/input.h"
#include "instr/cli/talk.h"

// Fetches the class that control->argv[0] names, as the JVM has it now or, with `original`, as it
// was loaded first. CLI_OK: the caller frees the bytes; or CLI_FAILED after a message.
int cli_dump_fetch(const struct cli_control *control, int original, struct cli_bytes *bytes);

#endif
