// What a method does with exceptions: its handlers, and which athrow may throw again what a handler
// for all exceptions got.

#ifndef RW_THROWS_H
#define RW_THROWS_H

#include "classfile/edit.h"

enum {
    RW_HANDLER = 1,
    // Catches everything: catch_type is 0 in an entry.
    RW_HANDLER_OF_ALL = 2,
    // Is for what has to be done in any case, as far as can be seen: finally, synchronized, and
    // what compilers make of try-with-resources, which names java.lang.Throwable.
    RW_HANDLER_PASSES = 4,
    // Code comes here by other ways than by an exception.
    RW_HANDLER_JOINED = 8,
    // Its own first instruction is in a range that leads to it.
    RW_HANDLER_COVERS_ITSELF = 16
};

struct rw_throws {
    const struct cf_edit *edit;
    uint8_t *handlers; // by pc; NULL: the method has none
    // What locals may hold an exception that a handler that passes got; NULL: there is none.
    uint8_t *locals;
    int on_stack; // such a handler does not store it first
};

// All memory is the class's.
enum cf_status rw_find_throws(struct rw_throws *throws, struct cf_edit *edit);

// May the athrow that is instruction i throw again what a handler that passes got in this method?
int rw_may_throw_again(const struct rw_throws *throws, uint32_t i);

#endif
