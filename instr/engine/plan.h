// What is currently done to classes: options, and an engine for them. A plan is immutable; it is
// replaced by another one.
//
// Threads that load classes take the plan, use it and give it back. They never wait, and no lock is
// held in between. A thread that has taken the old plan finishes with it: the plan is freed when
// the last thread has given it back. Plans are swapped by one thread at a time. Knows neither JVM
// TI nor files.

#ifndef INSTR_PLAN_H
#define INSTR_PLAN_H

#include "instr/engine.h"

#include <stdatomic.h>

struct instr_plan {
    struct instr_options options;
    struct instr_methods *methods; // shared by plans that follow each other
    struct instr_engine *engine;   // NULL: no pass is on, nothing is changed
    uint32_t number;               // unique among the plans in use
};

// Plans in use at the same time: the current one, and those that threads still use.
enum { INSTR_PLANS = 64 };

struct instr_plans {
    struct {
        atomic_uint users;
        struct instr_plan *plan;
        char pad[64 - sizeof(atomic_uint) - sizeof(void *)]; // a cache line for each count of users
    } slots[INSTR_PLANS];
    atomic_uint current; // 0 at first: there is no plan
    uint32_t last_number;
    struct instr_methods *kept; // outlives the last plan that uses it
};

// Makes a plan and moves the options into it; they are empty afterwards. `methods` is freed with
// the last plan that uses it. `before` (may be NULL): the plan whose statistics go on. NULL when
// out of memory: nothing was moved.
struct instr_plan *instr_plan_new(struct instr_options *options, struct instr_methods *methods,
                                  const char *runtime_package, const struct instr_plan *before);

// Frees a plan that was never current, but not its methods. NULL is allowed.
void instr_plan_free(struct instr_plan *plan);

// The current plan (NULL: none). The caller gives it back with the ticket. Any thread.
const struct instr_plan *instr_plans_take(struct instr_plans *plans, unsigned *ticket);
void instr_plans_give_back(struct instr_plans *plans, unsigned ticket);

// The current plan, for the thread that swaps plans.
const struct instr_plan *instr_plans_current(const struct instr_plans *plans);

// Makes `next` the current plan, numbers and owns it. Returns 0 if all slots are in use: nothing
// has changed then.
int instr_plans_swap(struct instr_plans *plans, struct instr_plan *next);

// Do other threads than the caller, who holds `ticket`, use the same plan?
int instr_plans_others(struct instr_plans *plans, unsigned ticket);

// Removes the current plan; it is freed by instr_plans_settle.
void instr_plans_end(struct instr_plans *plans);

// Frees the plans without users. Returns 1 when only the current one is left.
int instr_plans_settle(struct instr_plans *plans);

#endif
