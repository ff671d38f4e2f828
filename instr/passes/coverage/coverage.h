// coverage.h: writes what the pass coverage has found so far

#ifndef INSTR_PASSES_COVERAGE_COVERAGE_H
#define INSTR_PASSES_COVERAGE_COVERAGE_H

#include <jni.h>

#include "instr/coverage/exec_writer.h"

// What was written.
struct instr_coverage_written {
    uint32_t classes, classes_hit, probes, probes_hit;
};

// Writes a session and the classes covered since the start, or the last reset, to coverage.file, as at
// exit. `reset`: starts anew; every hit is in this session or in the next. Returns 0, or -1 with one
// line in `error`. `path` receives the file's name.
int instr_coverage_write_file(JNIEnv *jni, int reset, struct instr_coverage_written *written,
                              char *path, size_t path_size, char *error, size_t size);

// The same, but writes to a descriptor, which stays open.
int instr_coverage_write_descriptor(JNIEnv *jni, int reset, int fd, char *error, size_t size);

#endif
