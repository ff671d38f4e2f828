// The probes of a line.

#ifndef INSTR_CLI_EXEC_LINE_H
#define INSTR_CLI_EXEC_LINE_H

#include "instr/cli/exec/classes.h"

// The probes of a class of which at least one is hit when its line `line` runs, by JaCoCo's rules.
struct cli_line_probes {
    uint64_t id;
    size_t probes; // of the class
    uint8_t *bits; // from malloc; NULL: the line has no code
};
// Returns 0; or -1 with the reason in `error`.
int cli_find_line_probes(const struct cli_class_file *file, unsigned line,
                         struct cli_line_probes *found, char *error, size_t size);

#endif
