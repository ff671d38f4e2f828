// Rules: one line of text that says where something is looked at, and what is done there.
//
//      com.acme.Shop.order(Cart cart, ..) exit /cart.total > 1000/ { @ms[cart.country] = hist(elapsed) }
//
// A rule is parsed once, into the structures below, and woven into each method that it names. Types
// of parameters and results are known only then. Nothing here needs a JVM.
//
// Tables and places (a field or getter on the way to a value, a pattern) have numbers that no other
// rule of the process has: inserted code passes them to java.lang.InstrRules.

#ifndef INSTR_RULES_RULES_H
#define INSTR_RULES_RULES_H

#include "classfile/arena.h"
#include "instr/match.h"
#include "rewriters/rewriter.h"
#include "rewriters/watch_methods.h"

#include <stdbool.h>

enum {
    INSTR_RULE_LONGEST = 32 * 1024, // bytes of text
    INSTR_RULE_DEEPEST = 64,        // expressions within each other
    INSTR_RULE_HIGHEST = 128,       // values that one is made of, one on top of the other
    INSTR_RULE_TABLES = 16,
    INSTR_RULE_KEYS = 3,
    INSTR_RULE_VALUES = 8 // that are printed
};

enum instr_rule_at {
    INSTR_RULE_ENTRY,
    INSTR_RULE_RETURN,
    INSTR_RULE_THROW, // an exception leaves the method
    INSTR_RULE_EXIT,  // both
    INSTR_RULE_CALL,  // before a call in the method; after it where its result or time is used
    INSTR_RULE_LINE
};

enum instr_rule_reduction {
    INSTR_RULE_COUNT,
    INSTR_RULE_SUM,
    INSTR_RULE_MIN,
    INSTR_RULE_MAX,
    INSTR_RULE_AVG,
    INSTR_RULE_HIST,
    INSTR_RULE_LAST
};

// What a rule does to the program besides looking at it: bits, which --allow must name.
enum { INSTR_RULE_DELAYS = 1, INSTR_RULE_THROWS = 2, INSTR_RULE_RETURNS = 4, INSTR_RULE_SETS = 8 };

enum instr_rule_kind {
    // Values.
    RULE_INTEGER,
    RULE_REAL,
    RULE_TEXT,
    RULE_BOOLEAN, // `number` is 0 or 1
    RULE_NULL,
    RULE_PARAMETER, // `number`: from 0, without `this`
    RULE_THIS,
    RULE_RESULT,
    RULE_THROWN,
    RULE_ELAPSED, // nanoseconds
    RULE_METHOD,
    RULE_THREAD,
    RULE_RANDOM, // 0 to 1
    RULE_STACK,  // `number` frames
    RULE_FIELD,  // left.text
    RULE_GETTER, // left.text()
    // Operators on left and, but for the first two, right.
    RULE_NOT,
    RULE_NEGATIVE,
    RULE_MATCHES, // left ~ text
    RULE_OR,
    RULE_AND,
    RULE_EQUAL,
    RULE_NOT_EQUAL,
    RULE_LESS,
    RULE_AT_MOST,
    RULE_MORE,
    RULE_AT_LEAST,
    RULE_PLUS,
    RULE_MINUS,
    RULE_TIMES,
    RULE_DIVIDED,
    RULE_REMAINDER
};

struct instr_rule_value {
    enum instr_rule_kind kind;
    const struct instr_rule_value *left, *right;
    int64_t number;
    double real;
    const char *text; // modified UTF-8, as class files have it
    uint32_t place;   // of a field, getter or pattern
    uint32_t offset;  // in the rule
    uint32_t height;  // of the values on top of each other
};

enum instr_rule_does {
    RULE_REDUCES,
    RULE_DELAYS,
    RULE_THROWS,
    RULE_RETURNS,
    RULE_SETS,
    RULE_PRINTS // hands the call to `instr watch`
};

struct instr_rule_action {
    enum instr_rule_does does;
    const struct instr_rule_action *next;
    const struct instr_rule_value *value; // NULL: none (count, return without a value)
    uint32_t table;                       // RULE_REDUCES: index in the rule's tables
    // The keys of the table; RULE_PRINTS: values, none for the arguments and the result.
    const struct instr_rule_value *keys[INSTR_RULE_VALUES];
    unsigned key_count;
    const char *class_name; // RULE_THROWS: with dots
    // RULE_SETS: a parameter or the result.
    const struct instr_rule_value *target;
    uint32_t offset;
};

struct instr_rule_table {
    const char *name; // "ms"; "" of @; of a metric its name
    enum instr_rule_reduction reduction;
    unsigned keys;
    bool metric;
    bool time;       // its values are nanoseconds
    uint32_t number; // in the process
};

// A field or getter that values are read from, or what a value is matched with.
struct instr_rule_place {
    uint32_t number;           // in the process
    enum instr_rule_kind kind; // RULE_FIELD, RULE_GETTER, RULE_MATCHES
    const char *text;
};

// What any thread has found when it wove a rule.
struct instr_rule_found {
    int woven;           // 1 once a method has the rule
    const char *refused; // a constant: why a method that the pattern names does not have it
};

struct instr_rule {
    uint32_t number; // in the process
    const char *text;
    const char *pattern; // without names of parameters
    struct rw_watch_pattern target;
    bool subtypes; // CLASS+
    struct instr_match *classes;
    const char **parameters; // their names, NULL where there is none
    unsigned parameter_count;
    enum instr_rule_at at;
    const char *call; // INSTR_RULE_CALL: the pattern of the called methods
    struct rw_watch_pattern called;
    uint32_t line;                            // INSTR_RULE_LINE
    const struct instr_rule_value *condition; // NULL: always
    const struct instr_rule_action *actions;
    struct instr_rule_table tables[INSTR_RULE_TABLES];
    unsigned table_count;
    const struct instr_rule_place *places;
    unsigned place_count;
    unsigned changes; // INSTR_RULE_DELAYS ..
    bool timed;       // `elapsed` is used
    bool prints;      // made by `instr watch`
    bool uses_this, uses_result, uses_thrown;
    uint64_t uses[4]; // bits of parameters
    struct instr_rule_found *found;
    // Does more than count, and compare: not while the thread is in a rule already. What it costs is
    // measured. So is a rule that compares objects; weave.c knows which do.
    bool guarded;
    struct cf_arena arena;
};

// The rule of a pass that the option rule= has made.
static inline const struct instr_rule *instr_rule_of(const struct rw_pass *pass) {
    return (const struct instr_rule *)pass->data;
}

#endif
