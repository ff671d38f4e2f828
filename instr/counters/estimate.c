#include "instr/counters/estimate.h"

static double square(double x) {
    return x * x;
}

// The calls that were timed give one estimate, which is wrong where calls are hardly longer than the clock takes, or
// where few of them take most of the time. What ticks have seen gives the other, which is wrong where ticks are few.
// Each counts by the inverse of the square of its likely error, as a part of the whole.
//
// Ticks are late where other threads have the processors. A call that loses its processor then often ends just after
// a tick that was late as well, and the call's own estimate has little of what it took. No other call stands for that,
// but it is part of what ticks have seen.
uint64_t instr_estimate_time(const struct instr_estimate *known) {
    const double sure = 3,
                 usual = 0.05; // a third of the overhead is an error; a few ticks are late anywhere
    double late = known->late > usual ? known->late - usual : 0;
    double by_ticks = known->ticked < 0 ? 0 : (double)known->ticked;
    if (known->sampled == 0) return (uint64_t)by_ticks;
    double timed = (double)known->total, weight = (double)known->weight;
    double clocks = (double)known->overhead * weight, net = timed - clocks;
    double by_calls = (net < 0 ? 0 : net) / weight * (double)known->calls + (double)known->unseen;
    if (by_calls < 0) by_calls = 0;
    double ticks = (by_calls > by_ticks ? by_calls : by_ticks) / (double)known->tick;
    double of_ticks = 1 / (ticks < 1 ? 1 : ticks);
    double of_calls = known->squares / square(timed < 1 ? 1 : timed);
    of_calls += square(clocks / sure / (net < 1 ? 1 : net)) + square(late);
    return (uint64_t)((by_calls * of_ticks + by_ticks * of_calls) / (of_ticks + of_calls));
}
