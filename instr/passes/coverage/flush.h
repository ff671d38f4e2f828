// flush.h: the thread of coverage.mmap=flush, which copies the probes to the file mapping ten times
// a second (probe_arrays.h). Inserted code is then the same as without a mapping. A JVM that is
// killed loses the hits since the last copy.

#ifndef INSTR_PASSES_COVERAGE_FLUSH_H
#define INSTR_PASSES_COVERAGE_FLUSH_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

#include "instr/registry.h"

// Starts the thread, if it does not run yet; in the live phase, after instr_probe_arrays_start.
// False: `reason` holds one line.
bool instr_coverage_flush_start(JavaVM *vm, struct instr_coverage *coverage, char *reason,
                                size_t size);
// Ends the thread, and waits briefly for it: in an ending VM it may be blocked. The caller must not
// hold a lock that reading the probes takes.
void instr_coverage_flush_stop(void);

#endif
