// delivered.h: the library, if a command has copied it for this JVM
//
// A JVM that cannot see the installed library, as in a container, gets a copy in the control directory
// of its user: /tmp/.instr-1000/libinstr-0123456789abcdef.so. The loaded library does not need the file:
// the dynamic linker knows it by its name, and the next attach uses that.

#ifndef INSTR_VM_DELIVERED_H
#define INSTR_VM_DELIVERED_H

#include <stdbool.h>

// Notes which file the library is, when it is loaded. `alone`: its directory is for this copy.
void instr_delivered_note(const char *library, bool alone);

// Removes the file if it is such a copy, and still the same file.
void instr_delivered_remove(void);

// The same when the JVM ends, with the directory if it is for the copy alone. Until then it keeps other users
// from taking the name, by which the next attach finds the library.
void instr_delivered_end(void);

#endif
