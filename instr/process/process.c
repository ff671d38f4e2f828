#include "instr/process/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

char *instr_process_read(const struct instr_process *process, const char *name, size_t most,
                         size_t *length) {
    char path[INSTR_PROCESS_PATH + 32];
    snprintf(path, sizeof path, "/proc/%ld/%.40s", (long)process->pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    size_t capacity = 4096, used = 0;
    char *text = malloc(capacity + 1);
    ssize_t n = 0;
    while (text && used < most && (n = read(fd, text + used, capacity - used)) > 0) {
        used += (size_t)n;
        if (used < capacity) continue;
        char *larger = realloc(text, capacity * 2 + 1);
        if (!larger) free(text);
        text = larger;
        capacity *= 2;
    }
    int error = text ? errno : ENOMEM;
    close(fd);
    if (text && n < 0) {
        free(text);
        text = NULL;
    }
    if (text) text[used] = '\0';
    if (length) *length = used;
    errno = error;
    return text;
}

// The `column`-th number (0: the first; -1: the last) after "Key:" in /proc/PID/status; -1: none.
static long status_number(const char *status, const char *key, int column) {
    size_t n = strlen(key);
    for (const char *line = status; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, key, n) != 0 || line[n] != ':') continue;
        const char *c = line + n + 1;
        long number = -1;
        int i = 0;
        for (; column < 0 || i <= column; i++) {
            char *end;
            while (*c == ' ' || *c == '\t') c++;
            if (*c == '\n' || *c == '\0') break;
            number = strtol(c, &end, 10);
            if (end == c) break;
            c = end;
        }
        return i > column ? number : -1;
    }
    return -1;
}

// The letter of its state; 0: none.
static char state_of(const char *status) {
    static const char key[] = "\nState:\t";
    const char *state = strstr(status, key);
    return state ? state[sizeof key - 1] : '\0';
}

// Only its parent still has to take note of its end. With more threads it goes on without its first one.
static int is_zombie(const char *status) {
    char state = state_of(status);
    return (state == 'Z' || state == 'X') && status_number(status, "Threads", 0) <= 1;
}

long instr_process_number(const char *text, const char *name) {
    const char *line = text ? strstr(text, name) : NULL;
    char *end;
    if (!line) return -1;
    line += strlen(name);
    long number = strtol(line, &end, 10);
    return end != line ? number : -1;
}

// The number of the process's user within its user namespace.
static uid_t inner_uid(const struct instr_process *process) {
    unsigned long inside, outside, count, uid = process->uid;
    char *text = instr_process_read(process, "uid_map", 65536, NULL);
    for (const char *line = text; line && *line;) {
        if (sscanf(line, "%lu %lu %lu", &inside, &outside, &count) != 3) break;
        if (process->uid >= outside && process->uid - outside < count) {
            uid = inside + (process->uid - outside);
            break;
        }
        line = strchr(line, '\n');
        if (line) line++;
    }
    free(text);
    return (uid_t)uid;
}

// Is the thread whose /proc/PID/NAME this is on its way out (PF_EXITING)? One that is gone is.
static int is_exiting(const struct instr_process *process, const char *name) {
    enum { EXITING = 4 };
    unsigned flags = EXITING;
    char *stat = instr_process_read(process, name, 4096, NULL),
         *rest = stat ? strrchr(stat, ')') : NULL;
    if (stat && (!rest || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %u", &flags) != 1)) flags = 0;
    free(stat);
    return (flags & EXITING) != 0;
}

// Do all its threads end? Its memory is gone then, so that it looks like a process without libraries.
static int is_ending(const struct instr_process *process) {
    char path[INSTR_PROCESS_PATH];
    if (!is_exiting(process, "stat")) return 0;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)process->pid);
    DIR *tasks = opendir(path);
    const struct dirent *task;
    int ending = 1;
    while (tasks && ending && (task = readdir(tasks))) {
        char file[sizeof task->d_name + 16];
        snprintf(file, sizeof file, "task/%s/stat", task->d_name);
        ending = task->d_name[0] == '.' || is_exiting(process, file);
    }
    if (tasks) closedir(tasks);
    return ending;
}

int instr_process_open(struct instr_process *process, long pid, char *reason, size_t size) {
    memset(process, 0, sizeof *process);
    process->pid = (pid_t)pid;
    char *status = instr_process_read(process, "status", 65536, NULL);
    if (!status) {
        snprintf(reason, size, "there is no process %ld", pid);
        return -1;
    }
    if (is_zombie(status) || is_ending(process)) {
        snprintf(reason, size, "process %ld has ended", pid);
        free(status);
        return -1;
    }
    long uid = status_number(status, "Uid", 1), gid = status_number(status, "Gid", 1);
    long inner = status_number(status, "NSpid", -1), group = status_number(status, "Tgid", 0);
    for (int i = 0; i < INSTR_PROCESS_GROUPS; i++) {
        long supplementary = status_number(status, "Groups", i);
        if (supplementary < 0) break;
        process->groups[process->group_count++] = (gid_t)supplementary;
    }
    free(status);
    if (uid < 0 || gid < 0) {
        snprintf(reason, size, "/proc/%ld/status names no user", pid);
        return -1;
    }
    if (group != pid) {
        snprintf(reason, size, "%ld is a thread of the process %ld", pid, group);
        return -1;
    }
    process->uid = (uid_t)uid;
    process->gid = (gid_t)gid;
    process->inner_pid = inner > 0 ? (pid_t)inner : process->pid;
    process->inner_uid = inner_uid(process);
    // Another mount namespace, or a chroot? The same / is the same file.
    struct stat ours, theirs;
    char root[INSTR_PROCESS_PATH];
    snprintf(root, sizeof root, "/proc/%ld/root", pid);
    if (stat("/", &ours) == 0 && stat(root, &theirs) == 0 &&
        (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino))
        strcpy(process->root, root);
    else if (stat("/proc/self/ns/mnt", &ours) == 0) {
        // Two namespaces may share /, but have different mounts on /tmp.
        snprintf(root, sizeof root, "/proc/%ld/ns/mnt", pid);
        if (stat(root, &theirs) == 0 && ours.st_ino != theirs.st_ino)
            snprintf(process->root, sizeof process->root, "/proc/%ld/root", pid);
    }
    return 0;
}

