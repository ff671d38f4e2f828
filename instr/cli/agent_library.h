// What commands that bring the agent into a JVM share: its options and its library.

#ifndef INSTR_CLI_AGENT_H
#define INSTR_CLI_AGENT_H

#include <limits.h>

// Returns `text` with `more` behind it, made anew; frees `text`. NULL in, or out of memory: NULL.
char *cli_append(char *text, const char *more);

// The words as one list, to be freed; NULL when out of memory.
char *cli_join_options(int count, char **words);

// The options as one list, checked, and with what configuration files say in their place, to be
// freed. `dormant`: there need be no pass. NULL: an error was printed.
char *cli_checked_options(int count, char **words, int dormant);

// The path of the agent's library. 0; or -1 when an error was printed.
int cli_find_library(char path[PATH_MAX]);

#endif
