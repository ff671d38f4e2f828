// Parsing the values of options, for the parser of lists and files (options.c).

#ifndef INSTR_OPTIONS_PARSE_H
#define INSTR_OPTIONS_PARSE_H

#include "instr/options.h"
#include "instr/options/names.h"

enum {
    // Bits of instr_pass_options.given:
    INSTR_GIVEN_PASS = 1u << 31, // the text names the pass
    INSTR_ON_ALREADY = 1u << 30  // the pass was on before
};

struct instr_option_parser {
    struct instr_options *options;
    struct instr_pass_options *passes; // of all passes: the list, then those that were made
    size_t pass_count;
    struct rw_made *made;     // of the last pass that the text makes; NULL: none
    unsigned made_count;      // passes that the option has made with it
    struct instr_owner owner; // of the passes that the text changes
    int changing;             // the text changes options
    // A scope of the options that the text changes; the text's own one is in `options`.
    struct instr_match *include, *exclude;
    struct instr_terms start; // of the command line, while those in `options` are the owner's
    struct instr_terms terms; // of the owner
    unsigned given;           // bit per row of instr_option_rows
    const char *file;         // being read; NULL: the list
    unsigned line, depth;
    int only_values; // no pass may be named
    int late;        // the JVM is running: instr_pass_options.late
    char *error;
    size_t error_size;
};

// The bit of the option in `given`.
unsigned instr_option_bit(const char *key);

// Composes the error line for `key` ("": none). Text from outside is shown without control
// characters and cut to a reasonable length. Returns -1.
__attribute__((format(printf, 3, 4))) int
instr_option_fail(struct instr_option_parser *parser, const char *key, const char *format, ...);
int instr_option_no_memory(struct instr_option_parser *parser, const char *key);

// Parses `value` by the kind of the option and sets the field. The old value is freed, but patterns
// accumulate. Returns 0; or -1 with the error composed. Not for INSTR_KIND_CONFIG.
int instr_option_set(struct instr_option_parser *parser, const struct instr_option_row *row,
                     const char *key, const char *value, void *field);

// Sets a string.
int instr_option_set_text(struct instr_option_parser *parser, const char *key, const char *value,
                          char **field);

// Sets a file name, which may contain %p.
int instr_option_set_file(struct instr_option_parser *parser, const char *key, const char *value,
                          char **field);

// Sets the index of `value` among `words`, "a|b|c".
int instr_option_set_choice(struct instr_option_parser *parser, const char *key, const char *value,
                            const char *words, int *field);

#endif
