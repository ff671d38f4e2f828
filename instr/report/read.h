// Results read back from their files. A file may come from anywhere: every value is checked.

#ifndef INSTR_REPORT_READ_H
#define INSTR_REPORT_READ_H

#include "instr/report/cost.h"
#include "instr/report/kinds.h"

#include <jansson.h>

struct instr_reader {
    const char *path; // "-": standard input
    json_t *root;     // NULL: the file is not JSON
    const char *list; // the list that is being read: "methods", "sites"
    size_t index;     // in it
    char *error;
    size_t size;
};

// Finds the kind of the file, one of `kinds`, which NULL ends, and reads the JSON if it is JSON.
// Returns NULL with one line in the reader's error if the file has none of them. In either case
// instr_reader_close follows.
const struct instr_report_kind *instr_reader_open(struct instr_reader *r, const char *path,
                                                  const struct instr_report_kind *const *kinds,
                                                  char *error, size_t size);
// The same for JSON that is already read; `root` stays the caller's. `path` is a name for messages.
const struct instr_report_kind *instr_reader_use(struct instr_reader *r, const char *path,
                                                 json_t *root,
                                                 const struct instr_report_kind *const *kinds,
                                                 char *error, size_t size);
void instr_reader_close(struct instr_reader *r);

// Writes "PATH: reason". Returns -1.
__attribute__((format(printf, 2, 3))) int instr_reader_fail(struct instr_reader *r,
                                                            const char *format, ...);
// The same for a key of the object at hand: "LIST[INDEX]: "KEY" is WHAT".
int instr_reader_fail_at(struct instr_reader *r, const char *key, const char *what);

// Calls `read` for each object of a list of the root, which may be missing. Returns 0, or -1.
int instr_reader_each(struct instr_reader *r, const char *list,
                      int (*read)(struct instr_reader *r, const json_t *object, void *context),
                      void *context);
// How many objects the list has.
size_t instr_reader_count(const struct instr_reader *r, const char *list);

// The value of a key of the list's object at hand. Returns 0, or -1: it is missing or of another
// type. An optional text that is missing or null is NULL, such a number is 0.
int instr_reader_text(struct instr_reader *r, const json_t *object, const char *key,
                      const char **text);
int instr_reader_optional(struct instr_reader *r, const json_t *object, const char *key,
                          const char **text);
int instr_reader_number(struct instr_reader *r, const json_t *object, const char *key,
                        uint64_t *number);

// Reads the member "cost" of the root (cost.h); one that is missing, or malformed, is not known.
void instr_reader_cost(const struct instr_reader *r, struct instr_cost *cost);

#endif
