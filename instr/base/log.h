// Lines to standard error.

#ifndef INSTR_BASE_LOG_H
#define INSTR_BASE_LOG_H

// Writes "instr: ", the text and a newline in one piece.
__attribute__((format(printf, 1, 2))) void instr_say(const char *format, ...);

#endif
