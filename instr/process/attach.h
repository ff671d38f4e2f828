// Brings an agent into a running HotSpot JVM by its attach mechanism, without a JDK: a file
// .attach_pidN and SIGQUIT have the JVM listen on a socket, /tmp/.java_pidN, and there it takes
// commands.

#ifndef INSTR_ATTACH_H
#define INSTR_ATTACH_H

#include "instr/process/remote_jvm.h"

// What has come of loading an agent.
enum instr_attach_status {
    INSTR_ATTACH_OK,      // its Agent_OnAttach returned 0
    INSTR_ATTACH_REFUSED, // ... something else; it has said why to the JVM's standard error
    INSTR_ATTACH_FAILED   // it did not get that far: `reason`
};

// Has the JVM load the agent library at `path`, as the JVM sees it, with `options`. Takes the
// rights of the JVM's user meanwhile, if we are root. Leaves no file behind, if the caller holds
// signals back that would end us; waits `seconds` at most for each step, and, once it is called
// off, not for the JVM to listen. `reason` gets one line in words, `result` what Agent_OnAttach
// returned.
enum instr_attach_status instr_attach_load(const struct instr_jvm *jvm, const char *path,
                                           const char *options, int seconds, int *result,
                                           char *reason, size_t size);

// Does a signal wait that is to end us (SIGINT, SIGTERM, SIGHUP), and is held back?
int instr_attach_is_called_off(void);

// Options longer than this cannot be handed to a JVM before JDK 24.
enum { INSTR_ATTACH_OLD_LIMIT = 1024 };

#endif
