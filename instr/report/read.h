// Reports read back from their files, for the command line tool.

#ifndef INSTR_REPORT_READ_H
#define INSTR_REPORT_READ_H

#include "instr/report/alloc_report.h"
#include "instr/report/exceptions_report.h"
#include "instr/report/report.h"

struct instr_report_file {
    struct instr_report report;             // its strings live as long as the file
    int alloc;                              // it is a result of the pass alloc:
    struct instr_alloc_report alloc_report; // this instead of `report`
    // The same of the pass exceptions; rows NULL: it is another's.
    struct instr_exception_report exceptions;
    void *owned;
};

// Reads what instr_report_write or the pass alloc wrote, and what others made in its likeness: keys
// that are not known are ignored, times that are missing are 0. `path` "-" is standard input.
// Returns 0; or -1 with one line in `error`, which names the place; then there is nothing to free.
int instr_report_read(struct instr_report_file *file, const char *path, char *error, size_t size);
void instr_report_file_free(struct instr_report_file *file);

#endif
