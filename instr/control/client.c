// One client of the control socket.

#include "instr/control/client.h"
#include "instr/control/commands.h"
#include "instr/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECONDS UINT64_C(1000000000)
enum {
    GREETING_SECONDS = 10, // from connecting to HELLO
    IDLE_SECONDS = 60,     // between two commands, and between two pieces of one
    STUCK_SECONDS = 30,    // with an answer of which it takes nothing
    FRAMES_AT_ONCE = 64
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
    instr_messages_start(&client->frames, INSTR_MESSAGES_CLIENT_SENDS);
    return client;
}

static void forget_blobs(struct instr_client *client) {
    for (size_t i = 0; i < client->blob_count; i++) free((char *)client->blobs[i].name);
    free(client->blobs);
    client->blobs = NULL;
    client->blob_count = client->blob_bytes = 0;
}

static void end_stream(struct instr_client *client) {
    struct instr_reply *reply = &client->reply;
    if (!reply->streaming) return;
    struct instr_stream stream = reply->stream;
    stream.end(stream.context, reply);
    reply->streaming = 0;
}

void instr_client_free(struct instr_client *client) {
    end_stream(client);
    close(client->fd);
    forget_blobs(client);
    instr_messages_free(&client->frames);
    instr_reply_free(&client->reply);
    free(client);
}

// --- commands ---

static void finish(struct instr_client *client) {
    if (client->reply.stop_control) instr_control_stop(); // when it is told the socket is gone
    instr_reply_end(&client->reply, client->reply.failed ? 1 : 0);
    client->state = client->reply.stop_control ? INSTR_CLIENT_LEAVING : INSTR_CLIENT_READY;
    client->deadline = instr_clock_now() + IDLE_SECONDS * SECONDS;
    instr_messages_shrink(&client->frames);
    forget_blobs(client);
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
    if (command)
        command->run(&request, reply);
    else
        instr_reply_fail(reply, "the agent knows no command '%.64s'", words[0]);
    if (reply->streaming && reply->failed) end_stream(client);
    if (reply->streaming) {
        client->state = INSTR_CLIENT_BUSY;
        reply->next_tick = 0;
        forget_blobs(client);
    } else {
        finish(client);
    }
}

static void tick(struct instr_client *client, uint64_t now) {
    struct instr_reply *reply = &client->reply;
    reply->next_tick = reply->stream.tick(reply->stream.context, reply, now);
    if (reply->next_tick != 0 && !reply->failed) return;
    end_stream(client);
    finish(client);
}

// --- what comes ---

void instr_client_refuse(struct instr_client *client, const char *reason) {
    end_stream(client);
    instr_reply_start(&client->reply);
    instr_reply_fail(&client->reply, "%s", reason);
    instr_reply_end(&client->reply, 2);
    client->state = INSTR_CLIENT_LEAVING;
    client->deadline = instr_clock_now() + SECONDS;
}

static void greet(struct instr_client *client, const struct instr_message *frame) {
    int known = instr_message_hello(frame);
    if (known < 0) {
        instr_client_refuse(client, "this is not how the control protocol begins");
    } else if (known == 0) {
        instr_client_refuse(client, "the agent in the JVM speaks version 1 of the control protocol "
                                    "only; use the instr that came with it");
    } else {
        instr_reply_hello(&client->reply);
        client->state = INSTR_CLIENT_READY;
    }
}

static void take_file(struct instr_client *client, const struct instr_message *frame) {
    const uint8_t *nul = frame->length ? memchr(frame->payload, '\0', frame->length) : NULL;
    if (!nul || client->blob_count == INSTR_MESSAGE_MOST_FILES ||
        client->blob_bytes + frame->length > INSTR_MESSAGE_MOST_UPLOAD) {
        instr_client_refuse(client, nul ? "too many files, or too large ones" : "a malformed file");
        return;
    }
    struct instr_blob *blobs =
        realloc(client->blobs, (client->blob_count + 1) * sizeof *client->blobs);
    char *copy = malloc(frame->length);
    if (blobs) client->blobs = blobs;
    if (!blobs || !copy) {
        free(copy);
        instr_client_refuse(client, "out of memory");
        return;
    }
    memcpy(copy, frame->payload, frame->length);
    size_t name = (size_t)(nul - frame->payload) + 1;
    blobs[client->blob_count++] =
        (struct instr_blob){copy, (uint8_t *)copy + name, frame->length - name};
    client->blob_bytes += frame->length;
}

