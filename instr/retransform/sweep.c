#include "instr/retransform/sweep.h"

#include "instr/base/clock.h"
#include "instr/retransform/apply.h"
#include "instr/retransform/hook.h"
#include "instr/retransform/retransform.h"

#include <stdatomic.h>

#define SECOND UINT64_C(1000000000)
static const uint64_t LOADING_FOR = INSTR_LATE_LOADED_FOR * SECOND,
                      LOADING_AMONG_MANY_FOR = 10 * SECOND, ABSENT_AFTER = 2 * SECOND,
                      PAUSE = 2 * SECOND;
enum {
    MANY_LOADING = 16384,
    SHARE = 20 // the pause is at least so many times what a sweep takes
};

static atomic_bool wanted;
static atomic_uint_fast64_t next; // ns; before then there is no other sweep

static int see(void *context, jclass cls, jobject loader, const char *name) {
    const struct instr_agent *agent = context;
    (void)cls;
    instr_class_states_sweep_loaded(agent->class_states,
                                    instr_hook_key(agent->jvmti, name, loader));
    return 0;
}

static uint32_t seconds_before(uint64_t now, uint64_t time) {
    return now > time ? (uint32_t)((now - time) / SECOND) : 0;
}

void instr_sweep_end(struct instr_agent *agent, uint64_t start) {
    // A class that was unloaded between two sweeps looks as if it were still loading. Thousands of
    // such entries mean that an application loads and unloads many classes.
    uint64_t loading = instr_class_states_totals(agent->class_states).loading;
    uint64_t patience = loading > MANY_LOADING ? LOADING_AMONG_MANY_FOR : LOADING_FOR;
    instr_class_states_sweep_end(agent->class_states, seconds_before(start, patience),
                                 seconds_before(start, ABSENT_AFTER));
}

void instr_sweep(struct instr_agent *agent, JNIEnv *jni) {
    uint64_t start = instr_clock_now();
    struct instr_class_states_totals totals = instr_class_states_totals(agent->class_states);
    if (start < atomic_load(&next) || !(totals.classes || totals.over || totals.refused)) return;
    struct instr_retransform looking = {
        .jvmti = agent->jvmti, .jni = jni, .context = agent, .wanted = see};
    atomic_store(&wanted, false);
    instr_class_states_sweep_begin(agent->class_states);
    if (instr_retransform_loaded(&looking)) instr_sweep_end(agent, start);
    uint64_t end = instr_clock_now(), pause = (end - start) * SHARE;
    atomic_store(&next, end + (pause > PAUSE ? pause : PAUSE));
}

void instr_sweep_if_free(struct instr_agent *agent, JNIEnv *jni) {
    if (!agent->class_states || pthread_mutex_trylock(&agent->switching) != 0) return;
    int state = atomic_load(&agent->state);
    if (state == INSTR_ACTIVE || state == INSTR_DORMANT) instr_sweep(agent, jni);
    pthread_mutex_unlock(&agent->switching);
}

void instr_sweep_want(void) {
    atomic_store_explicit(&wanted, true, memory_order_relaxed);
}

bool instr_sweep_is_due(uint64_t now) {
    return atomic_load_explicit(&wanted, memory_order_relaxed) && now >= atomic_load(&next);
}
