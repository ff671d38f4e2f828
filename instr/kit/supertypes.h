// supertypes.h: the names of a class's supertypes, from class files

#ifndef INSTR_KIT_SUPERTYPES_H
#define INSTR_KIT_SUPERTYPES_H

#include "instr/kit/link.h"
#include "rewriters/rewriter.h"

// The class's own name first; of a supertype that the world lacks only its name is known. At most 1,000; fewer if the
// memory of the arena runs out, to which they belong.
struct rw_supertypes instr_kit_supertypes(const struct cf_class *cls,
                                          const struct instr_kit_world *world,
                                          struct cf_arena *arena);

#endif
