// Rules: what is parsed, what is refused and where.

#include "instr/rules/parse.h"
#include "tests/unit/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHERE "com.acme.Shop.order(Cart cart, int n, ..) "

static struct instr_rule *good(const char *text) {
    struct instr_rule_error error;
    struct instr_rule *rule = instr_rule_parse(text, &error);
    ck_assert_msg(rule != NULL, "%s: %s at %u", text, error.text, error.offset);
    return rule;
}

static void bad(const char *text, const char *at, const char *message) {
    struct instr_rule_error error;
    struct instr_rule *rule = instr_rule_parse(text, &error);
    ck_assert_msg(rule == NULL, "%s: accepted", text);
    ck_assert_msg(strstr(error.text, message) != NULL, "%s: %s", text, error.text);
    ck_assert_uint_le(error.offset, strlen(text));
    ck_assert_msg(strncmp(text + error.offset, at, strlen(at)) == 0 && (*at || !text[error.offset]),
                  "%s: %s at '%s', not '%s'", text, error.text, text + error.offset, at);
}

START_TEST(a_rule_has_a_pattern_a_place_and_actions) {
    struct instr_rule *rule = good(WHERE "entry { @ = count() }");
    ck_assert_str_eq(rule->pattern, "com.acme.Shop.order(Cart,int,..)");
    ck_assert_uint_eq(rule->parameter_count, 2);
    ck_assert_str_eq(rule->parameters[0], "cart");
    ck_assert_str_eq(rule->parameters[1], "n");
    ck_assert_int_eq(rule->at, INSTR_RULE_ENTRY);
    ck_assert(rule->condition == NULL);
    ck_assert_uint_eq(rule->table_count, 1);
    ck_assert_str_eq(rule->tables[0].name, "");
    ck_assert(!rule->guarded && !rule->timed && !rule->changes);
    instr_rule_free(rule);
    rule = good("com.acme.Base+.run exit {@ms[thrown.getClass()]=hist(elapsed);}");
    ck_assert(rule->subtypes && rule->timed && rule->guarded && rule->uses_thrown);
    ck_assert_str_eq(instr_match_text(rule->classes), "com.acme.Base");
    ck_assert(rule->tables[0].time);
    ck_assert_uint_eq(rule->tables[0].keys, 1);
    instr_rule_free(rule);
}
END_TEST

START_TEST(operators_bind_as_in_java) {
    struct instr_rule *rule =
        good(WHERE "entry /!n > 1 + 2 * 3 && cart == null || (n / 2) == 1/ { @ = count() }");
    const struct instr_rule_value * or = rule->condition;
    ck_assert_int_eq(or->kind, RULE_OR);
    ck_assert_int_eq(or->left->kind, RULE_AND);
    ck_assert_int_eq(or->left->left->kind, RULE_MORE);
    ck_assert_int_eq(or->left->left->left->kind, RULE_NOT);
    ck_assert_int_eq(or->left->left->right->kind, RULE_PLUS);
    ck_assert_int_eq(or->left->left->right->right->kind, RULE_TIMES);
    ck_assert_int_eq(or->right->left->kind, RULE_DIVIDED);
    instr_rule_free(rule);
    rule = good(WHERE "entry { @ = sum(1 - 2 - 3) }");
    ck_assert_int_eq(rule->actions->value->left->kind, RULE_MINUS);
    instr_rule_free(rule);
}
END_TEST

START_TEST(numbers_have_units) {
    static const struct {
        const char *text;
        enum instr_rule_kind kind;
        int64_t integer;
        double real;
    } numbers[] = {{"300ms", RULE_INTEGER, 300000000, 0},
                   {"1.5s", RULE_INTEGER, 1500000000, 0},
                   {"1%", RULE_REAL, 0, 0.01},
                   {"7 % n", RULE_REMAINDER, 0, 0},
                   {"10k", RULE_INTEGER, 10000, 0},
                   {"2.5", RULE_REAL, 0, 2.5},
                   {"9223372036854775807", RULE_INTEGER, INT64_MAX, 0},
                   {"-9_223_372_036_854_775_808", RULE_INTEGER, INT64_MIN, 0}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[200];
        snprintf(text, sizeof text, WHERE "entry { @ = sum(%s) }", numbers[i].text);
        struct instr_rule_error error;
        struct instr_rule *rule = instr_rule_parse(text, &error);
        ck_assert_msg(rule != NULL, "%s", error.text);
        const struct instr_rule_value *value = rule->actions->value;
        ck_assert_int_eq(value->kind, numbers[i].kind);
        if (value->kind == RULE_INTEGER) ck_assert(value->number == numbers[i].integer);
        if (value->kind == RULE_REAL) ck_assert(value->real == numbers[i].real);
        instr_rule_free(rule);
    }
}
END_TEST

