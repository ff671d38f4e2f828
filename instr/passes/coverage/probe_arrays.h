// holders.h: the classes whose arrays inserted probes write to (rewriters/coverage.h), in the VM.
// Each is made when classes need it: a few fields long, defined by JNI in the runtime's package,
// its array on the Java heap.

#ifndef INSTR_HOLDERS_H
#define INSTR_HOLDERS_H

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instr/registry.h"

// Once in the live phase, when the runtime is there; each time then with the same. False: no holder
// can be made; one line is in `reason`, and no exception is pending.
// `mapping`: of instr_coverage_map_open; NULL: the probes are on the Java heap alone. `held`: they
// are in the mapping, which inserted code writes to; else instr_probe_arrays_flush copies them there.
bool instr_probe_arrays_start(JavaVM *vm, JNIEnv *jni, const char *runtime_package,
                              uint8_t *mapping, bool held, char *reason, size_t size);

// What makes them, for instr_coverage_new. To be used by threads that know JNI; they may be in the
// class file hook.
extern const struct instr_coverage_store instr_probe_arrays_store;

// Sets probes[i], for i below `count`, to 1 where probe i has been passed. With `clear` these
// are taken back in the VM, so that none is lost, and none told twice but what is passed meanwhile.
void instr_probe_arrays_read(JNIEnv *jni, uint8_t *probes, uint32_t count, bool clear);
// Copies to the mapping what was passed of the registry's probes, and what follows from that.
void instr_probe_arrays_flush(JNIEnv *jni, struct instr_coverage *coverage);
// A mapping keeps what was taken back; after a reset it shall not.
void instr_probe_arrays_forget(void);

#endif
