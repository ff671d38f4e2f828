// Makes the agent's library reachable for a JVM.

#include "instr/cli/deliver.h"
#include "instr/protocol/socket_path.h"
#include "instr/base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LIBRARY = 256 * 1024 * 1024 };

struct library {
    uint8_t *bytes;
    size_t length;
    char name[48]; // of a copy: the same for the same bytes
};

static uint8_t *read_all(int fd, size_t *length) {
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > MOST_LIBRARY)
        return NULL;
    uint8_t *bytes = malloc((size_t)st.st_size + 1);
    *length = 0;
    for (ssize_t n = 1; bytes && n > 0 && *length < (size_t)st.st_size; *length += (size_t)n)
        n = read(fd, bytes + *length, (size_t)st.st_size - *length);
    return bytes;
}

static int read_library(struct library *library, const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    library->bytes = read_all(fd, &library->length);
    if (fd >= 0) close(fd);
    if (!library->bytes) return -1;
    snprintf(library->name, sizeof library->name, "libinstr-%016llx.so",
             (unsigned long long)instr_hash(library->bytes, library->length, 0));
    return 0;
}

int cli_target_sees(const struct instr_target *target, const char *path) {
    char name[INSTR_TARGET_NAME + INSTR_TARGET_PATH];
    struct stat ours, theirs;
    snprintf(name, sizeof name, "%s%s", target->root, path);
    if (stat(path, &ours) != 0 || stat(name, &theirs) != 0 || ours.st_dev != theirs.st_dev ||
        ours.st_ino != theirs.st_ino || instr_target_become(target) != 0)
        return 0;
    // By the path without the target's root: what lies below /proc/PID is not for everybody.
    int readable = faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
    instr_target_return();
    return readable;
}

// The control directory, O_PATH; `path` as the target calls it. With the target's rights.
static int open_directory(const struct instr_target *target, int tmp,
                          char path[INSTR_CONTROL_PATH_SIZE]) {
    struct stat st;
    for (unsigned i = 0; i < INSTR_CONTROL_DIRECTORIES; i++) {
        instr_control_directory(path, "", target->inner_uid, i);
        const char *name = strrchr(path, '/') + 1;
        int made = mkdirat(tmp, name, 0700) == 0;
        if (!made && errno != EEXIST) return -1;
        int fd = openat(tmp, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        // The mask of the process may have taken rights away.
        int usable = !made || fchmodat(tmp, name, 0700, 0) == 0;
        if (usable && fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == target->uid &&
            !(st.st_mode & 077))
            return fd;
        if (fd >= 0) close(fd);
    }
    errno = EEXIST;
    return -1;
}

static int is_there(int directory, const struct library *library, uid_t uid) {
    struct stat st;
    size_t length = 0;
    int fd = openat(directory, library->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return 0;
    int same = fstat(fd, &st) == 0 && st.st_uid == uid && (size_t)st.st_size == library->length;
    uint8_t *bytes = same ? read_all(fd, &length) : NULL;
    same = bytes && length == library->length && memcmp(bytes, library->bytes, length) == 0;
    free(bytes);
    close(fd);
    return same;
}

static int write_copy(int directory, const struct library *library) {
    char name[80];
    snprintf(name, sizeof name, "%s.%ld", library->name, (long)getpid());
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500);
    if (fd < 0) return -1;
    size_t done = 0;
    ssize_t n = 0;
    while (done < library->length &&
           (n = write(fd, library->bytes + done, library->length - done)) > 0)
        done += (size_t)n;
    int failed = done < library->length;
    if (close(fd) != 0) failed = 1;
    if (!failed && renameat(directory, name, directory, library->name) == 0) return 0;
    int error = errno;
    unlinkat(directory, name, 0);
    errno = error;
    return -1;
}

static int copy(const struct instr_target *target, const struct library *library, char *path,
                size_t size) {
    char place[INSTR_CONTROL_PATH_SIZE];
    int tmp = instr_target_directory(target, "/tmp"), directory = -1, result = -1, error = EACCES;
    if (tmp >= 0 && instr_target_become(target) == 0) {
        directory = open_directory(target, tmp, place);
        if (directory >= 0 &&
            (is_there(directory, library, target->uid) || write_copy(directory, library) == 0))
            result = 0;
        error = errno;
        instr_target_return();
    }
    if (directory >= 0) close(directory);
    if (tmp >= 0) close(tmp);
    if (result == 0) snprintf(path, size, "%s/%s", place, library->name);
    errno = error;
    return result;
}

int cli_deliver(const struct instr_target *target, const char *library, char *path,
                size_t path_size, char *reason, size_t size) {
    struct library bytes;
    if (cli_target_sees(target, library)) {
        snprintf(path, path_size, "%s", library);
        return 0;
    }
    if (read_library(&bytes, library) != 0) {
        snprintf(reason, size, "%.300s: %s", library, strerror(errno));
        return -1;
    }
    int result = copy(target, &bytes, path, path_size);
    if (result != 0)
        snprintf(reason, size,
                 "the agent's library cannot be copied to the /tmp of process %ld: %s",
                 (long)target->pid, strerror(errno));
    free(bytes.bytes);
    return result;
}
