// What the files of the room share: the tokens of a rule.

#ifndef INSTR_RULES_INTERNAL_H
#define INSTR_RULES_INTERNAL_H

#include "instr/rules/parse.h"

enum rule_token {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_INTEGER,
    TOKEN_REAL,
    TOKEN_TEXT,
    TOKEN_SIGN // one or two characters
};

// Reads tokens one by one. `error` of the rule is set when a token is malformed.
struct rule_lexer {
    const char *start, *at; // at: behind the current token
    const char *token;      // where the current one begins
    uint32_t length;
    enum rule_token kind;
    int64_t integer; // INT64_MIN: 9223372036854775808, which is a long only behind a minus sign
    double real;
    bool time; // a number with a unit of time
    struct cf_arena *arena;
    const char *text; // of TOKEN_TEXT, without quotes and backslashes
    struct instr_rule_error *error;
    bool failed;
};

void rule_lexer_begin(struct rule_lexer *lexer, const char *start, const char *at,
                      struct cf_arena *arena, struct instr_rule_error *error);
void rule_lexer_next(struct rule_lexer *lexer);
bool rule_lexer_is(const struct rule_lexer *lexer, const char *sign_or_name);
// Sets the error, unless there is one already.
void rule_lexer_fail(struct rule_lexer *lexer, const char *at, uint32_t length, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
// A copy in the arena; NULL: out of memory, and the lexer has failed.
char *rule_lexer_copy(struct rule_lexer *lexer, const char *text, size_t length);
// The same in modified UTF-8, as class files and JNI have texts: characters above U+FFFF are two surrogates.
char *rule_lexer_modified(struct rule_lexer *lexer, const char *text, size_t length);

// The pattern at `at`: its text without names of parameters, which go to the rule. Returns what is behind it.
const char *rule_pattern(struct rule_lexer *lexer, struct instr_rule *rule, const char *at,
                         const char **text, struct rw_watch_pattern *target);
// Takes the classes from the pattern of the rule.
void rule_take_classes(struct rule_lexer *lexer, struct instr_rule *rule);
const char *rule_skip_spaces(const char *at);

#endif
