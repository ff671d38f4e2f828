// weave_values.h: values and conditions of rules as bytecode

#ifndef INSTR_RULES_WEAVE_VALUES_H
#define INSTR_RULES_WEAVE_VALUES_H

#include "instr/rules/rules.h"
#include "rewriters/common.h"

// Of values on the stack: a CHARACTER is a long there. UNKNOWN: a field or getter, read as wanted.
enum rule_type { LONG, DOUBLE, BOOLEAN, CHARACTER, OBJECT, UNKNOWN };

struct rule_parameter {
    char type;      // the first letter of its descriptor
    uint32_t local; // where it is, or its copy
};

struct rule_weaving {
    struct rw_class *cls;
    struct cf_edit *edit;
    const struct instr_rule *rule;
    struct rule_parameter parameters[255];
    unsigned parameter_count;
    char result_type;
    const char *result; // its descriptor
    uint32_t self;      // local with `this`, null before super() has returned; UINT32_MAX: none
    uint32_t start;     // local with the time of the entry
};

// A place where the rule is put: what is known there.
struct rule_moment {
    struct cf_snippet *s;
    bool has_this;
    uint32_t result, thrown; // locals; 0: none
    const char *result_type; // descriptor of the result here
};

// The method cannot have the rule.
void rule_misuse(const struct rule_weaving *w, const char *reason);
// Memory that lives as long as the class. NULL: out of memory, and the edit has failed.
char *rule_allocate(const struct rule_weaving *w, size_t size);
// Calls a method of InstrRules.
void rule_call(const struct rule_weaving *w, struct cf_snippet *s, const char *name,
               const char *descriptor);
void rule_call_jdk(const struct rule_weaving *w, struct cf_snippet *s, const char *owner,
                   const char *name, const char *descriptor);
void rule_push_text(const struct rule_weaving *w, struct cf_snippet *s, const char *text);
enum rule_type rule_type_of_letter(char letter);
bool rule_is_whole(enum rule_type type);
// A parameter; the edit fails where the method has fewer.
const struct rule_parameter *rule_parameter_of(const struct rule_weaving *w,
                                               const struct instr_rule_value *v);
// The type that the value has by itself.
enum rule_type rule_type_of(const struct rule_weaving *w, const struct instr_rule_value *v,
                            const struct rule_moment *at);
// Pushes the value in the type that is wanted, and returns that.
enum rule_type rule_push(const struct rule_weaving *w, const struct instr_rule_value *v,
                         const struct rule_moment *at, enum rule_type wanted);
// Null where there is none.
void rule_push_this(const struct rule_weaving *w, const struct rule_moment *at);

// Jumps to the label if the value is `sense`.
void rule_branch(const struct rule_weaving *w, const struct instr_rule_value *v,
                 const struct rule_moment *at, bool sense, uint32_t label);

#endif
