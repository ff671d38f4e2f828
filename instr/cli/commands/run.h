// run.h: becoming a command with the agent in it

#ifndef INSTR_CLI_COMMANDS_RUN_H
#define INSTR_CLI_COMMANDS_RUN_H

// Executes the command, with the agent in each JVM that it starts. Returns only on failure: the exit status, after a
// message.
int cli_run_with_agent(char *const *words, int count, const char *options);

#endif