START_TEST(numbers_that_are_no_long_are_refused) {
    bad(WHERE "entry { @ = sum(9223372036854775808) }", "9223", "the number is too large");
    bad(WHERE "entry { @ = sum(1 - 9223372036854775808) }", "9223", "the number is too large");
    bad(WHERE "entry { @ = sum(-9223372036854775809) }", "9223", "the number is too large");
    bad(WHERE "entry { @ = sum(99999999999999999999) }", "9999", "the number is too large");
    bad(WHERE "entry { @ = sum(10000000000s) }", "10000000000s", "the number is too large");
    bad(WHERE "line 9223372036854775808 { @ = count() }", "9223", "line");
}
END_TEST

// Class files and JNI have characters above U+FFFF as two surrogates.
START_TEST(texts_are_in_modified_utf8) {
    static const char face[] = "\xed\xa0\xbd\xed\xb8\x80";
    struct instr_rule *rule = good(
        WHERE "entry /cart.\xf0\x9f\x98\x80 ~ 'a\xf0\x9f\x98\x80'/ { @['\xc3\xa9'] = count() }");
    ck_assert_str_eq(rule->condition->left->text, face);
    ck_assert_str_eq(rule->condition->text + 1, face);
    ck_assert_str_eq(rule->actions->keys[0]->text, "\xc3\xa9");
    instr_rule_free(rule);
    rule = good("a.B.f(int na\xc3\xafve, int \xf0\x9d\x92\xb3) entry /na\xc3\xafve > 1/ { @ = "
                "sum(\xf0\x9d\x92\xb3) }");
    ck_assert_str_eq(rule->parameters[0], "na\xc3\xafve");
    ck_assert_int_eq(rule->actions->value->kind, RULE_PARAMETER);
    instr_rule_free(rule);
}
END_TEST

START_TEST(what_changes_the_program_is_known) {
    static const struct {
        const char *text;
        unsigned changes;
        bool guarded; // calls methods that may have a rule
    } rules[] = {{"entry { delay 300ms }", INSTR_RULE_DELAYS, true},
                 {"entry { throw java.io.IOException(\"x\") }", INSTR_RULE_THROWS, true},
                 {"entry { set n = 5; return }", INSTR_RULE_SETS | INSTR_RULE_RETURNS, false},
                 {"return { set result = 0 }", INSTR_RULE_SETS, false}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        char text[200];
        snprintf(text, sizeof text, WHERE "%s", rules[i].text);
        struct instr_rule *rule = good(text);
        ck_assert_uint_eq(rule->changes, rules[i].changes);
        ck_assert_int_eq(rule->guarded, rules[i].guarded);
        instr_rule_free(rule);
    }
}
END_TEST

START_TEST(numbers_are_those_of_one_rule) {
    struct instr_rule *a = good(WHERE "exit { @[cart.id] = count(); @t = hist(elapsed) }");
    struct instr_rule *b = good(WHERE "exit { @[cart.id] = count() }");
    ck_assert_uint_ne(a->number, b->number);
    ck_assert_uint_ne(a->tables[0].number, a->tables[1].number);
    ck_assert_uint_ne(a->tables[0].number, b->tables[0].number);
    ck_assert_uint_ne(a->places[0].number, b->places[0].number);
    instr_rule_free(a);
    instr_rule_free(b);
}
END_TEST

