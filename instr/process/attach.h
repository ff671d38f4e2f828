// attach.h: loads an agent into a running HotSpot JVM by its attach mechanism, without a JDK
//
// A file .attach_pidN and SIGQUIT make the JVM listen on a socket, /tmp/.java_pidN, which takes
// commands.

#ifndef INSTR_PROCESS_ATTACH_H
#define INSTR_PROCESS_ATTACH_H

#include "instr/process/remote_jvm.h"

// The result of loading an agent.
enum instr_attach_status {
    INSTR_ATTACH_OK,        // Agent_OnAttach returned 0
    INSTR_ATTACH_REFUSED,   // Agent_OnAttach failed; the JVM's standard error has the reason
    INSTR_ATTACH_FAILED,    // Agent_OnAttach was not called; see `reason`
    INSTR_ATTACH_NOT_LOADED // as FAILED: the JVM did not load the library
};

// Makes the JVM load the agent library at `path`, as the JVM sees it, with `options`. Meanwhile it
// takes the rights of the JVM's user, if we are root. If the caller blocks the signals that would end
// us, no file is left behind. Each step waits at most `seconds`; waiting for the JVM to listen ends
// early when it is cancelled. `reason` receives one line, `result` what Agent_OnAttach returned.
enum instr_attach_status instr_attach_load(const struct instr_remote_jvm *jvm, const char *path,
                                           const char *options, int seconds, int *result,
                                           char *reason, size_t size);

// Is a blocked signal pending that would end us (SIGINT, SIGTERM, SIGHUP)?
int instr_attach_is_cancelled(void);

// A JVM before JDK 24 does not take longer options.
enum { INSTR_ATTACH_OLD_LIMIT = 1024 };

#endif
