// Where the pages of counters of each slot's thread lie, for the first methods: so that inserted
// code (InstrThreads.page) finds them by the number of the slot and the id alone, and need not wait
// for what its line says. An array of lines of 64 bytes, one for each slot, holds the addresses of
// 8 pages; and there are as many such arrays as it takes, one behind the other. Most of it is never
// touched, and what is counts as memory of the counters (budget.h).

#ifndef INSTR_NEAREST_H
#define INSTR_NEAREST_H

#include <stddef.h>

// As in InstrThreads.java: pages that have a place here.
#define INSTR_NEAREST_PAGES (256 * 8)

// Bytes of address space that it takes.
#define INSTR_NEAREST_SIZE(slots) (INSTR_NEAREST_PAGES / 8 * (size_t)64 * (slots))

// `place` is zeroed memory of that size, aligned to 64 bytes, that stays.
void instr_nearest_start(void *place, size_t slots);

// Sets the address of a slot's page; NULL: there is none. Nothing is set for pages that have no
// place, or if there is no memory: they are found in another way then. Not for one slot by several
// threads at a time.
void instr_nearest_set(size_t slot, size_t page, const void *address);

// Forgets all, and gives the memory back. What is set meanwhile may be lost.
void instr_nearest_empty(void);

// Bytes of memory that it takes.
size_t instr_nearest_bytes(void);

#endif