static void take(struct instr_client *client, const struct instr_message *frame) {
    const char *words[INSTR_MESSAGE_WORDS];
    int count;
    if (client->state == INSTR_CLIENT_GREETING) {
        greet(client, frame);
    } else if (client->state == INSTR_CLIENT_BUSY) {
        if (frame->type != INSTR_MESSAGE_CANCEL || frame->length) {
            instr_client_refuse(client, "only a cancellation may come while a command goes on");
            return;
        }
        end_stream(client);
        finish(client);
    } else if (frame->type == INSTR_MESSAGE_DATA) {
        take_file(client, frame);
    } else if (frame->type == INSTR_MESSAGE_COMMAND) {
        count = instr_message_words(frame, words);
        if (count > 0)
            run(client, words, count);
        else
            instr_client_refuse(client, "a malformed command");
    } else if (frame->type == INSTR_MESSAGE_HELLO) {
        instr_client_refuse(client, "a second greeting");
    } // a cancellation that came after the end: nothing to cancel any more
}

// A command waits until the answer to the one before has been taken.
static int may_take(const struct instr_client *client) {
    if (client->state == INSTR_CLIENT_BUSY) return 1;
    return client->state != INSTR_CLIENT_LEAVING && client->reply.queue.used == 0;
}

// Takes one frame, if it may. 1: it did.
static int take_one(struct instr_client *client) {
    struct instr_message frame;
    int more = may_take(client) ? instr_messages_next(&client->frames, &frame) : 0;
    if (more > 0) take(client, &frame);
    if (more < 0) instr_client_refuse(client, client->frames.reason);
    return more != 0;
}

// 0: it has gone.
static int receive(struct instr_client *client) {
    uint8_t bytes[32 * 1024];
    ssize_t n = recv(client->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return 0;
    if (client->state != INSTR_CLIENT_GREETING)
        client->deadline = instr_clock_now() + IDLE_SECONDS * SECONDS;
    if (instr_messages_add(&client->frames, bytes, (size_t)n) != 0)
        instr_client_refuse(client, client->frames.reason);
    return 1;
}

// --- what goes ---

// 0: it has gone.
static int transmit(struct instr_client *client) {
    struct instr_bytes *queue = &client->reply.queue;
    while (queue->used > 0) {
        ssize_t n =
            send(client->fd, queue->bytes + queue->start, queue->used, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        queue->start += (size_t)n;
        queue->used -= (size_t)n;
        // From now on, not from before the command, which may have taken longer than that.
        uint64_t later = instr_clock_now() + (queue->used ? STUCK_SECONDS : IDLE_SECONDS) * SECONDS;
        if (client->state == INSTR_CLIENT_READY || queue->used) client->deadline = later;
    }
    instr_bytes_free(queue); // an idle client keeps nothing
    return client->state != INSTR_CLIENT_LEAVING;
}

short instr_client_events(const struct instr_client *client) {
    int reads = may_take(client) && client->state != INSTR_CLIENT_LEAVING;
    return (short)((reads ? POLLIN : 0) | (client->reply.queue.used ? POLLOUT : 0));
}

// A stream that its client reads has no deadline.
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
    // One command after the other, as long as their answers go out at once; some at a time, as
    // there are others.
    client->more = 1;
    for (int i = 0; i < FRAMES_AT_ONCE && client->more; i++) {
        client->more = take_one(client);
        if (!transmit(client)) return 0;
    }
    if (!waited && reply->queue.used && client->state == INSTR_CLIENT_BUSY)
        client->deadline = now + STUCK_SECONDS * SECONDS;
    return !has_deadline(client) || now < client->deadline;
}
