// patterns.h: the patterns that a command gives, and which of them match a class
//
// The walk over the loaded classes marks those that it needs. So only a pattern that matched nothing
// that changes needs a look at all classes.

#ifndef INSTR_RETRANSFORM_PATTERNS_H
#define INSTR_RETRANSFORM_PATTERNS_H

#include "instr/options.h"

#include <stdbool.h>
#include <stddef.h>

struct instr_pattern {
    const char *option; // "include=" or "exclude="; "": the argument of a command
    char *text;
    struct instr_match *match; // this pattern alone
    bool matches;              // a class that was seen
};

struct instr_patterns {
    struct instr_pattern *rows;
    size_t count, capacity;
};

// Adds the patterns of include= of all passes of the owner, each once, and those of exclude= that no
// pass of the owner had `before`. A pattern is left out if memory runs out.
void instr_patterns_add(struct instr_patterns *patterns, const struct instr_options *before,
                        const struct instr_options *options, const struct instr_owner *owner);

// Adds the patterns of a text, with colons between.
void instr_patterns_add_text(struct instr_patterns *patterns, const char *option, const char *text);

// Marks the patterns that match the class of this internal name.
void instr_patterns_see(struct instr_patterns *patterns, const char *name, size_t length);

void instr_patterns_close(struct instr_patterns *patterns);

#endif
