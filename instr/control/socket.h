// The control socket in the file system: creates directory and socket, checks whether they still
// exist, removes the socket. The kill switch is a file beside the socket.

#ifndef INSTR_CONTROL_SOCKET_H
#define INSTR_CONTROL_SOCKET_H

#include "instr/protocol/socket_path.h"

#include <stdbool.h>
#include <sys/stat.h>

struct instr_control_place {
    int fd;             // listening; -1: none
    const char *folder; // for the directory
    char directory[INSTR_CONTROL_PATH_SIZE];
    int random;                              // the directory has a random name, for this JVM alone
    char path[INSTR_CONTROL_PATH_SIZE];      // of the socket
    char kill_path[INSTR_CONTROL_PATH_SIZE]; // of the kill switch
    dev_t device;                            // of the socket's file
    ino_t inode;
};

// Creates the directory if necessary, and sets the path of the kill switch. Creates no socket. 0; or
// -1, see `reason`.
int instr_control_place_prepare(struct instr_control_place *place, char *reason, size_t size);
// Creates the directory if necessary, removes files that dead processes left there, and creates the
// socket. 0; or -1, see `reason`.
int instr_control_place_open(struct instr_control_place *place, char *reason, size_t size);
// Is the socket's file still the one that was created?
int instr_control_place_holds(const struct instr_control_place *place);
// Does the kill switch exist?
bool instr_control_place_killed(const struct instr_control_place *place);
// Removes the kill switch.
void instr_control_place_reset_kill(const struct instr_control_place *place);
// Removes the socket's file if it is still ours. The descriptor stays open.
void instr_control_place_remove(const struct instr_control_place *place);

#endif
