#include "instr/base/numbers.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

// For the calling thread alone. In glibc and musl the C locale is a constant, which is not freed.
static locale_t enter(void) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return c ? uselocale(c) : (locale_t)0;
}

static void leave(locale_t before) {
    if (before) uselocale(before);
}

int instr_vformat(char *text, size_t size, const char *format, va_list arguments) {
    locale_t before = enter();
    int n = vsnprintf(text, size, format, arguments);
    leave(before);
    return n;
}

int instr_format(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = instr_vformat(text, size, format, arguments);
    va_end(arguments);
    return n;
}

double instr_to_double(const char *text, char **end) {
    locale_t before = enter();
    double number = strtod(text, end);
    leave(before);
    return number;
}
