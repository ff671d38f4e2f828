// One client of the control socket.

#include "instr/control/client.h"

#include "instr/base/array.h"
#include "instr/base/clock.h"
#include "instr/base/log.h"
#include "instr/control/pulse.h"
#include "instr/control/server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECONDS UINT64_C(1000000000)
enum {
    GREETING_SECONDS = 10, // from connecting to HELLO
    IDLE_SECONDS = 60,     // between two commands, and between two parts of a command
    STUCK_SECONDS = 30,    // without reading anything of a reply
    MESSAGES_AT_ONCE = 64
};

struct command {
    const char *name;
    void (*run)(struct instr_request *request, struct instr_reply *reply);
};

#define ROW(name, arguments, help) {#name, instr_command_##name},
static const struct command commands[] = {INSTR_CONTROL_COMMANDS(ROW)};
#undef ROW

struct instr_client *instr_client_new(int fd, struct instr_agent *agent, uid_t uid, pid_t pid) {
    struct instr_client *client = calloc(1, sizeof *client);
    if (!client) {
        close(fd);
        return NULL;
    }
    client->fd = fd;
    client->agent = agent;
    client->uid = uid;
    client->pid = pid;
    client->deadline = instr_clock_now() + GREETING_SECONDS * SECONDS;
    instr_messages_start(&client->messages, INSTR_MESSAGES_CLIENT_SENDS);
    return client;
}

// What all clients together have sent and the agent holds, in bytes. The clients of a JVM have its
// user's rights, but must not exhaust its memory.
static size_t held_by_all;
enum { MOST_HELD = INSTR_MESSAGE_MOST_UPLOAD + 2 * INSTR_MESSAGE_MOST_DATA };

static void count_held(struct instr_client *client) {
    held_by_all -= client->held;
    client->held = client->blob_bytes + client->messages.capacity;
    held_by_all += client->held;
}

static void free_blobs(struct instr_client *client) {
    for (size_t i = 0; i < client->blob_count; i++) free((char *)client->blobs[i].name);
    free(client->blobs);
    client->blobs = NULL;
    client->blob_count = client->blob_capacity = client->blob_bytes = 0;
    count_held(client);
}

// What follows may take long.
static void become_busy(struct instr_client *client) {
    client->quiet = client->reply.queue.used == 0;
    instr_pulse_begin(client->command, client);
}

static void end_stream(struct instr_client *client) {
    struct instr_reply *reply = &client->reply;
    if (!reply->streaming) return;
    struct instr_stream stream = reply->stream;
    become_busy(client);
    stream.end(stream.context, reply);
    instr_pulse_end();
    reply->streaming = 0;
}

// Prints the results that the client has asked for and does not get.
static void print_results(struct instr_client *client) {
    struct instr_bytes *tables = &client->reply.tables;
    struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    if (tables->used) {
        instr_say("results that the client of '%s' did not get:", client->command);
        instr_output_descriptor(&out, STDERR_FILENO);
        instr_output_bytes(&out, tables->bytes + tables->start, tables->used);
        instr_output_close(&out, error, sizeof error);
    }
    instr_bytes_free(tables);
}

void instr_client_free(struct instr_client *client) {
    end_stream(client);
    print_results(client);
    close(client->fd);
    instr_messages_free(&client->messages);
    free_blobs(client);
    instr_reply_free(&client->reply);
    free(client);
}

// --- commands ---

static void finish(struct instr_client *client) {
    // The socket must no longer exist when the client reads the reply.
    if (client->reply.stop_control) instr_control_stop();
    if (!client->reply.has_results) print_results(client);
    instr_reply_end(&client->reply, client->reply.failed ? 1 : 0);
    client->state = client->reply.stop_control ? INSTR_CLIENT_LEAVING : INSTR_CLIENT_READY;
    client->deadline = instr_clock_now() + IDLE_SECONDS * SECONDS;
    instr_messages_shrink(&client->messages);
    free_blobs(client);
}

static void run(struct instr_client *client, const char *words[], int count) {
    struct instr_reply *reply = &client->reply;
    struct instr_request request = {
        .name = words[0],
        .argv = words + 1,
        .argc = count - 1,
        .blobs = client->blobs,
        .blob_count = client->blob_count,
        .uid = client->uid,
        .pid = client->pid,
        .agent = client->agent,
    };
    const struct command *command = NULL;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, words[0]) == 0) command = &commands[i];
    instr_reply_start(reply);
    if (command) {
        client->command = command->name;
        become_busy(client);
        command->run(&request, reply);
        instr_pulse_end();
    } else {
        instr_reply_fail(reply, "unknown command '%.64s'", words[0]);
    }
    if (reply->streaming && reply->failed) end_stream(client);
    if (reply->streaming) {
        client->state = INSTR_CLIENT_BUSY;
        reply->next_tick = 0;
        free_blobs(client);
    } else {
        finish(client);
    }
}

