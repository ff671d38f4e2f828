// What the commands share that send one command to an agent and print its answer.

#ifndef INSTR_CLI_TALK_H
#define INSTR_CLI_TALK_H

#include "instr/cli/cli.h"
#include "instr/cli/session.h"
#include "instr/options.h"

// The arguments of such a command: PID first, then its own. --json may stand anywhere.
struct cli_control {
    long pid;
    int json;
    int within_ms;            // for the whole command; 0: as long as the agent reports progress
    size_t most_document;     // bytes of an answer; 0: as the session has it
    int argc;                 // without PID and options
    char **argv;              // argc words
    const char *as;           // --as
    struct instr_owner owner; // who gives the command, see cli_control_sign
};

// Reads the arguments. `options` are the command's own beside --json (NULL: none). Of the words
// after PID there must be `least` to `most`; `what` says in a message what they are. CLI_OK or
// CLI_USAGE.
int cli_control_arguments(struct cli_control *control, const char *command, int argc, char **argv,
                          const struct cli_option *options, int least, int most, const char *what);

// Finds out who gives the command: `as`, or the login name. CLI_OK or CLI_USAGE.
int cli_control_sign(const char *command, const char *as, struct instr_owner *owner);

// Tells the agent who gives the next command; an owner without a name is not sent. CLI_OK or
// CLI_FAILED.
int cli_control_introduce(struct cli_session *session, const struct instr_owner *owner);

// Is it certain that the process is not a JVM?
int cli_is_no_jvm(long pid);
// Is the library of the agent in the process, which nothing answers in? Then that is printed.
int cli_agent_is_silent(long pid);

// Connects, or prints why it cannot. CLI_OK or CLI_FAILED.
int cli_control_connect(struct cli_session *session, long pid);

// Prints a document of the agent for people.
typedef void (*cli_printer)(const json_t *document, const struct instr_process *target);

// The next event of a command that may take long. An agent that is busy sends a line at least every two
// seconds; one that sends no whole message for ten counts as lost.
void cli_control_next(struct cli_session *session, struct cli_event *event);

// Sends the words and receives all events until the end. Documents go to `show`, or with `json` to
// standard output as they are; notes go to standard error. The exit status.
int cli_control_run(struct cli_session *session, int count, const char *const *words, int json,
                    cli_printer show);
// The same in a session of its own.
int cli_control_talk(const struct cli_control *control, int count, const char *const *words,
                     cli_printer show);

// Prints what an event says about the end of a command: why it failed and what was dropped.
// CLI_OK or CLI_FAILED.
int cli_control_end(const struct cli_event *event);

// Prints JSON to standard output, and frees it. CLI_OK or CLI_FAILED.
int cli_json_print(json_t *json);

// A string with this text; what is not valid UTF-8, as in the arguments of any process, and where a text was cut
// off, is U+FFFD in it.
json_t *cli_json_text(const char *text);

// The text of a string; "" if the value is none.
const char *cli_string(const json_t *value);

// The member `key` of an object; "" or 0 if it has none of this kind.
const char *cli_text(const json_t *object, const char *key);
uint64_t cli_count(const json_t *object, const char *key);

// The strings of the member `key`, an array, with ", " between them.
char *cli_text_list(const json_t *object, const char *key, char *text, size_t size);

#endif
