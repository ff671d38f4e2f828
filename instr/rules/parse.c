// Parses rules:
//
//      rule      = pattern place [ "/" or "/" ] "{" action { ";" action } "}"
//      place     = "entry" | "return" | "throw" | "exit" | "call" PATTERN | "line" NUMBER
//      action    = "@" [NAME] [ "[" or { "," or } "]" ] "=" REDUCTION "(" [or] ")"
//                | "metric" NAME ( "+=" | "=" ) or
//                | "print" [ or { "," or } ]
//                | "delay" or | "throw" CLASS [ "(" or ")" ] | "return" [or] | "set" NAME "=" or
//      or        = and { "||" and }          and = compared { "&&" compared }
//      compared  = sum [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) sum | "~" ( STRING | "@" ( NAME | STRING ) ) ]
//      sum       = product { ( "+" | "-" ) product }
//      product   = unary { ( "*" | "/" | "%" ) unary }
//      unary     = ( "!" | "-" ) unary | primary { "." NAME [ "()" ] }
//
// A condition ends at "/", so a division in it stands in parentheses.

#include "instr/rules/parse.h"
#include "instr/rules/files.h"
#include "instr/rules/internal.h"

#include <ctype.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct rule_lexer lexer;
    struct instr_rule *rule;
    unsigned depth;
    unsigned parentheses; // a division is one only within
    bool in_condition;
    struct instr_rule_place *places;
};

enum { MOST_PLACES = 64, MOST_PARAMETERS = 255, MOST_MEMORY = 4 << 20 };

static atomic_uint rules, tables, places; // the last numbers

static const char *const reductions[] = {"count", "sum", "min", "max", "avg", "hist", "last"};

// Getters of JDK classes that neither run code of the application nor allocate much.
static const char *const getters[] = {
    "length",        "size",       "isEmpty",   "name",        "ordinal", "getName",
    "getClass",      "getMessage", "getCause",  "getPath",     "getHost", "getPort",
    "getSimpleName", "intValue",   "longValue", "doubleValue",
};

static void fail(struct parser *p, const char *text) {
    rule_lexer_fail(&p->lexer, p->lexer.token, p->lexer.length, "%s", text);
}

static bool is(const struct parser *p, const char *text) {
    return rule_lexer_is(&p->lexer, text);
}

static void next(struct parser *p) {
    rule_lexer_next(&p->lexer);
}

static bool take(struct parser *p, const char *text) {
    if (!is(p, text)) return false;
    next(p);
    return true;
}

// `what`: as the message has it, "'='".
static void miss(struct parser *p, const char *what) {
    if (p->lexer.kind == TOKEN_END)
        rule_lexer_fail(&p->lexer, p->lexer.token, 1, "%s is missing", what);
    else
        rule_lexer_fail(&p->lexer, p->lexer.token, p->lexer.length, "%s is missing before '%.*s'",
                        what, p->lexer.length > 40 ? 40 : (int)p->lexer.length, p->lexer.token);
}

static void expect(struct parser *p, const char *text) {
    char what[8];
    if (take(p, text)) return;
    snprintf(what, sizeof what, "'%s'", text);
    miss(p, what);
}

// --- values ---

static struct instr_rule_value *new_value(struct parser *p, enum instr_rule_kind kind) {
    static struct instr_rule_value none;
    struct instr_rule_value *value = cf_arena_zeroed(&p->rule->arena, 1, sizeof *value);
    if (!value) {
        fail(p, "out of memory");
        return &none;
    }
    value->kind = kind;
    value->offset = (uint32_t)(p->lexer.token - p->lexer.start);
    return value;
}

// Is set when the values that it is made of are known. What goes over the values calls itself for each.
static void set_height(struct parser *p, struct instr_rule_value *value) {
    uint32_t left = value->left ? value->left->height : 0,
             right = value->right ? value->right->height : 0;
    value->height = 1 + (left > right ? left : right);
    if (value->height > INSTR_RULE_HIGHEST) fail(p, "too many values within each other");
}

