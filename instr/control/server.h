// The control channel: a Unix domain socket through which operators send commands to the agent.
//
//      client --> socket.c --> server.c --> client.c --> a command's file --> reply.c --> client
//                 path, file   the thread   messages     (commands.h)         documents
//
// One thread of the agent serves all clients, and sleeps in poll while there is nothing to do. It
// becomes a Java thread, a daemon, when a command needs JNI, and stops being one when the last
// client has disconnected. Commands run on it one after the other, so two operators never change
// something at the same time; meanwhile a second thread keeps clients informed (pulse.h). Nothing in the JVM waits for this thread, and it never waits for a
// client: data that a client does not read is queued up to a limit; beyond that, documents are
// dropped and counted, or the client is disconnected.

#ifndef INSTR_SERVER_H
#define INSTR_SERVER_H

#include "instr/base/clock.h"
#include "instr/protocol/socket_path.h"

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instr_agent;

struct instr_control_config {
    struct instr_agent *agent;
    char folder[INSTR_CONTROL_FOLDER + 1]; // for the directory of the socket
    int without_socket; // accept no commands; `watch` is called and the kill switch works
    // Called on the control thread after every command and at the time that the last call returned
    // (CLOCK_MONOTONIC, ns): expiry, limits. May be NULL. `*killed`: the kill switch, a file in the
    // control directory, exists. That is checked once a second unless this returns INSTR_NEVER. The
    // file is removed when this has set it to false: everything is off.
    uint64_t (*watch)(struct instr_agent *agent, uint64_t now, bool *killed);
    // Called on the control thread when the socket cannot be created and no caller waited for it.
    void (*failed)(const char *reason);
};

// Starts the thread, which creates directory and socket; with `wait` they exist on return. Allowed
// from VMInit on. If the thread is running, it creates the socket again should it be missing. 0:
// see `reason`; the JVM continues without a control channel.
int instr_control_start(const struct instr_control_config *config, int wait, char *reason,
                        size_t size);

// Removes the socket and makes the thread end, without waiting for it. Any thread may call this; at
// VMDeath the agent does.
void instr_control_stop(void);

// After instr_control_stop: if the thread is at work, or has clients, waits until it has ended, but
// not longer than some seconds. Not on that thread.
void instr_control_await_end(void);

#endif
