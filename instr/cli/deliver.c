// Makes the agent's library readable for a JVM.

#include "instr/cli/deliver.h"
#include "instr/base/hash.h"
#include "instr/cli/input.h"
#include "instr/protocol/socket_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct library {
    uint8_t *bytes;
    size_t length;
    char name[48]; // of a copy: the same for the same bytes
};

static int read_library(struct library *library, const char *path, char *reason) {
    struct cli_bytes bytes;
    if (cli_read_file(path, &bytes, reason) != 0) return -1;
    library->bytes = bytes.bytes;
    library->length = bytes.length;
    snprintf(library->name, sizeof library->name, "libinstr-%016llx.so",
             (unsigned long long)instr_hash(library->bytes, library->length, 0));
    return 0;
}

int cli_target_has(const struct instr_process *target, const char *path) {
    struct stat st;
    return instr_process_stat(target, path, O_NOFOLLOW, &st) == 0;
}

int cli_target_sees(const struct instr_process *target, const char *path) {
    struct stat ours, theirs;
    if (stat(path, &ours) != 0 || instr_process_stat(target, path, 0, &theirs) != 0 ||
        ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino ||
        instr_process_become(target) != 0)
        return 0;
    // By the path without the target's root: not every user may look below /proc/PID.
    int readable = faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
    instr_process_return();
    return readable;
}

static int open_private(const struct instr_process *target, int folder, const char *name,
                        int made) {
    struct stat st;
    int fd = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    // The umask may have removed permissions.
    int usable = !made || fchmodat(folder, name, 0700, 0) == 0;
    if (usable && fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == target->uid && !(st.st_mode & 077))
        return fd;
    if (fd >= 0) close(fd);
    return -1;
}

// Opens the control directory in a folder with O_PATH and the target's rights. `path` is its name for
// the target.
static int open_directory(const struct instr_process *target, int folder, const char *folder_name,
                          char path[INSTR_CONTROL_PATH_SIZE]) {
    for (unsigned i = 0; i < INSTR_CONTROL_DIRECTORIES; i++) {
        instr_control_directory(path, folder_name, target->inner_uid, i);
        const char *name = strrchr(path, '/') + 1;
        int made = mkdirat(folder, name, 0700) == 0;
        if (!made && errno != EEXIST) return -1;
        int fd = open_private(target, folder, name, made);
        if (fd >= 0) return fd;
    }
    // Another user has taken all names.
    char template[INSTR_CONTROL_PATH_SIZE], here[INSTR_CONTROL_PATH_SIZE + 32];
    instr_control_random(template, folder_name, target->inner_uid);
    snprintf(here, sizeof here, "/proc/self/fd/%d%s", folder, strrchr(template, '/'));
    if (!mkdtemp(here)) return -1;
    strcpy(strrchr(template, '/'), strrchr(here, '/'));
    strcpy(path, template);
    return open_private(target, folder, strrchr(path, '/') + 1, 1);
}

static int is_there(int directory, const struct library *library, uid_t uid) {
    struct stat st;
    struct cli_bytes found = {NULL, 0};
    char reason[CLI_REASON_SIZE];
    int fd = openat(directory, library->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return 0;
    int same = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == uid &&
               (size_t)st.st_size == library->length &&
               cli_read_descriptor(fd, &found, reason) == 0;
    if (same) {
        same = found.length == library->length &&
               memcmp(found.bytes, library->bytes, found.length) == 0;
        free(found.bytes);
    }
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

static int copy(const struct instr_process *target, const struct library *library,
                const char *folder, char *path, size_t size, int *made) {
    char place[INSTR_CONTROL_PATH_SIZE];
    int tmp = instr_process_directory(target, folder), directory = -1, result = -1, error = EACCES;
    if (tmp >= 0 && instr_process_become(target) == 0) {
        directory = open_directory(target, tmp, folder, place);
        *made = directory >= 0 && !is_there(directory, library, target->uid);
        if (directory >= 0 && (!*made || write_copy(directory, library) == 0)) result = 0;
        error = errno;
        instr_process_return();
    }
    if (directory >= 0) close(directory);
    if (tmp >= 0) close(tmp);
    if (result == 0) snprintf(path, size, "%s/%s", place, library->name);
    errno = error;
    return result;
}

int cli_deliver(const struct instr_process *target, const char *library, const char *folder,
                char *path, size_t path_size, int *made, char *reason, size_t size) {
    struct library bytes;
    char why[CLI_REASON_SIZE];
    *made = 0;
    if (cli_target_sees(target, library)) {
        snprintf(path, path_size, "%s", library);
        return 0;
    }
    if (!instr_process_executes(target, folder)) {
        snprintf(reason, size, CLI_NOEXEC, library, folder);
        return -1;
    }
    if (read_library(&bytes, library, why) != 0) {
        snprintf(reason, size, "%.300s: %s", library, why);
        return -1;
    }
    int result = copy(target, &bytes, folder, path, path_size, made);
    if (result != 0)
        snprintf(reason, size, "the agent's library cannot be copied to its %s: %s", folder,
                 strerror(errno));
    free(bytes.bytes);
    return result;
}

// Splits FOLDER/.instr-UID/FILE. 0, or -1 if it is not such a path.
static int split(const char *path, char parent[INSTR_CONTROL_PATH_SIZE],
                 char name[INSTR_CONTROL_PATH_SIZE]) {
    const char *slash = strrchr(path, '/'), *above = slash;
    while (above && above > path && above[-1] != '/') above--;
    if (!above || above <= path + 1 || slash - path >= INSTR_CONTROL_PATH_SIZE) return -1;
    snprintf(parent, INSTR_CONTROL_PATH_SIZE, "%.*s", (int)(above - 1 - path), path);
    snprintf(name, INSTR_CONTROL_PATH_SIZE, "%.*s", (int)(slash - above), above);
    return strncmp(name, ".instr-", 7) == 0 && strncmp(slash, "/libinstr-", 10) == 0 ? 0 : -1;
}

// Opens the directory of a copy, which is made if `make`, and calls `use` with the target's rights. 0: it is not the
// target's alone.
static int with_directory(const struct instr_process *target, const char *path, int make,
                          void (*use)(int above, const char *name, int directory,
                                      const char *path)) {
    char parent[INSTR_CONTROL_PATH_SIZE], name[INSTR_CONTROL_PATH_SIZE];
    if (split(path, parent, name) != 0) return 0;
    int above = instr_process_directory(target, parent), directory = -1;
    if (above >= 0 && instr_process_become(target) == 0) {
        directory = open_private(target, above, name, make && mkdirat(above, name, 0700) == 0);
        if (directory >= 0 && use) use(above, name, directory, path);
        instr_process_return();
    }
    if (above >= 0) close(above);
    if (directory >= 0) close(directory);
    return directory >= 0;
}

int cli_holds_copy(const struct instr_process *target, const char *path) {
    return with_directory(target, path, 1, NULL);
}

static void take(int above, const char *name, int directory, const char *path) {
    unlinkat(directory, strrchr(path, '/') + 1, 0);
    if (instr_control_in_random(path)) unlinkat(above, name, AT_REMOVEDIR);
}

void cli_take_copy(const struct instr_process *target, const char *path) {
    with_directory(target, path, 0, take);
}
