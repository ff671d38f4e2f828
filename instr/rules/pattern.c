// The pattern at the start of a rule, and that of `call`: CLASS.METHOD(TYPE NAME, ..).

#include "instr/rules/internal.h"

#include <ctype.h>
#include <string.h>

enum { MOST_PARAMETERS = 255 };

static const char *word_end(const char *at, const char *also) {
    while (*at && !isspace((unsigned char)*at) && !strchr(also, *at)) at++;
    return at;
}

const char *rule_skip_spaces(const char *at) {
    while (isspace((unsigned char)*at)) at++;
    return at;
}

static void add_type(char *pattern, const char *type, const char *end) {
    size_t length = strlen(pattern);
    if (pattern[length - 1] != '(') pattern[length++] = ',';
    memcpy(pattern + length, type, (size_t)(end - type));
    pattern[length + (size_t)(end - type)] = '\0';
}

static void add_name(struct rule_lexer *lexer, struct instr_rule *rule, const char *name,
                     const char *end) {
    for (const char *c = name; c < end; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '$' && (unsigned char)*c < 0x80)
            rule_lexer_fail(lexer, name, (uint32_t)(end - name),
                            "the name of a parameter has letters, digits, _ and $");
    if (rule->parameter_count == MOST_PARAMETERS) return;
    rule->parameters[rule->parameter_count++] =
        end > name ? rule_lexer_copy(lexer, name, (size_t)(end - name)) : NULL;
}

// "(Cart cart, int)": types go to the pattern, names to the list. Returns what is behind it.
static const char *parse_parameters(struct rule_lexer *lexer, struct instr_rule *rule,
                                    const char *at, char *pattern) {
    bool any = false;
    at = rule_skip_spaces(at + 1);
    strcat(pattern, "(");
    while (*at && *at != ')' && !lexer->failed) {
        const char *end = word_end(at, ",)"), *name = rule_skip_spaces(end), *name_end;
        name_end = word_end(name, ",)");
        if (any) rule_lexer_fail(lexer, at, 1, "nothing can stand behind ..");
        any = end - at == 2 && memcmp(at, "..", 2) == 0;
        if (end == at) rule_lexer_fail(lexer, at, 1, "the type of a parameter is missing");
        add_type(pattern, at, end);
        if (!any) add_name(lexer, rule, name, name_end);
        at = rule_skip_spaces(name_end);
        if (*at == ',')
            at = rule_skip_spaces(at + 1);
        else if (*at != ')')
            rule_lexer_fail(lexer, at, 1, "',' or ')' is missing");
    }
    strcat(pattern, ")");
    if (*at == ')') return at + 1;
    rule_lexer_fail(lexer, at, 1, "')' is missing behind the parameters");
    return at;
}

const char *rule_pattern(struct rule_lexer *lexer, struct instr_rule *rule, const char *at,
                         const char **text, struct rw_watch_pattern *target) {
    const char *from = at = rule_skip_spaces(at), *end = word_end(at, "(");
    size_t length = (size_t)(end - at);
    char *pattern = cf_arena_alloc(&rule->arena, strlen(at) + 4);
    if (!pattern) {
        rule_lexer_fail(lexer, at, 1, "out of memory");
        return at;
    }
    memcpy(pattern, at, length);
    pattern[length] = '\0';
    at = *end == '(' ? parse_parameters(lexer, rule, end, pattern) : end;
    const char *wrong, *stop;
    if (strchr(pattern, ':')) {
        rule_lexer_fail(lexer, from, (uint32_t)length,
                        "a rule has one pattern, without ':'; a dot or # separates class and "
                        "method");
        return at;
    }
    wrong = rw_watch_split(pattern, target, &stop);
    if (wrong) rule_lexer_fail(lexer, from, (uint32_t)length, "the pattern %s", wrong);
    *text = pattern;
    return at;
}

void rule_take_classes(struct rule_lexer *lexer, struct instr_rule *rule) {
    struct cf_slice name = rule->target.class_name;
    char reason[200];
    if (name.length && name.bytes[name.length - 1] == '+') {
        rule->subtypes = true;
        name.length = --rule->target.class_name.length;
    }
    char *classes = rule_lexer_copy(lexer, (const char *)name.bytes, name.length);
    rule->classes = instr_match_new();
    if (!classes || !rule->classes)
        rule_lexer_fail(lexer, lexer->start, 1, "out of memory");
    else if (instr_match_add(rule->classes, classes, reason, sizeof reason) != 0)
        rule_lexer_fail(lexer, lexer->start, name.length, "%s", reason);
}
