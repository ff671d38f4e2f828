// timing.c: the JVM TI half of the pass timing: with clock=auto, the ticks that inserted code compares

#include <stdio.h>
#include <string.h>

#include "instr/vm/ticks.h"
#include "instr/passes/agent_pass.h"
#include "instr/passes/cost.h"
#include "instr/vm/runtime.h"

static bool
    ticks; // have been started; changed while the pass is switched on and off, on one thread at a time

static bool estimates(const struct instr_pass_options *options) {
    const char *clock = instr_pass_option(options, "clock");
    return !clock || strcmp(clock, "auto") == 0;
}

static unsigned event_ns(const struct instr_pass_options *options) {
    enum { COUNTED_NS = 5 };
    return estimates(options) ? COUNTED_NS : instr_timed_call_ns();
}

// With clock=auto the clock is read in some calls. Deciding about them takes 70 ns in a loop that does nothing else, and
// more where it is seldom in the caches.
static unsigned measured_ns(const struct instr_pass_options *options) {
    enum { DECIDING_NS = 100 };
    return estimates(options) ? instr_timed_call_ns() + DECIDING_NS : 0;
}

static bool start(jvmtiEnv *jvmti, JNIEnv *jni, const struct instr_pass_options *options,
                  char *reason, size_t size) {
    if (!estimates(options)) return true;
    if (!instr_runtime_add(jni, "InstrSampling", reason, size)) return false;
    instr_runtime_introduce(jvmti, jni, "InstrSampling");
    // Initializes it: with an exhausted stack that could fail, and would not be tried again.
    jclass sampling = instr_runtime_class("InstrSampling");
    if (!sampling || !(*jni)->GetStaticFieldID(jni, sampling, "TICK", "J")) {
        (*jni)->ExceptionClear(jni);
        snprintf(reason, size, "timing: a class of the runtime cannot be initialized");
        return false;
    }
    if (ticks || (ticks = instr_ticks_start())) return true;
    snprintf(reason, size, "timing: cannot create a thread");
    return false;
}

static void stop(JNIEnv *jni, const struct rw_pass *pass) {
    (void)jni, (void)pass;
    if (ticks) instr_ticks_stop();
    ticks = false;
}

extern const struct instr_agent_pass instr_agent_pass_timing;
const struct instr_agent_pass instr_agent_pass_timing = {
    .estimates = estimates,
    .by_owner = true,
    .releases_ids = true,
    .event_ns = event_ns,
    .measured_ns = measured_ns,
    .start = start,
    .stop = stop,
};
