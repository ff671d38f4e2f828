// What compilers have added to the code, and nobody wrote: filters take it out. A filter sees a
// method and says of its instructions
//
//      ignore      they are not counted
//      merge       copies of one instruction (of a finally block) count as one
//      replace     the branches of an instruction are others than those of the bytecode
//
// All of it takes effect when the last filter has seen the method, in this order: merge, replace,
// ignore. filters.c has the table of all filters.

#ifndef INSTR_CLI_COVERAGE_FILTERS_H
#define INSTR_CLI_COVERAGE_FILTERS_H

#include "instr/cli/coverage/analysis.h"
#include "instr/cli/coverage/flow.h"
#include "instr/cli/coverage/smap.h"

// What filters need to know of the class.
struct cover_class_facts {
    const struct cf_class *cls;
    enum cover_release release;
    struct cf_slice name, super, source;
    int is_synthetic; // by its flag or, in old classes, by an attribute
    int is_generated; // has an annotation whose simple name contains "Generated"
    int is_kotlin, is_scala, is_value_class;
    struct cover_smap smap;      // of Kotlin classes
    uint32_t first_inlined_line; // this and later ones were inlined; 0: none
    int companion_line;          // of the constructor of a companion, once it was seen
    uint64_t steps;              // that were spent on all methods
};
enum { COVER_NO_LINE = -1, COVER_NOT_SEEN = -2 };

enum cf_status cover_class_facts(struct cover_class_facts *facts, const struct cf_class *cls,
                                 enum cover_release release, struct cf_error *error);

// Is a line of the class itself, and not inlined?
int cover_is_own_line(const struct cover_class_facts *facts, const struct cover_mapping *mapping);

// A method that filters see. Instructions are numbered as in `code`.
struct cover_filtering {
    struct cover_class_facts *facts;
    const struct cover_code *code;
    struct cover_flow *flow;
    struct cf_error *error;
    uint32_t *merged; // by instruction: the one that it was merged into, plus 1; NULL: none
    struct cover_replacement *replacements, **last_replacement;
};

// Applies all filters to a method.
enum cf_status cover_filter(struct cover_class_facts *facts, const struct cover_code *code,
                            struct cover_flow *flow, struct cf_error *error);

// A filter whose work is more than a few steps for each instruction counts it here, over all methods of the
// class. 0: there were too many, in a class that no compiler has written: the filter leaves the rest as it is.
int cover_spend(struct cover_filtering *f, uint64_t steps);

// --- what filters say ---

// Instructions `first` to `last`.
void cover_ignore(struct cover_filtering *f, uint32_t first, uint32_t last);
void cover_ignore_method(struct cover_filtering *f);
void cover_merge(struct cover_filtering *f, uint32_t a, uint32_t b);

// The branches of an instruction are now those that are added with cover_replacement_add: a branch is
// named by the instruction that it leads to, or by cover_fallen_into of it, and is covered if any of the
// branches of bytecode is that are added for it. NULL: out of memory, and cover_replacement_add then does nothing.
struct cover_replacement *cover_replace(struct cover_filtering *f, uint32_t instruction);
#define COVER_ANY_BRANCH UINT32_MAX
void cover_replacement_add(struct cover_filtering *f, struct cover_replacement *replacement,
                           uint32_t target, uint32_t instruction, uint32_t number);

// JaCoCo 0.8.15 knows a place that is jumped to by its label, and tells it from the instruction behind
// the label where one of its filters names that instead: such a place counts as two branches.
static inline uint32_t cover_fallen_into(const struct cover_filtering *f, uint32_t instruction) {
    return f->flow->count + instruction;
}

#endif
