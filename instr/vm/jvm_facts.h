// jvm_facts.h: what this JVM is and supports, as a file (option `facts`) and for the control socket

#ifndef INSTR_VM_JVM_FACTS_H
#define INSTR_VM_JVM_FACTS_H

#include <jvmti.h>

#include "instr/base/json.h"

// Remembers which capabilities are available now: at OnLoad there are more than later.
void instr_jvm_facts_at_start(jvmtiEnv *jvmti);

// Writes members into an open object: "jvm", "jvm_version", "jvm_info" (its last word is "sharing"
// when an archive of classes is in use), "jvmti_version", "capabilities": {name: "always" | "at
// start" | "no"} and "agents". In the live phase.
void instr_jvm_facts_members(jvmtiEnv *jvmti, struct instr_json *json);

// Writes them as an object to the file `pattern` (see instr_expand_file). 0; -1 with one line in
// `error`.
int instr_jvm_facts_write(jvmtiEnv *jvmti, const char *pattern, char *error, size_t size);

#endif
