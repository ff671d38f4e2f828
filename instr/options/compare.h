// options_same.h: what is the same in two sets of options, so that no more is done than has to be.

#ifndef INSTR_OPTIONS_SAME_H
#define INSTR_OPTIONS_SAME_H

#include "instr/options.h"

// Have both the same values of a pass's own options?
int instr_same_values(const struct instr_pass_options *a, const struct instr_pass_options *b);

// The pass among the options (NULL: none); NULL: it is not there.
const struct instr_pass_options *instr_find_pass(const struct instr_options *options,
                                                 const struct rw_pass *pass);

// Does the pass stand among the options of before with the same values?
int instr_goes_on(const struct instr_options *before, const struct instr_pass_options *pass);

// Is the same said of all classes, whatever the passes?
int instr_same_rules(const struct instr_options *a, const struct instr_options *b);

// Do both make the same of a class that has to do without some passes, a bit for each?
int instr_same_effect(const struct instr_options *a, uint64_t without_a,
                      const struct instr_options *b, uint64_t without_b);

#endif
