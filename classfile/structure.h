// Does a class file hold together? Opening (classfile.h) looks at sizes only; this walks all of it:
// what every constant refers to, names and descriptors, flags, instructions and their operands, and
// the tables of every attribute that the JVM specification knows. It does not follow the types of
// values: that is the verifier's work. It shares no code with the rewriter's own walks, so that it
// can judge its output.

#ifndef CF_STRUCTURE_H
#define CF_STRUCTURE_H

#include "classfile/classfile.h"

// Checks an opened class against JVMS 4.1 to 4.7 and the static constraints of 4.9.1. What some
// version of the JVM tolerates in classes of its time is no error, and neither are unknown
// attributes. Returns CF_OK or the first thing found, with its offset in `error` (whose status must
// be CF_OK at the start). Scratch memory comes from the class's arena: some 40 bytes per constant,
// and one per byte of the longest method. The time is linear in the length of the class, but for
// sorting the members.
enum cf_status cf_check_structure(const struct cf_class *cls, struct cf_error *error);

// In addition: what the specification asks for but no JVM checks when it loads a class, namely that
// line numbers, generic variables, character ranges and type annotations point at instructions.
// Compilers have broken these rules, so a class that fails is not bad; but one that held before it
// was rewritten must hold afterwards.
enum cf_status cf_check_structure_strictly(const struct cf_class *cls, struct cf_error *error);

#endif
