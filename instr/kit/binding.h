// binding.h: advice methods and what is passed to their parameters

#ifndef INSTR_KIT_BINDING_H
#define INSTR_KIT_BINDING_H

#include "instr/kit/internal.h"

// Reads the methods of an advice class into advice->methods, with names as in the jar. What is wrong becomes a
// problem.
void kit_read_methods(struct kit_reader *reader, const struct kit_source *source,
                      struct instr_kit_advice *advice);

#endif
