// What the readers of results share: report_read.c has the values, alloc_read.c one kind of result.

#ifndef INSTR_REPORT_READ_PARTS_H
#define INSTR_REPORT_READ_PARTS_H

#include <jansson.h>

#include "instr/report/read.h"

struct instr_reader {
    const char *path;
    const char *list; // that is being read: "methods", "sites"
    size_t index;     // in it
    char *error;
    size_t size;
};

// Writes "instr: PATH: reason". Returns -1.
__attribute__((format(printf, 2, 3))) int instr_reader_fail(struct instr_reader *r,
                                                            const char *format, ...);

// The value of a key of the list's object at hand. Returns 0, or -1: it is missing or of another
// kind. A number that is missing is 0.
int instr_reader_text(struct instr_reader *r, const json_t *object, const char *key,
                      const char **text);
int instr_reader_number(struct instr_reader *r, const json_t *object, const char *key,
                        uint64_t *number);

// Reads what the pass alloc wrote into file->alloc_report. Returns 0, or -1.
int instr_alloc_read(struct instr_reader *r, const json_t *root, struct instr_report_file *file);

#endif
