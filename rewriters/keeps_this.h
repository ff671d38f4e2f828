#ifndef RW_KEEPS_THIS_H
#define RW_KEEPS_THIS_H

#include "classfile/code.h"

// Is local 0 always `this`, as in what compilers make of an instance method? Optimizers may store something else there.
int rw_keeps_this(const struct cf_code *code);

#endif
