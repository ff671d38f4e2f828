// file.h: opens files that a person named

#ifndef INSTR_BASE_FILE_H
#define INSTR_BASE_FILE_H

#include <limits.h>

// Opens a regular file to read it. Anything else is refused: a pipe without a writer would block. -1,
// and *why is the reason.
int instr_file_open(const char *path, const char **why);

// The file that `path` leads to, to write it: what the last name is a symbolic link to, and so on. Links of
// other users than root and this one are not followed: they would choose what is overwritten. To be opened
// with instr_file_flags. 0; or -1 with errno, ELOOP for such a link.
int instr_file_follow(const char *path, char target[PATH_MAX]);

// O_NOFOLLOW, since a link may have taken the name meanwhile; 0 in /dev/fd and /proc, whose links are the
// kernel's.
int instr_file_flags(const char *target);

// Why a file cannot be written.
const char *instr_file_reason(int error);

#endif
