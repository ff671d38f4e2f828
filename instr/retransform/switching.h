// Operations on an agent's passes: one at a time, and the pass that an operation names.

#ifndef INSTR_SWITCHING_H
#define INSTR_SWITCHING_H

#include "instr/retransform/reconfigure.h"

// Waits until no other operation is under way, and clears the results in `done`. 0: the agent does not
// run, or another operation takes too long; see `reason`.
int instr_switching_begin(struct instr_agent *agent, struct instr_reconfigured *done, char *reason,
                          size_t size);
void instr_switching_end(struct instr_agent *agent);

// The active pass of this name and owner; if the owner has none, that of the command line. With `all`
// the first of any owner. NULL: see `reason`.
const struct instr_pass_options *instr_switching_pass(const struct instr_options *options,
                                                      const char *name,
                                                      const struct instr_owner *owner, int all,
                                                      char *reason, size_t size);

#endif
