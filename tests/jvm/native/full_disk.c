// Preloaded into a JVM: the disk of one folder is full for as long as the folder has a file "full".
//
//      LD_PRELOAD=libfull_disk.so FULL_DISK=FOLDER java -agentpath:...
//
// Space cannot be allocated there. Of what is written, half still finds room, and the next call
// fails.

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_full(int fd) {
    char full[PATH_MAX], link[64], path[PATH_MAX];
    const char *folder = getenv("FULL_DISK");
    int before = errno, is = 0;
    if (!folder || fd <= 2) return 0;
    snprintf(full, sizeof full, "%s/full", folder);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = access(full, F_OK) == 0 ? readlink(link, path, sizeof path) : -1;
    size_t length = strlen(folder);
    is = n > (ssize_t)length && memcmp(path, folder, length) == 0 && path[length] == '/';
    errno = before;
    return is;
}

int posix_fallocate64(int fd, off64_t at, off64_t length) {
    int (*real)(int, off64_t, off64_t);
    *(void **)&real = dlsym(RTLD_NEXT, "posix_fallocate64");
    return is_full(fd) ? ENOSPC : real(fd, at, length);
}

static ssize_t none(void) {
    errno = ENOSPC;
    return -1;
}

ssize_t write(int fd, const void *buf, size_t n) {
    ssize_t (*real)(int, const void *, size_t);
    *(void **)&real = dlsym(RTLD_NEXT, "write");
    if (is_full(fd) && (n /= 2) == 0) return none();
    return real(fd, buf, n);
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t offset) {
    ssize_t (*real)(int, const void *, size_t, off64_t);
    *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
    if (is_full(fd) && (n /= 2) == 0) return none();
    return real(fd, buf, n, offset);
}
