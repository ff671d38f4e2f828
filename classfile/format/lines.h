// The line numbers of a method (LineNumberTable, JVMS 4.7.12).

#ifndef CF_LINES_H
#define CF_LINES_H

#include "classfile/code.h"

// The line of each pc of an opened Code attribute, `length` of them, in the class's arena; 0:
// unknown. An instruction has the line of the nearest entry at or before it, of several at one pc
// the last. Malformed tables are ignored. NULL: out of memory.
const uint16_t *cf_lines(const struct cf_code *code);

#endif
