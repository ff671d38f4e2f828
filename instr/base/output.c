#include "instr/base/output.h"
#include "instr/base/file.h"
#include "instr/base/numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// How long to wait for the reader of a pipe: a JVM that exits must not wait for ever.
#define PATIENCE_MS 10000
#define STEP_MS 20

static void fail(struct instr_output *out, int error) {
    if (!out->failed) out->failed = error;
}

// Of a pipe; or of what others have opened, and made non-blocking.
static void wait_for_room(struct instr_output *out) {
    struct pollfd room = {.fd = out->fd, .events = POLLOUT};
    int n = poll(&room, 1, PATIENCE_MS);
    if (n == 0) fail(out, ETIMEDOUT);
    if (n < 0 && errno != EINTR) fail(out, errno);
}

static void flush(struct instr_output *out) {
    size_t done = 0;
    if (out->sink && !out->failed) {
        int error = out->sink(out->sink_context, out->buffer, out->used);
        if (error) fail(out, error);
        done = out->used;
    }
    while (done < out->used && !out->failed) {
        ssize_t n = write(out->fd, out->buffer + done, out->used - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno == EAGAIN)
            wait_for_room(out);
        else if (errno != EINTR)
            fail(out, errno);
    }
    out->used = 0;
}

static void start(struct instr_output *out, const char *path) {
    out->fd = -1;
    out->failed = 0;
    out->owned = 0;
    out->sink = NULL;
    out->used = 0;
    out->temporary[0] = out->target[0] = '\0';
    snprintf(out->path, sizeof out->path, "%s", path);
}

void instr_output_descriptor(struct instr_output *out, int fd) {
    start(out, "");
    out->fd = fd;
}

void instr_output_sink(struct instr_output *out,
                       int (*sink)(void *context, const void *bytes, size_t length),
                       void *context) {
    start(out, "");
    out->sink = sink;
    out->sink_context = context;
}

// The name is short and does not contain that of the file: it always fits in a directory entry.
// O_EXCL instead of mkstemp, because the umask decides the mode. In containers processes often have
// the same id, so a file that a crash left behind must not block the name for ever. `folder` ends with a slash, or is "".
// Returns 0, or an errno.
static int make_temporary(struct instr_output *out, const char *folder, size_t length,
                          mode_t mode) {
    int error = EEXIST;
    for (int i = 0; i < 1000 && error == EEXIST; i++) {
        int n = snprintf(out->temporary, sizeof out->temporary, "%.*s.instr-%ld-%d.tmp",
                         (int)length, folder, (long)getpid(), i);
        if (n >= (int)sizeof out->temporary)
            error = ENAMETOOLONG;
        else if ((out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)) >=
                 0)
            return 0;
        else
            error = errno;
    }
    out->temporary[0] = '\0';
    return error;
}

// `old`: of the file that is there; NULL: there is none.
static void open_temporary(struct instr_output *out, const struct stat *old) {
    const char *slash = strrchr(out->target, '/');
    size_t length = slash ? (size_t)(slash + 1 - out->target) : 0;
    int error = make_temporary(out, out->target, length, 0666);
    // Not what the umask does: the file may be another user's, and the new one is ours.
    if (!error && old && fchmod(out->fd, old->st_mode & 0777) != 0) fail(out, errno);
    if (old && (error == EACCES || error == EPERM || error == EROFS) &&
        make_temporary(out, "/tmp/", 5, 0600) == 0)
        error = 0; // to be copied
    if (error) fail(out, error);
}

// For files that are not replaced. /dev/stdout may be a file to which other processes write, too. A
// named pipe cannot be opened before it has a reader.
static void open_directly(struct instr_output *out) {
    const struct timespec step = {0, STEP_MS * 1000000L};
    const char *path = out->target;
    struct stat st;
    int flags =
        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | instr_file_flags(path);
    for (int waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
        out->fd = open(path, flags, 0666);
        if (out->fd >= 0 || errno != ENXIO || stat(path, &st) != 0 || !S_ISFIFO(st.st_mode)) break;
        nanosleep(&step, NULL);
        errno = ENXIO;
    }
    if (out->fd < 0) {
        fail(out, errno);
        return;
    }
    if (fstat(out->fd, &st) != 0 || !S_ISFIFO(st.st_mode)) fcntl(out->fd, F_SETFL, O_APPEND);
}

void instr_output_open(struct instr_output *out, const char *path) {
    start(out, path);
    out->owned = 1;
    if (strlen(path) >= sizeof out->path) {
        fail(out, ENAMETOOLONG);
        return;
    }
    // A rename would replace a link instead of the file that it names.
    if (instr_file_follow(path, out->target) != 0) {
        fail(out, errno);
        return;
    }
    struct stat st;
    path = out->target;
    int exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) {
        fail(out, EISDIR);
    } else if ((exists && !S_ISREG(st.st_mode)) || !instr_file_flags(path)) {
        open_directly(out);
    } else if (exists && access(path, W_OK) != 0) {
        fail(out, errno); // a rename would bypass the file's write protection
    } else {
        open_temporary(out, exists ? &st : NULL);
    }
}

// Can a file be made in the directory part of the path, which is cut off?
static int check_directory(char *path, bool makes_folders) {
    struct stat st;
    for (;;) {
        char *slash = strrchr(path, '/');
        if (slash == path) slash++; // the root
        if (slash)
            *slash = '\0';
        else
            strcpy(path, ".");
        int exists = stat(path, &st) == 0;
        if (exists && !S_ISDIR(st.st_mode)) return ENOTDIR;
        if (exists) return access(path, W_OK | X_OK) == 0 ? 0 : errno;
        if (errno != ENOENT || !makes_folders || strcmp(path, ".") == 0) return errno;
    }
}

