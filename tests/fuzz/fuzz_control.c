// A client of the control socket against what may come from it: the commands are stand-ins, the
// rest is what serves clients in a JVM. Whatever comes in whatever pieces, no memory is misused or
// lost, every stream that began has ended, and what goes back are messages as an agent sends them.

#include "tests/fuzz/fuzz.h"

#include "instr/control/client.h"
#include "instr/control/commands.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint64_t now = 1000000000;
static int streams;

uint64_t instr_clock_now(void) {
    return now;
}

JNIEnv *instr_wake_jni(void) {
    return NULL;
}

void instr_control_stop(void) {}

static uint64_t tick(void *context, struct instr_reply *reply, uint64_t time) {
    unsigned *left = context;
    instr_output_text(instr_reply_document(reply), "{\"tick\": 1}\n");
    instr_reply_document_end(reply);
    return *left == 0 ? 0 : (*left)--, *left == 7 ? INSTR_NEVER : time + 1000;
}

static void end(void *context, struct instr_reply *reply) {
    instr_reply_note(reply, "the end");
    free(context);
    streams--;
}

static void stream(struct instr_reply *reply) {
    unsigned *left = malloc(sizeof *left);
    if (!left) return;
    *left = 10;
    streams++;
    instr_reply_stream(reply, &(struct instr_stream){.tick = tick, .end = end, .context = left});
}

// What it does depends on its first argument.
static void act(struct instr_request *request, struct instr_reply *reply) {
    const char *what = request->argc ? request->argv[0] : "";
    size_t bytes = 0;
    for (int i = 0; i < request->argc; i++) bytes += strlen(request->argv[i]);
    for (size_t i = 0; i < request->blob_count; i++) {
        bytes += strlen(request->blobs[i].name);
        for (size_t k = 0; k < request->blobs[i].length; k++) bytes += request->blobs[i].bytes[k];
    }
    switch (*what) {
    case 's': stream(reply); break;
    case 'f': instr_reply_fail(reply, "%s\n%zu", what, bytes); break;
    case 'b': instr_reply_bytes(reply, what, strlen(what)); break;
    case 'd': instr_reply_stop_control(reply); break;
    case 'x': stream(reply), instr_reply_fail(reply, "and fails"); break;
    case 'l':
        for (int i = 0; i < 9000; i++)
            instr_output_text(instr_reply_document(reply), "[1234567890]");
        instr_reply_document_end(reply);
        break;
    default: instr_reply_note(reply, "%zu", bytes); break;
    }
}

#define STAND_IN(name, arguments, help)                                                            \
    void instr_command_##name(struct instr_request *request, struct instr_reply *reply) {          \
        act(request, reply);                                                                       \
    }
INSTR_CONTROL_COMMANDS(STAND_IN)
#undef STAND_IN

static void read_back(int fd, struct instr_messages *messages, int *broken) {
    uint8_t bytes[8192];
    struct instr_message message;
    ssize_t n;
    while ((n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
        MUST(instr_messages_add(messages, bytes, (size_t)n) == 0);
        int more;
        while ((more = instr_messages_next(messages, &message)) > 0)
            if (message.type == INSTR_MESSAGE_END) MUST(message.length >= INSTR_MESSAGE_END_SIZE);
        MUST(more == 0);
    }
    if (n == 0) *broken = 1;
}

// The first byte says in which pieces the rest comes, and whether anybody reads.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int ends[2], closed = 0, broken = 0;
    struct instr_messages messages;
    if (size == 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return 0;
    struct instr_client *client = instr_client_new(ends[0], NULL, 0, 1);
    MUST(client);
    instr_messages_start(&messages, INSTR_MESSAGES_AGENT_SENDS);
    unsigned piece = data[0] >> 2, reads = data[0] & 1;
    size_t at = 1;
    for (int i = 0; i < 200 && !closed; i++) {
        size_t n = piece ? piece : size;
        if (n > size - at) n = size - at;
        if (n && !broken) send(ends[1], data + at, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        at += n;
        if (at == size && i > 100) shutdown(ends[1], SHUT_WR);
        struct pollfd polled = {ends[0], instr_client_events(client), 0};
        poll(&polled, 1, 0);
        now += 1000;
        if (instr_client_next(client) != INSTR_NEVER && i % 16 == 15 && !polled.revents)
            now = instr_client_next(client) > now ? instr_client_next(client) : now;
        closed = !instr_client_serve(client, polled.revents, i % 3 == 0, now);
        if (reads) read_back(ends[1], &messages, &broken);
    }
    instr_client_free(client);
    MUST(streams == 0);
    instr_messages_free(&messages);
    close(ends[1]);
    return 0;
}
