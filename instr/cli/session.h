// The tool's end of the control socket.

#ifndef INSTR_CLI_SESSION_H
#define INSTR_CLI_SESSION_H

#include "instr/cli/cli.h"
#include "instr/protocol/message.h"
#include "instr/options.h"
#include "instr/process/process.h"

#include <jansson.h>

struct cli_session {
    struct instr_target target;
    int fd; // -1: not connected
    struct instr_messages frames;
    char version[64]; // of the agent
    char *text;       // of the document that is coming
    size_t text_used;
};

// What an agent sends.
struct cli_event {
    enum {
        CLI_NOTHING,  // in time
        CLI_DOCUMENT, // `document`, which the receiver frees, and `bytes`
        CLI_BYTES,    // `bytes`
        CLI_NOTE,     // `line`
        CLI_END,      // `status`, `dropped`, `line` if it failed
        CLI_LOST      // the connection; `line` says how
    } kind;
    json_t *document;
    const void *bytes; // until the next call
    size_t length;
    unsigned status;
    uint64_t dropped;
    char line[INSTR_ERROR_SIZE];
};

enum {
    CLI_SESSION_OK,
    CLI_SESSION_NONE,  // no agent listens in that process
    CLI_SESSION_FAILED // another reason
};
// Connects to the agent in the process `pid`. Otherwise `reason` is one line without "instr: ".
int cli_session_open(struct cli_session *session, long pid, char *reason, size_t size);
// The same, for an agent that answers in so many milliseconds.
int cli_session_open_within(struct cli_session *session, long pid, int milliseconds, char *reason,
                            size_t size);
void cli_session_close(struct cli_session *session);

// Sends a file along with the next command; sends a command; cancels it. -1: the connection is
// lost.
int cli_session_file(struct cli_session *session, const char *name, const void *bytes,
                     size_t length);
int cli_session_command(struct cli_session *session, int count, const char *const *words);
int cli_session_cancel(struct cli_session *session);

// Waits for the next event, `milliseconds` at most (-1: as long as it takes), or until a signal.
void cli_session_next(struct cli_session *session, struct cli_event *event, int milliseconds);

#endif
