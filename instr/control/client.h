// One client of the control socket: what it sent, what waits to be sent to it, the command at hand.
// The descriptor never blocks, and nothing here waits.

#ifndef INSTR_CONTROL_CLIENT_H
#define INSTR_CONTROL_CLIENT_H

#include "instr/control/server.h"
#include "instr/protocol/message.h"
#include "instr/options.h"

enum {
    INSTR_STREAM_QUEUE = 1024 * 1024, // bytes kept for a client that reads a stream slowly
    INSTR_REPLY_QUEUE =
        64 * 1024 * 1024, // ... that reads an answer slowly; also the largest document
};

// What grows: `used` bytes from `start` on.
struct instr_bytes {
    uint8_t *bytes;
    size_t start, used, capacity;
};

struct instr_reply {
    struct instr_output document; // being written; its bytes go to `text`
    struct instr_bytes text, queue;
    uint64_t dropped;
    uint64_t next_tick;
    int failed, stop_control, streaming;
    char reason[INSTR_ERROR_SIZE];
    struct instr_stream stream;
};

enum instr_client_state {
    INSTR_CLIENT_GREETING, // HELLO has not come
    INSTR_CLIENT_READY,    // for a command
    INSTR_CLIENT_BUSY,     // a stream goes on
    INSTR_CLIENT_LEAVING   // nothing is read any more; when all is sent it is closed
};

struct instr_client {
    int fd;
    enum instr_client_state state;
    uid_t uid;
    pid_t pid;
    struct instr_agent *agent;
    struct instr_messages frames;
    struct instr_blob *blobs; // names and bytes in one allocation each, the name's
    size_t blob_count, blob_bytes;
    int more;          // frames may be waiting to be taken
    uint64_t deadline; // CLOCK_MONOTONIC ns: closed then, unless something comes or goes before
    struct instr_reply reply;
};

// Takes over `fd`, which does not block. NULL: out of memory, and `fd` is closed.
struct instr_client *instr_client_new(int fd, struct instr_agent *agent, uid_t uid, pid_t pid);
// Ends a stream that goes on, closes, frees.
void instr_client_free(struct instr_client *client);

// What poll is to look for.
short instr_client_events(const struct instr_client *client);
// When it wants to be served without an event: a tick or its deadline.
uint64_t instr_client_next(const struct instr_client *client);
// Does what can be done: reads, runs a command, ticks, writes. `revents`: what poll has seen;
// `woken`: the stream is to be ticked. 0: the client is gone, and to be freed.
int instr_client_serve(struct instr_client *client, short revents, int woken, uint64_t now);

// --- within the control channel: control_reply.c ---

void instr_bytes_free(struct instr_bytes *bytes);
void instr_reply_hello(struct instr_reply *reply);
void instr_reply_start(struct instr_reply *reply);                // a command begins
void instr_reply_end(struct instr_reply *reply, unsigned status); // 0, 1: failed, 2: bad protocol
void instr_reply_free(struct instr_reply *reply);

// Sends the client away with one line.
void instr_client_refuse(struct instr_client *client, const char *reason);

#endif
