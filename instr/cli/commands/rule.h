// rule.h: rules that are typed on the command line

#ifndef INSTR_CLI_RULE_H
#define INSTR_CLI_RULE_H

#include <stdbool.h>

// Prints what is wrong with a rule, the rule, and a mark below the mistake. `prints`: it may hand calls
// to `instr watch`. CLI_OK or CLI_USAGE.
int cli_rule_check(const char *text, bool prints);

// The same; on success *rule, from malloc, is replaced by one with the patterns of the files that it names.
int cli_rule_take(char **rule, bool prints);

#endif
