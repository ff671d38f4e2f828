// What the commands share that switch passes on and off. Each replies with one document:
//
//      {
//        "passes": [NAME...],        active now
//        "enabled": [{               each pass, with its owner
//          "pass", "by", "uid",      by: null for the command line of the JVM
//          "acting": true,           missing, unless root's client had the rights of this uid
//          "since",                  seconds since 1970
//          "ends_in_ns",             missing: it does not end by itself
//          "of_command": true,       missing, unless the command watch or top has made it
//          "quiet": true,            missing: it is not quiet
//          "estimated": true,        missing: all its times are measured
//          "include", "exclude"
//        }...],
//        "include", "exclude",       scope now; null if the passes differ in it
//        "options": TEXT,            all options now, as the agent would take them
//        "classes": N,               retransformed
//        "changed": N,               ... that have inserted code now
//        "restored": N,              ... that had some, and have none now
//        "refused": N,               that the JVM refused to change
//        "refusals": [TEXT...],      the first of them, each with its reason
//        "interfaces_skipped": N,    that HotSpot cannot safely retransform (untouchable.h)
//        "classes_over_limit": N,    that max-classes or max-methods left out
//        "remaining": N,             queued for the background thread
//        "elapsed_ns": N,
//        "longest_batch_ns": N,      longest RetransformClasses call
//        "longest_pause_ns": N,      of the application in such a call; 0: unknown (pauses.h)
//        "results": [{               of the passes that ended without a file
//          "by": TEXT,               whose it was; null: the command line's
//          "top": N,                 rows of its table
//          "result": {...}           as the file would have it
//        }...]
//      }
//
// Refusals in the background, after the reply to a command, are notes of the next such command.

#ifndef INSTR_OPERATION_H
#define INSTR_OPERATION_H

#include "instr/base/json.h"
#include "instr/control/commands.h"
#include "instr/retransform/reconfigure.h"

#include <stdbool.h>

// A function that does the operation: those of reconfigure.h. `text`: the command's argument.
typedef int instr_operation(struct instr_agent *agent, JNIEnv *jni, const char *text,
                            struct instr_reconfigured *done, char *reason, size_t size);

// Copies an option's value with its commas and backslashes escaped. Returns the end of the copy.
char *instr_operation_escape(char *to, const char *value);

// Switches a rule on that lives as long as a command: `text` is the rule, `name` that of its pass.
int instr_operation_add_rule(struct instr_agent *agent, JNIEnv *jni, const char *name,
                             const char *text, struct instr_reconfigured *done, char *reason,
                             size_t size);

// Who gives the command: the name that the client has sent before it as a file called "as", else the
// login name of the client's user. A file called "acting" says that the client has taken the rights of
// that user, since root's would not do in a container. False: the name is not one, and the reply has failed.
bool instr_operation_owner(const struct instr_request *request, struct instr_reply *reply,
                           struct instr_owner *owner);

// Takes the last argument "all" away, if it is there, and sets request->all: for all owners.
void instr_operation_take_all(struct instr_request *request);

// Runs an operation and fills in `done`. False: the reply has failed.
bool instr_operation_run(struct instr_request *request, struct instr_reply *reply,
                         instr_operation *function, const char *text,
                         struct instr_reconfigured *done);

// What is left to do when all classes are changed, before the document is sent. False: it failed, and
// so has the reply.
typedef bool instr_operation_end(struct instr_agent *agent, struct instr_reply *reply,
                                 struct instr_reconfigured *done);

// Runs an operation and replies, when the background thread is done, or after `wait` ns. `end` may be
// NULL. False: the operation failed, and so has the reply.
bool instr_operation_reply_within(struct instr_request *request, struct instr_reply *reply,
                                  instr_operation *function, const char *text, uint64_t wait,
                                  instr_operation_end *end);

// The same without a limit of time. False: the operation failed, and so has the reply.
bool instr_operation_reply(struct instr_request *request, struct instr_reply *reply,
                           instr_operation *function, const char *text);

// The command's only argument, `what`; NULL: there is none or more than one, the reply has failed.
const char *instr_operation_argument(struct instr_request *request, struct instr_reply *reply,
                                     const char *what);

// Replies with the document above.
void instr_operation_document(struct instr_agent *agent, struct instr_reply *reply,
                              const struct instr_reconfigured *done);

// Writes the members of a document that describe the active passes. `options`: NULL if there never
// was a plan.
void instr_operation_json_options(struct instr_json *json, const struct instr_options *options);

// Writes "overhead", an array of what the plan's passes cost, as estimated at most `pause` ns ago:
// {"pass", "by", "overhead_ppm", "compilers_ppm", "limit_ppm"}, each in millionths of the JVM's CPU time; a
// limit of 0: none. A pass whose cost is not known yet is missing.
void instr_operation_json_overhead(struct instr_json *json, struct instr_agent *agent,
                                   const struct instr_plan *plan, JNIEnv *jni, uint64_t pause);

// Notes the number of interfaces that were skipped, if any were.
void instr_operation_note_interfaces(struct instr_reply *reply, unsigned skipped_interfaces);

// Notes the number of classes that the limits left out, if any: with fewer results than expected, or
// none, the reason must be in sight.
void instr_operation_note_over_limit(struct instr_reply *reply, unsigned over_limit);

// Is the pass on; for this owner, or, with NULL, for any?
bool instr_operation_is_on(struct instr_agent *agent, const char *pass);
bool instr_operation_is_on_for(struct instr_agent *agent, const char *pass,
                               const struct instr_owner *owner);

#endif
