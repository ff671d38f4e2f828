// What the commands that talk to an agent share.

#ifndef INSTR_CLI_CONTROL_H
#define INSTR_CLI_CONTROL_H

#include "instr/cli/session.h"

// The arguments of such a command: PID first, then its own, with --json anywhere.
struct cli_control {
    long pid;
    int json;
    int argc; // without PID and --json
    const char *argv[INSTR_MESSAGE_WORDS];
};

// Reads the arguments. CLI_OK, or an exit status after a line was printed.
int cli_control_arguments(struct cli_control *control, const char *command, int argc, char **argv);

// Connects, or prints why not. CLI_OK or CLI_FAILED.
int cli_control_connect(struct cli_session *session, long pid);

// Sends the words and takes all that comes until the end: `show` gets each document (NULL: nothing
// is shown), notes go to standard error; with `json` documents are printed as they came. The exit
// status.
int cli_control_run(struct cli_session *session, int count, const char *const *words, int json,
                    void (*show)(const json_t *document, const struct instr_target *target));

// The member `key` of an object, "" or 0 if there is none of that kind.
const char *cli_text(const json_t *object, const char *key);
uint64_t cli_count(const json_t *object, const char *key);

// A duration such as 50ms, 30s, 2m, 1.5s, in nanoseconds; 0: it is none.
uint64_t cli_duration(const char *text);

// Prints text that came from a JVM: nothing in it gets at the terminal.
void cli_print(const char *text);

#endif
