// kits.h: kits in rewritten files
//
// What advice needs is put beside the classes that call it, in their class path ("root"): what the agent would
// define in their packages, and in the package INSTR_KIT_WOVEN what it would define in the bootstrap loader, with the
// classes that kits call. So the program needs nothing else when it runs.

#ifndef INSTR_CLI_REWRITE_KITS_H
#define INSTR_CLI_REWRITE_KITS_H

#include "instr/cli/rewrite/internal.h"

// Is the pass a kit?
bool cli_kits_is(const struct instr_pass_options *pass);

// Prepares the kits among the passes, if there are any. Supertypes are looked for in IN, in the jars of `class_path`
// (separated by colons; NULL: none), and in a JDK. CLI_OK, or an exit status after a message.
int cli_kits_open(struct cli_rewrite *rewrite, const char *class_path);
void cli_kits_close(struct cli_kits *kits);

// May a kit select classes by their supertypes?
bool cli_kits_ask(const struct cli_kits *kits);

// A class that is to be rewritten: adds to its root what kits need for it. Called by one thread, before classes are
// rewritten. -1 with `reason`.
int cli_kits_look(struct cli_rewrite *rewrite, struct cli_root *root, const struct cli_bytes *class,
                  char reason[CLI_REASON_SIZE]);

// The kits that select the class for its supertypes: bits of passes. `above` gets what the engine needs to know, in the
// arena. Any thread.
uint64_t cli_kits_select(struct cli_rewrite *rewrite, const struct cf_class *cls,
                         struct rw_supertypes *above, struct cf_arena *arena);

// Says of a file module-info.class (`path` in the archive `name`; NULL: a file) that kits do not work in its module.
void cli_kits_note(struct cli_rewrite *rewrite, const char *name, const char *path);

// At the end: says which advice is called from nowhere. CLI_FAILED if it is required.
int cli_kits_finish(const struct cli_rewrite *rewrite);

#endif
