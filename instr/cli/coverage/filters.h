// What compilers have added to the code, and nobody wrote: filters ignore it. A filter sees a method
// and says of its instructions
//
//      ignore      they are not counted
//      merge       copies of one instruction (of a finally block) count as one
//      replace     the branches of an instruction are others than those of the bytecode
//
// filters.c has the table of all filters.

#ifndef INSTR_CLI_COVERAGE_FILTERS_H
#define INSTR_CLI_COVERAGE_FILTERS_H

#include "instr/cli/coverage/analysis.h"
#include "instr/cli/coverage/flow.h"

// What filters need to know of the class.
struct cover_class_facts {
    const struct cf_class *cls;
    enum cover_release release;
};

enum cf_status cover_class_facts(struct cover_class_facts *facts, const struct cf_class *cls,
                                 enum cover_release release, struct cf_error *error);

// Applies all filters to a method.
enum cf_status cover_filter(const struct cover_class_facts *facts, const struct cover_code *code,
                            struct cover_flow *flow, struct cf_error *error);

#endif
