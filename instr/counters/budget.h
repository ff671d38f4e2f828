// The memory that the counters of all threads may take together (memory=).

#ifndef INSTR_BUDGET_H
#define INSTR_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

void instr_budget_set(size_t bytes);

// What is left, in bytes.
size_t instr_budget_left(void);

// Takes so many bytes from it. False: there are not so many, and nothing is taken.
bool instr_budget_charge(size_t bytes);

void instr_budget_refund(size_t bytes);

#endif
