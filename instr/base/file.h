// file.h: opens files that a person named

#ifndef INSTR_BASE_FILE_H
#define INSTR_BASE_FILE_H

// Opens a regular file to read it. Anything else is refused: a pipe without a writer would block. -1,
// and *why is the reason.
int instr_file_open(const char *path, const char **why);

#endif
