// The commands of the control socket. A command is a row of the table, which help and dispatch use,
// and a function in a file of its own (or beside a command that shares its code):
//
//      void instr_command_NAME(struct instr_request *request, struct instr_reply *reply);
//
// The command ends when the function returns, unless it made the reply a stream. The comment above
// the function says what the command replies. Each argument is one word:
//
//      enable OPTIONS [MILLISECONDS]    see operation.h, as for disable, reload, set, revert, off, detach
//      watch METHODS [limit=N] [if-slower=NS] [if-thrown] [stack] [for=NS]
//      dump CLASS [original]
//      redefine [all-loaders]           the class files are sent before the command
//      undo [CLASS]
//      top MILLISECONDS ROWS self|total|calls|thrown [RULE]
//      exec_dump [reset]
//      report PASS [reset] [all]
//      plugin NAME TEXT
//      kits
//      reload [KIT] [all]
//
// Before enable, disable, reload, set, report, top and watch the client may send its name, as a file called "as".

#ifndef INSTR_COMMANDS_H
#define INSTR_COMMANDS_H

#include "instr/control/reply.h"

#include <stdbool.h>
#include <sys/types.h>

#define INSTR_CONTROL_COMMANDS(COMMAND)                                                            \
    COMMAND(ping, "", "reply with version and state")                                              \
    COMMAND(status, "", "what the agent is doing, and has done")                                   \
    COMMAND(enable, "OPTIONS [MS]", "switch passes on, or change their options")                   \
    COMMAND(disable, "PASS [all]", "switch a pass off and write its file")                         \
    COMMAND(set, "KEY=VALUE", "change an option")                                                  \
    COMMAND(revert, "[PATTERNS]", "remove classes from the scope, or switch all passes off")       \
    COMMAND(exec_dump, "[reset]", "write the coverage recorded so far to its file")                \
    COMMAND(report, "PASS [reset] [all]", "the results of a pass so far")                          \
    COMMAND(write, "", "write the files of the passes now")                                        \
    COMMAND(top, "MS ROWS ORDER [RULE]", "report the busiest methods periodically")                \
    COMMAND(watch, "METHODS [WORDS]", "report calls of some methods")                              \
    COMMAND(dump, "CLASS [original]", "the bytes of a loaded class")                               \
    COMMAND(redefine, "", "replace loaded classes by the files sent before")                       \
    COMMAND(undo, "[CLASS]", "restore redefined classes")                                          \
    COMMAND(plugin, "NAME TEXT", "give a command to a plug-in")                                    \
    COMMAND(kits, "", "the kits, and where their advice is called")                                \
    COMMAND(reload, "[NAME] [all]", "read kits again whose files have changed")                    \
    COMMAND(off, "", "switch all passes off")                                                      \
    COMMAND(detach, "", "switch all passes off, and end the agent")

struct instr_agent;

// A file that the client sent.
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
    bool all;  // see instr_operation_take_all
    uid_t uid; // of the client
    pid_t pid;
    struct instr_agent *agent;
};

#define INSTR_CONTROL_FUNCTION(name, arguments, help)                                              \
    void instr_command_##name(struct instr_request *request, struct instr_reply *reply);
INSTR_CONTROL_COMMANDS(INSTR_CONTROL_FUNCTION)
#undef INSTR_CONTROL_FUNCTION

#endif
