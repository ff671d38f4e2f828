// applied.h: where the advices of a kit were woven into code

#ifndef INSTR_KIT_APPLIED_H
#define INSTR_KIT_APPLIED_H

#include "instr/kit/kit.h"

struct instr_kit_applied;

// NULL: out of memory. There are `advices` advices.
struct instr_kit_applied *instr_kit_applied_new(size_t advices);
void instr_kit_applied_free(struct instr_kit_applied *applied);

// Notes that an advice was woven into a method. Each method counts once, whatever loaders have its class. Any thread.
void instr_kit_applied_add(struct instr_kit_applied *applied, size_t advice, struct cf_slice class,
                           struct cf_slice name, struct cf_slice descriptor);

// Notes why an advice is not called from a class; the first reason stays. Any thread.
void instr_kit_applied_refuse(struct instr_kit_applied *applied, size_t advice, const char *reason);

// With `counts` the runs of the advices are counted from now on, by code that is put into the methods.
void instr_kit_applied_count_runs(struct instr_kit_applied *applied, bool counts);
// The number by which java.lang.InstrKitRuns counts the runs of the advice in a method. -1: they are not counted.
int instr_kit_applied_number(struct instr_kit_applied *applied, size_t advice,
                             struct cf_slice class, struct cf_slice name,
                             struct cf_slice descriptor);
// Calls `each` for the methods that have numbers.
void instr_kit_applied_runs(struct instr_kit_applied *applied, size_t advice,
                            void (*each)(void *context, const char *method, int number),
                            void *context);

struct instr_kit_applied_totals {
    size_t classes, methods;
    char refusal[512]; // ""; else why the advice is not called from a class
};

// What was noted of an advice. `each` gets the methods, as "com.acme.Shop.order(java.lang.String,int)", in the order in
// which they were noted; the first `most` of them.
struct instr_kit_applied_totals
instr_kit_applied_get(struct instr_kit_applied *applied, size_t advice, size_t most,
                      void (*each)(void *context, const char *method), void *context);

#endif