static void want_number(struct parser *p, const struct instr_rule_value *value) {
    if (value->kind == RULE_TEXT || value->kind == RULE_NULL)
        rule_lexer_fail(&p->lexer, p->lexer.start + value->offset, 1,
                        "%s is not a number; texts can be compared by ==, != and ~",
                        value->kind == RULE_TEXT ? "a text" : "null");
}

static uint32_t new_place(struct parser *p, enum instr_rule_kind kind, const char *text) {
    for (unsigned i = 0; i < p->rule->place_count; i++)
        if (p->places[i].kind == kind && strcmp(p->places[i].text, text) == 0)
            return p->places[i].number;
    if (p->rule->place_count == MOST_PLACES) {
        fail(p, "too many fields, getters and patterns");
        return 0;
    }
    p->rule->guarded = true;
    uint32_t number = atomic_fetch_add(&places, 1) + 1;
    p->places[p->rule->place_count++] = (struct instr_rule_place){number, kind, text};
    return number;
}

static const struct instr_rule_value *parse_or(struct parser *p);

static const char *token_text(struct parser *p) {
    const char *text = rule_lexer_copy(&p->lexer, p->lexer.token, p->lexer.length);
    return text ? text : "";
}

static bool needs_exit(struct parser *p) {
    enum instr_rule_at at = p->rule->at;
    return at == INSTR_RULE_RETURN || at == INSTR_RULE_EXIT || at == INSTR_RULE_CALL;
}

static struct instr_rule_value *parse_stack(struct parser *p) {
    struct instr_rule_value *value = new_value(p, RULE_STACK);
    next(p);
    expect(p, "(");
    if (p->lexer.kind == TOKEN_INTEGER && p->lexer.integer >= 1 && p->lexer.integer <= 100)
        value->number = p->lexer.integer;
    else
        fail(p, "stack(N): 1 to 100 frames");
    next(p);
    expect(p, ")");
    p->rule->guarded = true;
    return value;
}

static bool find_parameter(struct parser *p, int64_t *index) {
    const char *name = token_text(p);
    for (unsigned i = 0; i < p->rule->parameter_count; i++)
        if (p->rule->parameters[i] && strcmp(name, p->rule->parameters[i]) == 0) {
            *index = i;
            return true;
        }
    char *end;
    if (strncmp(name, "arg", 3) != 0 || !isdigit((unsigned char)name[3])) return false;
    *index = strtol(name + 3, &end, 10);
    return !*end && *index < MOST_PARAMETERS;
}

static struct instr_rule_value *parse_name(struct parser *p) {
    static const struct {
        const char *name;
        enum instr_rule_kind kind;
        int64_t number;
    } names[] = {{"this", RULE_THIS, 0},     {"result", RULE_RESULT, 0},
                 {"thrown", RULE_THROWN, 0}, {"elapsed", RULE_ELAPSED, 0},
                 {"method", RULE_METHOD, 0}, {"thread", RULE_THREAD, 0},
                 {"rand", RULE_RANDOM, 0},   {"true", RULE_BOOLEAN, 1},
                 {"false", RULE_BOOLEAN, 0}, {"null", RULE_NULL, 0}};
    struct instr_rule_value *value;
    int64_t index;
    if (find_parameter(p, &index)) {
        value = new_value(p, RULE_PARAMETER);
        value->number = index;
        p->rule->uses[index / 64] |= UINT64_C(1) << index % 64;
        next(p);
        return value;
    }
    if (is(p, "stack")) return parse_stack(p);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!is(p, names[i].name)) continue;
        value = new_value(p, names[i].kind);
        value->number = names[i].number;
        enum instr_rule_at at = p->rule->at;
        if (value->kind == RULE_RESULT && !needs_exit(p))
            fail(p, "there is no result here: use return or exit");
        if (value->kind == RULE_THROWN && at != INSTR_RULE_THROW && at != INSTR_RULE_EXIT)
            fail(p, "nothing was thrown here: use throw or exit");
        if (value->kind == RULE_ELAPSED && !needs_exit(p) && at != INSTR_RULE_THROW)
            fail(p, "no time has passed here: use return, throw or exit");
        p->rule->timed |= value->kind == RULE_ELAPSED;
        p->rule->uses_this |= value->kind == RULE_THIS;
        p->rule->uses_result |= value->kind == RULE_RESULT;
        p->rule->uses_thrown |= value->kind == RULE_THROWN;
        p->rule->guarded |=
            value->kind == RULE_THREAD || value->kind == RULE_ELAPSED || value->kind == RULE_RANDOM;
        next(p);
        return value;
    }
    rule_lexer_fail(&p->lexer, p->lexer.token, p->lexer.length,
                    "'%.*s' is not a parameter, and not one of this, result, thrown, elapsed, "
                    "method, thread, rand and stack(N)",
                    p->lexer.length > 40 ? 40 : (int)p->lexer.length, p->lexer.token);
    return new_value(p, RULE_NULL);
}

