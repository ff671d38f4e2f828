// The registry of classes with probes, and where their probes are in the probe arrays
// (rewriters/coverage.h). A class is known by the id that JaCoCo gives it: a class that is
// transformed again, or that another loader defines with the same bytes, gets the same probes; a
// class with other bytes gets its own. All functions are thread-safe.

#ifndef INSTR_REGISTRY_H
#define INSTR_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

#include "classfile/decls.h"
#include "rewriters/derived.h"

CF_BEGIN_DECLS

struct instr_covered_class {
    uint64_t id;
    const char *name; // modified UTF-8, NUL-terminated; lives as long as the registry
    uint32_t first, count;
    uint64_t file_id; // of its class file, if that has another id; else 0
    // For the registry: which of the implications belong to the class.
    uint32_t derived, derived_count;
};

struct instr_coverage;

// Where the probes are stored.
struct instr_coverage_store {
    // The first number, not below `first`, of `count` available probes in a row; -1: there are not
    // enough. Called under the registry's lock.
    int64_t (*room)(uint32_t first, uint32_t count);
    // Makes more room: for a class that waits (`needed`), or ahead of time. Returns 0 if it cannot.
    // Called without the lock: it may load classes, and so call the registry again.
    int (*more)(int needed);
    // A class was added. Called under the lock. May be NULL.
    void (*added)(const struct instr_covered_class *covered);
    uint32_t ahead; // the number of free probes that `more` is asked to keep available
};

// An empty registry. NULL: out of memory. `store` NULL: there is always room.
struct instr_coverage *instr_coverage_new(const struct instr_coverage_store *store);
void instr_coverage_free(struct instr_coverage *coverage);

// Finds a class by id, name and count, or adds it; the other fields of `covered` are copied when it
// is new. Returns the number of its first probe; -1: no memory or no room.
int64_t instr_coverage_reserve(struct instr_coverage *coverage,
                               const struct instr_covered_class *covered, const char *name,
                               size_t name_length);

// Records which probes need no code, in the class whose first probe is `first`. Returns 0 if there
// is no memory or the class was recorded with another list: each probe then needs its code.
int instr_coverage_derive(struct instr_coverage *coverage, uint32_t first,
                          const struct rw_implication *list, uint32_t count);
// Sets hits[i], for i below `count`, where it follows from those that are set.
void instr_coverage_follow(struct instr_coverage *coverage, uint8_t *hits, uint32_t count);

// Is a class of this id and name in the registry?
int instr_coverage_knows(struct instr_coverage *coverage, uint64_t id, const char *name);
// Records that the class file of class `i` has another id.
void instr_coverage_set_file_id(struct instr_coverage *coverage, uint32_t i, uint64_t file_id);

// The id under which the runtime counts executions of a probe (id_registry.h); -1: none.
void instr_coverage_set_counter(struct instr_coverage *coverage, uint32_t probe, int counter);
int instr_coverage_counter(struct instr_coverage *coverage, uint32_t probe);

// The number of classes; one above the number of the last probe.
uint32_t instr_coverage_classes(struct instr_coverage *coverage);
uint32_t instr_coverage_probes(struct instr_coverage *coverage);
// Class `i` in the order in which they were added, below instr_coverage_classes.
struct instr_covered_class instr_coverage_class(struct instr_coverage *coverage, uint32_t i);

// The bytes of memory in use, without the probes.
size_t instr_coverage_bytes(struct instr_coverage *coverage);

CF_END_DECLS

#endif
