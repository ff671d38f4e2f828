// part_coverage.h: what the pass coverage has found so far, told when asked.

#ifndef INSTR_PART_COVERAGE_H
#define INSTR_PART_COVERAGE_H

#include <jni.h>

#include "instr/coverage/exec_writer.h"

// What was told.
struct instr_coverage_told {
    uint32_t classes, classes_hit, probes, probes_hit;
};

// Writes a session and the classes that were covered since the start, or the last reset, to an open
// file. `reset`: begins anew; nothing is lost between what is written and what comes then.
// Returns 0 when the pass is not on, or out of memory.
int instr_coverage_write(JNIEnv *jni, struct instr_exec_file *file, int reset,
                         struct instr_coverage_told *told);

// The same to coverage.file, as at exit. Returns 0; or -1 with one line in `error`. `path` gets
// the file's name.
int instr_coverage_write_file(JNIEnv *jni, int reset, struct instr_coverage_told *told, char *path,
                              size_t path_size, char *error, size_t size);

#endif
