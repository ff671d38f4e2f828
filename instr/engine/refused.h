// Rewritten classes that would not verify, as files for bug reports (verify-dump=DIR).

#ifndef INSTR_ENGINE_REFUSED_H
#define INSTR_ENGINE_REFUSED_H

#include "instr/engine.h"

// Writes result->refused, of the class `name` (internal form), to the folder that the options name;
// makes the folder. Returns 1 with a line about it, or about why it was not written; 0: there is
// nothing to write.
int instr_refused_write(const struct instr_options *options, const char *name,
                        const struct instr_rewritten *result, char *line, size_t size);

#endif
