// The reply to a command, as messages in the client's queue.

#include "instr/control/reply.h"

#include "instr/protocol/message.h"
#include "instr/vm/wake.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef INSTR_VERSION
#define INSTR_VERSION "unknown"
#endif

// --- growing buffers ---

void instr_bytes_free(struct instr_bytes *bytes) {
    free(bytes->bytes);
    memset(bytes, 0, sizeof *bytes);
}

int instr_bytes_add(struct instr_bytes *to, const void *bytes, size_t length) {
    if (length > to->capacity - to->start - to->used) {
        size_t wanted = to->used + length;
        if (wanted < 2 * to->capacity) wanted = 2 * to->capacity;
        if (wanted < 4096) wanted = 4096;
        uint8_t *larger = malloc(wanted);
        if (!larger) return ENOMEM;
        if (to->used) memcpy(larger, to->bytes + to->start, to->used);
        free(to->bytes);
        *to = (struct instr_bytes){larger, 0, to->used, wanted};
    }
    memcpy(to->bytes + to->start + to->used, bytes, length);
    to->used += length;
    return 0;
}

// Queues messages of one type, the last one of type `last`. -1: there is not enough room, and
// nothing was queued.
static int enqueue(struct instr_reply *reply, enum instr_message_type type,
                   enum instr_message_type last, const void *bytes, size_t length, size_t most) {
    struct instr_bytes *queue = &reply->queue;
    const uint8_t *from = bytes;
    size_t before = queue->used;
    if (length + length / 1024 + INSTR_MESSAGE_HEADER > most - (before < most ? before : most))
        return -1;
    do {
        uint8_t header[INSTR_MESSAGE_HEADER];
        uint32_t n = length < INSTR_MESSAGE_MOST ? (uint32_t)length : INSTR_MESSAGE_MOST;
        instr_message_header(header, n == length ? last : type, n);
        if (instr_bytes_add(queue, header, sizeof header) != 0 ||
            (n && instr_bytes_add(queue, from, n) != 0)) {
            queue->used = before;
            return -1;
        }
        from += n;
        length -= n;
    } while (length > 0);
    return 0;
}

static size_t room(const struct instr_reply *reply) {
    return reply->streaming ? INSTR_STREAM_QUEUE : INSTR_REPLY_QUEUE;
}

// --- documents ---

static int into_text(void *context, const void *bytes, size_t length) {
    struct instr_reply *reply = context;
    if (reply->text.used + length > room(reply)) return EFBIG;
    return instr_bytes_add(&reply->text, bytes, length);
}

struct instr_output *instr_reply_document(struct instr_reply *reply) {
    reply->text.start = reply->text.used = 0;
    instr_output_sink(&reply->document, into_text, reply);
    return &reply->document;
}

void instr_reply_document_end(struct instr_reply *reply) {
    char error[INSTR_ERROR_SIZE];
    int whole = instr_output_close(&reply->document, error, sizeof error) == 0;
    if (whole)
        whole = enqueue(reply, INSTR_MESSAGE_PART, INSTR_MESSAGE_LAST, reply->text.bytes,
                        reply->text.used, room(reply)) == 0;
    instr_bytes_free(&reply->text);
    if (whole) return;
    reply->dropped++;
    if (!reply->streaming) instr_reply_fail(reply, "the reply is too large");
}

void instr_reply_bytes(struct instr_reply *reply, const void *bytes, size_t length) {
    if (length == 0) return;
    if (enqueue(reply, INSTR_MESSAGE_BYTES, INSTR_MESSAGE_BYTES, bytes, length, room(reply)) != 0)
        instr_reply_fail(reply, "the reply is too large");
}

// --- lines ---

// Replaces control characters, which a terminal would interpret.
static void clean(char *line) {
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
}

void instr_reply_note(struct instr_reply *reply, const char *format, ...) {
    char line[INSTR_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    clean(line);
    if (enqueue(reply, INSTR_MESSAGE_NOTE, INSTR_MESSAGE_NOTE, line, strlen(line), room(reply)) !=
        0)
        reply->dropped++;
}

void instr_reply_fail(struct instr_reply *reply, const char *format, ...) {
    if (reply->failed) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reply->reason, sizeof reply->reason, format, arguments);
    va_end(arguments);
    clean(reply->reason);
    reply->failed = 1;
}

void instr_reply_hello(struct instr_reply *reply) {
    uint8_t payload[6 + sizeof INSTR_VERSION];
    instr_message_put(payload, INSTR_PROTOCOL, 2);
    instr_message_put(payload + 2, (uint64_t)getpid(), 4);
    memcpy(payload + 6, INSTR_VERSION, sizeof INSTR_VERSION - 1);
    enqueue(reply, INSTR_MESSAGE_HELLO, INSTR_MESSAGE_HELLO, payload, sizeof payload - 1,
            INSTR_REPLY_QUEUE);
}

// --- the command ---

JNIEnv *instr_reply_jni(struct instr_reply *reply) {
    JNIEnv *jni = instr_wake_jni();
    if (!jni)
        instr_reply_fail(reply,
                         "the JVM does not let the agent's thread in: it is shutting down, or "
                         "has no memory left in its heap");
    return jni;
}

void instr_reply_stream(struct instr_reply *reply, const struct instr_stream *stream) {
    reply->stream = *stream;
    reply->streaming = 1;
}

void instr_reply_stop_control(struct instr_reply *reply) {
    reply->stop_control = 1;
}

void instr_reply_start(struct instr_reply *reply) {
    reply->dropped = 0;
    reply->failed = reply->stop_control = reply->streaming = 0;
    reply->reason[0] = '\0';
    reply->has_results = false;
    instr_bytes_free(&reply->results);
    instr_bytes_free(&reply->tables);
}

void instr_reply_end(struct instr_reply *reply, unsigned status) {
    uint8_t payload[INSTR_MESSAGE_END_SIZE + INSTR_ERROR_SIZE];
    size_t n = strlen(reply->reason);
    instr_message_put(payload, status, 2);
    instr_message_put(payload + 2, reply->dropped, 8);
    memcpy(payload + INSTR_MESSAGE_END_SIZE, reply->reason, n);
    // Without a limit, so that it is sent even if the queue is full.
    enqueue(reply, INSTR_MESSAGE_END, INSTR_MESSAGE_END, payload, INSTR_MESSAGE_END_SIZE + n,
            SIZE_MAX);
}

void instr_reply_free(struct instr_reply *reply) {
    instr_bytes_free(&reply->text);
    instr_bytes_free(&reply->results);
    instr_bytes_free(&reply->tables);
    instr_bytes_free(&reply->queue);
}
