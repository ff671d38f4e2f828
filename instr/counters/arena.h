// The memory of counters: pages in columns, one for each kind of counter, which lie at a constant distance from
// each other. Threads may hold addresses in it at any time, so it is never unmapped, only cleared. Callers see to
// it that one thread at a time releases or adds pages that have owners.
//
// A page is an address in the first column. There are pages of a block, each of which one thread writes to,
// and pages that have owners (InstrThreads.OWNED): ARENA_WAYS for the same methods, always at the same place.

#ifndef INSTR_ARENA_H
#define INSTR_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instr/counters/threads.h"

enum {
    ARENA_USUAL_COLUMNS = 4, // those before `mean`, which few passes use
    ARENA_PAGE_BYTES = INSTR_ROWS_PER_PAGE * sizeof(int64_t), // in each column
    ARENA_WAYS = 128,
    ARENA_WAY_PAGES = (1 << INSTR_RECORD_ID_BITS) / INSTR_ROWS_PER_PAGE
};

// Address space without memory: that comes when it is written to. NULL: there is none.
char *arena_reserve(size_t size);

// Reserves what pages of `limit` bytes take, once. Returns false if there is no address space.
bool arena_map(size_t limit);

// The bytes from each column to the next.
size_t arena_distance(void);

// All columns of a page.
struct instr_counters arena_columns(int64_t *page);

// A page of a block, in which all is 0. NULL: there are no more, or no memory.
int64_t *arena_page(void);

// No page has an owner where address space is limited.
bool arena_has_owners(void);

// Where the first page that has an owner is, or would be.
int64_t *arena_owned(void);

// The page that gets an owner for the first time, by its number. NULL: out of memory. Only if arena_has_owners.
int64_t *arena_owned_page(size_t number);

// What is known of a page that may have an owner, each kind in a column of its way. Java code reads them at any time,
// at the same distance from the counters of each way, so that one base register does for all.
enum arena_fact {
    ARENA_OWNER,  // ~ of Java's id of the thread; 0: nobody has owned it yet
    ARENA_MISSED, // two numbers of calls, for Java code (InstrThreads.MISSED)
    ARENA_HAD,
    ARENA_NEXT, // another page of the same owner, by its number plus 1; 0: none
    ARENA_FACTS
};

// Only a page of arena_owned_page may be written to.
volatile int64_t *arena_fact(size_t number, enum arena_fact fact);

// Where threads write what they have found out about a method, by its id: see instr/counters/threads.h. NULL: there is no place.
volatile int64_t *arena_learned(void);

// The elements of arena_learned for the methods of a page may be written to from now on, if there is such a place. False: out of memory.
bool arena_learn(size_t page);

// Clears arena_learned, and pages that have owners, which stay where they are, and all others, which are forgotten.
void arena_release(void);

// The bytes of all pages.
size_t arena_bytes(void);

#endif
