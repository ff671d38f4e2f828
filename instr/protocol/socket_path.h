// Where the control sockets lie: /tmp/.instr-UID/PID.sock, the directory of mode 0700 and its
// owner's. Shared by the agent, which makes them, and the tool, which looks for them.
//
// UID is the effective user of the JVM, PID its number in its own namespace. Where somebody else
// took the name of the directory, .instr-UID.1 and so on stand in; where JVMs of several namespaces
// share /tmp, PID-1.sock does. Whoever connects makes sure by SO_PEERCRED that it is the JVM that
// was meant. PID.off beside the socket is the kill switch.

#ifndef INSTR_CONTROL_PATH_H
#define INSTR_CONTROL_PATH_H

#include <stddef.h>
#include <sys/types.h>

enum {
    INSTR_CONTROL_PATH_SIZE = 108, // of sockaddr_un.sun_path
    INSTR_CONTROL_DIRECTORIES = 8, // that are tried
    INSTR_CONTROL_SOCKETS = 4
};

// The `number`-th directory, below `root` ("", or "/proc/PID/root" for another mount namespace).
void instr_control_directory(char path[INSTR_CONTROL_PATH_SIZE], const char *root, uid_t uid,
                             unsigned number);

// Is it a directory (no symbolic link) that belongs to `uid`, and nobody else may enter?
int instr_control_directory_is_private(const char *path, uid_t uid);

// Adds the name of the `number`-th socket of a process to the path of its directory: 0, or -1 if it
// does not fit.
int instr_control_socket(char path[INSTR_CONTROL_PATH_SIZE], const char *directory, long pid,
                         unsigned number);
// The same for the kill switch.
int instr_control_switch(char path[INSTR_CONTROL_PATH_SIZE], const char *directory, long pid);

#endif