// Is it the number that is a long only behind a minus sign?
static bool is_beyond(const struct parser *p) {
    return p->lexer.kind == TOKEN_INTEGER && p->lexer.integer == INT64_MIN;
}

static struct instr_rule_value *parse_literal(struct parser *p) {
    struct instr_rule_value *value = new_value(p, p->lexer.kind == TOKEN_INTEGER ? RULE_INTEGER
                                                  : p->lexer.kind == TOKEN_REAL  ? RULE_REAL
                                                                                 : RULE_TEXT);
    value->number = p->lexer.integer;
    value->real = p->lexer.real;
    if (is_beyond(p)) fail(p, "the number is too large");
    if (value->kind == RULE_TEXT)
        value->text = rule_lexer_modified(&p->lexer, p->lexer.text, strlen(p->lexer.text));
    if (!value->text) value->text = "";
    next(p);
    return value;
}

static const struct instr_rule_value *parse_primary(struct parser *p) {
    if (p->lexer.kind == TOKEN_NAME) return parse_name(p);
    if (p->lexer.kind == TOKEN_INTEGER || p->lexer.kind == TOKEN_REAL ||
        p->lexer.kind == TOKEN_TEXT)
        return parse_literal(p);
    if (take(p, "(")) {
        p->parentheses++;
        const struct instr_rule_value *value = parse_or(p);
        p->parentheses--;
        expect(p, ")");
        return value;
    }
    fail(p,
         p->lexer.kind == TOKEN_END ? "a value is missing at the end" : "a value is missing here");
    return new_value(p, RULE_NULL);
}

static bool is_getter(const char *name) {
    for (size_t i = 0; i < sizeof getters / sizeof *getters; i++)
        if (strcmp(name, getters[i]) == 0) return true;
    return false;
}

// .name or .name()
static const struct instr_rule_value *parse_step(struct parser *p,
                                                 const struct instr_rule_value *left) {
    struct instr_rule_value *value = new_value(p, RULE_FIELD);
    const char *at = p->lexer.token;
    uint32_t length = p->lexer.length;
    if (p->lexer.kind != TOKEN_NAME) fail(p, "the name of a field is missing behind '.'");
    value->left = left;
    value->text = rule_lexer_modified(&p->lexer, p->lexer.token, p->lexer.length);
    if (!value->text) value->text = "";
    set_height(p, value);
    next(p);
    if (take(p, "(")) {
        expect(p, ")");
        value->kind = RULE_GETTER;
        if (!is_getter(value->text))
            rule_lexer_fail(&p->lexer, at, length,
                            "%.60s() cannot be called: fields can be read, and getters such as "
                            "length(), size(), getName() and getMessage()",
                            value->text);
    }
    value->place = new_place(p, value->kind, value->text);
    return value;
}

static const struct instr_rule_value *parse_unary(struct parser *p) {
    if (is(p, "!") || is(p, "-")) {
        struct instr_rule_value *value = new_value(p, is(p, "!") ? RULE_NOT : RULE_NEGATIVE);
        if (++p->depth > INSTR_RULE_DEEPEST) fail(p, "too many values within each other");
        next(p);
        if (value->kind == RULE_NEGATIVE && is_beyond(p)) {
            value->kind = RULE_INTEGER;
            value->number = INT64_MIN;
            next(p);
            p->depth--;
            return value;
        }
        value->left = parse_unary(p);
        if (value->kind == RULE_NEGATIVE) want_number(p, value->left);
        set_height(p, value);
        p->depth--;
        return value;
    }
    const struct instr_rule_value *value = parse_primary(p);
    while (take(p, ".")) value = parse_step(p, value);
    return value;
}

