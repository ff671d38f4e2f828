// The table of what the control socket understands. A row is
//
//      COMMAND(name, arguments, help)
//
// and a function instr_command_NAME (control.h). What each one answers stands above its function.
//
// What the tool sends, each argument a word of its own, and how it takes the answers:
//
//      watch METHODS [limit=N] [if-slower=NS] [if-thrown] [stack] [for=NS]
//          a stream: {"time_ms", "thread", "class", "method", "arguments": [text], "returned": text
//          or "thrown": text, "duration_ns", "stack": [text]} for each call; it ends by itself
//      dump CLASS [original]        bytes
//      redefine (files sent before) {"classes": [name], "elapsed_ns"}
//      undo [CLASS]                 the same
//      top MILLISECONDS ROWS self|total|calls|thrown    a stream, see control_top.c

#ifndef INSTR_CONTROL_COMMANDS_H
#define INSTR_CONTROL_COMMANDS_H

#include "instr/control/server.h"

#define INSTR_CONTROL_COMMANDS(COMMAND)                                                            \
    COMMAND(ping, "", "answer with version and state")                                             \
    COMMAND(status, "", "what the agent is doing, and has done")                                   \
    COMMAND(enable, "OPTIONS [MS]", "switch passes on, or change their options")                   \
    COMMAND(disable, "PASS", "switch a pass off and write its file")                               \
    COMMAND(set, "KEY=VALUE", "change an option")                                                  \
    COMMAND(revert, "[PATTERNS]", "take classes out of the scope, or switch all off")              \
    COMMAND(exec_dump, "[reset]", "write what the pass coverage has found to its file")            \
    COMMAND(write, "", "write the files of the passes now")                                        \
    COMMAND(top, "MS ROWS ORDER", "what methods do, again and again")                              \
    COMMAND(watch, "METHODS [WORDS]", "tell the calls of some methods")                            \
    COMMAND(dump, "CLASS [original]", "the bytes of a loaded class")                               \
    COMMAND(redefine, "", "replace loaded classes by the files sent before")                       \
    COMMAND(undo, "[CLASS]", "bring back what was there before")                                   \
    COMMAND(off, "", "switch all off")                                                             \
    COMMAND(detach, "", "switch all off, and end the agent")

// The members of a document that say what is on (control_switch.c); without options: nothing is.
struct instr_json;
struct instr_options;
void instr_json_options(struct instr_json *json, const struct instr_options *options);

// Notes that so many interfaces were left as they were (untouchable.h), if any were
// (control_switch.c).
void instr_reply_skipped_interfaces(struct instr_reply *reply, unsigned skipped_interfaces);

#define INSTR_CONTROL_FUNCTION(name, arguments, help)                                              \
    void instr_command_##name(struct instr_request *request, struct instr_reply *reply);
INSTR_CONTROL_COMMANDS(INSTR_CONTROL_FUNCTION)
#undef INSTR_CONTROL_FUNCTION

#endif
