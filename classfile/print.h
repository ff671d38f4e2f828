// A class file as text, laid out as `javap -v -p` does it.

#ifndef CF_PRINT_H
#define CF_PRINT_H

#include "classfile/classfile.h"
#include "classfile/text.h"

// Prints a class: header, constant pool, fields, methods with their code and frames, all
// attributes; those that are not known in hexadecimal. The class need not hold together: what can
// be read is printed, and where something is broken stands a line "error: ..." with reason and
// offset. Of a class that did not open, what comes before the broken place is printed.
//
// Returns CF_OK, or the status of the first error found, or CF_LIMIT when `text` took no more. The
// text is flushed. Since a few bytes can name a long text many times, the text is limited to 16 MiB
// and 256 times the length of the class (text->limit is set accordingly).
enum cf_status cf_print_class(const struct cf_class *cls, struct cf_text *text);

// The value of a CONSTANT_Float or Double as Java writes it (Float.toString, Double.toString): the
// shortest digits that give the value back. `buffer` holds at least 32 bytes. Returns `buffer`.
char *cf_float_text(uint32_t bits, char *buffer);
char *cf_double_text(uint64_t bits, char *buffer);

#endif
