// What inserted probes and the runtime agree on.

#ifndef RW_COVERAGE_H
#define RW_COVERAGE_H

// Probe n is element n % RW_PROBES_PER_HOLDER of the static final boolean[] RW_HOLDER_FIELD of the
// class RW_HOLDER_NAME followed by n / RW_PROBES_PER_HOLDER, in the runtime's package. So an index
// fits into sipush.
#define RW_PROBES_PER_HOLDER 32768u
#define RW_HOLDER_NAME "InstrProbes"
#define RW_HOLDER_FIELD "ajc$p"
// AspectJ's weaver ignores fields whose name begins so. Of others it looks for the class file of the
// owner, and reports an error if there is none.
// The static method RW_HOLDER_METHOD(I)V of that class sets a probe with less code. With
// coverage.mmap=yes a probe is a byte of a file mapping, and only the method can set it.
#define RW_HOLDER_METHOD "hit"
// In files that are rewritten offline, one class RW_HOLDER_NAME has all arrays, and the number
// follows the name of the field.
#define RW_OFFLINE_FIELD "p"

#include "classfile/inline.h"

// The number of probes of a class; 0 for a class that the pass would skip. Allocates in the class's
// arena.
uint32_t rw_coverage_probes(const struct cf_class *cls);

#endif
