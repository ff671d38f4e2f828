#include "instr/base/log.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void instr_say(const char *format, ...) {
    char line[PATH_MAX + 512] = "instr: ";
    size_t n = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + n, sizeof line - n - 1, format, arguments);
    va_end(arguments);
    n = strlen(line);
    line[n++] = '\n';
    // One call, so that lines of several threads do not mix. If stderr is closed, nothing can be done.
    if (write(STDERR_FILENO, line, n) < 0) return;
}
