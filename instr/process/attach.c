// attach.c: HotSpot's attach mechanism, from the client's side
//
// A request of version 1 is a list of strings, each with a NUL: "1", the command, and always three
// arguments of at most 1,024 bytes. A request of version 2 (JDK 24 on) is "2", the length of the rest
// in decimal, the command and any number of arguments. The command "getversion", sent with version 1,
// returns the version that a JVM knows. The answer is a status in decimal, a newline, and text up to
// the end of the connection.

#include "instr/process/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    ANSWER_SIZE = 8192,
    STEP_MS = 10,
    MOST_STEP_MS = 200,
    ALONE_MS = 3000, // at most, until no other instr makes the JVM listen
    REQUEST_SIZE = 256 * 1024
};

struct attach {
    const struct instr_remote_jvm *jvm;
    int tmp;       // O_PATH of the JVM's /tmp
    int seconds;   // for each step
    char name[48]; // of the socket in it
    char *reason;
    size_t size;
};

static int fail(const struct attach *a, const char *text) {
    snprintf(a->reason, a->size, "%s", text);
    return -1;
}

static int fail_errno(const struct attach *a, const char *what, int error) {
    snprintf(a->reason, a->size, "%s: %s", what, strerror(error));
    return -1;
}

// --- the socket ---

// -1 with errno; EAGAIN: as many clients as there is room for wait already. A socket of another process
// counts as none: ECONNREFUSED.
static int connect_to(const struct attach *a) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%.40s", a->tmp, a->name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    struct ucred peer;
    socklen_t size = sizeof peer;
    int error = 0;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        error = errno;
    else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
             peer.pid != a->jvm->process.pid)
        error = ECONNREFUSED;
    if (!error) return fd;
    close(fd);
    errno = error;
    return -1;
}

// Can the JVM take SIGQUIT? Without a handler the signal ends it. A stopped JVM does not find the
// trigger file any more when it continues, and prints all its stacks instead.
static int handles_quit(const struct attach *a) {
    char *status = instr_process_read(&a->jvm->process, "status", 65536, NULL);
    char *line = status ? strstr(status, "\nSigCgt:") : NULL;
    unsigned long long caught = line ? strtoull(line + strlen("\nSigCgt:"), NULL, 16) : 0;
    free(status);
    if (instr_process_is_stopped(&a->jvm->process))
        return fail(a, "it is stopped; nothing was sent"), 0;
    if (caught >> (SIGQUIT - 1) & 1) return 1;
    fail(a, "it has no handler for SIGQUIT: it is just starting, or was started with -Xrs; "
            "nothing was sent");
    return 0;
}

// Creates the file that the JVM looks for, in its working directory or in /tmp. 1: done. On some file
// systems the file belongs to another user; then the JVM does not trust it.
static int make_trigger(const struct attach *a, int directory, const char *name) {
    struct stat st;
    if (directory < 0) return 0;
    int fd =
        openat(directory, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) return 0;
    int ours = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == a->jvm->process.uid;
    close(fd);
    if (!ours) unlinkat(directory, name, 0);
    return ours;
}

static long long milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

int instr_attach_is_cancelled(void) {
    sigset_t waiting;
    return sigpending(&waiting) == 0 &&
           (sigismember(&waiting, SIGINT) > 0 || sigismember(&waiting, SIGTERM) > 0 ||
            sigismember(&waiting, SIGHUP) > 0);
}

// Waits until the JVM listens. The socket's file may be an old one: only a connection counts.
static int wait_for_listener(const struct attach *a) {
    long long end = milliseconds() + 1000LL * a->seconds;
    for (int step = STEP_MS; milliseconds() < end; step += step < MOST_STEP_MS ? STEP_MS : 0) {
        struct timespec pause = {0, step * 1000000L};
        int fd = connect_to(a);
        if (fd >= 0) return fd;
        if (errno != ENOENT && errno != ECONNREFUSED && errno != EAGAIN)
            return fail_errno(a, "cannot connect to its attach socket", errno);
        if (instr_process_has_ended(&a->jvm->process)) return fail(a, "it has ended");
        if (instr_attach_is_cancelled()) return fail(a, "cancelled before it listened");
        nanosleep(&pause, NULL);
    }
    return fail(a, "it does not start to listen (it may be stopped, or in a long safepoint pause; "
                   "its heap may be full, or its attach mechanism off)");
}

