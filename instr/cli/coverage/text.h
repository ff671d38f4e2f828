// Names and numbers in reports.

#ifndef INSTR_CLI_COVERAGE_TEXT_H
#define INSTR_CLI_COVERAGE_TEXT_H

#include "instr/base/output.h"

#include <stdint.h>

// Writes modified UTF-8 as UTF-8 with what XML has a meaning for escaped. Characters that XML forbids
// become U+FFFD.
void cover_put_xml(struct instr_output *out, const char *text);
void cover_put_number(struct instr_output *out, uint64_t number);
// Writes " NAME=\"NUMBER\"".
void cover_put_attribute(struct instr_output *out, const char *name, uint64_t number);

#endif
