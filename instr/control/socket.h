// The agent's end of the control socket's place in the file system: makes directory and socket,
// sees whether they are still there, takes the socket away.

#ifndef INSTR_CONTROL_SOCKET_H
#define INSTR_CONTROL_SOCKET_H

#include "instr/protocol/socket_path.h"

#include <sys/stat.h>

struct instr_control_place {
    int fd;                                  // listens; -1: none
    char path[INSTR_CONTROL_PATH_SIZE];      // of the socket
    char kill_path[INSTR_CONTROL_PATH_SIZE]; // of the kill switch
    dev_t device;                            // of the socket's file
    ino_t inode;
};

// Makes the directory if need be, and knows the kill switch's place from then on; there is no
// socket. 0; or -1 with one line in `reason`.
int instr_control_place_prepare(struct instr_control_place *place, char *reason, size_t size);
// Makes the directory if need be, takes away what processes that are gone have left there, and
// listens. 0; or -1 with one line in `reason`.
int instr_control_place_open(struct instr_control_place *place, char *reason, size_t size);
// Is the socket's file still the one that was made?
int instr_control_place_holds(const struct instr_control_place *place);
// Is the kill switch there? It is taken away.
int instr_control_place_killed(const struct instr_control_place *place);
// Takes the socket's file away, if it is still ours. The descriptor stays open.
void instr_control_place_remove(const struct instr_control_place *place);

#endif
