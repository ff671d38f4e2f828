// Frames of the control socket, from either side: whole and in pieces the same messages come out,
// none longer than its kind may be, and memory stays with what has come. The same bytes are tried
// as a JVM's performance data.

#include "tests/fuzz/fuzz.h"

#include "instr/protocol/message.h"
#include "instr/base/hsperfdata.h"

#include <string.h>

struct seen {
    size_t messages, bytes;
    uint64_t sum;
};

static void note(struct seen *seen, const struct instr_message *message) {
    const char *words[INSTR_MESSAGE_WORDS];
    MUST(message->length <=
         (message->type == INSTR_MESSAGE_DATA ? INSTR_MESSAGE_MOST_DATA : INSTR_MESSAGE_MOST));
    seen->messages++;
    seen->bytes += message->length;
    seen->sum = seen->sum * 31 + message->type;
    for (uint32_t i = 0; i < message->length; i++) seen->sum = seen->sum * 31 + message->payload[i];
    int n = instr_message_words(message, words);
    MUST(n == -1 || (n > 0 && n <= INSTR_MESSAGE_WORDS));
    size_t length = 0;
    for (int i = 0; i < n; i++) length += strlen(words[i]) + 1;
    MUST(n == -1 || length == message->length);
    if (instr_message_hello(message) == 1) MUST(message->length == INSTR_MESSAGE_HELLO_SIZE);
}

// In pieces whose lengths the bytes themselves give; `piece` 0: at once.
static struct seen take(const uint8_t *data, size_t size, int sender, size_t piece) {
    struct instr_messages messages;
    struct instr_message message;
    struct seen seen = {0, 0, 0};
    instr_messages_start(&messages, sender);
    for (size_t at = 0; at < size;) {
        size_t n = piece ? 1 + (data[at] + piece) % 23 : size;
        if (n > size - at) n = size - at;
        if (instr_messages_add(&messages, data + at, n) != 0) break;
        at += n;
        int more;
        while ((more = instr_messages_next(&messages, &message)) > 0) note(&seen, &message);
        MUST((more < 0) == (messages.reason != NULL));
        MUST(messages.capacity <= 2 * size + 4096);
        if (more < 0) break;
    }
    instr_messages_shrink(&messages);
    instr_messages_free(&messages);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"sun.rt.javaCommand", "", "a"};
    for (int sender = 0; sender < 2; sender++) {
        struct seen whole = take(data, size, sender, 0), cut = take(data, size, sender, 1);
        MUST(whole.messages == cut.messages && whole.bytes == cut.bytes && whole.sum == cut.sum);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[16];
        memset(text, 'x', sizeof text);
        if (instr_hsperfdata_string(data, size, names[i], text, sizeof text))
            MUST(memchr(text, '\0', sizeof text));
    }
    return 0;
}
