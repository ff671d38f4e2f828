// What some .exec files say together: each class once, its probes hit when they were in any of
// them. Memory goes with the number of distinct classes, not with that of files.

#ifndef INSTR_EXEC_STORE_H
#define INSTR_EXEC_STORE_H

#include "instr/coverage/exec_writer.h"

#include <stddef.h>
#include <stdint.h>

struct instr_exec_entry {
    struct instr_exec_class class; // the strings and bits are the entry's own
    uint8_t *bits;                 // class.bits, to be changed
    size_t source;                 // number of the file where it was met first
    struct instr_exec_entry *next; // met next
};

struct instr_exec_store {
    struct instr_exec_entry *first, **last; // in the order in which they were met
    size_t count;
    struct instr_exec_entry **table; // by id
    size_t slots;                    // a power of 2
};

void instr_exec_store_init(struct instr_exec_store *store);
void instr_exec_store_free(struct instr_exec_store *store);

// The class with this id, NULL if there is none.
struct instr_exec_entry *instr_exec_store_find(const struct instr_exec_store *store, uint64_t id);

enum instr_exec_added {
    INSTR_EXEC_ADDED,
    INSTR_EXEC_OTHER_NAME,   // this id has another name here
    INSTR_EXEC_OTHER_LENGTH, // this id has another number of probes here
    INSTR_EXEC_NO_MEMORY
};

// Adds the hits of a class of file number `source`. Nothing has changed unless it was added.
enum instr_exec_added instr_exec_store_add(struct instr_exec_store *store,
                                           const struct instr_exec_class *class, size_t source);

// How many probes of a class were hit.
size_t instr_exec_hits(const struct instr_exec_class *class);

#endif
