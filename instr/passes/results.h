// What is told at the end: a table and a file for each pass, the account in one line and as a file.

#ifndef INSTR_RESULTS_H
#define INSTR_RESULTS_H

#include <jvmti.h>

#include "instr/engine.h"

struct instr_results {
    const struct instr_options *options;
    struct instr_methods *methods;
    struct instr_engine *engine;
    jvmtiEnv *jvmti;
    JNIEnv *jni;
};

// Collects and tells everything that the options ask for: tables, lines and errors to standard
// error, files to where they belong. A file that cannot be written is one line; the rest goes on.
void instr_results_tell(const struct instr_results *results);

// Says that so many interfaces were left as they were (untouchable.h), if any were.
void instr_say_skipped_interfaces(uint64_t count);

// Says on standard error that a result could not be written. Whoever has it told by a command is to
// hear of it, too: instr_results_unwritten gives the first such line of this thread since it was
// last asked, without "instr: ", to be freed; NULL: there was none.
void instr_say_unwritten(const char *line);
char *instr_results_unwritten(void);

#endif
