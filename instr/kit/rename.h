// rename.h: class files under the names that they are defined by

#ifndef INSTR_KIT_RENAME_H
#define INSTR_KIT_RENAME_H

#include "instr/kit/internal.h"

// Makes the bytes of a named class. What is private, or of its package, becomes public where other classes need it:
// the classes of one package of the kit do not stay together.
void kit_rename_class(struct instr_kit *kit, struct instr_kit_class *made);

#endif