// A socket of another user in the JVM's place: the JVM cannot listen there. `error` is that of connecting:
// one of root may be the JVM's own, unless it lets the JVM's user not in.
static int is_taken(const struct attach *a, int error) {
    struct stat st;
    uid_t uid = a->jvm->process.uid;
    if (fstatat(a->tmp, a->name, &st, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    if (st.st_uid == uid || (st.st_uid == 0 && error != EACCES)) return 0;
    char user[64];
    snprintf(a->reason, a->size, "its attach socket, /tmp/%s, belongs to %s: remove that file",
             a->name, instr_user_name(st.st_uid, user, sizeof user));
    return 1;
}

// Files in a folder of another user may take long to make: a descriptor makes sure that the signal does not reach a process
// that got the number meanwhile. -1: the kernel (before 5.3), or a sandbox, has none.
static int descriptor_of(const struct attach *a) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, a->jvm->process.pid, 0);
#else
    (void)a;
    return -1;
#endif
}

static int send_quit(const struct attach *a, int process) {
#ifdef SYS_pidfd_send_signal
    if (process >= 0) return (int)syscall(SYS_pidfd_send_signal, process, SIGQUIT, NULL, 0);
#endif
    (void)process;
    return kill(a->jvm->process.pid, SIGQUIT);
}

static int start_listener(const struct attach *a) {
    char name[48], cwd[INSTR_PROCESS_PATH];
    snprintf(name, sizeof name, ".attach_pid%ld", (long)a->jvm->process.inner_pid);
    snprintf(cwd, sizeof cwd, "/proc/%ld/cwd", (long)a->jvm->process.pid);
    int process = descriptor_of(a);
    if (!handles_quit(a)) {
        if (process >= 0) close(process);
        return -1;
    }
    int directory = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC), result = -1;
    int where = make_trigger(a, directory, name) ? directory
                : make_trigger(a, a->tmp, name)  ? a->tmp
                                                 : -1;
    if (where < 0)
        fail(a, "cannot create a file in its working directory or in its /tmp");
    else if (send_quit(a, process) != 0)
        fail_errno(a, "cannot send it a signal", errno);
    else
        result = wait_for_listener(a);
    if (where >= 0) unlinkat(where, name, 0);
    if (directory >= 0) close(directory);
    if (process >= 0) close(process);
    return result;
}

// While one instr makes a JVM listen, others wait: a JVM that listens already takes a second signal for the wish to
// see all its stacks, and prints them; and an old socket could be removed in place of the new one. Anybody may hold
// this lock, so nobody waits for long. Returns a descriptor to close; -1: there is no such process.
static int wait_to_be_alone(const struct attach *a) {
    char path[INSTR_PROCESS_PATH];
    snprintf(path, sizeof path, "/proc/%ld", (long)a->jvm->process.pid);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct timespec pause = {0, STEP_MS * 1000000L};
    long long end = milliseconds() + ALONE_MS;
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
           milliseconds() < end && !instr_attach_is_cancelled())
        nanosleep(&pause, NULL);
    return fd;
}

// An old socket, on which no process listens, would keep the JVM from listening: it is removed.
static int connect_or_start_alone(const struct attach *a) {
    int fd = connect_to(a), error = errno;
    if (fd >= 0) return fd;
    if (instr_attach_is_cancelled()) return fail(a, "cancelled before it listened");
    if (error == ECONNREFUSED) unlinkat(a->tmp, a->name, 0);
    if (is_taken(a, error)) return -1;
    if (error != ENOENT && error != ECONNREFUSED && error != EAGAIN)
        return fail_errno(a, "cannot connect to its attach socket", error);
    return error == EAGAIN ? wait_for_listener(a) : start_listener(a);
}

