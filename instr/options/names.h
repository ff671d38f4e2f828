// The table of options as data, for parsing, printing and documentation.

#ifndef INSTR_OPTIONS_NAMES_H
#define INSTR_OPTIONS_NAMES_H

#include <stddef.h>
#include <stdio.h>

enum instr_option_kind {
    INSTR_KIND_PATTERNS, // struct instr_match *, accumulates
    INSTR_KIND_CHOICE,   // int: which of the words of `argument`
    INSTR_KIND_FILE,     // char *
    INSTR_KIND_SOCKET,   // char *, NULL: on
    INSTR_KIND_SIZE,     // uint64_t, bytes
    INSTR_KIND_NUMBER,   // unsigned
    INSTR_KIND_COUNT,    // unsigned, from 1; 0: not given
    INSTR_KIND_DURATION, // uint64_t, nanoseconds; 0: not given
    INSTR_KIND_PERCENT,  // unsigned, thousandths of a percent, or INSTR_ANY_OVERHEAD; 0: not given
    INSTR_KIND_WORDS,    // unsigned: bits of the words of `argument`
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

// The argument of the option `key` (also pass.key) as the help shows it; NULL: no such option.
const char *instr_option_argument(const char *key);

enum { INSTR_WORDS_SIZE = 64 };
// Writes the words of an argument "a:b:c" whose bits are set, with colons between; returns `text`.
char *instr_option_words(const char *argument, unsigned bits, char text[INSTR_WORDS_SIZE]);

// The number of edits (insert, delete, replace, swap two neighbours) that lead from a to b. Only
// the first 63 bytes are compared, without regard to case; b is in lower case.
unsigned instr_name_distance(const char *a, const char *b);

// Writes the name of the pass or option nearest to `key`.
void instr_nearest_option(const char *key, char name[INSTR_NAME_SIZE]);

// Calls `each` for all passes (argument == NULL), then for all options, in the order of the help.
void instr_each_option(void (*each)(void *context, const char *name, const char *argument,
                                    const char *help),
                       void *context);

// The source of passes with this key; NULL: none.
const struct instr_pass_source *instr_option_source(const char *key, size_t length);

// Does the pass have this common option of passes?
int instr_pass_has(const struct rw_pass *pass, const struct instr_option_row *row);

#endif
