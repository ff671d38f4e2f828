// Reading .exec files block by block (exec_writer.h has the format). Whatever the bytes are, errors
// have a position and a reason, and memory is at most about twice what was read.
//
//      struct instr_exec_reader reader;
//      enum instr_exec_found found = INSTR_EXEC_NOTHING;
//      if (instr_exec_read_open(&reader, "jacoco.exec") == 0)
//          while ((found = instr_exec_read(&reader)) > INSTR_EXEC_NOTHING) ...
//      instr_exec_read_close(&reader);
//      if (reader.error[0]) ... print reader.error ...

#ifndef INSTR_EXEC_READER_H
#define INSTR_EXEC_READER_H

#include "instr/coverage/exec_writer.h"

#include <stdbool.h>

enum instr_exec_found {
    INSTR_EXEC_BAD = -1,    // `error` says why; every later call gives the same
    INSTR_EXEC_NOTHING = 0, // the end
    INSTR_EXEC_FOUND_SESSION,
    INSTR_EXEC_FOUND_CLASS
};

struct instr_exec_reader {
    // What was found last; the pointers are valid until the next call.
    struct instr_exec_session session;
    struct instr_exec_class class;
    uint64_t position; // of the next byte in the file
    uint64_t whole;    // length of the complete blocks read so far
    int cut;           // the error is that the file ends within a block
    char error[512];   // "jacoco.exec: byte 17: ..."; "": none

    // For the reader.
    int fd, owned, begun, failed;
    const char *path;
    char *text;    // grows
    uint8_t *bits; // grows
    size_t text_size, bits_size;
    size_t at, filled;
    uint8_t buffer[16384];
};

// Opens a file; "-" is standard input. Returns 0; or -1 with `error`. An empty file has no blocks.
// `path` must live as long as the reader.
int instr_exec_read_open(struct instr_exec_reader *reader, const char *path);
// Reads from the current position of a descriptor, which stays open. `path` is for messages.
void instr_exec_read_descriptor(struct instr_exec_reader *reader, int fd, const char *path);

enum instr_exec_found instr_exec_read(struct instr_exec_reader *reader);

// Frees what the reader holds, also after a failure. `error` stays.
void instr_exec_read_close(struct instr_exec_reader *reader);

// Are these bytes a name that a file can have: modified UTF-8, as Java reads it, without a NUL?
bool instr_exec_is_text(const char *text, size_t length);

#endif
