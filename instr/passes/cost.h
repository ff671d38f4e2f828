// cost.h: what a pass costs the program, as an estimate
//
//      inserted code:    events that the pass counted * ns of one (rw_pass.event_ns), the same for calls
//                        that were measured, where not all are, and the first runs of the code of each class
//      compilers:        their CPU time * the share of inserted code in what they compile
//      rewriting:        the time that was measured for each class, by the bytes that the passes inserted into it
//
// The JVM's compilers do not say how long they take for which code. What is known is how many bytes of
// code the changed methods had and got, and how much harder than the program's own code the inserted
// code is to compile (rw_pass.compile_percent). Classes that no pass changes are compiled too, so the
// program has only a part of the compilers' time.
//
// A pass that is switched on in a running JVM makes the compilers compile all of its hot methods anew:
// that is the time that they take since then, at most a millisecond for each changed method.

#ifndef INSTR_PASSES_COST_H
#define INSTR_PASSES_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jni.h>

#include "instr/engine.h"
#include "instr/report/cost.h"
#include "instr/vm/snapshot.h"

// CPU time in ns that the compilers take for a method that they compile anew, at most.
#define INSTR_COMPILED_AGAIN_NS UINT64_C(1000000)

// What a call costs for which the clock is read twice, in ns: some 50 to 100.
unsigned instr_timed_call_ns(void);

// What a pass has handled so far.
struct instr_events {
    uint64_t all;
    uint64_t measured; // calls for which the clock was read
};

// Adds the calls of a method.
void instr_events_add(struct instr_events *events, const struct instr_counts *counts);

// What events of the pass cost with these options, in ns, if they happened within `cpu` ns of CPU time, that of
// the compilers not included (0: unknown). A processor runs counting and the program's own code at the same time,
// the more so the closer counts follow each other, as all of it is in its caches then.
uint64_t instr_events_ns(const struct instr_pass_options *pass, struct instr_events events,
                         uint64_t cpu);
// What the pass has handled besides the events that the table of methods counts, and what that cost.
uint64_t instr_own_events(const struct rw_pass *pass, JNIEnv *jni);
uint64_t instr_own_cost(const struct rw_pass *pass, JNIEnv *jni);

// The pass is switched on in a running JVM, under this number: from here on the compilers' time counts.
void instr_cost_begin(unsigned number);

// These counts of `n` ids, those of the pass among them, are reset now. They stay part of its cost.
void instr_cost_reset(unsigned number, struct instr_methods *methods,
                      const struct instr_counts *counts, size_t n);

// The cost of a pass since it was switched on, by its index in the options; `counts` are those of
// `n` ids. `were_reset`: instr_cost_reset has had them.
struct instr_cost instr_cost_of(struct instr_engine *engine, const struct instr_options *options,
                                unsigned pass, struct instr_methods *methods, JNIEnv *jni,
                                const struct instr_counts *counts, size_t n, bool were_reset);

#endif
