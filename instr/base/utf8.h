// Characters: read from UTF-8 and from the class file's modified UTF-8 (JVMS 4.4.7) alike, written
// as UTF-8.

#ifndef INSTR_UTF8_H
#define INSTR_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define INSTR_UTF8_BAD 0xFFFDu // stands for what is no character

// The next character of *text, which is below `end`; moves *text past it. Anything that is not
// well-formed gives INSTR_UTF8_BAD and moves on by one byte (a lone surrogate: by three).
uint32_t instr_utf8_next(const char **text, const char *end);

// Writes a character to `bytes`. Returns how many bytes it took, 1 to 4.
size_t instr_utf8_put(uint32_t character, char bytes[4]);

#endif
