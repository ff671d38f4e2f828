// The commands of instr kit. Each gets the arguments behind its name.

#ifndef INSTR_CLI_KIT_INTERNAL_H
#define INSTR_CLI_KIT_INTERNAL_H

int cli_kit_check(int argc, char **argv);
int cli_kit_drop(int argc, char **argv);
int cli_kit_new(int argc, char **argv);
int cli_kit_test(int argc, char **argv);

#endif