static int connect_or_start(const struct attach *a) {
    int fd = connect_to(a);
    if (fd >= 0) return fd;
    int lock = wait_to_be_alone(a);
    fd = connect_or_start_alone(a);
    if (lock >= 0) close(lock);
    return fd;
}

// --- requests ---

struct request {
    char bytes[REQUEST_SIZE];
    size_t used;
};

static int put(struct request *request, const char *text) {
    size_t n = strlen(text) + 1;
    if (n > sizeof request->bytes - request->used) return -1;
    memcpy(request->bytes + request->used, text, n);
    request->used += n;
    return 0;
}

// As poll. 0: there is no time left. With `may_cancel` a signal that waits ends it, too: -1.
static int wait_until(struct pollfd *polled, long long end, int may_cancel) {
    for (;;) {
        long long left = end - milliseconds();
        if (left <= 0) return 0;
        if (may_cancel && instr_attach_is_cancelled()) return -1;
        int ready = poll(polled, 1, left < MOST_STEP_MS ? (int)left : MOST_STEP_MS);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return ready;
    }
}

// Sends the command. `text` receives its answer without the status. Returns the status; -2: there is
// no answer.
static int ask(const struct attach *a, const struct request *request, int may_cancel, char *text,
               size_t size) {
    int fd = connect_or_start(a);
    size_t used = 0;
    if (fd < 0) return -2;
    struct pollfd polled = {fd, POLLOUT, 0};
    long long end = milliseconds() + 1000LL * a->seconds;
    for (size_t sent = 0; sent < request->used;) {
        ssize_t n = send(fd, request->bytes + sent, request->used - sent, MSG_NOSIGNAL);
        int left = (int)(end - milliseconds());
        if (n < 0 && errno == EAGAIN && left > 0) poll(&polled, 1, left);
        if (n < 0 && (errno == EINTR || (errno == EAGAIN && left > 0))) continue;
        if (n < 0) break; // it may still have answered
        sent += (size_t)n;
    }
    polled.events = POLLIN;
    while (used + 1 < size) {
        int ready = wait_until(&polled, end, may_cancel);
        if (ready <= 0)
            fail(a, may_cancel && ready < 0
                        ? "cancelled before it answered"
                        : "it did not answer in time; it may still carry out the request");
        ssize_t n = ready > 0 ? recv(fd, text + used, size - 1 - used, 0) : -1;
        if (ready <= 0) {
            close(fd);
            return -2;
        }
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n <= 0) break;
        used += (size_t)n;
    }
    close(fd);
    text[used] = '\0';
    char *end_of_status;
    long status = strtol(text, &end_of_status, 10);
    if (end_of_status == text || *end_of_status != '\n') {
        fail(a, "it closed the connection without an answer");
        return -2;
    }
    memmove(text, end_of_status + 1, strlen(end_of_status));
    return status < 0 || status > 255 ? 255 : (int)status;
}

// 2 or 1; -1: `reason` holds one line.
static int version_of(const struct attach *a) {
    char text[ANSWER_SIZE];
    struct request *request = calloc(1, sizeof *request);
    if (!request) return fail(a, "out of memory");
    static const char *const words[] = {"1", "getversion", "", "", ""};
    for (int i = 0; i < 5; i++) put(request, words[i]);
    int status = ask(a, request, 1, text, sizeof text);
    free(request);
    if (status == -2) return -1;
    return status == 0 && atoi(text) >= 2 ? 2 : 1;
}

static int compose_load(const struct attach *a, struct request *request, int version,
                        const char *path, const char *options) {
    char length[24];
    if (version == 1) {
        if (strlen(path) > INSTR_ATTACH_OLD_LIMIT || strlen(options) > INSTR_ATTACH_OLD_LIMIT)
            return fail(a, "a JVM before JDK 24 takes at most 1,024 bytes of options and of path; "
                           "put the options into a file: config=FILE");
        put(request, "1");
    } else {
        size_t n = strlen("load") + strlen(path) + strlen("true") + strlen(options) + 4;
        if (n > REQUEST_SIZE - 64) return fail(a, "the options are too long");
        snprintf(length, sizeof length, "%zu", n);
        put(request, "2");
        put(request, length);
    }
    put(request, "load");
    put(request, path);
    put(request, "true");
    put(request, options);
    return 0;
}

