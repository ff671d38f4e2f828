// Frames of the control socket, from either side: whole and in pieces the same frames come out,
// none longer than its kind may be, and memory stays with what has come. The same bytes are tried
// as a JVM's performance data.

#include "tests/fuzz/fuzz.h"

#include "instr/protocol/message.h"
#include "instr/process/hsperfdata.h"

#include <string.h>

struct seen {
    size_t frames, bytes;
    uint64_t sum;
};

static void note(struct seen *seen, const struct instr_message *frame) {
    const char *words[INSTR_MESSAGE_WORDS];
    MUST(frame->length <=
         (frame->type == INSTR_MESSAGE_DATA ? INSTR_MESSAGE_MOST_DATA : INSTR_MESSAGE_MOST));
    seen->frames++;
    seen->bytes += frame->length;
    seen->sum = seen->sum * 31 + frame->type;
    for (uint32_t i = 0; i < frame->length; i++) seen->sum = seen->sum * 31 + frame->payload[i];
    int n = instr_message_words(frame, words);
    MUST(n == -1 || (n > 0 && n <= INSTR_MESSAGE_WORDS));
    size_t length = 0;
    for (int i = 0; i < n; i++) length += strlen(words[i]) + 1;
    MUST(n == -1 || length == frame->length);
    if (instr_message_hello(frame) == 1) MUST(frame->length == INSTR_MESSAGE_HELLO_SIZE);
}

// In pieces whose lengths the bytes themselves give; `piece` 0: at once.
static struct seen take(const uint8_t *data, size_t size, int sender, size_t piece) {
    struct instr_messages frames;
    struct instr_message frame;
    struct seen seen = {0, 0, 0};
    instr_messages_start(&frames, sender);
    for (size_t at = 0; at < size;) {
        size_t n = piece ? 1 + (data[at] + piece) % 23 : size;
        if (n > size - at) n = size - at;
        if (instr_messages_add(&frames, data + at, n) != 0) break;
        at += n;
        int more;
        while ((more = instr_messages_next(&frames, &frame)) > 0) note(&seen, &frame);
        MUST((more < 0) == (frames.reason != NULL));
        MUST(frames.capacity <= 2 * size + 4096);
        if (more < 0) break;
    }
    instr_messages_shrink(&frames);
    instr_messages_free(&frames);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"sun.rt.javaCommand", "", "a"};
    for (int sender = 0; sender < 2; sender++) {
        struct seen whole = take(data, size, sender, 0), cut = take(data, size, sender, 1);
        MUST(whole.frames == cut.frames && whole.bytes == cut.bytes && whole.sum == cut.sum);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[16];
        memset(text, 'x', sizeof text);
        if (instr_perfdata_string(data, size, names[i], text, sizeof text))
            MUST(memchr(text, '\0', sizeof text));
    }
    return 0;
}