static void tick(struct instr_client *client, uint64_t now) {
    struct instr_reply *reply = &client->reply;
    become_busy(client);
    reply->next_tick = reply->stream.tick(reply->stream.context, reply, now);
    instr_pulse_end();
    if (reply->next_tick != 0 && !reply->failed) return;
    end_stream(client);
    finish(client);
}

// --- receiving ---

void instr_client_refuse(struct instr_client *client, const char *reason) {
    end_stream(client);
    print_results(client);
    instr_reply_start(&client->reply);
    instr_reply_fail(&client->reply, "%s", reason);
    instr_reply_end(&client->reply, 2);
    client->state = INSTR_CLIENT_LEAVING;
    client->deadline = instr_clock_now() + SECONDS;
}

// Refuses what the client sends, and frees it.
static void refuse_files(struct instr_client *client, const char *reason) {
    instr_client_refuse(client, reason);
    instr_messages_free(&client->messages);
    free_blobs(client);
}

static void greet(struct instr_client *client, const struct instr_message *message) {
    int known = instr_message_hello(message);
    if (known < 0) {
        instr_client_refuse(client, "not the control protocol");
    } else if (known == 0) {
        instr_client_refuse(client, "the agent in the JVM supports only version 1 of the control "
                                    "protocol; use the instr of the same release");
    } else {
        instr_reply_hello(&client->reply);
        client->state = INSTR_CLIENT_READY;
    }
}

static void take_file(struct instr_client *client, const struct instr_message *message) {
    const uint8_t *nul = message->length ? memchr(message->payload, '\0', message->length) : NULL;
    if (!nul || client->blob_count == INSTR_MESSAGE_MOST_FILES ||
        client->blob_bytes + message->length > INSTR_MESSAGE_MOST_UPLOAD) {
        refuse_files(client, nul ? "too many or too large files" : "malformed file");
        return;
    }
    char *copy = malloc(message->length);
    if (!copy ||
        !INSTR_ARRAY_RESERVE(client->blobs, client->blob_capacity, client->blob_count + 1)) {
        free(copy);
        instr_client_refuse(client, "out of memory");
        return;
    }
    memcpy(copy, message->payload, message->length);
    size_t name = (size_t)(nul - message->payload) + 1;
    client->blobs[client->blob_count++] =
        (struct instr_blob){copy, (uint8_t *)copy + name, message->length - name};
    client->blob_bytes += message->length;
    instr_messages_shrink(&client->messages);
    count_held(client);
}

static void handle(struct instr_client *client, const struct instr_message *message) {
    const char *words[INSTR_MESSAGE_WORDS];
    int count;
    if (client->state == INSTR_CLIENT_GREETING) {
        greet(client, message);
    } else if (client->state == INSTR_CLIENT_BUSY) {
        if (message->type != INSTR_MESSAGE_CANCEL || message->length) {
            instr_client_refuse(client, "only a cancellation is allowed while a command runs");
            return;
        }
        end_stream(client);
        finish(client);
    } else if (message->type == INSTR_MESSAGE_DATA) {
        take_file(client, message);
    } else if (message->type == INSTR_MESSAGE_COMMAND) {
        count = instr_message_words(message, words);
        if (count > 0)
            run(client, words, count);
        else
            instr_client_refuse(client, "malformed command");
    } else if (message->type == INSTR_MESSAGE_HELLO) {
        instr_client_refuse(client, "repeated greeting");
    } // a cancellation that arrived after the command's end is ignored
}

// A command waits until the client has read the reply to the previous one.
static int may_handle(const struct instr_client *client) {
    if (client->state == INSTR_CLIENT_BUSY) return 1;
    return client->state != INSTR_CLIENT_LEAVING && client->reply.queue.used == 0;
}

// Handles the next message if that is possible now. 1: it did.
static int handle_next(struct instr_client *client) {
    struct instr_message message;
    int more = may_handle(client) ? instr_messages_next(&client->messages, &message) : 0;
    if (more > 0) handle(client, &message);
    if (more < 0) instr_client_refuse(client, client->messages.reason);
    return more != 0;
}

