// What got worse since an earlier run, by method.

#ifndef INSTR_CLI_COVERAGE_BASELINE_H
#define INSTR_CLI_COVERAGE_BASELINE_H

#include "instr/base/output.h"
#include "instr/cli/coverage/model.h"

struct cover_worse {
    const struct cover_class *class;
    const struct cover_method *before, *now;
    enum cover_counter
        counter;   // LINE, or else BRANCH, or INSTRUCTION: that of which less is covered
    uint32_t more; // so many more of them are missed
};

struct cover_comparison {
    struct cover_worse *list; // the most first
    size_t count, capacity;
    size_t methods; // that are in both
};

// Compares the methods that both models have, by class, name and descriptor. A method is worse if more of its lines, or
// branches, or instructions are missed than before and a smaller share of them is covered. Returns 0; -1: out of memory.
int cover_compare(struct cover_comparison *comparison, const struct cover_model *before,
                  const struct cover_model *now);
void cover_comparison_free(struct cover_comparison *comparison);

// A line for each: "method com.acme.Shop.order(): 2 of 10 lines were missed, now 5 of 10".
void cover_comparison_put(const struct cover_comparison *comparison, struct instr_output *out);

#endif
