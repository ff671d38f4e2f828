// Rules: what parses has what its fields promise; what does not has a sentence and a place.

#include "tests/fuzz/fuzz.h"

#include "instr/rules/parse.h"

static void check_value(const struct instr_rule_value *value, unsigned depth, size_t length) {
    if (!value) return;
    MUST(depth <= INSTR_RULE_HIGHEST && value->offset <= length);
    MUST(value->kind <= RULE_REMAINDER);
    if (value->kind == RULE_PARAMETER) MUST(value->number >= 0 && value->number < 255);
    if (value->kind == RULE_FIELD || value->kind == RULE_GETTER)
        MUST(value->left && value->text && *value->text && value->place);
    if (value->kind >= RULE_OR) MUST(value->left && value->right);
    check_value(value->left, depth + 1, length);
    check_value(value->right, depth + 1, length);
}

static void check_rule(const struct instr_rule *rule, size_t length) {
    MUST(rule->actions && rule->found && rule->classes && rule->pattern &&
         rule->target.method.length);
    MUST(rule->table_count <= INSTR_RULE_TABLES);
    check_value(rule->condition, 0, length);
    for (const struct instr_rule_action *a = rule->actions; a; a = a->next) {
        if (a->does == RULE_REDUCES) MUST(a->table < rule->table_count);
        if (a->does == RULE_THROWS) MUST(a->class_name && *a->class_name);
        if (a->does == RULE_SETS) MUST(a->target && a->value);
        MUST(a->key_count <= INSTR_RULE_KEYS);
        for (unsigned i = 0; i < a->key_count; i++) MUST(a->keys[i]);
        check_value(a->value, 0, length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct instr_rule_error error;
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    struct instr_rule *rule = instr_rule_parse(text, &error);
    if (rule) {
        check_rule(rule, strlen(text));
    } else {
        MUST(error.text[0] && memchr(error.text, 0, sizeof error.text));
        MUST(error.offset <= strlen(text) && error.length > 0);
    }
    instr_rule_free(rule);
    free(text);
    return 0;
}
