// What the commands share that load the agent into a JVM: its options and its library.

#ifndef INSTR_CLI_AGENT_LIBRARY_H
#define INSTR_CLI_AGENT_LIBRARY_H

#include <limits.h>

// The texts one after the other, NULL at the end. To be freed; NULL: out of memory.
char *cli_concat(const char *first, ...) __attribute__((sentinel));

// Appends the value of an option in a list to `*to`, its commas and backslashes escaped: room for twice
// its length, and '\0'.
void cli_append_value(char **to, const char *value);

// The words as one list of options, to be freed; NULL: out of memory.
char *cli_join_options(int count, char *const *words);

// The options as one list, checked, with the content of configuration files in their place; to be
// freed. With `dormant` there need be no pass. NULL after a message.
char *cli_checked_options(int count, char *const *words, int dormant);

// The path of a file that is installed with this executable: beside it, below it, or in the
// library directory. CLI_OK; or CLI_FAILED after a message that calls the file `what`.
int cli_find_installed(const char *file, const char *what, char path[PATH_MAX]);
// ... of the agent's library.
int cli_find_library(char path[PATH_MAX]);

#endif