struct operator{
    const char *sign;
    enum instr_rule_kind kind;
};

static const struct instr_rule_value *
parse_operators(struct parser *p, const struct operator* operators, size_t count,
                const struct instr_rule_value *(*operand)(struct parser *)) {
    const struct instr_rule_value *left = operand(p);
    for (size_t i = 0; i < count;) {
        bool ends = p->in_condition && !p->parentheses && strcmp(operators[i].sign, "/") == 0;
        if (ends || !is(p, operators[i].sign)) {
            i++;
            continue;
        }
        struct instr_rule_value *value = new_value(p, operators[i].kind);
        next(p);
        value->left = left;
        value->right = operand(p);
        if (value->kind >= RULE_PLUS) want_number(p, value->left);
        if (value->kind >= RULE_PLUS) want_number(p, value->right);
        set_height(p, value);
        left = value;
        i = 0;
    }
    return left;
}

static const struct instr_rule_value *parse_product(struct parser *p) {
    static const struct operator operators[] = {
        {"*", RULE_TIMES}, {"/", RULE_DIVIDED}, {"%", RULE_REMAINDER}};
    return parse_operators(p, operators, 3, parse_unary);
}

static const struct instr_rule_value *parse_sum(struct parser *p) {
    static const struct operator operators[] = {{"+", RULE_PLUS}, {"-", RULE_MINUS}};
    return parse_operators(p, operators, 2, parse_product);
}

// The patterns of a file, one on each line.
static const char *read_set(struct parser *p) {
    char name[PATH_MAX];
    const char *why;
    if (p->lexer.kind == TOKEN_TEXT)
        snprintf(name, sizeof name, "%s", p->lexer.text);
    else
        snprintf(name, sizeof name, "%.*s", (int)p->lexer.length, p->lexer.token);
    char *text = instr_rule_read_file(name, INSTR_RULE_LARGEST_FILE, &why);
    if (!text) {
        rule_lexer_fail(&p->lexer, p->lexer.token, p->lexer.length, "the file %.100s: %s", name,
                        why);
        return "";
    }
    const char *copy = rule_lexer_modified(&p->lexer, text, strlen(text));
    free(text);
    if (copy && !*copy) fail(p, "the file has no patterns");
    return copy ? copy : "";
}

static const struct instr_rule_value *parse_match(struct parser *p,
                                                  const struct instr_rule_value *left) {
    struct instr_rule_value *value = new_value(p, RULE_MATCHES);
    next(p);
    value->left = left;
    if (take(p, "@"))
        value->text = p->lexer.kind == TOKEN_NAME || p->lexer.kind == TOKEN_TEXT ? read_set(p) : "";
    else if (p->lexer.kind == TOKEN_TEXT)
        value->text = rule_lexer_modified(&p->lexer, p->lexer.text, strlen(p->lexer.text));
    if (!value->text || !*value->text) fail(p, "~ wants a \"pattern\" or @FILE with patterns");
    value->place = new_place(p, RULE_MATCHES, value->text ? value->text : "");
    set_height(p, value);
    next(p);
    return value;
}

static const struct instr_rule_value *parse_compared(struct parser *p) {
    static const struct operator operators[] = {{"==", RULE_EQUAL}, {"!=", RULE_NOT_EQUAL},
                                                {"<", RULE_LESS},   {"<=", RULE_AT_MOST},
                                                {">", RULE_MORE},   {">=", RULE_AT_LEAST}};
    const struct instr_rule_value *left = parse_sum(p);
    if (is(p, "~")) return parse_match(p, left);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (!is(p, operators[i].sign)) continue;
        struct instr_rule_value *value = new_value(p, operators[i].kind);
        next(p);
        value->left = left;
        value->right = parse_sum(p);
        if (value->kind >= RULE_LESS) want_number(p, value->left);
        if (value->kind >= RULE_LESS) want_number(p, value->right);
        set_height(p, value);
        return value;
    }
    return left;
}

