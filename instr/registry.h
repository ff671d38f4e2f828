// coverage.h: the classes that have probes, and where these are in the holders' arrays
// (rewriters/coverage.h). Known by their ids as JaCoCo gives them (exec_file.h): a class that is
// transformed again, or that another loader defines with the same bytes, gets the same probes; one
// with other bytes gets its own. All functions may be called by any number of threads at once.

#ifndef INSTR_COVERAGE_H
#define INSTR_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

#include "rewriters/derived.h"

struct instr_covered_class {
    uint64_t id;
    const char *name; // modified UTF-8, NUL-terminated; lives as long as the registry
    uint32_t first, count;
    uint64_t file_id; // of its class file, where that is another; else 0
    // The registry's own: which of the implications are of the class.
    uint32_t derived, derived_count;
};

struct instr_coverage;

// Where probes are kept.
struct instr_coverage_store {
    // The first number, not below `first`, from which on `count` probes can be had; -1: there are
    // not enough. Called under the registry's lock.
    int64_t (*room)(uint32_t first, uint32_t count);
    // Makes more. `needed`: now; else only ahead of the need. False: it cannot be. Called without
    // the lock: what runs in it may load classes, and so come back here.
    int (*more)(int needed);
    // A class was taken in; under the lock. May be NULL.
    void (*added)(const struct instr_covered_class *covered);
    uint32_t ahead; // so many shall always be there
};

// An empty registry. NULL: out of memory. `store` NULL: there always is room.
struct instr_coverage *instr_coverage_new(const struct instr_coverage_store *store);
void instr_coverage_free(struct instr_coverage *coverage);

// Takes a class in by its id and count; the rest but name and first is noted of one that is new.
// Returns the number of its first probe. -1: there is no memory or no room.
int64_t instr_coverage_reserve(struct instr_coverage *coverage,
                               const struct instr_covered_class *covered, const char *name,
                               size_t name_length);

// Notes which probes of the class whose first one is `first` need no code, by the numbers of all.
// 0: there is no memory, or of the class something else is known: each probe needs its code then.
int instr_coverage_derive(struct instr_coverage *coverage, uint32_t first,
                          const struct rw_implication *list, uint32_t count);
// Adds to hits[i], for i below `count`, what follows from those that are set.
void instr_coverage_follow(struct instr_coverage *coverage, uint8_t *hits, uint32_t count);

// Is a class of this id and name there?
int instr_coverage_knows(struct instr_coverage *coverage, uint64_t id, const char *name);
// Notes that the class file of a class that is there has another id.
void instr_coverage_set_file_id(struct instr_coverage *coverage, uint32_t i, uint64_t file_id);

// The number under which the runtime counts how often a probe is passed (methods.h); -1: none.
void instr_coverage_set_counter(struct instr_coverage *coverage, uint32_t probe, int counter);
int instr_coverage_counter(struct instr_coverage *coverage, uint32_t probe);

// How many classes there are, and up to which number probes are theirs.
uint32_t instr_coverage_classes(struct instr_coverage *coverage);
uint32_t instr_coverage_probes(struct instr_coverage *coverage);
// The i-th class in the order of coming, below instr_coverage_classes.
struct instr_covered_class instr_coverage_class(struct instr_coverage *coverage, uint32_t i);

// Bytes of memory that the registry takes, without the probes themselves.
size_t instr_coverage_bytes(struct instr_coverage *coverage);

#endif
