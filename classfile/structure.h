// Is a class file well-formed? Opening it (classfile.h) checks sizes only. This check walks the
// whole file: what every constant refers to, names and descriptors, flags, instructions and their
// operands, and the tables of every attribute of the JVM specification. The verifier (verify.h)
// checks the types of values; its parser reads the stack map frames here, too. The check shares no
// walk with the rewriter, so that it can judge the rewriter's output.

#ifndef CF_STRUCTURE_H
#define CF_STRUCTURE_H

#include "classfile/classfile.h"
#include "classfile/decls.h"

CF_BEGIN_DECLS

// Checks an opened class against JVMS 4.1 to 4.7 and the static constraints of 4.9.1. What a JVM
// tolerates in classes of some version is not an error, nor are unknown attributes. Returns CF_OK
// or the first error, with its offset in `error` (whose status must be CF_OK at the start). Scratch
// memory comes from the class's arena: some 40 bytes per constant, and one per byte of the longest
// method. The time is linear in the length of the class, except for sorting the members.
enum cf_status cf_check_structure(const struct cf_class *cls, struct cf_error *error);

// Checks also what the specification asks for but no JVM checks when it loads a class: line
// numbers, generic variables, character ranges and type annotations point at instructions.
// Compilers have broken these rules, so a class that fails is not bad. But a class that passed
// before it was rewritten must pass afterwards.
enum cf_status cf_check_structure_strictly(const struct cf_class *cls, struct cf_error *error);

CF_END_DECLS

#endif
