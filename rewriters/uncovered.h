// Classes that count their coverage already: their probes and ids are not those of the class that they were.

#ifndef RW_UNCOVERED_H
#define RW_UNCOVERED_H

#include "classfile/classfile.h"
#include "classfile/decls.h"

CF_BEGIN_DECLS

// CF_UNSUPPORTED, and says by whom, if JaCoCo or 'instr rewrite coverage' has changed the class.
enum cf_status rw_check_uncovered(const struct cf_class *cls, struct cf_error *error);

CF_END_DECLS

#endif
