// Frames of the control socket.

#include "instr/protocol/message.h"

#include <stdlib.h>
#include <string.h>

void instr_message_put(uint8_t *to, uint64_t value, unsigned bytes) {
    while (bytes-- > 0) {
        to[bytes] = (uint8_t)value;
        value >>= 8;
    }
}

uint64_t instr_message_get(const uint8_t *from, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value = value << 8 | from[i];
    return value;
}

void instr_message_header(uint8_t header[INSTR_MESSAGE_HEADER], enum instr_message_type type,
                          uint32_t length) {
    instr_message_put(header, length, 4);
    header[4] = (uint8_t)type;
}

void instr_messages_start(struct instr_messages *frames, int sender) {
    memset(frames, 0, sizeof *frames);
    frames->types = sender == INSTR_MESSAGES_CLIENT_SENDS ? "HDCX" : "HjJBNE";
}

void instr_messages_free(struct instr_messages *frames) {
    free(frames->bytes);
    frames->bytes = NULL;
    frames->start = frames->used = frames->capacity = 0;
}

static int fail(struct instr_messages *frames, const char *reason) {
    if (!frames->reason) frames->reason = reason;
    return -1;
}

int instr_messages_add(struct instr_messages *frames, const void *bytes, size_t length) {
    if (frames->reason) return -1;
    if (length == 0) return 0;
    if (frames->start) { // frames that have been taken make room
        frames->used -= frames->start;
        memmove(frames->bytes, frames->bytes + frames->start, frames->used);
        frames->start = 0;
    }
    if (length > frames->capacity - frames->used) {
        size_t wanted = frames->used + length;
        if (wanted < 2 * frames->capacity) wanted = 2 * frames->capacity;
        uint8_t *larger = realloc(frames->bytes, wanted);
        if (!larger) return fail(frames, "out of memory");
        frames->bytes = larger;
        frames->capacity = wanted;
    }
    memcpy(frames->bytes + frames->used, bytes, length);
    frames->used += length;
    return 0;
}

void instr_messages_shrink(struct instr_messages *frames) {
    if (frames->start == frames->used) instr_messages_free(frames);
}

int instr_messages_next(struct instr_messages *frames, struct instr_message *frame) {
    if (frames->reason) return -1;
    size_t there = frames->used - frames->start;
    if (there < INSTR_MESSAGE_HEADER) return 0;
    const uint8_t *header = frames->bytes + frames->start;
    uint32_t length = (uint32_t)instr_message_get(header, 4);
    uint8_t type = header[4];
    if (!type || !strchr(frames->types, type)) return fail(frames, "a frame of an unknown type");
    if (length > (type == INSTR_MESSAGE_DATA ? INSTR_MESSAGE_MOST_DATA : INSTR_MESSAGE_MOST))
        return fail(frames, "a frame that is too long");
    if (there - INSTR_MESSAGE_HEADER < length) return 0;
    frame->type = type;
    frame->length = length;
    frame->payload = header + INSTR_MESSAGE_HEADER;
    frames->start += INSTR_MESSAGE_HEADER + length;
    return 1;
}

int instr_message_words(const struct instr_message *frame, const char *words[INSTR_MESSAGE_WORDS]) {
    const char *c = (const char *)frame->payload;
    const char *end = c + frame->length;
    if (frame->length == 0 || end[-1] != '\0') return -1;
    int n = 0;
    for (; c < end; c += strlen(c) + 1) {
        if (n == INSTR_MESSAGE_WORDS) return -1;
        words[n++] = c;
    }
    return n;
}

int instr_message_hello(const struct instr_message *frame) {
    if (frame->type != INSTR_MESSAGE_HELLO || frame->length != INSTR_MESSAGE_HELLO_SIZE ||
        memcmp(frame->payload, INSTR_MESSAGE_MAGIC, 8) != 0)
        return -1;
    unsigned lowest = (unsigned)instr_message_get(frame->payload + 8, 2),
             highest = (unsigned)instr_message_get(frame->payload + 10, 2);
    return lowest <= INSTR_PROTOCOL && INSTR_PROTOCOL <= highest;
}
