// What commands that switch passes share.

#ifndef INSTR_CLI_SWITCH_H
#define INSTR_CLI_SWITCH_H

#include "instr/cli_control.h"

// Prints the answer of enable and its like.
void cli_switch_show(const json_t *document, const struct instr_target *target);

// The arguments as one list of options, checked, to be freed. With files among them what these say
// takes their place, as the JVM may not be able to read them; else nothing is left out that says
// what is so anyway. NULL: a line was printed.
char *cli_switch_options(const struct cli_control *control);

#endif
