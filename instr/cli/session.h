// The tool's end of the control socket. A session sends commands and receives events.

#ifndef INSTR_CLI_SESSION_H
#define INSTR_CLI_SESSION_H

#include "instr/base/clock.h"
#include "instr/cli/cli.h"
#include "instr/protocol/message.h"
#include "instr/options.h"
#include "instr/process/process.h"

#include <jansson.h>
#include <stdbool.h>

#define CLI_DISCONNECTED "the agent was detached, or the JVM has ended"

struct cli_session {
    struct instr_process process;
    int fd;         // -1: not connected
    bool no_socket; // there was none to connect to
    struct instr_messages messages;
    uint64_t limit;       // when everything must have happened, in ns; INSTR_NEVER: no limit
    size_t most_document; // bytes; of all documents of an exchange, unless it is a stream
    bool stream;          // documents come for as long as the client wants them
    char version[64];     // of the agent
    char *text;           // of the document that is being received
    size_t text_used;
    // Since the command, or in a stream since its last document: whoever poses as an agent must not
    // fill a terminal or a log.
    size_t notes, note_bytes, answered;
};

// What an agent sends.
struct cli_event {
    enum {
        CLI_NOTHING,  // no whole event in time, or a signal
        CLI_DOCUMENT, // `document`, which the receiver frees, and its `bytes`
        CLI_BYTES,    // `bytes`
        CLI_NOTE,     // `line`
        CLI_END,      // `status`, `dropped`, `line` if it failed
        CLI_LOST      // the connection is lost; `line` says how
    } kind;
    json_t *document;  // its strings are printable
    const void *bytes; // as they were sent, until the next call
    size_t length;
    unsigned status;
    uint64_t dropped;
    char line[INSTR_ERROR_SIZE];
};

enum {
    CLI_SESSION_OK,
    CLI_SESSION_NONE,  // no agent listens in this process
    CLI_SESSION_FAILED // any other reason
};
// Connects to the agent in the process `pid`. On failure, `reason` is one line without "instr: ".
int cli_session_open(struct cli_session *session, long pid, char *reason, size_t size);
// The same for a session in which everything must happen within so many milliseconds.
int cli_session_open_within(struct cli_session *session, long pid, int milliseconds, char *reason,
                            size_t size);
// Says that the agent does not respond, or that its process is stopped. Returns CLI_FAILED.
int cli_session_silent(const struct cli_session *session);
// What follows must happen within so many milliseconds from now.
void cli_session_limit(struct cli_session *session, int milliseconds);
void cli_session_close(struct cli_session *session);

// Sends a file for the next command; sends a command; cancels it. -1: the connection is lost.
int cli_session_file(struct cli_session *session, const char *name, const void *bytes,
                     size_t length);
int cli_session_command(struct cli_session *session, int count, const char *const *words);
int cli_session_cancel(struct cli_session *session);
// Prints why one of these has just failed. Returns CLI_FAILED.
int cli_session_unsent(void);

// Waits for the next whole event, at most `milliseconds` and not beyond the session's limit, or until
// a signal.
void cli_session_next(struct cli_session *session, struct cli_event *event, int milliseconds);

// Makes the event say that the agent has not answered in time.
void cli_session_late(const struct cli_session *session, struct cli_event *event);

// Sends a command of one word and waits for its end, within the session's limit. Returns the last
// document, which the caller frees, or NULL; *event is the last event.
json_t *cli_session_ask(struct cli_session *session, const char *command, struct cli_event *event);

#endif
