// utf8.h: reads characters from UTF-8 and from the class file's modified UTF-8 (JVMS 4.4.7), writes
// them as UTF-8

#ifndef INSTR_BASE_UTF8_H
#define INSTR_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define INSTR_UTF8_BAD 0xFFFDu // stands for malformed bytes

// The next character of *text, which is below `end`; moves *text past it. A malformed byte gives
// INSTR_UTF8_BAD and is skipped; a lone surrogate, too, which takes three bytes.
uint32_t instr_utf8_next(const char **text, const char *end);

// Writes a character to `bytes`. Returns its length, 1 to 4 bytes.
size_t instr_utf8_put(uint32_t character, char bytes[4]);

// How many columns of a terminal the character takes at most: 2 for those of Chinese, Japanese and Korean
// and for emoji, in any locale; 1 for others, also for accents that take none.
unsigned instr_utf8_columns(uint32_t character);

#endif
