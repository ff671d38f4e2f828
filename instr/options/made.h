// made.h: passes that options make, and their names, for the parser of lists and files (options.c)

#ifndef INSTR_OPTIONS_MADE_H
#define INSTR_OPTIONS_MADE_H

#include "instr/options/parse.h"

#include <stdbool.h>

// Makes the passes of an option such as rule=TEXT. Returns 0; or -1 with the error composed.
int instr_option_make(struct instr_option_parser *parser, const struct instr_pass_source *source,
                      const char *value);

// Names the pass that was made last: name=NAME. Returns as above.
int instr_option_name(struct instr_option_parser *parser, const char *name);

// The hint for an option of a pass that has a number and no name yet: rule1.file. False: it is none.
bool instr_option_made_hint(const char *key, char *hint, size_t size);

// Gives names to the passes that were made without one; no name may stand for two passes. Returns
// as above.
int instr_option_settle_names(struct instr_option_parser *parser);

#endif