static const struct instr_rule_value *parse_and(struct parser *p) {
    static const struct operator operators[] = {{"&&", RULE_AND}};
    return parse_operators(p, operators, 1, parse_compared);
}

static const struct instr_rule_value *parse_or(struct parser *p) {
    static const struct operator operators[] = {{"||", RULE_OR}};
    if (++p->depth > INSTR_RULE_DEEPEST) fail(p, "too many values within each other");
    const struct instr_rule_value *value = parse_operators(p, operators, 1, parse_and);
    p->depth--;
    return value;
}

// --- actions ---

// `from`: the offset of the action in the rule.
static uint32_t find_table(struct parser *p, const struct instr_rule_table *wanted, uint32_t from) {
    struct instr_rule *rule = p->rule;
    const char *at = p->lexer.start + from;
    for (unsigned i = 0; i < rule->table_count; i++) {
        const struct instr_rule_table *t = &rule->tables[i];
        if (strcmp(t->name, wanted->name) != 0 || t->metric != wanted->metric) continue;
        if (t->reduction != wanted->reduction || t->keys != wanted->keys)
            rule_lexer_fail(&p->lexer, at, 1,
                            "the table has another reduction, or other keys, in this rule already");
        return i;
    }
    if (rule->table_count == INSTR_RULE_TABLES) {
        rule_lexer_fail(&p->lexer, at, 1, "a rule has at most 16 tables");
        return 0;
    }
    rule->tables[rule->table_count] = *wanted;
    rule->guarded |= wanted->reduction != INSTR_RULE_COUNT;
    rule->tables[rule->table_count].number = atomic_fetch_add(&tables, 1) + 1;
    return rule->table_count++;
}

static void parse_keys(struct parser *p, struct instr_rule_action *action) {
    if (!take(p, "[")) return;
    do {
        if (action->key_count == INSTR_RULE_KEYS) {
            fail(p, "a table has at most 3 keys");
            return;
        }
        action->keys[action->key_count++] = parse_or(p);
    } while (take(p, ","));
    expect(p, "]");
    p->rule->guarded = true;
}

static enum instr_rule_reduction parse_reduction(struct parser *p) {
    for (unsigned i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        if (!is(p, reductions[i])) continue;
        next(p);
        return (enum instr_rule_reduction)i;
    }
    fail(p, "count(), sum(), min(), max(), avg(), hist() or last() is missing");
    return INSTR_RULE_COUNT;
}

static bool is_time(const struct instr_rule_value *value) {
    return value && value->kind == RULE_ELAPSED;
}

static void parse_table(struct parser *p, struct instr_rule_action *action) {
    struct instr_rule_table table = {.name = ""};
    if (p->lexer.kind == TOKEN_NAME) {
        table.name = token_text(p);
        next(p);
    }
    parse_keys(p, action);
    expect(p, "=");
    table.reduction = parse_reduction(p);
    table.keys = action->key_count;
    expect(p, "(");
    if (table.reduction != INSTR_RULE_COUNT) {
        action->value = parse_or(p);
        want_number(p, action->value);
    }
    table.time = is_time(action->value);
    expect(p, ")");
    action->table = find_table(p, &table, action->offset);
}

static void parse_metric(struct parser *p, struct instr_rule_action *action) {
    struct instr_rule_table table = {.metric = true, .reduction = INSTR_RULE_LAST};
    if (p->lexer.kind != TOKEN_NAME) fail(p, "the name of a metric is missing");
    table.name = token_text(p);
    next(p);
    if (take(p, "+="))
        table.reduction = INSTR_RULE_SUM;
    else
        expect(p, "=");
    action->value = parse_or(p);
    want_number(p, action->value);
    action->table = find_table(p, &table, action->offset);
}