// 0: the client has disconnected.
static int receive(struct instr_client *client) {
    uint8_t bytes[32 * 1024];
    ssize_t n = recv(client->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return 0;
    if (client->state != INSTR_CLIENT_GREETING)
        client->deadline = instr_clock_now() + IDLE_SECONDS * SECONDS;
    if (instr_messages_add(&client->messages, bytes, (size_t)n) != 0)
        instr_client_refuse(client, client->messages.reason);
    count_held(client);
    // A client that only gives commands is not concerned.
    if (held_by_all > MOST_HELD && client->held > 4 * INSTR_MESSAGE_MOST)
        refuse_files(client, "other clients are sending files, too; try again");
    return 1;
}

// --- sending ---

// 0: the client has disconnected, or is done.
static int transmit(struct instr_client *client) {
    struct instr_bytes *queue = &client->reply.queue;
    while (queue->used > 0) {
        ssize_t n =
            send(client->fd, queue->bytes + queue->start, queue->used, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        queue->start += (size_t)n;
        queue->used -= (size_t)n;
        // Counted from now, because the command may have taken longer than the limit.
        uint64_t later = instr_clock_now() + (queue->used ? STUCK_SECONDS : IDLE_SECONDS) * SECONDS;
        if (client->state == INSTR_CLIENT_READY || queue->used) client->deadline = later;
    }
    instr_bytes_free(queue); // idle clients use no memory
    if (client->reply.has_results) instr_bytes_free(&client->reply.tables);
    return client->state != INSTR_CLIENT_LEAVING;
}

short instr_client_events(const struct instr_client *client) {
    int reads = may_handle(client) && client->state != INSTR_CLIENT_LEAVING;
    return (short)((reads ? POLLIN : 0) | (client->reply.queue.used ? POLLOUT : 0));
}

// A stream has no deadline while its client reads it.
static int has_deadline(const struct instr_client *client) {
    return client->state != INSTR_CLIENT_BUSY || client->reply.queue.used != 0;
}

uint64_t instr_client_next(const struct instr_client *client) {
    if (client->more) return 0;
    uint64_t next = client->reply.streaming ? client->reply.next_tick : INSTR_NEVER;
    return has_deadline(client) && client->deadline < next ? client->deadline : next;
}

int instr_client_serve(struct instr_client *client, short revents, int woken, uint64_t now) {
    struct instr_reply *reply = &client->reply;
    int waited = reply->queue.used != 0;
    if ((revents & POLLIN) && !receive(client)) return 0;
    if (!(revents & POLLIN) && (revents & (POLLHUP | POLLERR | POLLNVAL))) return 0;
    if (reply->streaming && (woken || now >= reply->next_tick)) tick(client, now);
    // Runs several commands as long as their replies are sent at once, but only a limited number,
    // because other clients wait.
    client->more = 1;
    for (int i = 0; i < MESSAGES_AT_ONCE && client->more; i++) {
        client->more = handle_next(client);
        if (!transmit(client)) return 0;
    }
    if (!waited && reply->queue.used && client->state == INSTR_CLIENT_BUSY)
        client->deadline = now + STUCK_SECONDS * SECONDS;
    return !has_deadline(client) || now < client->deadline;
}

// --- while a command of another client runs ---

static bool waits(const struct instr_client *client) {
    return client->state == INSTR_CLIENT_BUSY ||
           (client->state == INSTR_CLIENT_READY && client->messages.used > client->messages.start);
}

void instr_client_attend(struct instr_client *client, const char *line) {
    client->more = 1; // whatever happens here, the control thread looks at the client again
    // The end of a stream is for the control thread.
    int takes = client->state != INSTR_CLIENT_BUSY;
    for (int i = 0; i < MESSAGES_AT_ONCE && takes && instr_client_events(client) & POLLIN; i++) {
        size_t before = client->messages.used;
        if (!receive(client)) return;
        if (client->state == INSTR_CLIENT_GREETING) handle_next(client);
        if (client->messages.used == before) break;
    }
    if (line && waits(client) && client->reply.queue.used == 0)
        instr_reply_note(&client->reply, "%s", line);
    transmit(client);
}

void instr_client_note(const struct instr_client *client, const char *line) {
    uint8_t bytes[INSTR_MESSAGE_HEADER + INSTR_ERROR_SIZE];
    size_t length = strnlen(line, INSTR_ERROR_SIZE), n = INSTR_MESSAGE_HEADER + length;
    if (!client->quiet) return;
    instr_message_header(bytes, INSTR_MESSAGE_NOTE, (uint32_t)length);
    memcpy(bytes + INSTR_MESSAGE_HEADER, line, length);
    ssize_t sent = send(client->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0 && (size_t)sent < n) shutdown(client->fd, SHUT_RDWR); // half a message
}
