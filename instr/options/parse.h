// What the files of the parser of options share: options.c (the list, keys, files) and
// options_values.c (what stands behind the equals sign).

#ifndef INSTR_OPTIONS_PARSER_H
#define INSTR_OPTIONS_PARSER_H

#include "instr/options.h"
#include "instr/options/names.h"

struct instr_option_parser {
    struct instr_options *options;
    struct instr_pass_options *passes; // of all passes there are, in the order of the table
    unsigned given;                    // bit per row of instr_option_rows
    const char *file;                  // being read, NULL: the list
    unsigned line, depth;
    int only_values; // no pass may be named
    int plain_files; // config= may name no pipe, which might keep us waiting for ever
    char *error;
    size_t error_size;
};

// Composes the error line for `key` ("": for none). What came from outside is shown without control
// characters and not at length. Returns -1.
__attribute__((format(printf, 3, 4))) int
instr_option_fail(struct instr_option_parser *parser, const char *key, const char *format, ...);
int instr_option_no_memory(struct instr_option_parser *parser, const char *key);

// Sets the field at `field` from `value`, as its kind wants it; what was there is freed, but
// patterns add up. 0, or -1 with the error composed. Not for INSTR_KIND_CONFIG.
int instr_option_set(struct instr_option_parser *parser, const struct instr_option_row *row,
                     const char *key, const char *value, void *field);

// Sets a text.
int instr_option_set_text(struct instr_option_parser *parser, const char *key, const char *value,
                          char **field);

// The same for the name of a file, with %p in it.
int instr_option_set_file(struct instr_option_parser *parser, const char *key, const char *value,
                          char **field);

// Sets the number of `value` among `words`, "a|b|c".
int instr_option_set_choice(struct instr_option_parser *parser, const char *key, const char *value,
                            const char *words, int *field);

#endif