static void parse_throw(struct parser *p, struct instr_rule_action *action) {
    const char *from = p->lexer.token, *end = from;
    while (isalnum((unsigned char)*end) || *end == '.' || *end == '_' || *end == '$') end++;
    action->does = RULE_THROWS;
    action->class_name = rule_lexer_copy(&p->lexer, from, (size_t)(end - from));
    if (end == from) fail(p, "the class of the exception is missing");
    p->lexer.at = end;
    next(p);
    if (take(p, "(")) {
        if (!is(p, ")")) action->value = parse_or(p);
        expect(p, ")");
    }
    enum instr_rule_at at = p->rule->at;
    if (at == INSTR_RULE_THROW || at == INSTR_RULE_EXIT)
        rule_lexer_fail(&p->lexer, from, (uint32_t)(end - from),
                        "throw is possible at entry, return, call and line");
    p->rule->changes |= INSTR_RULE_THROWS;
    p->rule->guarded = true;
}

static void parse_set(struct parser *p, struct instr_rule_action *action) {
    action->does = RULE_SETS;
    if (p->lexer.kind == TOKEN_NAME) action->target = parse_name(p);
    if (!action->target ||
        (action->target->kind != RULE_PARAMETER && action->target->kind != RULE_RESULT))
        fail(p, "only a parameter, or the result, can be set");
    else if (action->target->kind == RULE_PARAMETER && p->rule->at != INSTR_RULE_ENTRY)
        rule_lexer_fail(&p->lexer, p->lexer.start + action->target->offset, 1,
                        "a parameter can be set at entry only");
    expect(p, "=");
    action->value = parse_or(p);
    p->rule->changes |= INSTR_RULE_SETS;
}

static void parse_return(struct parser *p, struct instr_rule_action *action) {
    action->does = RULE_RETURNS;
    if (p->rule->at != INSTR_RULE_ENTRY)
        fail(p, "return is possible at entry only: use set result");
    if (!is(p, ";") && !is(p, "}")) action->value = parse_or(p);
    p->rule->changes |= INSTR_RULE_RETURNS;
}

// Conditions and values of `instr watch`.
static void parse_print(struct parser *p, struct instr_rule_action *action) {
    struct instr_rule *rule = p->rule;
    action->does = RULE_PRINTS;
    rule->prints = rule->guarded = rule->timed = rule->uses_thrown = true;
    if (rule->at != INSTR_RULE_EXIT) fail(p, "print is possible at exit only");
    if (is(p, "}") || is(p, ";")) {
        rule->uses_result = true;
        memset(rule->uses, 0xff, sizeof rule->uses);
        return;
    }
    do {
        if (action->key_count == INSTR_RULE_VALUES) {
            fail(p, "at most 8 values can be printed");
            return;
        }
        action->keys[action->key_count++] = parse_or(p);
    } while (take(p, ","));
}

static void parse_what(struct parser *p, struct instr_rule_action *action) {
    if (take(p, "@")) {
        parse_table(p, action);
    } else if (take(p, "metric")) {
        parse_metric(p, action);
    } else if (take(p, "print")) {
        parse_print(p, action);
    } else if (take(p, "delay")) {
        action->does = RULE_DELAYS;
        action->value = parse_or(p);
        want_number(p, action->value);
        p->rule->changes |= INSTR_RULE_DELAYS;
        p->rule->guarded = true;
    } else if (is(p, "throw")) {
        next(p);
        parse_throw(p, action);
    } else if (take(p, "return")) {
        parse_return(p, action);
    } else if (take(p, "set")) {
        parse_set(p, action);
    } else {
        fail(p, "an action begins with @, metric, delay, throw, return or set");
    }
}

static void parse_actions(struct parser *p) {
    const struct instr_rule_action **last = &p->rule->actions;
    expect(p, "{");
    while (!p->lexer.failed && !is(p, "}")) {
        struct instr_rule_action *action = cf_arena_zeroed(&p->rule->arena, 1, sizeof *action);
        if (!action) {
            fail(p, "out of memory");
            return;
        }
        action->offset = (uint32_t)(p->lexer.token - p->lexer.start);
        *last = action;
        last = &action->next;
        parse_what(p, action);
        if (!is(p, "}") && !take(p, ";")) miss(p, "';' or '}'");
    }
    expect(p, "}");
    if (!p->rule->actions) fail(p, "the rule does nothing: { @ = count() }");
    if (p->lexer.kind != TOKEN_END) fail(p, "nothing can stand behind the rule");
}

