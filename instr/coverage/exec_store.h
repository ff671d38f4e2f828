// Several .exec files merged: each class once, with the probes that were hit in any of them. Memory
// depends on the number of distinct classes, not of files.

#ifndef INSTR_EXEC_STORE_H
#define INSTR_EXEC_STORE_H

#include "instr/coverage/exec_writer.h"

#include <stddef.h>
#include <stdint.h>

struct instr_exec_entry {
    struct instr_exec_class class; // the entry owns its strings and bits
    uint8_t *bits;                 // class.bits, writable
    size_t source;                 // number of the file in which it was found first
    struct instr_exec_entry *next; // in the order of arrival
};

struct instr_exec_store {
    struct instr_exec_entry *first, **last; // in the order of arrival
    size_t count;
    struct instr_exec_entry **table; // by id
    size_t slots;                    // a power of 2
};

void instr_exec_store_init(struct instr_exec_store *store);
void instr_exec_store_free(struct instr_exec_store *store);

// The class with this id; NULL: none.
struct instr_exec_entry *instr_exec_store_find(const struct instr_exec_store *store, uint64_t id);

enum instr_exec_added {
    INSTR_EXEC_ADDED,
    INSTR_EXEC_OTHER_NAME,   // the class with this id has another name
    INSTR_EXEC_OTHER_LENGTH, // the class with this id has another number of probes
    INSTR_EXEC_NO_MEMORY
};

// Adds the hits of a class in file number `source`. Unless it was added, nothing has changed.
enum instr_exec_added instr_exec_store_add(struct instr_exec_store *store,
                                           const struct instr_exec_class *class, size_t source);

// The number of probes of a class that were hit.
size_t instr_exec_hits(const struct instr_exec_class *class);

#endif
