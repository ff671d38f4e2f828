#include "instr/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int instr_file_open(const char *path, const char **why) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        *why = strerror(errno);
        return -1;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) return fd;
    *why = S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a regular file";
    close(fd);
    return -1;
}

// Not all of /dev: anybody may make files and links in /dev/shm. In a user namespace the links to standard streams may
// seem to be another user's.
static bool is_of_kernel(const char *path) {
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (strcmp(path, streams[i]) == 0) return true;
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

int instr_file_flags(const char *target) {
    return is_of_kernel(target) ? 0 : O_NOFOLLOW;
}

const char *instr_file_reason(int error) {
    return error == ELOOP ? "a symbolic link of another user, or too many links" : strerror(error);
}

// Reads the link at `path`. Its length; 0: there is no link; or -1 with errno.
static ssize_t read_link(const char *path, char target[PATH_MAX]) {
    struct stat st;
    int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? 0 : -1;
    ssize_t n = fstat(fd, &st) != 0    ? -1
                : !S_ISLNK(st.st_mode) ? 0
                                       : readlinkat(fd, "", target, PATH_MAX);
    close(fd); // keeps errno
    if (n > 0 && st.st_uid != 0 && st.st_uid != geteuid()) {
        errno = ELOOP;
        return -1;
    }
    return n;
}

int instr_file_follow(const char *path, char target[PATH_MAX]) {
    enum { MOST = 40 }; // as the kernel has it
    char link[PATH_MAX], from[PATH_MAX];
    if (snprintf(target, PATH_MAX, "%s", path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (int i = 0; i < MOST && !is_of_kernel(target); i++) {
        ssize_t n = read_link(target, link);
        if (n <= 0) return (int)n;
        const char *slash = strrchr(target, '/');
        int folder = link[0] == '/' || !slash ? 0 : (int)(slash + 1 - target);
        strcpy(from, target);
        if (folder + n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        snprintf(target, PATH_MAX, "%.*s%.*s", folder, from, (int)n, link);
    }
    if (is_of_kernel(target)) return 0;
    errno = ELOOP;
    return -1;
}
