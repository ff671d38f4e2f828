// The option string of JaCoCo's agent, as a value of `coverage`.

#ifndef INSTR_OPTIONS_JACOCO_H
#define INSTR_OPTIONS_JACOCO_H

#include "instr/options/parse.h"

#include <stdbool.h>

// Translates `text`, such as "destfile=a.exec,includes=com.acme.*:org.foo.*", and calls `set` for
// each option. A comma separates two options only if a name and '=' follow it. Returns 0; or -1 with
// the error composed, also for an option that has no equivalent.
int instr_jacoco_options(struct instr_option_parser *parser, const char *text,
                         int (*set)(struct instr_option_parser *parser, const char *key,
                                    const char *value));

// Is `key` an option of JaCoCo's agent, in any case, perhaps behind "coverage." or "jacoco:"? Then
// writes how to give it here, for an error: the nearest names of ours mean something else.
bool instr_jacoco_hint(const char *key, char *text, size_t size);

#endif
