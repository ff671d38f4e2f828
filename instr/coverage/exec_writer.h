// JaCoCo's .exec files (format 0x1007), written: what a JVM of ours covered, for every tool that
// reads what JaCoCo's agent wrote. Reading is exec_read.h's business.
//
// A file is a sequence of blocks, each with its type in the first byte; all numbers are big-endian:
//
//      0x01 header    u2 0xC0C0, u2 version
//      0x10 session   UTF id, u8 start, u8 dump (milliseconds since 1970)
//      0x11 class     u8 id, UTF name, varint number of probes, a bit for each, the lowest first
//
// UTF is a u2 length and as many bytes of modified UTF-8 (JVMS 4.4.7); a varint has 7 bits a byte,
// the lowest first, and bit 7 set when more follow. Each file begins with a header, and files may
// be concatenated, so a header may stand at any place. Only classes with a probe that was hit are
// in it.
//
//      struct instr_exec_file file;
//      instr_exec_open(&file, "jacoco.exec", 1);
//      instr_exec_write_session(&file, &session);
//      for (each class) instr_exec_write_probes(&file, id, name, probes, count);
//      if (instr_exec_close(&file, error, sizeof error) != 0) ... print error ...
//
// What one test covered is told apart in the same form, so that JaCoCo's tools read that, too: a
// session for each test, its id being the test's name, followed by the classes that this test
// covered.

#ifndef INSTR_EXEC_FILE_H
#define INSTR_EXEC_FILE_H

#include "instr/base/output.h"

#include <stddef.h>
#include <stdint.h>

enum {
    INSTR_EXEC_HEADER = 0x01,
    INSTR_EXEC_SESSION = 0x10,
    INSTR_EXEC_CLASS = 0x11,
    INSTR_EXEC_MAGIC = 0xC0C0,
    INSTR_EXEC_VERSION = 0x1007,
    INSTR_EXEC_UTF_MAX = 65535
};

// Strings are modified UTF-8 and end with a NUL that their lengths do not count.
struct instr_exec_session {
    const char *id;
    size_t id_length;     // at most INSTR_EXEC_UTF_MAX
    uint64_t start, dump; // milliseconds since 1970
};

struct instr_exec_class {
    uint64_t id;         // instr_exec_class_id
    const char *name;    // with slashes
    size_t name_length;  // at most INSTR_EXEC_UTF_MAX
    const uint8_t *bits; // probe i is bit i % 8 of byte i / 8; bits without a probe are 0
    size_t probes;       // at most INT32_MAX
};

// The id under which JaCoCo knows a class: the CRC-64 of its bytes as they come from the class
// loader, before any agent. (Reflected polynomial 0xD800000000000000, start value 0; a major
// version of 53 counts as 52.)
uint64_t instr_exec_class_id(const uint8_t *bytes, size_t length);

// Turns UTF-8 or modified UTF-8 into modified UTF-8, with U+FFFD for what is neither. What would
// pass `size` - 1 bytes is cut off at a character. Returns the length; a NUL stands behind it.
size_t instr_exec_text(const char *text, char *to, size_t size);

struct instr_exec_file {
    struct instr_output out;
    int fd;            // of a file that is appended to; -1: it is not
    int64_t before;    // its length then
    char problem[600]; // why nothing can be written, in words; "": nothing is known
};

// Begins to write a file, and writes its header. Folders that are missing on the way to it are
// made. Without `append` the file appears whole when it is closed, in place of what was there. With
// it, the file is locked (JaCoCo's agents take the same lock), what an interrupted writer left at
// its end is cut off, and a failure leaves the file as it was; a file that holds something else
// than blocks as above is an error and stays as it is. Errors are sticky and told by
// instr_exec_close.
void instr_exec_open(struct instr_exec_file *file, const char *path, int append);

// The same to a descriptor that stays open, such as a socket.
void instr_exec_open_descriptor(struct instr_exec_file *file, int fd);

// The strings must be well-formed and not too long; instr_exec_text sees to both. Of a class
// without a hit nothing is written. Return 1: written; 0: not.
int instr_exec_write_session(struct instr_exec_file *file,
                             const struct instr_exec_session *session);
int instr_exec_write_class(struct instr_exec_file *file, const struct instr_exec_class *class);
// The same with a byte for each probe, not 0 when it was hit, as in a boolean[] of the JVM.
int instr_exec_write_probes(struct instr_exec_file *file, uint64_t id, const char *name,
                            const uint8_t *probes, size_t count);

// Returns 0; or -1 with one line in `error`, "instr: jacoco.exec: No space left on device": then no
// file was made or changed.
int instr_exec_close(struct instr_exec_file *file, char *error, size_t size);

// Ends it without a result: no file is made or changed.
void instr_exec_abandon(struct instr_exec_file *file);

#endif
