// What commands that switch passes share.

#ifndef INSTR_CLI_SWITCH_H
#define INSTR_CLI_SWITCH_H

#include "instr/cli/talk.h"

// Prints the answer of enable and its like.
void cli_switch_show(const json_t *document, const struct instr_target *target);

// Sends enable and takes its answer. Without `wait` it comes when the first classes are changed, of
// a few all of them, and says how many follow. The exit status.
int cli_switch_enable(struct cli_session *session, const char *options, int wait, int json);

// Takes --wait and --no-wait out of the arguments; `otherwise` if there is neither.
int cli_switch_wait(int *argc, char **argv, int otherwise);

// The arguments as one list of options, checked, to be freed. With files among them what these say
// takes their place, as the JVM may not be able to read them; else nothing is left out that says
// what is so anyway. NULL: a line was printed.
char *cli_switch_options(const struct cli_control *control);

#endif
