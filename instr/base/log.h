// log.h: lines to standard error

#ifndef INSTR_BASE_LOG_H
#define INSTR_BASE_LOG_H

// Writes a line, given without a newline, in one piece.
void instr_say(const char *line);

#endif
