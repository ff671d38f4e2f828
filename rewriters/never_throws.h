// Methods that no exception can leave, so that their handlers, and those that passes would add, never run.

#ifndef RW_NEVER_THROWS_H
#define RW_NEVER_THROWS_H

#include "classfile/decls.h"
#include "classfile/edit.h"

CF_BEGIN_DECLS

// Can no instruction of the edited method throw? Those that never do, numbers and arrays in fields of `this` that the class
// itself declares, and coverage probes. No loops: a thread that runs one can be stopped.
int rw_never_throws(const struct cf_edit *edit);

// Is instruction i a getstatic of the array of a coverage probe? That pass has edited the class before
// then, and the array's class is initialized.
int rw_is_probe_array(const struct cf_code *code, uint32_t i);

CF_END_DECLS

#endif