// Its /, which only root may open where it is not ours.
static int root_of(const struct instr_process *process) {
    return open(process->root[0] ? process->root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

// Opens what the process has at this path. Its symbolic links lead to what they are for the process: with a / of its
// own, links to absolute paths would lead to our files. Kernels before 5.6, and sandboxes, follow them so.
static int open_below(const struct instr_process *process, int root, const char *path, int flags) {
    path += strspn(path, "/");
    if (!*path) path = ".";
#ifdef SYS_openat2
    const struct {
        uint64_t flags, mode, resolve;
    } how = {.flags = (uint64_t)flags, .resolve = 0x10}; // RESOLVE_IN_ROOT
    for (int tries = 0; process->root[0] && tries < 100; tries++) {
        int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
        if (fd < 0 && (errno == ENOSYS || errno == EPERM)) return openat(root, path, flags);
        if (fd >= 0 || errno != EAGAIN) return fd; // else something was renamed meanwhile
    }
    if (process->root[0]) return -1;
#else
    (void)process;
#endif
    return openat(root, path, flags);
}

// The same with the rights of the process. -1 with errno.
static int open_as(const struct instr_process *process, const char *path, int flags) {
    int root = root_of(process), fd = -1, error = EACCES;
    if (root < 0) return -1;
    if (instr_process_become(process) == 0) {
        fd = open_below(process, root, path, flags);
        error = errno;
        instr_process_return();
    }
    close(root);
    errno = error;
    return fd;
}

int instr_process_directory(const struct instr_process *process, const char *path) {
    return open_as(process, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int instr_process_executes(const struct instr_process *process, const char *folder) {
    struct statvfs fs;
    int fd = instr_process_directory(process, folder);
    int executes = fd < 0 || fstatvfs(fd, &fs) != 0 || !(fs.f_flag & ST_NOEXEC);
    if (fd >= 0) close(fd);
    return executes;
}

int instr_process_stat(const struct instr_process *process, const char *path, int flags,
                       struct stat *st) {
    int place = open_as(process, path, O_PATH | O_CLOEXEC | flags);
    int found = place >= 0 ? fstat(place, st) : -1;
    if (place >= 0) close(place);
    return found;
}

int instr_process_open_file(const struct instr_process *process, const char *path) {
    char name[INSTR_PROCESS_PATH];
    struct stat st;
    int place = open_as(process, path, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd = -1, error = EINVAL;
    if (place < 0) return -1;
    if (fstat(place, &st) == 0 && S_ISREG(st.st_mode)) {
        error = EACCES;
        if (instr_process_become(process) == 0) {
            snprintf(name, sizeof name, "/proc/self/fd/%d", place);
            fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
            error = errno;
            instr_process_return();
        }
    }
    close(place);
    errno = error;
    return fd;
}

static struct {
    gid_t groups[1024];
    int count;
} own = {.count = -1}; // our supplementary groups, while we have those of another user; or -1

int instr_process_become(const struct instr_process *process) {
    if (geteuid() != 0 || (process->uid == 0 && process->gid == getegid())) return 0;
    own.count = getgroups(sizeof own.groups / sizeof *own.groups, own.groups);
    if (own.count < 0) return -1;
    if (setgroups(process->group_count, process->groups) == 0 && setegid(process->gid) == 0 &&
        seteuid(process->uid) == 0)
        return 0;
    int error = errno;
    instr_process_return();
    errno = error;
    return -1;
}

void instr_process_return(void) {
    if (own.count < 0) return;
    if (seteuid(getuid()) != 0 || setegid(getgid()) != 0) abort(); // only root changes its rights
    if (setgroups((size_t)own.count, own.groups) != 0) abort();
    own.count = -1;
}

int instr_process_is_stopped(const struct instr_process *process) {
    char *status = instr_process_read(process, "status", 65536, NULL);
    char state = status ? state_of(status) : '\0';
    free(status);
    return state == 'T' || state == 't';
}

int instr_process_has_ended(const struct instr_process *process) {
    char *status = instr_process_read(process, "status", 65536, NULL);
    int ended =
        status ? is_zombie(status) || is_ending(process) : errno == ENOENT || errno == ESRCH;
    free(status);
    return ended;
}

int instr_process_has_thread(const struct instr_process *process, const char *name) {
    char path[INSTR_PROCESS_PATH];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)process->pid);
    DIR *tasks = opendir(path);
    const struct dirent *task;
    int found = 0;
    while (tasks && !found && (task = readdir(tasks))) {
        char file[sizeof task->d_name + 16];
        snprintf(file, sizeof file, "task/%s/comm", task->d_name);
        char *comm = task->d_name[0] == '.' ? NULL : instr_process_read(process, file, 64, NULL);
        size_t n = comm ? strcspn(comm, "\n") : 0;
        found = comm && n == strlen(name) && memcmp(comm, name, n) == 0;
        free(comm);
    }
    if (tasks) closedir(tasks);
    return found;
}

char *instr_user_name(uid_t uid, char *text, size_t size) {
    const struct passwd *entry = getpwuid(uid);
    if (entry)
        snprintf(text, size, "%s", entry->pw_name);
    else
        snprintf(text, size, "user %lu", (unsigned long)uid);
    return text;
}
