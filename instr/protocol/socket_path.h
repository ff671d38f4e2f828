// socket_path.h: the paths of control sockets, FOLDER/.instr-UID/PID.sock, in a directory of mode 0700.
// The agent creates the sockets, the tool looks for them.
//
// FOLDER is what the option control= names, or the variable INSTR_DIR, or /tmp. UID is the effective
// user of the JVM, PID its number in its own namespace. If another user has taken the name of the
// directory, .instr-UID.1 and so on are used, and when all are taken, a random name, which no other
// user can take in advance: the tool then finds the socket among those on which the JVM listens. If
// JVMs of several namespaces share FOLDER, PID-1.sock and so on are used. A client checks with
// SO_PEERCRED that it has connected to the intended JVM. PID.off beside the socket is the kill switch: a
// symbolic link to the name of the pid namespace of the JVM that is meant, "pid:[4026531836]"; anything else
// is meant for each JVM with this PID.

#ifndef INSTR_PROTOCOL_SOCKET_PATH_H
#define INSTR_PROTOCOL_SOCKET_PATH_H

#include <stddef.h>
#include <sys/types.h>

enum {
    INSTR_CONTROL_PATH_SIZE = 108, // of sockaddr_un.sun_path
    INSTR_CONTROL_FOLDER = 64,     // the longest FOLDER
    INSTR_CONTROL_DIRECTORIES = 8, // that are tried, one after the other
    INSTR_CONTROL_SOCKETS = 4
};

#define INSTR_CONTROL_VARIABLE "INSTR_DIR"

enum { INSTR_CONTROL_NAMESPACE = 64 };
// Where the name of the pid namespace of a process stands, below its folder in /proc.
#define INSTR_CONTROL_NAMESPACE_LINK "ns/pid"

// FOLDER: the value of the option if it is a path, or that of our environment, or "/tmp".
const char *instr_control_folder(const char *option);

// The `number`-th directory in `folder`.
void instr_control_directory(char path[INSTR_CONTROL_PATH_SIZE], const char *folder, uid_t uid,
                             unsigned number);
// A template for mkdtemp.
void instr_control_random(char path[INSTR_CONTROL_PATH_SIZE], const char *folder, uid_t uid);
// Is the file in such a directory? Nobody uses that again: it goes with the file.
int instr_control_in_random(const char *file);

// Is it a directory (not a symbolic link) that belongs to `uid` and that no other user may enter?
int instr_control_directory_is_private(const char *path, uid_t uid);

// Adds the name of the `number`-th socket of a process to the path of its directory: 0, or -1 if it
// does not fit.
int instr_control_socket(char path[INSTR_CONTROL_PATH_SIZE], const char *directory, long pid,
                         unsigned number);
// The same for the kill switch.
int instr_control_switch(char path[INSTR_CONTROL_PATH_SIZE], const char *directory, long pid);

#endif
