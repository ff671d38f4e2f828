// The control socket in the file system.

#include "instr/control/socket.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128, MOST_LEFTOVERS = 1000 };

// Uses the first name that belongs to this user or that can be created. If another user has taken a
// name, the next one is tried; that user's directory is never used.
static int make_directory(struct instr_control_place *place) {
    char *path = place->directory;
    int error = 0;
    // A random one is kept as long as it exists.
    if (place->random && instr_control_directory_is_private(path, geteuid())) return 0;
    place->random = 0;
    for (unsigned i = 0; i < INSTR_CONTROL_DIRECTORIES; i++) {
        instr_control_directory(path, place->folder, geteuid(), i);
        if (mkdir(path, 0700) == 0)
            chmod(path, 0700); // whatever the umask is
        else if (errno != EEXIST)
            error = errno;
        if (instr_control_directory_is_private(path, geteuid())) return 0;
    }
    instr_control_random(path, place->folder, geteuid());
    place->random = !error && mkdtemp(path) != NULL;
    if (error) errno = error;
    return place->random ? 0 : -1;
}

static struct sockaddr_un address_of(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return address;
}

// Is the socket abandoned?
static int is_dead(const char *path) {
    struct sockaddr_un address = address_of(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return 0;
    int dead =
        connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && errno == ECONNREFUSED;
    close(fd);
    return dead;
}

// Is the kill switch for a process of another pid namespace?
static int is_for_another(const char *path) {
    char meant[INSTR_CONTROL_NAMESPACE], ours[INSTR_CONTROL_NAMESPACE];
    ssize_t n = readlink(path, meant, sizeof meant);
    ssize_t m = readlink("/proc/self/" INSTR_CONTROL_NAMESPACE_LINK, ours, sizeof ours);
    return n > 0 && m > 0 && (n != m || memcmp(meant, ours, (size_t)n) != 0);
}

static void remove_switch(const char *path) {
    if (!is_for_another(path)) unlink(path);
}

// Removes the sockets and kill switches of processes that were killed. Examines only files with
// names like ours.
static void remove_leftovers(const char *directory) {
    DIR *listing = opendir(directory);
    if (!listing) return;
    struct dirent *entry;
    for (int n = 0; n < MOST_LEFTOVERS && (entry = readdir(listing)); n++) {
        char path[INSTR_CONTROL_PATH_SIZE], *end;
        long pid = strtol(entry->d_name, &end, 10);
        int is_switch = strcmp(end, ".off") == 0;
        size_t length = strlen(directory) + strlen(entry->d_name) + 2;
        if (end == entry->d_name || pid <= 0 || pid == (long)getpid() || length > sizeof path)
            continue;
        if (!strstr(end, ".sock") && !is_switch) continue;
        if (kill((pid_t)pid, 0) == 0 || errno != ESRCH) continue;
        stpcpy(stpcpy(stpcpy(path, directory), "/"), entry->d_name);
        if (is_switch)
            remove_switch(path);
        else if (is_dead(path))
            unlink(path);
    }
    closedir(listing);
}

// The file has mode 0600 from the start: it gets the mode of the unbound socket.
static int listen_at(const char *path) {
    struct sockaddr_un address = address_of(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if (fchmod(fd, 0600) == 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0) {
        if (chmod(path, 0600) == 0 && listen(fd, BACKLOG) == 0) return fd;
        unlink(path);
    }
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

// The socket gets its name only after it listens, so that every client that sees it can connect.
static int listen_as(const char *path) {
    char temporary[INSTR_CONTROL_PATH_SIZE];
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary)
        return listen_at(path);
    unlink(temporary);
    int fd = listen_at(temporary);
    if (fd < 0) return -1;
    int named = link(temporary, path) == 0, error = errno;
    unlink(temporary);
    if (named) return fd;
    close(fd);
    if (error != EEXIST) return listen_at(path); // a file system without links
    errno = EADDRINUSE;
    return -1;
}

static int open_socket(struct instr_control_place *place, const char *directory) {
    for (unsigned i = 0; i < INSTR_CONTROL_SOCKETS; i++) {
        if (instr_control_socket(place->path, directory, (long)getpid(), i) != 0) return -1;
        place->fd = listen_as(place->path);
        if (place->fd < 0 && errno == EADDRINUSE && is_dead(place->path)) {
            unlink(place->path); // of an earlier process with our pid
            place->fd = listen_as(place->path);
        }
        if (place->fd >= 0 || errno != EADDRINUSE) break;
    }
    return place->fd < 0 ? -1 : 0;
}

int instr_control_place_prepare(struct instr_control_place *place, char *reason, size_t size) {
    place->fd = -1;
    if (make_directory(place) != 0) {
        snprintf(reason, size, "%s: no private directory can be created in it: %s", place->folder,
                 strerror(errno));
        return -1;
    }
    remove_leftovers(place->directory);
    char kill_path[INSTR_CONTROL_PATH_SIZE];
    instr_control_switch(kill_path, place->directory, (long)getpid());
    if (strcmp(kill_path, place->kill_path) == 0) return 0; // only the socket was removed
    strcpy(place->kill_path, kill_path);
    remove_switch(kill_path); // meant for an earlier process with our pid
    return 0;
}

int instr_control_place_open(struct instr_control_place *place, char *reason, size_t size) {
    struct stat st;
    if (instr_control_place_prepare(place, reason, size) != 0) return -1;
    if (open_socket(place, place->directory) != 0 || lstat(place->path, &st) != 0) {
        snprintf(reason, size, "%s: %s", place->path, strerror(errno));
        if (place->fd >= 0) close(place->fd);
        place->fd = -1;
        return -1;
    }
    place->device = st.st_dev;
    place->inode = st.st_ino;
    return 0;
}

int instr_control_place_holds(const struct instr_control_place *place) {
    struct stat st;
    return lstat(place->path, &st) == 0 && st.st_dev == place->device &&
           st.st_ino == place->inode && S_ISSOCK(st.st_mode);
}

bool instr_control_place_killed(const struct instr_control_place *place) {
    struct stat st;
    return lstat(place->kill_path, &st) == 0 && !S_ISDIR(st.st_mode) &&
           !is_for_another(place->kill_path);
}

void instr_control_place_reset_kill(const struct instr_control_place *place) {
    remove_switch(place->kill_path);
}

void instr_control_place_remove(const struct instr_control_place *place) {
    if (instr_control_place_holds(place)) unlink(place->path);
    if (place->random) rmdir(place->directory);
}
