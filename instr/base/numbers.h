// numbers.h: numbers with a decimal point, in any locale
//
// The JVM takes the locale of its environment, in which a number may have a decimal comma.

#ifndef INSTR_BASE_NUMBERS_H
#define INSTR_BASE_NUMBERS_H

#include <stdarg.h>
#include <stddef.h>

// vsnprintf and snprintf in the C locale.
__attribute__((format(printf, 3, 0))) int instr_vformat(char *text, size_t size, const char *format,
                                                        va_list arguments);
__attribute__((format(printf, 3, 4))) int instr_format(char *text, size_t size, const char *format,
                                                       ...);

// strtod in the C locale. `end` may be NULL.
double instr_to_double(const char *text, char **end);

#endif
