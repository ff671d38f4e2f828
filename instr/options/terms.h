// What an owner gives for all of the passes that are the owner's (struct instr_terms).

#ifndef INSTR_OPTIONS_TERMS_H
#define INSTR_OPTIONS_TERMS_H

#include "instr/options/parse.h"

// Has the options begin with the terms of the owner, before a text changes these.
void instr_option_terms_begin(struct instr_option_parser *parser);

// Gives all passes of the owner the terms as they are behind the text, and the options those of the
// command line again. Returns 0; or -1 with the error composed.
int instr_option_terms_settle(struct instr_option_parser *parser);

// Sets the terms of the options to what all passes have in common, where there are passes.
void instr_option_terms_common(struct instr_options *options);

#endif
