// Results of the pass exceptions read back from their files, for the command line tool.

#ifndef INSTR_EXCEPTIONS_READ_H
#define INSTR_EXCEPTIONS_READ_H

#include "instr/report/exceptions_report.h"

#include <jansson.h>

// Fills the report from the list "exceptions"; its strings are those of `list`, which must outlive
// it. Returns 0; or -1 with what is wrong in `reason`, and then there is nothing to free.
int instr_exceptions_read(struct instr_exception_report *report, const json_t *list, char *reason,
                          size_t size);
void instr_exceptions_read_free(struct instr_exception_report *report);

#endif
