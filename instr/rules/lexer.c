// Tokens of rules: names, numbers with units, strings and operators.

#include "instr/rules/internal.h"
#include "instr/base/numbers.h"
#include "instr/base/utf8.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rule_lexer_fail(struct rule_lexer *lexer, const char *at, uint32_t length, const char *format,
                     ...) {
    va_list arguments;
    if (lexer->failed) return;
    lexer->failed = true;
    lexer->kind = TOKEN_END;
    lexer->error->offset = (uint32_t)(at - lexer->start);
    lexer->error->length = length ? length : 1;
    va_start(arguments, format);
    vsnprintf(lexer->error->text, sizeof lexer->error->text, format, arguments);
    va_end(arguments);
}

char *rule_lexer_copy(struct rule_lexer *lexer, const char *text, size_t length) {
    char *copy = cf_arena_alloc(lexer->arena, length + 1);
    if (!copy) {
        rule_lexer_fail(lexer, lexer->token, 1, "out of memory");
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *rule_lexer_modified(struct rule_lexer *lexer, const char *text, size_t length) {
    size_t pairs = 0;
    for (size_t i = 0; i < length; i++) pairs += (unsigned char)text[i] >= 0xF0;
    char *copy = cf_arena_alloc(lexer->arena, length + 2 * pairs + 1), *to = copy;
    if (!copy) rule_lexer_fail(lexer, lexer->token, 1, "out of memory");
    for (const char *at = text, *end = text + length; copy && at < end;) {
        uint32_t c = instr_utf8_next(&at, end);
        if (c >= 0x10000) {
            to += instr_utf8_put(0xD800 + ((c - 0x10000) >> 10), to);
            c = 0xDC00 + ((c - 0x10000) & 0x3FF);
        }
        to += instr_utf8_put(c, to);
    }
    if (copy) *to = '\0';
    return copy;
}

void rule_lexer_begin(struct rule_lexer *lexer, const char *start, const char *at,
                      struct cf_arena *arena, struct instr_rule_error *error) {
    *lexer =
        (struct rule_lexer){.start = start, .at = at, .token = at, .arena = arena, .error = error};
    rule_lexer_next(lexer);
}

bool rule_lexer_is(const struct rule_lexer *lexer, const char *text) {
    if (lexer->kind != TOKEN_SIGN && lexer->kind != TOKEN_NAME) return false;
    return strlen(text) == lexer->length && memcmp(lexer->token, text, lexer->length) == 0;
}

static bool starts_name(char c) {
    return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool continues_name(char c) {
    return starts_name(c) || isdigit((unsigned char)c);
}

static void read_name(struct rule_lexer *lexer) {
    lexer->kind = TOKEN_NAME;
    while (continues_name(*lexer->at)) lexer->at++;
}

// A unit behind a number; its factor, 0: there is none.
static double unit(struct rule_lexer *lexer, bool *time) {
    static const struct {
        const char *text;
        double factor;
        bool time;
    } units[] = {{"ns", 1, true},   {"us", 1e3, true},   {"ms", 1e6, true},
                 {"s", 1e9, true},  {"m", 60e9, true},   {"k", 1e3, false},
                 {"M", 1e6, false}, {"KB", 1024, false}, {"MB", 1024 * 1024, false}};
    const char *end = lexer->at;
    while (isalpha((unsigned char)*end)) end++;
    size_t length = (size_t)(end - lexer->at);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].text) != length || memcmp(units[i].text, lexer->at, length) != 0)
            continue;
        lexer->at = end;
        *time = units[i].time;
        return units[i].factor;
    }
    if (length)
        rule_lexer_fail(lexer, lexer->at, (uint32_t)length,
                        "'%.*s' is not a unit: ns, us, ms, s, m, k, M, KB or MB",
                        length > 20 ? 20 : (int)length, lexer->at);
    return 0;
}

