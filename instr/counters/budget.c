// budget.c: see budget.h

#include "instr/counters/budget.h"

#include <stdatomic.h>

static atomic_size_t budget;

void instr_budget_set(size_t bytes) {
    atomic_store(&budget, bytes);
}

size_t instr_budget_left(void) {
    return atomic_load(&budget);
}

bool instr_budget_charge(size_t bytes) {
    size_t left = atomic_load(&budget);
    do {
        if (left < bytes) return false;
    } while (!atomic_compare_exchange_weak(&budget, &left, left - bytes));
    return true;
}

void instr_budget_refund(size_t bytes) {
    atomic_fetch_add(&budget, bytes);
}
