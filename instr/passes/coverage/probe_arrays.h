// probe_arrays.h: the classes whose arrays inserted probes write to (rewriters/coverage.h)
//
// Each is defined when classes need it, by JNI in the runtime's package. Its array is on the Java
// heap, or a part of a file mapping takes the array's place.

#ifndef INSTR_PASSES_COVERAGE_PROBE_ARRAYS_H
#define INSTR_PASSES_COVERAGE_PROBE_ARRAYS_H

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instr/registry.h"

// Defines the first class, once, in the live phase after the runtime has started. Later calls have
// the same arguments. False: `reason` holds one line, and no exception is pending.
// `mapping`: from instr_coverage_map_open; NULL: the probes are only on the Java heap. `direct`:
// it is mapped, and inserted code writes to it; else instr_probe_arrays_flush copies the probes to
// the file.
bool instr_probe_arrays_start(JavaVM *vm, JNIEnv *jni, const char *runtime_package,
                              uint8_t *mapping, bool direct, char *reason, size_t size);

// Adds probe arrays on behalf of instr_coverage_new. Called by Java threads, also in the class file
// hook.
extern const struct instr_coverage_store instr_probe_arrays_store;

// Sets probes[i], for i below `count`, to 1 if probe i was hit. With `clear` these probes are set
// back to 0: no hit is lost, and only hits during the call may be reported twice.
void instr_probe_arrays_read(JNIEnv *jni, uint8_t *probes, uint32_t count, bool clear);
// Copies the hits of the registry's probes, and the hits that follow from them, to the file.
void instr_probe_arrays_flush(JNIEnv *jni, struct instr_coverage *coverage);
// Clears these hits in the mapping's record of cleared probes, and what was copied there; after a
// reset, once they are written elsewhere.
void instr_probe_arrays_forget(const uint8_t *hits, uint32_t count);

#endif
