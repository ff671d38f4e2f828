#include "instr/base/file.h"

#include <errno.h>
#include <fcntl.h>
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
