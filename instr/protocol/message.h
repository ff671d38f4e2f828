// message.h: the messages of the control socket, in both directions
//
// Pure C, no I/O; shared by the agent and the command line tool. A message is the length of its
// payload (u4), a type (u1) and the payload. All numbers are big-endian.
//
//      client                                   agent
//      HELLO  magic, lowest, highest version
//                                               HELLO  version, pid (u4, in its namespace), text
//      DATA   name, NUL, bytes      (0..n)
//      COMMAND  words, each with a NUL
//                                               PART* LAST  a document of JSON, any number of these
//                                               BYTES*      bytes of a file, any number
//                                               NOTE*       a line for people
//      CANCEL  (ends a stream)
//                                               END    status (u2), lost documents (u8), a line or
//                                               nothing
//
// After END the client may send the next command. The agent answers HELLO with END if it knows none
// of the offered versions.

#ifndef INSTR_PROTOCOL_MESSAGE_H
#define INSTR_PROTOCOL_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#define INSTR_MESSAGE_MAGIC "instr\r\n" // 8 bytes with its NUL; no other protocol starts with them

enum {
    INSTR_PROTOCOL = 1, // the only version
    INSTR_MESSAGE_HEADER = 5,
    INSTR_MESSAGE_HELLO_SIZE = 12,
    INSTR_MESSAGE_END_SIZE = 10,
    INSTR_MESSAGE_MOST = 64 * 1024,              // bytes of a payload, except
    INSTR_MESSAGE_MOST_DATA = 16 * 1024 * 1024,  // ... those of DATA
    INSTR_MESSAGE_WORDS = 64,                    // words of a command
    INSTR_MESSAGE_MOST_FILES = 1024,             // DATA before a command,
    INSTR_MESSAGE_MOST_UPLOAD = 64 * 1024 * 1024 // ... and their bytes in total
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

// Splits arriving bytes into messages. Memory grows with the bytes that have arrived, never with the
// length that a header claims.
struct instr_messages {
    uint8_t *bytes;
    size_t start, used, capacity;
    const char *types;  // the allowed types, such as "HDCX"
    const char *reason; // why no more messages can be taken; NULL: no error
};

enum { INSTR_MESSAGES_CLIENT_SENDS, INSTR_MESSAGES_AGENT_SENDS };
void instr_messages_start(struct instr_messages *messages, int sender);
void instr_messages_free(struct instr_messages *messages);

// Adds bytes that have arrived. 0; -1: see `reason`.
int instr_messages_add(struct instr_messages *messages, const void *bytes, size_t length);

// 1: `message` is the next one. 0: more bytes are needed. -1: see `reason`.
int instr_messages_next(struct instr_messages *messages, struct instr_message *message);

// Frees the memory if all messages have been taken.
void instr_messages_shrink(struct instr_messages *messages);

// Writes a header into `header`.
void instr_message_header(uint8_t header[INSTR_MESSAGE_HEADER], enum instr_message_type type,
                          uint32_t length);

void instr_message_put(uint8_t *to, uint64_t value, unsigned bytes);
uint64_t instr_message_get(const uint8_t *from, unsigned bytes);

// The words of a command, as pointers into the payload. Returns their number; -1: it is malformed (no
// word, more than INSTR_MESSAGE_WORDS, no NUL at the end).
int instr_message_words(const struct instr_message *message,
                        const char *words[INSTR_MESSAGE_WORDS]);

// Is this a HELLO of a client that knows INSTR_PROTOCOL? 1: yes; 0: it knows other versions; -1: it
// is not a HELLO.
int instr_message_hello(const struct instr_message *message);

#endif
