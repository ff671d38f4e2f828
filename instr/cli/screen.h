// A terminal that is a screen for a while.

#ifndef INSTR_CLI_SCREEN_H
#define INSTR_CLI_SCREEN_H

#include <stddef.h>

// Makes the terminal of standard input and output a screen: no echo, keys come at once, what was
// there is kept for later. 0; -1: they are no terminal.
int cli_screen_open(void);
// Gives the terminal back as it was. Also when the process is ended by a signal.
void cli_screen_close(void);

// Rows and columns at this moment; 24 and 80 where nobody knows.
void cli_screen_size(int *rows, int *columns);

// Has SIGINT, SIGTERM and SIGHUP set a flag, and no more.
void cli_catch_signals(void);
int cli_caught(void);

// Shows these lines (no more than there are rows), each cut at the last column. Control characters
// are shown as
// '?'.
void cli_screen_show(char *const *lines, size_t count);

// The next key that waits; 0: none.
int cli_screen_key(void);

#endif