START_TEST(mistakes_have_a_place_and_a_sentence) {
    static const struct {
        const char *text, *at, *message;
    } rules[] = {
        {"", "", "must be a class and a method"},
        {"order entry { @ = count() }", "order", "must be a class and a method"},
        {"a.B.c(", "", "')' is missing"},
        {"a.B.c(.., int) entry { @ = count() }", "int", "nothing can stand behind"},
        {"a.B.c(int x y) entry { @ = count() }", "y)", "',' or ')' is missing"},
        {"a.B.c:d.E.f entry { @ = count() }", "a.B", "one pattern"},
        {"a.B.c { @ = count() }", "{", "entry, return, throw"},
        {"a.B.c leave { @ = count() }", "leave", "entry, return, throw"},
        {"a.B.c entry", "", "'{' is missing"},
        {"a.B.c entry { }", "", "does nothing"},
        {"a.B.c entry { @ = count() ", "", "';' or '}' is missing"},
        {"a.B.c entry { @ count() }", "()", "'=' is missing"},
        {"a.B.c entry { @ = median(1) }", "median", "count(), sum()"},
        {"a.B.c entry { @ = count() } x", "x", "behind the rule"},
        {"a.B.c entry { @ = sum(result) }", "result", "no result"},
        {"a.B.c return { @[thrown] = count() }", "thrown", "nothing was thrown"},
        {"a.B.c entry { @ = hist(elapsed) }", "elapsed", "no time has passed"},
        {"a.B.c entry { @ = sum(foo) }", "foo", "'foo' is not a parameter"},
        {"a.B.c(int n) entry { @ = sum(n.toString()) }", "toString", "cannot be called"},
        {"a.B.c entry /1 == \"x/ { @ = count() }", "\"x", "no end"},
        {"a.B.c entry /1 == \"\\\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"/ { @ = count() }", "\"\\",
         "no end"},
        {"a.B.c entry /arg0 ~ 5/ { @ = count() }", "5", "~ wants"},
        {"a.B.c entry /arg0 ~ @nosuchfile/ { @ = count() }", "nosuchfile",
         "the file nosuchfile: No such file or directory"},
        {"a.B.c entry /arg0 ~ @'no such/file'/ { @ = count() }", "'no such/file'",
         "the file no such/file: No such file or directory"},
        {"a.B.c entry /arg0 ~ @'/'/ { @ = count() }", "'/'", "the file /: Is a directory"},
        {"a.B.c(String s) entry /s > 'x'/ { @ = count() }", "'x'", "a text is not a number"},
        {"a.B.c(int n) entry { @ = sum(n + 'x') }", "'x'", "a text is not a number"},
        {"a.B.c entry { @ = hist(-null) }", "null", "null is not a number"},
        {"a.B.c entry { metric x += '1' }", "'1'", "a text is not a number"},
        {"a.B.c entry { delay '5ms' }", "'5ms'", "a text is not a number"},
        {"a.B.c(int n) line 7 { set n = 1 }", "n = 1", "a parameter can be set at entry only"},
        {"a.B.c(int n) exit { set n = 1 }", "n = 1", "a parameter can be set at entry only"},
        {"a.B.c entry { @['\xe9'] = count() }", "\xe9", "not UTF-8"},
        {"a.B.c entry { @['\xf0\x9f\x98'] = count() }", "\xf0", "not UTF-8"},
        {"a.B.c entry { @ = sum(5 parsecs) }", "parsecs", "')' is missing"},
        {"a.B.c entry { @ = sum(5parsecs) }", "parsecs", "not a unit"},
        {"a.B.c entry { @ = sum(99999999999999999999) }", "999", "too large"},
        {"a.B.c entry { @[1,2,3,4] = count() }", "4", "at most 3 keys"},
        {"a.B.c entry { @a = count(); @a = sum(1) }", "@a = sum(1) }", "another reduction"},
        {"a.B.c entry { set 5 = 1 }", "5", "only a parameter"},
        {"a.B.c throw { return }", "}", "at entry only"},
        {"a.B.c entry { `ls` }", "`ls", "no meaning"},
        {"a.B.c line 0 { @ = count() }", "0", "1 to 65535"},
        {"a.B.c entry { @ = sum(stack(0)) }", "0", "1 to 100 frames"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        bad(rules[i].text, rules[i].at, rules[i].message);
}
END_TEST

// A rule may come from anywhere: every prefix, and what is nested or long beyond reason.
START_TEST(hostile_rules_are_refused) {
    static const char whole[] = WHERE
        "exit /cart.total > 1000 && !(n ~ \"a*|b\")/ { @ms[cart.country, 'x'] = hist(elapsed); "
        "metric acme_x += 1.5e0; delay 300ms; throw java.io.IOException(\"x\\\"y\") }";
    struct instr_rule_error error;
    char *text = malloc(40000);
    for (size_t n = 0; n < sizeof whole; n++) {
        snprintf(text, n + 1, "%s", whole);
        instr_rule_free(instr_rule_parse(text, &error));
    }
    for (int kind = 0; kind < 4; kind++) {
        static const char *const repeated[] = {"(", "!", "-", "((1)+"};
        strcpy(text, WHERE "entry /");
        for (int i = 0; i < 1200; i++) strcat(text, repeated[kind]);
        ck_assert(instr_rule_parse(text, &error) == NULL);
        ck_assert(strstr(error.text, "too many values within each other"));
    }
    for (int kind = 0; kind < 5; kind++) { // a chain is as deep as what is nested
        static const char *const repeated[] = {"+1", "*arg0", "&&true", "||n", ".x"};
        strcpy(text, WHERE "entry /n");
        for (int i = 0; i < 128; i++) strcat(text, repeated[kind]);
        strcat(text, "/ { @ = count() }");
        instr_rule_free(good(text));
        strcpy(text, WHERE "entry /n");
        for (int i = 0; i < 129; i++) strcat(text, repeated[kind]);
        strcat(text, "/ { @ = count() }");
        ck_assert(instr_rule_parse(text, &error) == NULL);
        ck_assert(strstr(error.text, "too many values within each other"));
    }
    memset(text, 'a', 39999);
    text[39999] = '\0';
    ck_assert(instr_rule_parse(text, &error) == NULL);
    ck_assert(strstr(error.text, "at most 32768 bytes"));
    free(text);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("rules");
    TCase *tests = tcase_create("rules");
    tcase_add_test(tests, a_rule_has_a_pattern_a_place_and_actions);
    tcase_add_test(tests, operators_bind_as_in_java);
    tcase_add_test(tests, numbers_have_units);
    tcase_add_test(tests, numbers_that_are_no_long_are_refused);
    tcase_add_test(tests, texts_are_in_modified_utf8);
    tcase_add_test(tests, what_changes_the_program_is_known);
    tcase_add_test(tests, numbers_are_those_of_one_rule);
    tcase_add_test(tests, mistakes_have_a_place_and_a_sentence);
    tcase_add_test(tests, hostile_rules_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
