// targets.h: the methods of class files that an advice applies to

#ifndef INSTR_KIT_TARGETS_H
#define INSTR_KIT_TARGETS_H

#include "instr/kit/link.h"

// What was found in classes so far; zero at first.
struct instr_kit_matches {
    bool offline;     // set by the caller: the classes are those of files that are rewritten
    size_t methods;   // native or with code, that match; or calls
    size_t fitting;   // of them, those for which the advice can be called
    char misfit[600]; // why not, for the first of the others
};

// Adds the methods of a class. Supertypes are looked for in the world; those that are not there do not match.
void instr_kit_match_class(const struct instr_kit_advice *advice, const struct cf_class *cls,
                           const struct instr_kit_world *world, struct instr_kit_matches *matches);

// The same of the calls in a class, for an advice with `calls`: `methods` counts calls.
void instr_kit_match_calls(const struct instr_kit_advice *advice, const struct cf_class *cls,
                           struct instr_kit_matches *matches);

#endif