// --- the rule ---

static void parse_place(struct parser *p) {
    static const char *const names[] = {"entry", "return", "throw", "exit", "call", "line"};
    unsigned at = 0;
    while (at < sizeof names / sizeof *names && !is(p, names[at])) at++;
    if (at == sizeof names / sizeof *names) {
        fail(p, "entry, return, throw, exit, call PATTERN or line N is missing behind the pattern");
        return;
    }
    p->rule->at = (enum instr_rule_at)at;
    if (p->rule->at == INSTR_RULE_CALL) {
        unsigned count = p->rule->parameter_count;
        const char *from = p->lexer.at;
        p->lexer.at = rule_pattern(&p->lexer, p->rule, from, &p->rule->call, &p->rule->called);
        struct cf_slice class = p->rule->called.class_name;
        if (class.length && class.bytes[class.length - 1] == '+')
            rule_lexer_fail(
                &p->lexer, rule_skip_spaces(from), class.length,
                "CLASS+ is for the methods of a rule, not for the calls in them: name the "
                "classes");
        p->rule->parameter_count = count; // those of the called method have no names
    }
    next(p);
    if (p->rule->at != INSTR_RULE_LINE) return;
    if (p->lexer.kind != TOKEN_INTEGER || p->lexer.integer < 1 || p->lexer.integer > 65535)
        fail(p, "line N: a number from 1 to 65535");
    p->rule->line = (uint32_t)p->lexer.integer;
    next(p);
}

static void parse(struct parser *p, const char *text) {
    struct instr_rule *rule = p->rule;
    rule->parameters = cf_arena_zeroed(&rule->arena, MOST_PARAMETERS, sizeof *rule->parameters);
    p->places = cf_arena_zeroed(&rule->arena, MOST_PLACES, sizeof *p->places);
    rule->text = rule_lexer_copy(&p->lexer, text, strlen(text));
    rule->places = p->places;
    rule->found = cf_arena_zeroed(&rule->arena, 1, sizeof *rule->found);
    if (!rule->parameters || !p->places || !rule->text || !rule->found) {
        fail(p, "out of memory");
        return;
    }
    const char *at = rule_pattern(&p->lexer, rule, text, &rule->pattern, &rule->target);
    if (!p->lexer.failed) rule_take_classes(&p->lexer, rule);
    if (p->lexer.failed) return;
    rule_lexer_begin(&p->lexer, text, at, &rule->arena, p->lexer.error);
    parse_place(p);
    if (is(p, "/")) {
        p->in_condition = true;
        next(p);
        rule->condition = parse_or(p);
        p->in_condition = false;
        expect(p, "/");
    }
    parse_actions(p);
}

struct instr_rule *instr_rule_parse(const char *text, struct instr_rule_error *error) {
    struct instr_rule *rule = calloc(1, sizeof *rule);
    *error = (struct instr_rule_error){.length = 1, .text = "out of memory"};
    if (!rule) return NULL;
    cf_arena_init(&rule->arena);
    rule->arena.limit = MOST_MEMORY;
    struct parser parser = {.rule = rule};
    parser.lexer = (struct rule_lexer){
        .start = text, .at = text, .token = text, .arena = &rule->arena, .error = error};
    size_t good = instr_rule_not_utf8(text);
    if (strlen(text) > INSTR_RULE_LONGEST)
        rule_lexer_fail(&parser.lexer, text, 1, "a rule has at most %d bytes", INSTR_RULE_LONGEST);
    else if (text[good])
        rule_lexer_fail(&parser.lexer, text + good, 1, "the text is not UTF-8 here");
    else
        parse(&parser, text);
    if (parser.lexer.failed) {
        instr_rule_free(rule);
        return NULL;
    }
    rule->number = atomic_fetch_add(&rules, 1) + 1;
    return rule;
}

void instr_rule_free(struct instr_rule *rule) {
    if (!rule) return;
    instr_match_free(rule->classes);
    cf_arena_free(&rule->arena);
    free(rule);
}
