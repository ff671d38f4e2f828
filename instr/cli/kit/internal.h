// The commands of instr kit. Each gets the arguments behind its name.

#ifndef INSTR_CLI_KIT_INTERNAL_H
#define INSTR_CLI_KIT_INTERNAL_H

#include "instr/cli/talk.h"

// The arguments of the commands that change a kit in a JVM: PID, a name (`least` 0: or none), --as or --all,
// --json. `what` says in a message what they are.
int cli_kit_arguments(struct cli_control *control, int argc, char **argv, int least,
                      const char *what, int *all);

int cli_kit_check(int argc, char **argv);
int cli_kit_drop(int argc, char **argv);
int cli_kit_new(int argc, char **argv);
int cli_kit_reload(int argc, char **argv);
int cli_kit_test(int argc, char **argv);

#endif
