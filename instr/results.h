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

// Says that so many interfaces were left as they were (interfaces.h), if any were.
void instr_say_spared(uint64_t count);

#endif
