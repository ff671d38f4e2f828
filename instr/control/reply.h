// The reply to a command: documents of JSON, bytes of files, lines of text, or one error. Everything
// here is for the control thread only.
//
//      struct instr_json json = instr_json_start(instr_reply_document(reply));
//      ...
//      instr_reply_document_end(reply);
//
// or
//
//      instr_reply_fail(reply, "no class %s is loaded", name);

#ifndef INSTR_REPLY_H
#define INSTR_REPLY_H

#include "instr/base/clock.h"
#include "instr/base/output.h"
#include "instr/options.h"

#include <jni.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    INSTR_STREAM_QUEUE = 1024 * 1024,    // bytes queued for a client that reads a stream slowly
    INSTR_REPLY_QUEUE = 64 * 1024 * 1024 // ... a reply slowly; also the largest document
};

// A growing buffer: `used` bytes from `start` on.
struct instr_bytes {
    uint8_t *bytes;
    size_t start, used, capacity;
};

struct instr_reply;

// What continues after the command's function has returned.
struct instr_stream {
    // Writes what there is. Called at the time that the last call returned, and whenever
    // instr_wake was called. Returns the time of the next call in CLOCK_MONOTONIC nanoseconds
    // (INSTR_NEVER: only when woken); 0: the stream has ended.
    uint64_t (*tick)(void *context, struct instr_reply *reply, uint64_t now);
    // Called once at the end: `tick` returned 0, the client cancelled or disconnected, or the agent
    // stops. May write documents and lines, which a connected client still gets.
    void (*end)(void *context, struct instr_reply *reply);
    void *context;
};

struct instr_reply {
    struct instr_output document; // being written; its bytes go to `text`
    struct instr_bytes text, queue;
    struct instr_bytes results; // of passes that ended, for operation.c: elements of a JSON array
    struct instr_bytes tables;  // the results as text; printed if the client does not get them
    bool has_results;           // the document with the results is in the queue
    size_t skipped_before;      // classes and methods skipped before the command, for operation.c
    uint32_t rule_before;       // the last rule before the command, for operation.c
    uint64_t dropped;           // documents and lines
    uint64_t next_tick;
    int failed, stop_control, streaming;
    char reason[INSTR_ERROR_SIZE];
    struct instr_stream stream;
};

// --- for commands ---

// Begins a document of JSON. Everything written to the result belongs to it until it is ended. A
// document is sent completely or not at all: a stream whose client is too slow drops and counts it.
struct instr_output *instr_reply_document(struct instr_reply *reply);
void instr_reply_document_end(struct instr_reply *reply);

// Sends bytes of a file, in any number of calls.
void instr_reply_bytes(struct instr_reply *reply, const void *bytes, size_t length);

// Sends a line that the client prints to standard error: "12 of 40 classes done".
__attribute__((format(printf, 2, 3))) void instr_reply_note(struct instr_reply *reply,
                                                            const char *format, ...);

// Makes the command fail: the reason is one line without "instr: " and newline. Only the first
// failure counts.
__attribute__((format(printf, 2, 3))) void instr_reply_fail(struct instr_reply *reply,
                                                            const char *format, ...);

// The control thread's JNI environment; attaches it as a daemon if necessary. NULL: the JVM refuses,
// and the reply has failed.
JNIEnv *instr_reply_jni(struct instr_reply *reply);

// Makes the reply a stream. `tick` is called for the first time when the command's function has
// returned.
void instr_reply_stream(struct instr_reply *reply, const struct instr_stream *stream);

// Ends the control channel after this reply, which is still sent.
void instr_reply_stop_control(struct instr_reply *reply);

// --- for client.c and operation.c ---

void instr_bytes_free(struct instr_bytes *bytes);
int instr_bytes_add(struct instr_bytes *to, const void *bytes, size_t length); // 0; or an errno
void instr_reply_hello(struct instr_reply *reply);
void instr_reply_start(struct instr_reply *reply);                // a command begins
void instr_reply_end(struct instr_reply *reply, unsigned status); // 0, 1: failed, 2: bad protocol
void instr_reply_free(struct instr_reply *reply);

#endif
