// An archive, rewritten from a file to a file.

#include "instr/cli/rewrite/file.h"
#include "instr/cli/rewrite/archive.h"
#include "instr/cli/rewrite/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy_store(const struct cli_store *store, struct cli_sink *out) {
    static char piece[1 << 16];
    for (uint64_t at = 0; at < store->length;) {
        int64_t n = cli_store_read(store, at, piece, sizeof piece);
        if (n <= 0) return -1;
        if (cli_sink_write(out, piece, (size_t)n) != 0) return -1;
        at += (uint64_t)n;
    }
    return 0;
}

static int rewrite_descriptors(struct cli_rewrite *rewrite, int in, int out, const char *name,
                               char reason[CLI_REASON_SIZE]) {
    struct stat st;
    // Not its set-user-ID bit: IN may be another user's, and OUT is ours.
    if (fstat(in, &st) != 0 || fchmod(out, st.st_mode & 0777) != 0) {
        snprintf(reason, CLI_REASON_SIZE, "%s", strerror(errno));
        return -1;
    }
    struct cli_store store = {in, NULL, (uint64_t)st.st_size};
    struct cli_sink sink = {.fd = out};
    int result = cli_rewrite_archive(rewrite, &store, &sink, name, 0, reason);
    if (result >= 0 &&
        ((result == 0 && copy_store(&store, &sink) != 0) || cli_sink_flush(&sink) != 0)) {
        snprintf(reason, CLI_REASON_SIZE, "%s", strerror(sink.error ? sink.error : EIO));
        result = -1;
    }
    cli_sink_free(&sink);
    return result < 0 || cli_interrupted ? -1 : 0;
}

// Some file systems report a full disk only when a descriptor is closed.
static int flush_file(int fd) {
    int other = dup(fd);
    return other < 0 ? -1 : close(other);
}

static int rewrite_to(struct cli_rewrite *rewrite, const char *in, int to,
                      char reason[CLI_REASON_SIZE]) {
    int from = open(in, O_RDONLY | O_CLOEXEC), result = -1;
    if (from < 0)
        snprintf(reason, CLI_REASON_SIZE, "%s", strerror(errno));
    else
        result = rewrite_descriptors(rewrite, from, to, in, reason);
    if (result == 0 && flush_file(to) != 0) {
        snprintf(reason, CLI_REASON_SIZE, "%s", strerror(errno));
        result = -1;
    }
    if (from >= 0) close(from);
    return result;
}

int cli_rewrite_archive_file(struct cli_rewrite *rewrite, const char *in, const char *out,
                             char reason[CLI_REASON_SIZE]) {
    int to = open(out, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (to < 0) {
        snprintf(reason, CLI_REASON_SIZE, "%s: %s", out, strerror(errno));
        return -1;
    }
    int result = rewrite_to(rewrite, in, to, reason);
    close(to);
    if (result != 0) unlink(out);
    return result;
}

// --- a whole file ---

// A file that gets its name when it is complete: a process that is killed leaves nothing behind. -1: the file
// system has none, or no /proc can name it.
static int open_unnamed(const char *out) {
    char folder[PATH_MAX];
    const char *slash = strrchr(out, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - out) : 1, slash ? out : ".");
    if (access("/proc/self/fd", X_OK) != 0) return -1;
    return open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
}

// A name beside `out` that may be free. Processes in containers often have the same number.
static int temporary_name(const char *out, int number, char name[PATH_MAX]) {
    const char *slash = strrchr(out, '/');
    int n = snprintf(name, PATH_MAX, "%.*s.instr-%ld-%d.tmp", slash ? (int)(slash + 1 - out) : 0,
                     out, (long)getpid(), number);
    if (n < PATH_MAX) return 0;
    errno = ENAMETOOLONG;
    return -1;
}

enum { MOST_NAMES = 1000 };

// A descriptor; -1 with errno.
static int open_named(const char *out, char temporary[PATH_MAX]) {
    for (int i = 0; i < MOST_NAMES && temporary_name(out, i, temporary) == 0; i++) {
        int fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

// Gives an unnamed file a name. 0; -1 with errno.
static int name_file(int fd, const char *out, char temporary[PATH_MAX]) {
    char file[64];
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    for (int i = 0; i < MOST_NAMES && temporary_name(out, i, temporary) == 0; i++)
        if (linkat(AT_FDCWD, file, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0)
            return 0;
        else if (errno != EEXIST)
            break;
    return -1;
}

int cli_rewrite_jar(struct cli_rewrite *rewrite) {
    char temporary[PATH_MAX], target[PATH_MAX], reason[CLI_REASON_SIZE];
    // A rename would replace a symbolic link instead of the file that it names.
    const char *out = realpath(rewrite->out, target) ? target : rewrite->out;
    int to = open_unnamed(out);
    bool named = to < 0;
    if (named && (to = open_named(out, temporary)) < 0)
        return cli_error("%s: %s", out, strerror(errno));
    int result = rewrite_to(rewrite, rewrite->in, to, reason);
    cli_rewrite_clear_bar(rewrite);
    if (result == 0 && !named && !cli_interrupted) {
        named = name_file(to, out, temporary) == 0;
        if (!named) snprintf(reason, sizeof reason, "%.200s: %s", out, strerror(errno));
        result = named ? 0 : -1;
    }
    close(to);
    if (result == 0 && !cli_interrupted && rename(temporary, out) == 0) return CLI_OK;
    int error = errno;
    if (named) unlink(temporary);
    if (cli_interrupted) return CLI_FAILED;
    return result ? cli_error("%s: %s", rewrite->in, reason)
                  : cli_error("%s: %s", out, strerror(error));
}