static int check(const char *path, bool makes_folders) {
    char copy[PATH_MAX];
    struct stat st;
    if (*path && instr_file_follow(path, copy) != 0) return errno;
    int exists = stat(path, &st) == 0;
    if (!exists && errno != ENOENT) return errno;
    if (exists && S_ISDIR(st.st_mode)) return EISDIR;
    if (exists && access(path, W_OK) != 0) return errno;
    if (exists) return 0;
    return *path ? check_directory(copy, makes_folders) : ENOENT;
}

int instr_output_check(const char *path, bool makes_folders, char *error, size_t size) {
    int failed = check(path, makes_folders);
    if (failed) snprintf(error, size, "%.300s: %s", path, instr_file_reason(failed));
    return failed ? -1 : 0;
}

void instr_output_bytes(struct instr_output *out, const void *bytes, size_t length) {
    const char *from = bytes;
    while (length > 0) {
        if (out->failed || (out->fd < 0 && !out->sink)) return;
        size_t room = sizeof out->buffer - out->used;
        size_t n = length < room ? length : room;
        memcpy(out->buffer + out->used, from, n);
        out->used += n;
        from += n;
        length -= n;
        if (out->used == sizeof out->buffer) flush(out);
    }
}

void instr_output_text(struct instr_output *out, const char *text) {
    instr_output_bytes(out, text, strlen(text));
}

// Most texts are short; where there is no memory for a longer one it fails as a whole.
static void format_long(struct instr_output *out, size_t length, const char *format,
                        va_list arguments) {
    char *text = malloc(length + 1);
    if (!text) return fail(out, ENOMEM);
    instr_vformat(text, length + 1, format, arguments);
    instr_output_bytes(out, text, length);
    free(text);
}

void instr_output_format(struct instr_output *out, const char *format, ...) {
    char text[512];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = instr_vformat(text, sizeof text, format, arguments);
    va_end(arguments);
    if (n > 0 && (size_t)n < sizeof text) instr_output_bytes(out, text, (size_t)n);
    if (n > 0 && (size_t)n >= sizeof text) format_long(out, (size_t)n, format, again);
    va_end(again);
}

static const char *reason(int error) {
    switch (error) {
    case ENXIO: return "no process reads it";
    case ETIMEDOUT: return "its reader has stopped reading";
    default: return instr_file_reason(error);
    }
}

// Copies what was written into the file that is there. Returns 0, or an errno.
static int overwrite(struct instr_output *out) {
    struct stat st;
    ssize_t length = 0;
    int from = open(out->temporary, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), error = 0;
    if (from < 0) return errno;
    out->fd = open(out->target, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);
    if (out->fd < 0 || fstat(out->fd, &st) != 0)
        error = errno;
    else if (!S_ISREG(st.st_mode))
        error = EINVAL;
    else if (ftruncate(out->fd, 0) != 0)
        error = errno;
    while (!error && !out->failed && (length = read(from, out->buffer, sizeof out->buffer)) != 0) {
        if (length < 0 && errno != EINTR) error = errno;
        if (length > 0) out->used = (size_t)length;
        flush(out);
    }
    if (out->fd >= 0 && close(out->fd) != 0 && !error) error = errno;
    close(from);
    out->fd = -1;
    return error;
}

// A file that was mounted by itself, as into a container, cannot be replaced, nor can one in a folder in which this process may
// not make or rename files. It is overwritten. Returns whether what was written stays under its other name: it could
// not be copied.
static bool replace(struct instr_output *out) {
    if (rename(out->temporary, out->target) == 0) return false;
    int error = errno;
    bool copies =
        error == EBUSY || error == EXDEV || error == EACCES || error == EPERM || error == EROFS;
    if (copies) error = overwrite(out);
    if (error) fail(out, error);
    bool stays = copies && out->failed;
    if (!stays) unlink(out->temporary);
    return stays;
}

int instr_output_close(struct instr_output *out, char *error, size_t size) {
    if ((out->fd >= 0 || out->sink) && !out->failed) flush(out);
    // Some file systems report a full disk only when the file is closed. There is no fsync: it can
    // delay the exit of a program by a second, and only helps if the machine crashes.
    if (out->owned && out->fd >= 0 && close(out->fd) != 0) fail(out, errno);
    out->fd = -1;
    bool stays = false;
    if (out->temporary[0] && !out->failed)
        stays = replace(out);
    else if (out->temporary[0])
        unlink(out->temporary);
    if (!out->failed) return 0;
    int n = snprintf(error, size, "%.300s: %s", out->path[0] ? out->path : "standard output",
                     reason(out->failed));
    if (stays && n >= 0 && (size_t)n < size)
        snprintf(error + n, size - (size_t)n, "; all of it is in %.300s", out->temporary);
    return -1;
}

int instr_output_file(char *path, void (*write)(const void *content, struct instr_output *out),
                      const void *content, char *line, size_t size) {
    struct instr_output out;
    if (!path) {
        snprintf(line, size, "out of memory: a file is not written");
        return -1;
    }
    instr_output_open(&out, path);
    write(content, &out);
    int result = instr_output_close(&out, line, size);
    if (result == 0) snprintf(line, size, "written to %s", path);
    free(path);
    return result;
}
