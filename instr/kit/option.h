// option.h: the option kit=, and the pass that it makes

#ifndef INSTR_KIT_OPTION_H
#define INSTR_KIT_OPTION_H

#include "instr/kit/kit.h"
#include "instr/options.h"

// kit=
extern const struct instr_pass_source instr_kit_source;

// The kit of a pass that the option has made.
static inline const struct instr_kit *instr_kit_of(const struct rw_pass *pass) {
    return pass->data;
}

#endif
