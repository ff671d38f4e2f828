// option.h: the option kit=, and the pass that it makes

#ifndef INSTR_KIT_OPTION_H
#define INSTR_KIT_OPTION_H

#include "instr/kit/kit.h"
#include "instr/options.h"

// kit=
extern const struct instr_pass_source instr_kit_source;

// Makes the kit of such a pass one for `instr rewrite`. False: one line in `reason`. Nothing else may use the pass.
bool instr_kit_make_offline(const struct rw_pass *pass, char *reason, size_t size);

// The kit of a pass that the option has made.
static inline const struct instr_kit *instr_kit_of(const struct rw_pass *pass) {
    return pass->data;
}

#endif
