// linked.h: a library of others that is linked to ours
//
// A JVM that loads an agent looks for Agent_OnLoad or Agent_OnAttach in the library and in those that
// it is linked to. A library that is linked to ours and lacks the function would so get ours, and the
// JVM our agent.

#ifndef INSTR_VM_LINKED_H
#define INSTR_VM_LINKED_H

#include <stdbool.h>
#include <stddef.h>

// Does the JVM mean us? `library`: our path; `options`: those of the agent, which may be NULL. False:
// one line in `reason`. A library that is linked to ours is loaded then, and, `at_start`, no option
// of the JVM names our library; later, the options do not begin as those of `instr attach` (cli/bring.c).
bool instr_linked_is_meant(const char *library, const char *options, bool at_start, char *reason,
                           size_t size);

#endif
