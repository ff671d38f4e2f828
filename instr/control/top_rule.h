// top_rule.h: the command top of the calls for which a condition holds

#ifndef INSTR_CONTROL_TOP_RULE_H
#define INSTR_CONTROL_TOP_RULE_H

#include "instr/control/commands.h"

#include <stddef.h>
#include <stdint.h>

enum instr_top_order {
    INSTR_TOP_BY_SELF,
    INSTR_TOP_BY_TOTAL,
    INSTR_TOP_BY_CALLS,
    INSTR_TOP_BY_THROWN
};

// Switches the rule on until the client leaves. It has the tables @, hist(elapsed), and @errors, whose
// sum is the number of calls that threw, with the same keys. The reply is a stream of documents as
// those of top, with "key" in place of class, method and descriptor in each row; "p50_ns", "p99_ns"
// and "max_ns" are of all calls since the command began. The tables are read one after the other while
// calls go on: "thrown" may be some calls ahead of "calls", or behind, and makes up for it in the next
// document. `interval`: ns.
void instr_top_of_rule(struct instr_request *request, struct instr_reply *reply, const char *rule,
                       uint64_t interval, size_t rows, enum instr_top_order order);

#endif
