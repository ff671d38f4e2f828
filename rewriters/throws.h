// What a method does with exceptions: its handlers, and which athrow may rethrow the exception of a
// handler for all exceptions.

#ifndef RW_THROWS_H
#define RW_THROWS_H

#include "classfile/edit.h"

enum {
    RW_HANDLER = 1,
    // Catches everything: catch_type is 0 in an entry.
    RW_HANDLER_OF_ALL = 2,
    // A cleanup that passes the exception on, as far as can be seen: finally, synchronized, and
    // what compilers generate for try-with-resources, which names java.lang.Throwable.
    RW_HANDLER_PASSES = 4,
    // Its code is also reached without an exception.
    RW_HANDLER_JOINED = 8,
    // Its first instruction is in a range that leads to it.
    RW_HANDLER_COVERS_ITSELF = 16
};

struct rw_throws {
    const struct cf_edit *edit;
    uint8_t *handlers; // by pc; NULL: the method has none
    // By local: may it hold the exception of a passing handler? NULL: none does.
    uint8_t *locals;
    int on_stack; // a passing handler does not store the exception first
};

// All memory comes from the class's arena.
enum cf_status rw_find_throws(struct rw_throws *throws, struct cf_edit *edit);

// May the athrow at instruction i rethrow the exception of a passing handler of this method? *local:
// the one that holds it; -1: it is on the stack.
int rw_may_throw_again(const struct rw_throws *throws, uint32_t i, int32_t *local);

// Of the locals above, the one that instruction i stores; -1: none. *copied: the one that the stored
// value comes from; -1: none.
int32_t rw_stores_exception(const struct rw_throws *throws, uint32_t i, int32_t *copied);

#endif