// The JVM's error as one line. "PATH was not loaded." has the reason in the next line.
static void join_lines(char *text) {
    char *line = text + strcspn(text, "\n"), *next = *line ? line + 1 : line;
    next[strcspn(next, "\n")] = '\0';
    if (*next && line > text + 1 && line[-1] == '.') {
        line[-1] = ':';
        *line = ' ';
    } else {
        *line = '\0';
    }
}

// `text` is "return code: 0" from JDK 9 on, only a number in JDK 8, or else the JVM's error.
static enum instr_attach_status judge(const struct attach *a, int status, char *text, int *result) {
    static const char prefix[] = "return code: ";
    char *number = strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : text;
    char *end;
    long code = strtol(number, &end, 10);
    join_lines(text);
    if (status == 0 && end != number && (*end == '\0' || *end == '\n')) {
        *result = (int)code;
        return code == 0 ? INSTR_ATTACH_OK : INSTR_ATTACH_REFUSED;
    }
    if (strstr(text, "Dynamic agent loading is not enabled")) {
        fail(a, "it was started with -XX:-EnableDynamicAgentLoading (JEP 451); start it with the "
                "dormant "
                "agent: -agentpath:LIBRARY");
        return INSTR_ATTACH_FAILED;
    }
    snprintf(a->reason, a->size, "the JVM says: %s", *text ? text : "no reason given");
    return INSTR_ATTACH_NOT_LOADED;
}

// The status that the JVM sends, with its text; -2: `reason` holds one line.
static int ask_to_load(const struct attach *a, int version, const char *path, const char *options,
                       char text[ANSWER_SIZE]) {
    struct request *request = calloc(1, sizeof *request);
    int status = -2;
    if (!request)
        fail(a, "out of memory");
    else if (compose_load(a, request, version, path, options) == 0)
        status = ask(a, request, 0, text, ANSWER_SIZE);
    free(request);
    return status;
}

// A JVM answers a little before it is ready to take agents.
static enum instr_attach_status load(const struct attach *a, const char *path, const char *options,
                                     int *result) {
    enum { PAUSE_MS = 50, MOST_MS = 5000 };
    const struct timespec pause = {0, PAUSE_MS * 1000000L};
    char text[ANSWER_SIZE];
    int version = version_of(a), status = -2;
    if (version < 0) return INSTR_ATTACH_FAILED;
    for (long long end = milliseconds() + MOST_MS;;) {
        status = ask_to_load(a, version, path, options, text);
        if (status == -2 || !strstr(text, "only permitted in the live phase")) break;
        if (milliseconds() >= end || instr_attach_is_cancelled()) break;
        nanosleep(&pause, NULL);
    }
    return status == -2 ? INSTR_ATTACH_FAILED : judge(a, status, text, result);
}

enum instr_attach_status instr_attach_load(const struct instr_remote_jvm *jvm, const char *path,
                                           const char *options, int seconds, int *result,
                                           char *reason, size_t size) {
    struct attach a = {.jvm = jvm, .seconds = seconds, .reason = reason, .size = size};
    enum instr_attach_status status = INSTR_ATTACH_FAILED;
    snprintf(a.name, sizeof a.name, ".java_pid%ld", (long)jvm->process.inner_pid);
    a.tmp = instr_process_directory(&jvm->process, "/tmp");
    if (a.tmp < 0) {
        fail_errno(&a, "cannot open its /tmp", errno);
    } else if (instr_process_become(&jvm->process) != 0) {
        fail_errno(&a, "cannot take its user's rights", errno);
    } else {
        status = load(&a, path, options, result);
        instr_process_return();
    }
    if (a.tmp >= 0) close(a.tmp);
    return status;
}
