// option.h: the option rule=, and the passes that it makes

#ifndef INSTR_RULES_OPTION_H
#define INSTR_RULES_OPTION_H

#include "instr/options.h"

// rule=TEXT makes one pass, rule=@FILE one for each rule of the file.
extern const struct instr_pass_source instr_rule_source;

#endif
