// What the commands share that change what the agent does.

#ifndef INSTR_CLI_SWITCH_H
#define INSTR_CLI_SWITCH_H

#include "instr/cli/talk.h"

// Prints the answer to enable and the like.
void cli_switch_show(const json_t *document, const struct instr_process *target);
// The same after a command that takes inserted code out.
void cli_switch_show_restored(const json_t *document, const struct instr_process *target);

enum { CLI_LEASE_SIZE = 32 };

// attach and enable: the arguments, and whether to wait until all classes are retransformed.
struct cli_switch {
    struct cli_control control;
    int wait;
    char lease[CLI_LEASE_SIZE]; // --for as an option, the last one of `control`
};
// `least` words must follow the process id.
int cli_switch_arguments(struct cli_switch *command, const char *name, int argc, char **argv,
                         int least);

// Loads the agent if it is not there, and enables the options. Without any, `idle` prints that the
// agent is there. Without `wait` the answer comes when the first classes are changed and says how
// many follow. The exit status.
int cli_switch_enable(const struct cli_switch *command, cli_printer idle);

#endif
