// The table of options as data, for those who read, print or document it.

#ifndef INSTR_OPTIONS_NAMES_H
#define INSTR_OPTIONS_NAMES_H

#include <stddef.h>
#include <stdio.h>

enum instr_option_kind {
    INSTR_KIND_PATTERNS, // struct instr_match *, adds up
    INSTR_KIND_CHOICE,   // int: which of the words of `argument`
    INSTR_KIND_FILE,     // char *
    INSTR_KIND_SIZE,     // uint64_t, bytes
    INSTR_KIND_NUMBER,   // unsigned
    INSTR_KIND_COUNT,    // unsigned, from 1; 0: not given
    INSTR_KIND_DURATION, // uint64_t, nanoseconds; 0: not given
    INSTR_KIND_PERCENT,  // unsigned, thousandths of a percent; 0: not given
    INSTR_KIND_CONFIG    // unsigned: files read
};

struct rw_pass;

struct instr_option_row {
    const char *key;
    enum instr_option_kind kind;
    size_t offset; // of the field
    const char *argument;
    const char *help;
};

// Both end with key == NULL; the fields of the second are those of struct instr_pass_options.
extern const struct instr_option_row instr_option_rows[];
extern const struct instr_option_row instr_pass_option_rows[];

enum { INSTR_NAME_SIZE = 128 };

// What the option `key` (also pass.key) takes, as the help shows it; NULL when there is no such
// option.
const char *instr_option_argument(const char *key);

// Edits (insert, delete, replace, swap two neighbours) that lead from a to b; both are looked at up
// to 63 bytes. Case does not count; b is in lower case.
unsigned instr_name_distance(const char *a, const char *b);

// Writes the name of the pass or option that is nearest to `key`.
void instr_nearest_option(const char *key, char name[INSTR_NAME_SIZE]);

// Calls `each` for all passes (argument == NULL) and then all options, in the order of the help.
void instr_each_option(void (*each)(void *context, const char *name, const char *argument,
                                    const char *help),
                       void *context);

// Does the pass have this option of those that passes have in common?
int instr_pass_has(const struct rw_pass *pass, const struct instr_option_row *row);

#endif
