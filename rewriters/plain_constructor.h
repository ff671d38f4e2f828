// Constructors that call Object's or Record's, which is empty, and before that only set fields, as compilers do for inner classes.
// Nothing but an exhausted stack can end them before that call has returned. So their calls may be counted once, behind it. Other
// constructors may be left before, and no handler may cover the call.

#ifndef RW_PLAIN_CONSTRUCTOR_H
#define RW_PLAIN_CONSTRUCTOR_H

#include "classfile/decls.h"
#include "classfile/edit.h"

CF_BEGIN_DECLS

// The number of instructions up to that call, with the call; 0: it is no such constructor. Those of classes with a finalizer are
// none: when Object's constructor returns, the JVM registers the object, which takes memory.
uint32_t rw_plain_constructor(const struct cf_edit *edit);

CF_END_DECLS

#endif
