// Copies of options, with fewer passes or with less in their scope, and what passes in them own.

#ifndef INSTR_OPTIONS_COPY_H
#define INSTR_OPTIONS_COPY_H

#include "instr/options.h"

#include <stdbool.h>

// Frees the field's set, which is none then.
void instr_option_forget_patterns(struct instr_match **field);
// The field has this set, too, in place of its own.
void instr_option_share_patterns(struct instr_match **field, struct instr_match *patterns);
// The pass has no earlier scopes any more.
void instr_option_forget_scopes(struct instr_pass_options *pass);

// Does the pass end after a time of its own, whatever the time of its owner is? So do rules that are added to a
// running JVM.
bool instr_option_ends_alone(const struct instr_pass_options *pass);

// Frees what the pass owns.
void instr_option_free_pass(struct instr_pass_options *pass);

#endif
