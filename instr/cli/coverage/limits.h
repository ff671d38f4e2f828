// Limits of coverage: what `instr coverage check` demands, with the names and the meaning of JaCoCo's rules.
//
//      [ELEMENT [PATTERN...] [except PATTERN...]:] COUNTER [VALUE] >=|<= NUMBER[%]
//
//      LINE >= 80%
//      CLASS com.acme.* except *.Legacy*: BRANCH COVEREDRATIO >= 0.5
//      METHOD "com.acme.Shop.order(com.acme.Cart, int)": COMPLEXITY MISSEDCOUNT <= 10
//
// ELEMENT is BUNDLE (the default), PACKAGE, CLASS, SOURCEFILE or METHOD. COUNTER is INSTRUCTION, BRANCH, LINE, COMPLEXITY,
// METHOD or CLASS. VALUE is TOTALCOUNT, COVEREDCOUNT, MISSEDCOUNT, COVEREDRATIO (the default) or MISSEDRATIO. Upper and
// lower case are the same. Patterns are compared with names as Java writes them (cover_name): * stands for any
// characters, ? for one; several are separated by spaces or colons.

#ifndef INSTR_CLI_COVERAGE_LIMITS_H
#define INSTR_CLI_COVERAGE_LIMITS_H

#include "instr/cli/coverage/model.h"

#include <stdbool.h>
#include <stdio.h>

enum cover_element {
    COVER_OF_BUNDLE,
    COVER_OF_PACKAGE,
    COVER_OF_CLASS,
    COVER_OF_SOURCEFILE,
    COVER_OF_METHOD,
    COVER_ELEMENTS
};

enum cover_value {
    COVER_TOTALCOUNT,
    COVER_COVEREDCOUNT,
    COVER_MISSEDCOUNT,
    COVER_COVEREDRATIO,
    COVER_MISSEDRATIO,
    COVER_VALUES
};

struct cover_patterns {
    char **list; // owned
    size_t count, capacity;
};

struct cover_limit {
    enum cover_element element;
    enum cover_counter counter;
    enum cover_value value;
    bool is_maximum; // <=
    bool percent;    // it was written so
    uint64_t bound;  // in units of 10^-digits
    unsigned digits; // behind the point; of percents as they were written
    struct cover_patterns include, except;
    size_t matched; // elements so far
};

struct cover_limits {
    struct cover_limit *list;
    size_t count, capacity;
};

enum { COVER_REASON_SIZE = 256 };

// Adds a limit. Returns 0; or -1 with the reason.
int cover_limits_parse(struct cover_limits *limits, const char *text,
                       char reason[COVER_REASON_SIZE]);
// Adds those of a file, one a line; empty lines and lines that begin with # count for nothing.
// Returns 0; or -1 with "FILE: line 3: ..." in `reason`.
int cover_limits_read(struct cover_limits *limits, const char *path, char *reason, size_t size);
void cover_limits_free(struct cover_limits *limits);

struct cover_violation {
    double
        off; // how far from the bound: a difference of ratios, or of counts as a part of the bound
    char *
        line; // "class com.acme.Shop: lines covered ratio is 0.50, but expected minimum is 0.80"; owned
};

struct cover_violations {
    struct cover_violation *list;
    size_t count, capacity;
    bool no_memory;
};

// Holds the model against the limits, and adds what is violated, the farthest off first. What has
// nothing to count, such as an interface without branches, violates no limit of a ratio.
void cover_limits_check(struct cover_limits *limits, const struct cover_model *model,
                        struct cover_violations *violations);
// One limit against counters: those of an element, or of changed lines alone. `what` names them.
void cover_limit_compare(const struct cover_limit *limit, const char *what,
                         struct cover_count count, struct cover_violations *violations);
// Sorts, the farthest off first.
void cover_violations_sort(struct cover_violations *violations);
void cover_violations_free(struct cover_violations *violations);

// The words of a limit, for messages about it.
void cover_limit_put(const struct cover_limit *limit, FILE *out);

#endif
