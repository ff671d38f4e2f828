// parse.h: rules from text

#ifndef INSTR_RULES_PARSE_H
#define INSTR_RULES_PARSE_H

#include "instr/rules/rules.h"

// What is wrong with a rule, and where.
struct instr_rule_error {
    uint32_t offset, length;
    char text[256];
};

// Parses a rule. NULL: `error` says why. The caller frees it.
struct instr_rule *instr_rule_parse(const char *text, struct instr_rule_error *error);
void instr_rule_free(struct instr_rule *rule);

#endif
