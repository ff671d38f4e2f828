// One client of the control socket: the messages it sends, the command that runs, the reply. The
// descriptor is non-blocking, and nothing here waits.

#ifndef INSTR_CLIENT_H
#define INSTR_CLIENT_H

#include "instr/control/commands.h"
#include "instr/protocol/message.h"

#include <stdbool.h>

enum instr_client_state {
    INSTR_CLIENT_GREETING, // HELLO was not received yet
    INSTR_CLIENT_READY,    // for a command
    INSTR_CLIENT_BUSY,     // a stream is running
    INSTR_CLIENT_LEAVING   // nothing more is read; closed when everything is sent
};

struct instr_client {
    int fd;
    enum instr_client_state state;
    uid_t uid;
    pid_t pid;
    struct instr_agent *agent;
    struct instr_messages messages;
    struct instr_blob *blobs; // name and bytes are one allocation, owned by the name
    size_t blob_count, blob_capacity, blob_bytes;
    size_t held;         // bytes of files and messages, as counted in the sum of all clients
    const char *command; // that runs or ran last
    bool quiet;          // it began with nothing to send, so that lines can be sent at once
    int more;            // received messages may be waiting
    uint64_t deadline;   // CLOCK_MONOTONIC ns; extended whenever data is sent or received
    struct instr_reply reply;
};

// Takes over `fd`, which must be non-blocking. NULL: out of memory, and `fd` is closed.
struct instr_client *instr_client_new(int fd, struct instr_agent *agent, uid_t uid, pid_t pid);
// Ends a running stream, closes the descriptor, frees the client.
void instr_client_free(struct instr_client *client);

// The events that poll should wait for.
short instr_client_events(const struct instr_client *client);
// The time at which the client needs to be served without an event: a tick or its deadline.
uint64_t instr_client_next(const struct instr_client *client);
// Does what can be done now: reads, runs commands, ticks the stream, writes. `revents`: the result
// of poll; `woken`: tick the stream in any case. 0: the client has disconnected, free it.
int instr_client_serve(struct instr_client *client, short revents, int woken, uint64_t now);

// The pulse: takes what the client sends and greets it, but runs nothing. `line` is for a client that
// waits; NULL: none.
void instr_client_attend(struct instr_client *client, const char *line);
// The pulse: sends a line to the client for which a command runs.
void instr_client_note(const struct instr_client *client, const char *line);

// Disconnects the client with an error.
void instr_client_refuse(struct instr_client *client, const char *reason);

#endif
