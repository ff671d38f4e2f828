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

#include "classfile/decls.h"
#include "rewriters/rewriter.h"

CF_BEGIN_DECLS

struct rw_implications; // derived.h

// What coverage needs of the engine.
struct rw_coverage_service {
    // Reserves `count` consecutive probes for the class, which is identified by its bytes, or by
    // those of its class file (`of_file`). The same class always gets the same probes. Returns the
    // number of the first; < 0: no probes or no memory left.
    int64_t (*probes)(struct rw_class *cls, uint32_t count, int of_file);
    // Records which probes need no code (derived.h), even if there are none, for the class whose
    // first probe is `first`. Returns 0 if each probe needs its code.
    int (*derive)(struct rw_class *cls, uint32_t first, const struct rw_implications *derived);
    // The id by which inserted code counts executions of probe `number`; < 0: no id is left.
    int (*counter)(struct rw_class *cls, const struct cf_edit *edit, uint32_t number);
    int one_holder; // one class holds all probe arrays
};

// The number of probes of a class; 0 for a class that the pass would skip. Allocates in the class's
// arena.
uint32_t rw_coverage_probes(const struct cf_class *cls);

CF_END_DECLS

#endif
