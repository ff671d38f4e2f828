// A process seen from outside.

#include "instr/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *instr_target_read(const struct instr_target *target, const char *name, size_t most,
                        size_t *length) {
    char path[INSTR_TARGET_PATH + 32];
    snprintf(path, sizeof path, "/proc/%ld/%.40s", (long)target->pid, name);
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

// The `column`-th number (0: the first; -1: the last) behind "Key:" in /proc/PID/status; -1: none.
static long status_number(const char *status, const char *key, int column) {
    size_t n = strlen(key);
    for (const char *line = status; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, key, n) != 0 || line[n] != ':') continue;
        const char *c = line + n + 1;
        long number = -1;
        for (int i = 0; column < 0 || i <= column; i++) {
            char *end;
            while (*c == ' ' || *c == '\t') c++;
            if (*c == '\n' || *c == '\0') break;
            number = strtol(c, &end, 10);
            if (end == c) break;
            c = end;
        }
        return number;
    }
    return -1;
}

// A user as he is numbered within the target's user namespace.
static uid_t inner_uid(const struct instr_target *target) {
    unsigned long inside, outside, count, uid = target->uid;
    char *text = instr_target_read(target, "uid_map", 65536, NULL);
    for (const char *line = text; line && *line;) {
        if (sscanf(line, "%lu %lu %lu", &inside, &outside, &count) != 3) break;
        if (target->uid >= outside && target->uid - outside < count) {
            uid = inside + (target->uid - outside);
            break;
        }
        line = strchr(line, '\n');
        if (line) line++;
    }
    free(text);
    return (uid_t)uid;
}

int instr_target_open(struct instr_target *target, long pid, char *reason, size_t size) {
    memset(target, 0, sizeof *target);
    target->pid = (pid_t)pid;
    char *status = instr_target_read(target, "status", 65536, NULL);
    if (!status) {
        snprintf(reason, size, "there is no process %ld", pid);
        return -1;
    }
    long uid = status_number(status, "Uid", 1), gid = status_number(status, "Gid", 1);
    long inner = status_number(status, "NSpid", -1), group = status_number(status, "Tgid", 0);
    free(status);
    if (uid < 0 || gid < 0) {
        snprintf(reason, size, "/proc/%ld/status tells no user", pid);
        return -1;
    }
    if (group != pid) {
        snprintf(reason, size, "%ld is a thread of the process %ld", pid, group);
        return -1;
    }
    target->uid = (uid_t)uid;
    target->gid = (gid_t)gid;
    target->inner_pid = inner > 0 ? (pid_t)inner : target->pid;
    target->inner_uid = inner_uid(target);
    // Another mount namespace, or a chroot: the same / is the same file.
    struct stat ours, theirs;
    char root[INSTR_TARGET_PATH];
    snprintf(root, sizeof root, "/proc/%ld/root", pid);
    if (stat("/", &ours) == 0 && stat(root, &theirs) == 0 &&
        (ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino))
        strcpy(target->root, root);
    else if (stat("/proc/self/ns/mnt", &ours) == 0) {
        // Two namespaces may share / and have mounts of their own on /tmp.
        snprintf(root, sizeof root, "/proc/%ld/ns/mnt", pid);
        if (stat(root, &theirs) == 0 && ours.st_ino != theirs.st_ino)
            snprintf(target->root, sizeof target->root, "/proc/%ld/root", pid);
    }
    return 0;
}

int instr_target_directory(const struct instr_target *target, const char *path) {
    char name[INSTR_TARGET_NAME];
    snprintf(name, sizeof name, "%s%s", target->root, path);
    return open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int instr_target_become(const struct instr_target *target) {
    if (geteuid() != 0 || (target->uid == 0 && target->gid == getegid())) return 0;
    if (setegid(target->gid) != 0) return -1;
    if (seteuid(target->uid) == 0) return 0;
    int error = errno;
    instr_target_return();
    errno = error;
    return -1;
}

void instr_target_return(void) {
    if (seteuid(getuid()) != 0 || setegid(getgid()) != 0) abort(); // only root ever left
}

int instr_target_link(const struct instr_target *target, const char *name, char *path,
                      size_t size) {
    char link[INSTR_TARGET_PATH + 32];
    snprintf(link, sizeof link, "/proc/%ld/%.40s", (long)target->pid, name);
    ssize_t n = readlink(link, path, size - 1);
    path[n > 0 ? n : 0] = '\0';
    return n > 0 ? 0 : -1;
}

int instr_target_maps(const struct instr_target *target, const char *library, char *path,
                      size_t size) {
    char name[INSTR_TARGET_PATH], line[8192];
    snprintf(name, sizeof name, "/proc/%ld/maps", (long)target->pid);
    FILE *maps = fopen(name, "re");
    if (!maps) return -1;
    int found = 0;
    while (!found && fgets(line, sizeof line, maps)) {
        char *file = strchr(line, '/'), *slash = strrchr(line, '/');
        if (!file) continue;
        slash[strcspn(slash, "\n")] = '\0';
        char *deleted = strstr(slash, " (deleted)");
        if (deleted) *deleted = '\0';
        if (strcmp(slash + 1, library) != 0) continue;
        snprintf(path, size, "%s", file);
        found = 1;
    }
    fclose(maps);
    return found;
}

int instr_target_is_stopped(const struct instr_target *target) {
    static const char key[] = "\nState:\t";
    char *status = instr_target_read(target, "status", 65536, NULL);
    const char *state = status ? strstr(status, key) : NULL;
    char letter = state ? state[sizeof key - 1] : '?';
    free(status);
    return letter == 'T' || letter == 't';
}

char *instr_user_name(uid_t uid, char *text, size_t size) {
    const struct passwd *entry = getpwuid(uid);
    if (entry)
        snprintf(text, size, "%s", entry->pw_name);
    else
        snprintf(text, size, "user %lu", (unsigned long)uid);
    return text;
}
