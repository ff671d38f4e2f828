// weave.h: rules as bytecode

#ifndef INSTR_RULES_WEAVE_H
#define INSTR_RULES_WEAVE_H

#include "instr/rules/rules.h"

// rw_pass.edit of a pass whose data is a rule.
enum cf_status instr_rule_weave(struct rw_class *cls, struct cf_edit *edit);

#endif
