// Frames: what goes over the control socket, in both directions. Pure C, no I/O; the same in the
// agent and in the command line tool.
//
// A frame is a length (u4, of the payload alone), a type (u1) and a payload; all numbers are
// big-endian.
//
//      client                                   agent
//      HELLO  magic, lowest, highest version
//                                               HELLO  version, pid (u4, in its namespace), text
//      DATA   name, NUL, bytes      (0..n)
//      COMMAND  words, each with a NUL
//                                               PART* LAST  a document of JSON, any number of these
//                                               BYTES*      bytes of a file, any number
//                                               NOTE*       a line for people
//      CANCEL  (ends what streams)
//                                               END    status (u2), lost documents (u8), a line or
//                                               nothing
//
// After END the client may send the next command. The agent answers HELLO with END when it knows no
// version of those offered.

#ifndef INSTR_MESSAGE_H
#define INSTR_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#define INSTR_MESSAGE_MAGIC "instr\r\n" // with its NUL 8 bytes: no other protocol begins like this

enum {
    INSTR_PROTOCOL = 1, // the one version that there is
    INSTR_MESSAGE_HEADER = 5,
    INSTR_MESSAGE_HELLO_SIZE = 12,
    INSTR_MESSAGE_END_SIZE = 10,
    INSTR_MESSAGE_MOST = 64 * 1024,              // bytes of a payload, but for
    INSTR_MESSAGE_MOST_DATA = 16 * 1024 * 1024,  // ... those of DATA
    INSTR_MESSAGE_WORDS = 64,                    // words of a command
    INSTR_MESSAGE_MOST_FILES = 1024,             // DATA before a command,
    INSTR_MESSAGE_MOST_UPLOAD = 64 * 1024 * 1024 // ... and their bytes in all
};

enum instr_message_type {
    INSTR_MESSAGE_HELLO = 'H',
    INSTR_MESSAGE_DATA = 'D',
    INSTR_MESSAGE_COMMAND = 'C',
    INSTR_MESSAGE_CANCEL = 'X',
    INSTR_MESSAGE_PART = 'j',
    INSTR_MESSAGE_LAST = 'J',
    INSTR_MESSAGE_BYTES = 'B',
    INSTR_MESSAGE_NOTE = 'N',
    INSTR_MESSAGE_END = 'E'
};

struct instr_message {
    enum instr_message_type type;
    uint32_t length;
    const uint8_t *payload; // within the reader, until the next call
};

// Takes frames out of bytes as they arrive. Memory grows with what has arrived, never with what a
// header claims.
struct instr_messages {
    uint8_t *bytes;
    size_t start, used, capacity;
    const char *types;  // those that may come, such as "HDCX"
    const char *reason; // why no frame can be taken any more; NULL: all is well
};

enum { INSTR_MESSAGES_CLIENT_SENDS, INSTR_MESSAGES_AGENT_SENDS };
void instr_messages_start(struct instr_messages *frames, int sender);
void instr_messages_free(struct instr_messages *frames);

// Adds what has arrived. 0; or -1, and `reason` says why.
int instr_messages_add(struct instr_messages *frames, const void *bytes, size_t length);

// 1: `frame` is the next one. 0: more bytes are needed. -1: `reason` says why there will be none.
int instr_messages_next(struct instr_messages *frames, struct instr_message *frame);

// Gives memory back when nothing waits.
void instr_messages_shrink(struct instr_messages *frames);

// Writes a header into `header`.
void instr_message_header(uint8_t header[INSTR_MESSAGE_HEADER], enum instr_message_type type,
                          uint32_t length);

void instr_message_put(uint8_t *to, uint64_t value, unsigned bytes);
uint64_t instr_message_get(const uint8_t *from, unsigned bytes);

// The words of a command: pointers into the payload. How many; -1 when it is malformed (no word,
// more than INSTR_MESSAGE_WORDS, no NUL at the end).
int instr_message_words(const struct instr_message *frame, const char *words[INSTR_MESSAGE_WORDS]);

// Is this a HELLO of a client that speaks INSTR_PROTOCOL? 1: yes; 0: it speaks others; -1: no
// HELLO.
int instr_message_hello(const struct instr_message *frame);

#endif
