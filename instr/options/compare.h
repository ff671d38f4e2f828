// Comparing two sets of options, so that only classes whose result changes are retransformed.

#ifndef INSTR_OPTIONS_COMPARE_H
#define INSTR_OPTIONS_COMPARE_H

#include "instr/options.h"

// Do the pass's own options have the same values in both?
int instr_same_values(const struct instr_pass_options *a, const struct instr_pass_options *b);

// The same, but for options that are files.
int instr_same_but_files(const struct instr_pass_options *a, const struct instr_pass_options *b);

// The options of the pass, for the first owner; NULL: it is not among the options, or these are NULL.
const struct instr_pass_options *instr_find_pass(const struct instr_options *options,
                                                 const struct rw_pass *pass);

// The options of the pass with this name, for the first owner; NULL: as above.
const struct instr_pass_options *instr_find_pass_named(const struct instr_options *options,
                                                       const char *name);

// The same pass of the same owner; NULL: it is not among the options, or these are NULL.
const struct instr_pass_options *instr_find_same(const struct instr_options *options,
                                                 const struct instr_pass_options *pass);

// Was the pass among the options before, with the same values of its own options?
int instr_goes_on(const struct instr_options *before, const struct instr_pass_options *pass);

// Are the options the same that decide what all passes insert?
int instr_same_rules(const struct instr_options *a, const struct instr_options *b);

// Does `a` allow to change classes that `b` does not allow, whatever the passes?
int instr_allows_more(const struct instr_options *a, const struct instr_options *b);

// Do both have the same effect on a class? Bit i of `excluded`: pass i is not run on it.
int instr_same_effect(const struct instr_options *a, uint64_t excluded_a,
                      const struct instr_options *b, uint64_t excluded_b);

#endif
