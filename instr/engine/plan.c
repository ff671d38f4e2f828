// A thread that takes a plan increments the slot's count of users, then checks again that the slot
// is still current. The thread that swaps plans makes another slot current, then checks the count.
// So at least one of the two sees the other. A slot is reused only when it is not current and has
// no users; a thread that increments the count too late finds that the slot is not current, and
// leaves the plan alone.

#include "instr/engine/plan.h"

#include <stdlib.h>

struct instr_plan *instr_plan_new(struct instr_options *options, struct instr_methods *methods,
                                  const char *runtime_package, const struct instr_plan *before) {
    struct instr_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return NULL;
    plan->options = *options;
    plan->methods = methods;
    if (options->pass_count) {
        plan->engine = instr_engine_new_after(&plan->options, methods, runtime_package,
                                              before ? before->engine : NULL);
        if (!plan->engine) {
            free(plan);
            return NULL;
        }
        instr_engine_check_input(plan->engine);
    }
    memset(options, 0, sizeof *options);
    return plan;
}

void instr_plan_free(struct instr_plan *plan) {
    if (!plan) return;
    instr_engine_free(plan->engine);
    instr_options_free(&plan->options);
    free(plan);
}

const struct instr_plan *instr_plans_take(struct instr_plans *plans, unsigned *ticket) {
    for (;;) {
        unsigned i = atomic_load(&plans->current);
        atomic_fetch_add(&plans->slots[i].users, 1);
        *ticket = i;
        if (atomic_load(&plans->current) == i) return plans->slots[i].plan;
        atomic_fetch_sub(&plans->slots[i].users, 1);
    }
}

void instr_plans_give_back(struct instr_plans *plans, unsigned ticket) {
    atomic_fetch_sub(&plans->slots[ticket].users, 1);
}

const struct instr_plan *instr_plans_current(const struct instr_plans *plans) {
    return plans->slots[atomic_load(&plans->current)].plan;
}

static int is_idle(const struct instr_plans *plans, unsigned i) {
    return i != atomic_load(&plans->current) && atomic_load(&plans->slots[i].users) == 0;
}

int instr_plans_settle(struct instr_plans *plans) {
    int settled = 1;
    for (unsigned i = 0; i < INSTR_PLANS; i++) {
        struct instr_plan *plan = plans->slots[i].plan;
        if (!plan || i == atomic_load(&plans->current)) continue;
        if (!is_idle(plans, i)) {
            settled = 0;
            continue;
        }
        plans->slots[i].plan = NULL;
        struct instr_methods *methods = plan->methods;
        for (unsigned k = 0; k < INSTR_PLANS; k++)
            if (plans->slots[k].plan && plans->slots[k].plan->methods == methods) methods = NULL;
        instr_plan_free(plan);
        if (methods != plans->kept) instr_methods_free(methods);
    }
    return settled;
}

int instr_plans_swap(struct instr_plans *plans, struct instr_plan *next) {
    instr_plans_settle(plans);
    for (unsigned i = 0; i < INSTR_PLANS; i++) {
        if (plans->slots[i].plan || !is_idle(plans, i)) continue;
        next->number = ++plans->last_number;
        plans->slots[i].plan = next;
        atomic_store(&plans->current, i);
        return 1;
    }
    return 0;
}

int instr_plans_others(struct instr_plans *plans, unsigned ticket) {
    return atomic_load(&plans->slots[ticket].users) > 1;
}

void instr_plans_end(struct instr_plans *plans) {
    instr_plans_settle(plans);
    for (unsigned i = 0; i < INSTR_PLANS; i++) {
        if (plans->slots[i].plan || !is_idle(plans, i)) continue;
        atomic_store(&plans->current, i);
        return;
    }
}
