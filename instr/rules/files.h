// files.h: the patterns of files in the text of a rule

#ifndef INSTR_RULES_FILES_H
#define INSTR_RULES_FILES_H

// A copy of the rule in which the patterns of each file (~ @FILE) stand in place of its name. The name
// stays where the file cannot be read, or the rule would be too long. NULL: out of memory.
char *instr_rule_with_files(const char *text);

#endif
