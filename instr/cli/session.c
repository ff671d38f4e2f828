// The tool's end of the control socket.

#include "instr/cli/session.h"
#include "instr/cli/directories.h"
#include "instr/process/remote_jvm.h"
#include "instr/protocol/socket_path.h"
#include "instr/report/text.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define STOPPED "process %ld is stopped and cannot respond"
#define MILLISECOND UINT64_C(1000000)
enum {
    GREETING_MS = 10000,
    SENDING_MS = 10000,
    STEP_MS = 20,
    STARTING_MS = 1000,
    MOST_DOCUMENT = 64 * 1024 * 1024,
    // A busy agent sends a line every two seconds: so many last for hours.
    MOST_NOTES = 10000,
    MOST_NOTE_BYTES = 1024 * 1024
};

// --- time ---

static uint64_t after(int milliseconds) {
    return instr_clock_now() + (uint64_t)milliseconds * MILLISECOND;
}

// Milliseconds up to `end`, rounded up.
static int left(uint64_t end) {
    uint64_t now = instr_clock_now();
    uint64_t ms = now >= end ? 0 : (end - now - 1) / MILLISECOND + 1;
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

static uint64_t earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

void cli_session_limit(struct cli_session *session, int milliseconds) {
    session->limit = after(milliseconds);
}

// --- connecting ---

// A socket to which other clients wait to be connected refuses with EAGAIN at once.
static int try_connect(int fd, const struct sockaddr_un *address, uint64_t end) {
    while (connect(fd, (const struct sockaddr *)address, sizeof *address) != 0) {
        if (errno != EAGAIN && errno != EINTR) return errno;
        if (left(end) == 0) return EAGAIN;
        poll(NULL, 0, STEP_MS);
    }
    return 0;
}

// Connects to `directory`/NAME with the target's rights. The peer must be the target itself.
static int connect_to(const struct cli_session *session, int directory, const char *name) {
    const struct instr_process *target = &session->process;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%.40s", directory, name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    int error = EACCES;
    if (instr_process_become(target) == 0) {
        error = try_connect(fd, &address, session->limit);
        instr_process_return();
    }
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (!error &&
        (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid != target->pid))
        error = ENOENT;
    if (!error) return fd;
    close(fd);
    errno = error;
    return -1;
}

static int is_private(int directory, uid_t uid) {
    struct stat st;
    return fstat(directory, &st) == 0 && st.st_uid == uid && (st.st_mode & 077) == 0;
}

static int connect_below(const struct cli_session *session, const char *path) {
    const struct instr_process *target = &session->process;
    char file[INSTR_CONTROL_PATH_SIZE];
    int directory = instr_process_directory(target, path), fd = -1;
    if (directory < 0) {
        if (errno == EACCES) errno = ENOENT; // its own agent is not there either
        return -1;
    }
    // One that fails may be what a JVM of another namespace has left.
    int error = ENOENT;
    for (unsigned i = 0; i < INSTR_CONTROL_SOCKETS && fd < 0; i++) {
        if (!is_private(directory, target->uid)) break;
        instr_control_socket(file, "", target->inner_pid, i);
        fd = connect_to(session, directory, file + 1);
        if (fd < 0 && error == ENOENT) error = errno;
    }
    close(directory);
    errno = error;
    return fd;
}

struct search {
    const struct cli_session *session;
    int fd, error;
};

static int try_directory(void *context, const char *directory) {
    struct search *search = context;
    search->fd = connect_below(search->session, directory);
    if (search->fd < 0 && errno != ENOENT && errno != ENOTDIR) search->error = errno;
    return search->fd >= 0;
}

// -1: errno is an error other than ENOENT, if any directory gave one.
static int find(const struct cli_session *session) {
    struct search search = {session, -1, ENOENT};
    cli_directories(&session->process, try_directory, &search);
    errno = search.error;
    return search.fd;
}

// A JVM that has just started has the agent's thread some 0.2 s before its socket. An old one of a JVM that had the
// same number may be there.
static int find_soon(const struct cli_session *session) {
    uint64_t end = earlier(session->limit, after(STARTING_MS));
    for (;;) {
        int fd = find(session), error = errno;
        if (fd >= 0) return fd;
        if ((error != ENOENT && error != ECONNREFUSED) || instr_clock_now() >= end ||
            !instr_process_has_thread(&session->process, "instr control")) {
            errno = error;
            return -1;
        }
        poll(NULL, 0, STEP_MS);
    }
}

static int send_all(struct cli_session *session, const void *bytes, size_t length) {
    const char *from = bytes;
    uint64_t end = earlier(session->limit, after(SENDING_MS));
    while (length > 0) {
        ssize_t n = send(session->fd, from, length, MSG_NOSIGNAL);
        if (n >= 0) {
            from += n;
            length -= (size_t)n;
        } else if (errno == EAGAIN && left(end)) {
            poll(&(struct pollfd){session->fd, POLLOUT, 0}, 1, left(end));
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

static int send_frame(struct cli_session *session, enum instr_message_type type, const void *bytes,
                      size_t length) {
    uint8_t header[INSTR_MESSAGE_HEADER];
    instr_message_header(header, type, (uint32_t)length);
    if (send_all(session, header, sizeof header) != 0) return -1;
    return send_all(session, bytes, length);
}

// 1: bytes arrived. 0: none in time. -1: the connection is closed.
static int receive(struct cli_session *session, int milliseconds) {
    uint8_t bytes[64 * 1024];
    struct pollfd polled = {session->fd, POLLIN, 0};
    int ready = poll(&polled, 1, milliseconds);
    if (ready <= 0) return ready < 0 && errno != EINTR ? -1 : 0;
    ssize_t n = recv(session->fd, bytes, sizeof bytes, 0);
    if (n < 0) return errno == EINTR || errno == EAGAIN ? 0 : -1;
    return n > 0 && instr_messages_add(&session->messages, bytes, (size_t)n) == 0 ? 1 : -1;
}

int cli_session_silent(const struct cli_session *session) {
    long pid = (long)session->process.pid;
    if (instr_process_is_stopped(&session->process)) return cli_error(STOPPED, pid);
    return cli_error("the agent in process %ld is not responding", pid);
}

// The kind of failure, after a reason.
static int not_greeted(const struct cli_session *session, int closed, char *reason, size_t size) {
    long pid = (long)session->process.pid;
    if (closed)
        snprintf(reason, size, "the agent in process %ld has just been detached, or the JVM ends",
                 pid);
    else
        snprintf(reason, size,
                 "the agent in process %ld is not responding; 'instr off %ld' stops it", pid, pid);
    return closed ? CLI_SESSION_NONE : CLI_SESSION_FAILED;
}

static int greet(struct cli_session *session, char *reason, size_t size) {
    uint8_t hello[INSTR_MESSAGE_HELLO_SIZE];
    struct instr_message message;
    int more = 0, got = 1;
    memcpy(hello, INSTR_MESSAGE_MAGIC, 8);
    instr_message_put(hello + 8, INSTR_PROTOCOL, 2);
    instr_message_put(hello + 10, INSTR_PROTOCOL, 2);
    // When sending fails, the agent may still have sent a reason.
    send_frame(session, INSTR_MESSAGE_HELLO, hello, sizeof hello);
    while (got > 0 && (more = instr_messages_next(&session->messages, &message)) == 0)
        got = receive(session, left(session->limit));
    if (more > 0 && message.type == INSTR_MESSAGE_HELLO && message.length >= 6) {
        int n = (int)message.length - 6;
        snprintf(session->version, sizeof session->version, "%.*s", n < 60 ? n : 60,
                 (const char *)message.payload + 6);
        return CLI_SESSION_OK;
    }
    if (more <= 0 || message.type != INSTR_MESSAGE_END || message.length < INSTR_MESSAGE_END_SIZE)
        return not_greeted(session, got < 0, reason, size);
    snprintf(reason, size, "process %ld: %.*s", (long)session->process.pid,
             (int)(message.length - INSTR_MESSAGE_END_SIZE),
             (const char *)message.payload + INSTR_MESSAGE_END_SIZE);
    return CLI_SESSION_FAILED;
}

// Is the socket, on which no process listens, that of an agent in this process? Otherwise a process that had its
// number before was killed.
static bool has_agent(long pid) {
    struct instr_remote_jvm jvm;
    char reason[INSTR_ERROR_SIZE];
    if (instr_remote_jvm_open(&jvm, pid, reason, sizeof reason) != 0) return true;
    bool has = jvm.agent[0] != '\0';
    instr_remote_jvm_close(&jvm);
    return has;
}

static int not_found(struct cli_session *session, char *reason, size_t size) {
    char user[64];
    const struct instr_process *target = &session->process;
    long pid = (long)target->pid;
    int error = errno;
    if (geteuid() != 0 && geteuid() != target->uid) {
        snprintf(reason, size, "process %ld belongs to %s; only that user and root may control it",
                 pid, instr_user_name(target->uid, user, sizeof user));
        return CLI_SESSION_FAILED;
    }
    if (instr_process_has_ended(target)) {
        snprintf(reason, size, "process %ld has ended", pid);
        return CLI_SESSION_FAILED;
    }
    if (instr_process_is_stopped(target)) {
        snprintf(reason, size, STOPPED, pid);
        return CLI_SESSION_FAILED;
    }
    if (error == ECONNREFUSED && !has_agent(pid)) error = ENOENT;
    if (error == ENOENT || error == ENOTDIR) {
        session->no_socket = true;
        snprintf(reason, size, "there is no agent in process %ld; 'instr attach %ld' loads it", pid,
                 pid);
        return CLI_SESSION_NONE;
    }
    if (error == ECONNREFUSED) {
        snprintf(reason, size, "the agent in process %ld is no longer listening", pid);
        return CLI_SESSION_NONE;
    }
    if (error == EAGAIN)
        snprintf(reason, size,
                 "the agent in process %ld accepts no client; 'instr off %ld' stops it", pid, pid);
    else
        snprintf(reason, size, "the agent in process %ld cannot be reached: %s", pid,
                 strerror(error));
    return CLI_SESSION_FAILED;
}

int cli_session_open_within(struct cli_session *session, long pid, int milliseconds, char *reason,
                            size_t size) {
    memset(session, 0, sizeof *session);
    session->fd = -1;
    session->most_document = MOST_DOCUMENT;
    instr_messages_start(&session->messages, INSTR_MESSAGES_AGENT_SENDS);
    cli_session_limit(session, milliseconds);
    if (instr_process_open(&session->process, pid, reason, size) != 0) return CLI_SESSION_FAILED;
    session->fd = find_soon(session);
    if (session->fd < 0) return not_found(session, reason, size);
    if (instr_process_is_stopped(&session->process)) {
        cli_session_close(session);
        return not_found(session, reason, size);
    }
    int status = greet(session, reason, size);
    if (status != CLI_SESSION_OK) cli_session_close(session);
    return status;
}

int cli_session_open(struct cli_session *session, long pid, char *reason, size_t size) {
    int status = cli_session_open_within(session, pid, GREETING_MS, reason, size);
    session->limit = INSTR_NEVER;
    return status;
}

void cli_session_close(struct cli_session *session) {
    if (session->fd >= 0) close(session->fd);
    session->fd = -1;
    instr_messages_free(&session->messages);
    free(session->text);
    session->text = NULL;
}

// --- commands and events ---

int cli_session_file(struct cli_session *session, const char *name, const void *bytes,
                     size_t length) {
    uint8_t header[INSTR_MESSAGE_HEADER];
    size_t n = strlen(name) + 1;
    if (length + n > INSTR_MESSAGE_MOST_DATA) return -1;
    instr_message_header(header, INSTR_MESSAGE_DATA, (uint32_t)(n + length));
    if (send_all(session, header, sizeof header) != 0 || send_all(session, name, n) != 0) return -1;
    return send_all(session, bytes, length);
}

int cli_session_command(struct cli_session *session, int count, const char *const *words) {
    char payload[INSTR_MESSAGE_MOST];
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        size_t n = strlen(words[i]) + 1;
        if (n > sizeof payload - used || count > INSTR_MESSAGE_WORDS) {
            errno = E2BIG;
            return -1;
        }
        memcpy(payload + used, words[i], n);
        used += n;
    }
    session->notes = session->note_bytes = session->answered = 0;
    return send_frame(session, INSTR_MESSAGE_COMMAND, payload, used);
}

int cli_session_cancel(struct cli_session *session) {
    return send_frame(session, INSTR_MESSAGE_CANCEL, NULL, 0);
}

int cli_session_unsent(void) {
    if (errno == EPIPE || errno == ECONNRESET) return cli_error("%s", CLI_DISCONNECTED);
    return cli_error("the command cannot be sent: %s", strerror(errno));
}

static void lose(struct cli_event *event, const char *how) {
    event->kind = CLI_LOST;
    snprintf(event->line, sizeof event->line, "%s", how);
}

// Makes each string of a document printable. What an agent sends may come from anybody: a process can
// pose as a JVM.
static void make_printable(json_t *value) {
    const char *key;
    size_t index;
    json_t *item;
    if (json_is_object(value)) json_object_foreach(value, key, item) make_printable(item);
    if (json_is_array(value)) json_array_foreach(value, index, item) make_printable(item);
    if (!json_is_string(value)) return;
    size_t length = json_string_length(value);
    char *text = malloc(length + 1);
    if (text) memcpy(text, json_string_value(value), length);
    json_string_setn_nocheck(value, text ? text : "", text ? instr_report_clean(text, length) : 0);
    free(text);
}

static void add_text(struct cli_session *session, struct cli_event *event,
                     const struct instr_message *message) {
    char *larger = NULL;
    if (session->answered + session->text_used + message->length <= session->most_document)
        larger = realloc(session->text, session->text_used + message->length + 1);
    if (!larger) {
        lose(event, "the answer is too large");
        return;
    }
    memcpy(larger + session->text_used, message->payload, message->length);
    session->text = larger;
    session->text_used += message->length;
    if (message->type == INSTR_MESSAGE_PART) return;
    json_error_t error;
    event->document =
        json_loadb(larger, session->text_used, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (event->document) make_printable(event->document);
    event->bytes = larger;
    event->length = session->text_used;
    session->answered += session->stream ? 0 : session->text_used;
    if (session->stream) session->notes = session->note_bytes = 0;
    session->text_used = 0;
    if (event->document)
        event->kind = CLI_DOCUMENT;
    else
        lose(event, "the agent sent invalid JSON");
}

static void take_note(struct cli_session *session, struct cli_event *event,
                      const struct instr_message *message) {
    session->notes++;
    session->note_bytes += message->length;
    if (session->notes > MOST_NOTES || session->note_bytes > MOST_NOTE_BYTES) {
        lose(event, "the agent sent too many lines");
        return;
    }
    event->kind = CLI_NOTE;
    snprintf(event->line, sizeof event->line, "%.*s", (int)message->length,
             (const char *)message->payload);
}

static void take(struct cli_session *session, struct cli_event *event,
                 const struct instr_message *message) {
    switch (message->type) {
    case INSTR_MESSAGE_PART:
    case INSTR_MESSAGE_LAST: add_text(session, event, message); return;
    case INSTR_MESSAGE_BYTES:
        event->kind = CLI_BYTES;
        event->bytes = message->payload;
        event->length = message->length;
        return;
    case INSTR_MESSAGE_NOTE: take_note(session, event, message); return;
    case INSTR_MESSAGE_END:
        if (message->length < INSTR_MESSAGE_END_SIZE) break;
        event->kind = CLI_END;
        event->status = (unsigned)instr_message_get(message->payload, 2);
        event->dropped = instr_message_get(message->payload + 2, 8);
        snprintf(event->line, sizeof event->line, "%.*s",
                 (int)(message->length - INSTR_MESSAGE_END_SIZE),
                 (const char *)message->payload + INSTR_MESSAGE_END_SIZE);
        return;
    default: break;
    }
    lose(event, "the agent sent an unexpected message");
}

void cli_session_next(struct cli_session *session, struct cli_event *event, int milliseconds) {
    struct instr_message message;
    uint64_t end = earlier(session->limit, after(milliseconds));
    memset(event, 0, sizeof *event);
    while (event->kind == CLI_NOTHING) {
        int more = instr_messages_next(&session->messages, &message);
        if (more > 0) {
            take(session, event, &message);
        } else if (more < 0) {
            lose(event, session->messages.reason);
        } else {
            int got = receive(session, left(end));
            if (got == 0) return;
            if (got < 0) lose(event, CLI_DISCONNECTED);
        }
        // The bytes that have arrived may be parts of a document without end.
        if (event->kind == CLI_NOTHING && left(end) == 0) return;
    }
}

void cli_session_late(const struct cli_session *session, struct cli_event *event) {
    long pid = (long)session->process.pid;
    event->kind = CLI_LOST;
    snprintf(event->line, sizeof event->line,
             "the agent in process %ld has not answered in time; 'instr off %ld' stops it", pid,
             pid);
}

json_t *cli_session_ask(struct cli_session *session, const char *command, struct cli_event *event) {
    json_t *answer = NULL;
    memset(event, 0, sizeof *event);
    lose(event, CLI_DISCONNECTED);
    if (cli_session_command(session, 1, &command) != 0) return NULL;
    do {
        cli_session_next(session, event, left(session->limit));
        if (event->kind == CLI_NOTE) cli_error("%s", event->line);
        if (event->kind != CLI_DOCUMENT) continue;
        json_decref(answer);
        answer = event->document;
    } while ((event->kind == CLI_DOCUMENT || event->kind == CLI_NOTE) && left(session->limit));
    if (event->kind != CLI_END && event->kind != CLI_LOST) cli_session_late(session, event);
    return answer;
}
