// A class file as text, in the layout of `javap -v -p`.

#ifndef CF_PRINT_H
#define CF_PRINT_H

#include "classfile/classfile.h"
#include "classfile/decls.h"
#include "classfile/text.h"

CF_BEGIN_DECLS

// Prints a class: header, constant pool, fields, methods with their code and frames, and all
// attributes, unknown ones in hexadecimal. The class may be malformed: what can be read is printed,
// and at an error there is a line "error: ..." with reason and offset. If the class did not open,
// the part before the error is printed.
//
// Returns CF_OK, the status of the first error, or CF_LIMIT if `text` accepted no more. The text is
// flushed. Since a few bytes can refer to a long text many times, the text is limited to 16 MiB and
// 256 times the length of the class (text->limit is set accordingly).
enum cf_status cf_print_class(const struct cf_class *cls, struct cf_text *text);

// The value of a CONSTANT_Float or Double as in Java (Float.toString, Double.toString): the
// shortest digits that read back as the same value. `buffer` has at least 32 bytes. Returns
// `buffer`.
char *cf_float_text(uint32_t bits, char *buffer);
char *cf_double_text(uint64_t bits, char *buffer);

CF_END_DECLS

#endif
