// instr rule --explain: what a rule would touch, and which bytecode it makes

#ifndef INSTR_CLI_RULE_EXPLAIN_H
#define INSTR_CLI_RULE_EXPLAIN_H

#include "instr/rules/parse.h"

// Prints what the rule does, then the new code of each method of the classes at the paths that it
// matches. `list` is the option that makes it. CLI_OK, CLI_USAGE or CLI_FAILED.
int cli_rule_explain(const struct instr_rule *rule, const char *list, int count, char **paths);

#endif
