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

void instr_messages_start(struct instr_messages *messages, int sender) {
    memset(messages, 0, sizeof *messages);
    messages->types = sender == INSTR_MESSAGES_CLIENT_SENDS ? "HDCX" : "HjJBNE";
}

void instr_messages_free(struct instr_messages *messages) {
    free(messages->bytes);
    messages->bytes = NULL;
    messages->start = messages->used = messages->capacity = 0;
}

static int fail(struct instr_messages *messages, const char *reason) {
    if (!messages->reason) messages->reason = reason;
    return -1;
}

int instr_messages_add(struct instr_messages *messages, const void *bytes, size_t length) {
    if (messages->reason) return -1;
    if (length == 0) return 0;
    if (messages->start) { // remove the messages that have been taken
        messages->used -= messages->start;
        memmove(messages->bytes, messages->bytes + messages->start, messages->used);
        messages->start = 0;
    }
    if (length > messages->capacity - messages->used) {
        size_t wanted = messages->used + length;
        if (wanted < 2 * messages->capacity) wanted = 2 * messages->capacity;
        uint8_t *larger = realloc(messages->bytes, wanted);
        if (!larger) return fail(messages, "out of memory");
        messages->bytes = larger;
        messages->capacity = wanted;
    }
    memcpy(messages->bytes + messages->used, bytes, length);
    messages->used += length;
    return 0;
}

void instr_messages_shrink(struct instr_messages *messages) {
    if (messages->start == messages->used) instr_messages_free(messages);
}

int instr_messages_next(struct instr_messages *messages, struct instr_message *message) {
    if (messages->reason) return -1;
    size_t available = messages->used - messages->start;
    if (available < INSTR_MESSAGE_HEADER) return 0;
    const uint8_t *header = messages->bytes + messages->start;
    uint32_t length = (uint32_t)instr_message_get(header, 4);
    uint8_t type = header[4];
    if (!type || !strchr(messages->types, type)) return fail(messages, "a message of unknown type");
    if (length > (type == INSTR_MESSAGE_DATA ? INSTR_MESSAGE_MOST_DATA : INSTR_MESSAGE_MOST))
        return fail(messages, "a message that is too long");
    if (available - INSTR_MESSAGE_HEADER < length) return 0;
    message->type = type;
    message->length = length;
    message->payload = header + INSTR_MESSAGE_HEADER;
    messages->start += INSTR_MESSAGE_HEADER + length;
    return 1;
}

int instr_message_words(const struct instr_message *message,
                        const char *words[INSTR_MESSAGE_WORDS]) {
    const char *c = (const char *)message->payload;
    const char *end = c + message->length;
    if (message->length == 0 || end[-1] != '\0') return -1;
    int n = 0;
    for (; c < end; c += strlen(c) + 1) {
        if (n == INSTR_MESSAGE_WORDS) return -1;
        words[n++] = c;
    }
    return n;
}

int instr_message_hello(const struct instr_message *message) {
    if (message->type != INSTR_MESSAGE_HELLO || message->length != INSTR_MESSAGE_HELLO_SIZE ||
        memcmp(message->payload, INSTR_MESSAGE_MAGIC, 8) != 0)
        return -1;
    unsigned lowest = (unsigned)instr_message_get(message->payload + 8, 2),
             highest = (unsigned)instr_message_get(message->payload + 10, 2);
    return lowest <= INSTR_PROTOCOL && INSTR_PROTOCOL <= highest;
}
