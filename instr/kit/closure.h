// closure.h: what advice classes use of their kit

#ifndef INSTR_KIT_CLOSURE_H
#define INSTR_KIT_CLOSURE_H

#include "instr/kit/internal.h"

// Finds what each advice uses, directly or not: kit_source.uses, in_closure and boot. What a helper class must not
// be becomes a problem.
void kit_close(struct kit_reader *reader);

// The classes that the advice needs, each behind its supertypes and the advice itself last. NULL: out of memory.
struct kit_source **kit_closure_of(struct kit_reader *reader, const struct kit_source *advice,
                                   size_t *count);

#endif
