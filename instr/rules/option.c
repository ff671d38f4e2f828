#include "instr/rules/option.h"
#include "instr/rules/files.h"
#include "instr/rules/parse.h"
#include "instr/rules/weave.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEASE UINT64_C(600000000000) // 10 minutes, when the JVM is running

struct made {
    struct rw_pass pass;
    struct rw_made made;
    struct instr_rule *rule;
};

// Where passes go, and errors.
struct adding {
    int (*add)(void *to, const struct rw_pass *pass);
    void *to;
    char *error;
    size_t size;
    bool late;                // into a running JVM
    const char *file, *whole; // its name and text; NULL: the option has the rule itself
    size_t start;             // of the rule in the file
};

enum { PREFIX = 256 };

// "FILE:LINE: " of what is at `offset` of the rule.
static const char *where(const struct adding *a, size_t offset, char prefix[PREFIX]) {
    unsigned line = 1;
    *prefix = '\0';
    for (size_t i = 0; a->file && i < a->start + offset && a->whole[i]; i++)
        line += a->whole[i] == '\n';
    if (a->file) snprintf(prefix, PREFIX, "%.200s:%u: ", a->file, line);
    return prefix;
}

static void free_pass(const struct rw_pass *pass) {
    struct made *made = (struct made *)(uintptr_t)pass;
    instr_rule_free(made->rule);
    free(made->made.text);
    free(made);
}

static const struct rw_pass like = {
    .help = "a rule: counts, measures or changes where a pattern matches",
    .flags = RW_NAMES_METHODS,
    .event_ns = 3, // of a count; what else a rule does is measured
    .needs_agent = "rules run in a JVM with the agent",
    .runtime_class = "InstrRules",
    .edit = instr_rule_weave,
};

// "'=' is missing before '}', at 'count() }'": the option has one line.
static void explain(const struct adding *a, const char *text, const struct instr_rule_error *e) {
    char prefix[PREFIX];
    where(a, e->offset, prefix);
    const char *at = text + (e->offset < strlen(text) ? e->offset : strlen(text));
    if (*at)
        snprintf(a->error, a->size, "%s%s, at '%.40s'", prefix, e->text, at);
    else
        snprintf(a->error, a->size, "%s%s, at the end", prefix, e->text);
}

static int add_rule(const struct adding *a, const char *text) {
    struct instr_rule_error wrong;
    struct instr_rule *rule = instr_rule_parse(text, &wrong);
    if (!rule) {
        explain(a, text, &wrong);
        return -1;
    }
    if (rule->prints && !a->late) {
        snprintf(a->error, a->size, "print is what 'instr watch' does in a running JVM");
        instr_rule_free(rule);
        return -1;
    }
    struct made *made = calloc(1, sizeof *made);
    char *copy = instr_rule_with_files(text);
    if (!made || !copy) {
        snprintf(a->error, a->size, "out of memory");
        instr_rule_free(rule);
        free(made);
        free(copy);
        return -1;
    }
    *made = (struct made){.pass = like, .rule = rule};
    made->made = (struct rw_made){.kind = instr_rule_source.key,
                                  .text = copy,
                                  .needs = rule->changes,
                                  .lease = LEASE,
                                  .holders = 1,
                                  .free = free_pass};
    made->pass.name = made->made.name;
    if (rule->changes & (INSTR_RULE_THROWS | INSTR_RULE_RETURNS)) made->pass.flags |= RW_PREVENTS;
    made->pass.made = &made->made;
    made->pass.data = rule;
    made->pass.classes = instr_match_text(rule->classes);
    if (rule->subtypes) made->pass.supertypes = made->pass.classes;
    return a->add(a->to, &made->pass);
}

static const char *skip_comments(const char *at) {
    for (;;) {
        while (isspace((unsigned char)*at)) at++;
        if (*at != '#') return at;
        at += strcspn(at, "\n");
    }
}

// The end of the rule at `at`: behind its last brace.
static const char *rule_end(const char *at) {
    char quote = 0;
    for (; *at; at++) {
        if (quote) {
            if (*at == '\\' && at[1])
                at++;
            else if (*at == quote || *at == '\n')
                quote = 0;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '}') {
            return at + 1;
        }
    }
    return at;
}

static int add_all(struct adding *a, const char *text) {
    int status = 0;
    a->whole = text;
    for (const char *at = skip_comments(text); *at && status == 0; at = skip_comments(at)) {
        const char *end = rule_end(at);
        a->start = (size_t)(at - text);
        char *rule = strndup(at, (size_t)(end - at));
        for (char *c = rule; c && *c; c++)
            if (isspace((unsigned char)*c)) *c = ' ';
        if (rule) {
            status = add_rule(a, rule);
        } else {
            snprintf(a->error, a->size, "out of memory");
            status = -1;
        }
        free(rule);
        at = end;
    }
    return status;
}

static int make(const char *value, int late, int (*add)(void *to, const struct rw_pass *pass),
                void *to, char *error, size_t size) {
    struct adding a = {.add = add, .to = to, .error = error, .size = size, .late = late != 0};
    if (*value != '@') return add_rule(&a, value);
    const char *why;
    char *text = instr_rule_read_file(value + 1, INSTR_RULE_LARGEST_FILE, &why);
    if (!text) {
        snprintf(error, size, "%.200s: %s", value + 1, why);
        return -1;
    }
    a.file = value + 1;
    int status = add_all(&a, text);
    if (status == 0 && !*skip_comments(text)) {
        snprintf(error, size, "%.200s: there is no rule in it", value + 1);
        status = -1;
    }
    free(text);
    return status;
}

const struct instr_pass_source instr_rule_source = {
    .key = "rule",
    .argument = "TEXT|@FILE",
    .help = "count, sum or time where a pattern of methods matches; a file has several rules",
    .make = make,
};
