// plan.h: what is to be done to classes at this moment: options, and an engine for them. A plan
// never changes; another one takes its place.
//
// Threads that load classes take the plan, use it and give it back; they never wait, and no lock is
// held in between. One that has taken the old plan goes on with it: it is freed when the last of
// them has given it back. Plans are swapped by one thread at a time. Knows neither JVM TI nor
// files.

#ifndef INSTR_PLAN_H
#define INSTR_PLAN_H

#include "instr/engine.h"

#include <stdatomic.h>

struct instr_plan {
    struct instr_options options;
    struct instr_methods *methods; // shared by plans that follow each other
    struct instr_engine *engine;   // NULL: no pass is on, nothing is changed
    uint32_t number;               // no two plans that are in use have the same
};

// Plans in use at the same time: the current one, and those that threads are not done with yet.
enum { INSTR_PLANS = 64 };

struct instr_plans {
    struct {
        atomic_uint users;
        struct instr_plan *plan;
        char pad[64 - sizeof(atomic_uint) - sizeof(void *)]; // users of the current one alone
    } slots[INSTR_PLANS];
    atomic_uint current; // 0 at first: there is no plan
    uint32_t last_number;
    struct instr_methods *kept; // not to be freed with the last plan that has them
};

// Makes a plan of options, which it takes over; they are empty afterwards. `methods` is kept, and
// freed with the last plan that has it. `before` (may be NULL): the plan whose account of what was
// done goes on. NULL when out of memory: nothing was taken over.
struct instr_plan *instr_plan_new(struct instr_options *options, struct instr_methods *methods,
                                  const char *runtime_package, const struct instr_plan *before);

// Frees a plan that never was current, but not its methods. NULL is fine.
void instr_plan_free(struct instr_plan *plan);

// The current plan (NULL: none), to be given back with the ticket. Any thread.
const struct instr_plan *instr_plans_take(struct instr_plans *plans, unsigned *ticket);
void instr_plans_give_back(struct instr_plans *plans, unsigned ticket);

// The same for the thread that swaps them.
const struct instr_plan *instr_plans_current(const struct instr_plans *plans);

// Makes `next` the current plan, gives it its number, and takes it over. False: threads hold all
// the plans that there may be; nothing has changed.
int instr_plans_swap(struct instr_plans *plans, struct instr_plan *next);

// Have others than the caller, whose ticket it is, taken the same plan and not given it back?
int instr_plans_others(struct instr_plans *plans, unsigned ticket);

// There is no plan any more; the one there was is freed when settled.
void instr_plans_end(struct instr_plans *plans);

// Frees the plans that nobody uses any more. True: there is none left but the current one.
int instr_plans_settle(struct instr_plans *plans);

#endif
