// The control channel: a Unix domain socket through which an operator's commands come into the JVM.
//
// One thread of the agent's own serves it. It is unknown to the JVM (no Java thread) until a
// command needs JNI; then it is a daemon, and it is taken off again when the last client has gone.
// While nothing happens it sleeps in poll. Commands run on it one after the other, so no two
// operators change anything at once. Nothing in the JVM waits for it, and it waits for no client:
// what a client does not read is kept up to a limit, then left out and counted, or the client is
// dropped.
//
// A command is a row of the table in control_commands.h and a function
//
//      void instr_command_NAME(struct instr_request *request, struct instr_reply *reply);
//
// which answers with documents of JSON, bytes and lines:
//
//      struct instr_output *out = instr_reply_document(reply);
//      struct instr_json json = instr_json_start(out);
//      ...
//      instr_reply_document_end(reply);
//
// or with one line of error, instr_reply_fail(reply, "no class %s is loaded", name). When the
// function returns the command has ended, unless it made the reply a stream.

#ifndef INSTR_CONTROL_H
#define INSTR_CONTROL_H

#include "instr/base/clock.h"
#include "instr/base/output.h"

#include <jni.h>

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct instr_agent;

// A file that the client sent along.
struct instr_blob {
    const char *name; // as the client calls it
    const uint8_t *bytes;
    size_t length;
};

struct instr_request {
    const char *name;        // of the command
    const char *const *argv; // its arguments
    int argc;
    const struct instr_blob *blobs;
    size_t blob_count;
    uid_t uid; // of the client
    pid_t pid;
    struct instr_agent *agent;
};

struct instr_reply; // everything below with one of these: on the control thread only

// Begins a document of JSON; what is written to the result belongs to it until it is ended. A
// document comes whole or not at all. On a stream, when the client is too slow, it is left out and
// counted.
struct instr_output *instr_reply_document(struct instr_reply *reply);
void instr_reply_document_end(struct instr_reply *reply);

// Bytes of a file, at any number of calls.
void instr_reply_bytes(struct instr_reply *reply, const void *bytes, size_t length);

// A line for people, "12 of 40 classes done", which the tool prints to standard error.
__attribute__((format(printf, 2, 3))) void instr_reply_note(struct instr_reply *reply,
                                                            const char *format, ...);

// The command has failed: the reason in one line, without "instr: " and newline. The first one
// counts.
__attribute__((format(printf, 2, 3))) void instr_reply_fail(struct instr_reply *reply,
                                                            const char *format, ...);

// The control thread's JNI environment; attaches it as a daemon if it is not attached yet. NULL:
// the JVM refuses, and the reply has failed.
JNIEnv *instr_reply_jni(struct instr_reply *reply);

// What goes on after the function has returned.
struct instr_stream {
    // Called at the time that the last call asked for, and whenever instr_wake was called.
    // Writes what there is. Returns when it is to be called again, CLOCK_MONOTONIC in nanoseconds
    // (INSTR_NEVER: only when woken); 0: the stream has ended.
    uint64_t (*tick)(void *context, struct instr_reply *reply, uint64_t now);
    // Called once, at the end: `tick` returned 0, the client cancelled, or it died, or the agent
    // stops. With a client that is still there, documents and lines may be written.
    void (*end)(void *context, struct instr_reply *reply);
    void *context;
};

// Makes the reply a stream: `tick` is called for the first time right after the function has
// returned.
void instr_reply_stream(struct instr_reply *reply, const struct instr_stream *stream);

// Ends the control channel with this reply, as instr_control_stop does; the reply is still sent.
void instr_reply_stop_control(struct instr_reply *reply);

// --- for the agent ---

struct instr_control_config {
    struct instr_agent *agent;
    int deaf; // no socket: nobody can command, but `watch` is called, and the kill switch works
    // Called on the control thread at the times it asks for (as `tick`), and after every command:
    // expiry, limits. May be NULL. `killed`: the kill switch, a file in the control directory, is
    // there; asked for once a second while this returns anything but INSTR_NEVER.
    uint64_t (*watch)(struct instr_agent *agent, uint64_t now, int killed);
    // There will be no socket; from the control thread, when nobody waited for it.
    void (*failed)(const char *reason);
};

// Makes the thread, which makes directory and socket; with `wait` they are there on return. From
// VMInit on. When it runs already it makes the socket again, should somebody have taken it away.
// False: one line in `reason`, and the JVM goes on without.
int instr_control_start(const struct instr_control_config *config, int wait, char *reason,
                        size_t size);

// Takes the socket away and has the thread end, without waiting for it. From any thread; at
// VMDeath.
void instr_control_stop(void);

#endif
