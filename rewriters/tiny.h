// Methods that are too small for a clock: no calls, no loops, nothing that runs other code or waits, few
// instructions. Getters, setters, constants, a comparison; and bridges to a method of their own class, which has the time.

#ifndef RW_TINY_H
#define RW_TINY_H

#include "classfile/decls.h"
#include "classfile/edit.h"

CF_BEGIN_DECLS

int rw_is_tiny(const struct cf_edit *edit);

CF_END_DECLS

#endif
