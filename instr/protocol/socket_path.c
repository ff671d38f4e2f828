#include "instr/protocol/socket_path.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int length_of(const char *folder) {
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/') n--;
    return n < INSTR_CONTROL_FOLDER ? (int)n : INSTR_CONTROL_FOLDER;
}

void instr_control_directory(char path[INSTR_CONTROL_PATH_SIZE], const char *folder, uid_t uid,
                             unsigned number) {
    int n = snprintf(path, INSTR_CONTROL_PATH_SIZE, "%.*s/.instr-%lu", length_of(folder), folder,
                     (unsigned long)uid);
    if (number > 0) snprintf(path + n, INSTR_CONTROL_PATH_SIZE - (size_t)n, ".%u", number);
}

void instr_control_random(char path[INSTR_CONTROL_PATH_SIZE], const char *folder, uid_t uid) {
    snprintf(path, INSTR_CONTROL_PATH_SIZE, "%.*s/.instr-%lu.XXXXXX", length_of(folder), folder,
             (unsigned long)uid);
}

int instr_control_in_random(const char *file) {
    static const char end[] = ".XXXXXX";
    const char *slash = strrchr(file, '/');
    return slash && slash - file >= (ptrdiff_t)sizeof end && slash[1 - (int)sizeof end] == end[0];
}

const char *instr_control_folder(const char *option) {
    const char *variable = getenv(INSTR_CONTROL_VARIABLE);
    if (option && *option == '/') return option;
    if (variable && *variable == '/' && strlen(variable) <= INSTR_CONTROL_FOLDER) return variable;
    return "/tmp";
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
