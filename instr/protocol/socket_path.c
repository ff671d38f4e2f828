#include "instr/protocol/socket_path.h"

#include <stdio.h>
#include <sys/stat.h>

void instr_control_directory(char path[INSTR_CONTROL_PATH_SIZE], const char *root, uid_t uid,
                             unsigned number) {
    if (number == 0)
        snprintf(path, INSTR_CONTROL_PATH_SIZE, "%.40s/tmp/.instr-%lu", root, (unsigned long)uid);
    else
        snprintf(path, INSTR_CONTROL_PATH_SIZE, "%.40s/tmp/.instr-%lu.%u", root, (unsigned long)uid,
                 number);
}

int instr_control_directory_is_private(const char *path, uid_t uid) {
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == uid &&
           (st.st_mode & 077) == 0;
}

int instr_control_socket(char path[INSTR_CONTROL_PATH_SIZE], const char *directory, long pid,
                         unsigned number) {
    int n = number == 0
                ? snprintf(path, INSTR_CONTROL_PATH_SIZE, "%s/%ld.sock", directory, pid)
                : snprintf(path, INSTR_CONTROL_PATH_SIZE, "%s/%ld-%u.sock", directory, pid, number);
    return n < INSTR_CONTROL_PATH_SIZE ? 0 : -1;
}

int instr_control_switch(char path[INSTR_CONTROL_PATH_SIZE], const char *directory, long pid) {
    int n = snprintf(path, INSTR_CONTROL_PATH_SIZE, "%s/%ld.off", directory, pid);
    return n < INSTR_CONTROL_PATH_SIZE ? 0 : -1;
}
