// The terminal as a screen.

#ifndef INSTR_CLI_SCREEN_H
#define INSTR_CLI_SCREEN_H

// Switches the terminal of standard input and output to its alternate screen, without echo, and
// delivers keys at once. 0; or -1: they are not a terminal.
int cli_screen_open(void);
// Restores the terminal. exit() does it, too.
void cli_screen_close(void);

// The rows and columns at this moment; 24 and 80 if they are unknown.
void cli_screen_size(int *rows, int *columns);

// Makes SIGINT, SIGTERM and SIGHUP set a flag and nothing else; SIGHUP only if it is not ignored, as by nohup.
void cli_catch_signals(void);
// 0: none was caught; 1: one; 2: another one a second later or more: somebody does not want to wait.
int cli_caught(void);

// Shows the lines of the text that fit, each cut at the last column. Control characters are shown
// as '?'.
void cli_screen_show(const char *text);

enum { CLI_SCREEN_GONE = -1 };
// The next key that was pressed; 0: none. CLI_SCREEN_GONE: the terminal has gone away, though SIGHUP is ignored.
int cli_screen_key(void);

#endif
