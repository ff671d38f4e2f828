// advice.h: what @Advice says

#ifndef INSTR_KIT_ADVICE_H
#define INSTR_KIT_ADVICE_H

#include "instr/kit/internal.h"

enum { KIT_MOST_ALTERNATIVES = 8 };

// If the class is an advice, adds it to the kit, once for each alternative of its types. Names are as in the jar.
// What is wrong becomes a problem.
void kit_read_advice(struct kit_reader *reader, struct kit_source *source);

#endif
