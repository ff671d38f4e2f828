// What inserted probes and the runtime agree on.

#ifndef RW_COVERAGE_H
#define RW_COVERAGE_H

// Probe n is element n % RW_PROBES_PER_HOLDER of the static final boolean[] RW_HOLDER_FIELD in the
// class RW_HOLDER_NAME followed by n / RW_PROBES_PER_HOLDER, of the runtime's package. So an index
// fits into a sipush.
#define RW_PROBES_PER_HOLDER 32768u
#define RW_HOLDER_NAME "InstrProbes"
#define RW_HOLDER_FIELD "p"
// The holder's static method of this name sets it as well: RW_HOLDER_METHOD(I)V, in less code. With
// coverage.mmap=yes it is a byte of a file mapping instead, and the method the only way.
#define RW_HOLDER_METHOD "hit"
// In files that are rewritten beforehand all is in one class, RW_HOLDER_NAME, and the number is
// behind the name of the field.

#include "classfile/inline.h"

// How many probes a class has; one that the pass would leave alone has none. The class's arena must
// live.
uint32_t rw_coverage_probes(const struct cf_class *cls);

#endif