// A percent sign belongs to the number unless an operand follows: 7 % 2 is a remainder.
static bool is_percent(const char *at) {
    if (*at != '%') return false;
    do at++;
    while (*at == ' ');
    return !continues_name(*at) && *at != '(' && *at != '"' && *at != '\'' && *at != '.' &&
           *at != '-' && *at != '!';
}

static void read_number(struct rule_lexer *lexer) {
    const char *from = lexer->at;
    char digits[40];
    bool real = false;
    while (isdigit((unsigned char)*lexer->at) || *lexer->at == '_' ||
           (*lexer->at == '.' && !real && isdigit((unsigned char)lexer->at[1])))
        real |= *lexer->at++ == '.';
    size_t length = 0;
    for (const char *p = from; p < lexer->at && length + 1 < sizeof digits; p++)
        if (*p != '_') digits[length++] = *p;
    digits[length] = '\0';
    double value = instr_to_double(digits, NULL), factor = 0;
    if (is_percent(lexer->at)) {
        lexer->at++;
        value /= 100;
        real = true;
    } else {
        factor = unit(lexer, &lexer->time);
    }
    if (factor != 0) value *= factor;
    uint64_t exact = factor != 0 || real ? 0 : strtoull(digits, NULL, 10);
    bool large = exact ? exact > UINT64_C(1) << 63 : value >= 9.2e18;
    if (length + 1 == sizeof digits || large) {
        rule_lexer_fail(lexer, from, (uint32_t)(lexer->at - from), "the number is too large");
        return;
    }
    bool whole = factor != 0 ? value == (double)(int64_t)value : !real;
    lexer->kind = whole ? TOKEN_INTEGER : TOKEN_REAL;
    lexer->real = value;
    lexer->integer = factor != 0 || real ? (int64_t)value : (int64_t)exact;
}

static void read_text(struct rule_lexer *lexer) {
    const char *from = lexer->at++, quote = *from;
    char *copy = rule_lexer_copy(lexer, lexer->at, strcspn(lexer->at, "\n")), *to = copy;
    for (; copy && *lexer->at && *lexer->at != '\n' && *lexer->at != quote; lexer->at++) {
        if (*lexer->at == '\\' && lexer->at[1] && lexer->at[1] != '\n') lexer->at++;
        *to++ = *lexer->at;
    }
    if (!copy) return;
    if (*lexer->at != quote) {
        rule_lexer_fail(lexer, from, 1, "the string has no end");
        return;
    }
    lexer->at++;
    *to = '\0';
    lexer->kind = TOKEN_TEXT;
    lexer->text = copy;
}

static void read_sign(struct rule_lexer *lexer) {
    static const char *const two[] = {"&&", "||", "==", "!=", "<=", ">=", "+=", ".."};
    lexer->kind = TOKEN_SIGN;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
        if (lexer->at[0] != two[i][0] || lexer->at[1] != two[i][1]) continue;
        lexer->at += 2;
        return;
    }
    if (!strchr("/{}()[],;.@=<>!~+-*%", *lexer->at)) {
        rule_lexer_fail(lexer, lexer->at, 1, "'%c' has no meaning here",
                        isprint((unsigned char)*lexer->at) ? *lexer->at : '?');
        return;
    }
    lexer->at++;
}

void rule_lexer_next(struct rule_lexer *lexer) {
    while (*lexer->at && isspace((unsigned char)*lexer->at)) lexer->at++;
    lexer->token = lexer->at;
    lexer->time = false;
    lexer->kind = TOKEN_END;
    lexer->length = 0;
    if (lexer->failed || !*lexer->at) return;
    if (starts_name(*lexer->at))
        read_name(lexer);
    else if (isdigit((unsigned char)*lexer->at))
        read_number(lexer);
    else if (*lexer->at == '"' || *lexer->at == '\'')
        read_text(lexer);
    else
        read_sign(lexer);
    lexer->length = (uint32_t)(lexer->at - lexer->token);
}
