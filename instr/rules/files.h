// files.h: files with rules, and the patterns of files in the text of a rule

#ifndef INSTR_RULES_FILES_H
#define INSTR_RULES_FILES_H

#include <stddef.h>

// A copy of the rule in which the patterns of each file (~ @FILE) stand in place of its name. The name
// stays where the file cannot be read, or the rule would be too long. NULL: out of memory.
char *instr_rule_with_files(const char *text);

enum { INSTR_RULE_LARGEST_FILE = 1 << 20 };

// The text of a regular file of at most `most` bytes. The caller frees it. NULL: *why is the reason.
char *instr_rule_read_file(const char *path, size_t most, const char **why);

// The offset of the first byte that is not UTF-8; the length of the text if all are.
size_t instr_rule_not_utf8(const char *text);

#endif
