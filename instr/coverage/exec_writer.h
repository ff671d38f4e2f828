// Writing JaCoCo's .exec files (format 0x1007), which all tools for JaCoCo's agent can read.
// exec_reader.h reads them.
//
// A file is a sequence of blocks, each with its type in the first byte; all numbers are big-endian:
//
//      0x01 header    u2 0xC0C0, u2 version
//      0x10 session   UTF id, u8 start, u8 dump (milliseconds since 1970)
//      0x11 class     u8 id, UTF name, varint number of probes, a bit for each, the lowest first
//
// UTF is a u2 length and as many bytes of modified UTF-8 (JVMS 4.4.7); a varint has 7 bits a byte,
// the lowest first, and bit 7 set when more follow. Each file begins with a header. Files may be
// concatenated, so a header may follow any block. Only classes with a hit probe are written.
//
//      struct instr_exec_file file;
//      instr_exec_open(&file, "jacoco.exec", 1);
//      instr_exec_write_session(&file, &session);
//      for (each class) instr_exec_write_probes(&file, id, name, probes, count);
//      if (instr_exec_close(&file, error, sizeof error) != 0) ... print error ...
//
// The coverage of single tests has the same format, so that JaCoCo's tools can read it: a session
// for each test, with the test's name as its id, followed by the classes that the test covered.

#ifndef INSTR_EXEC_WRITER_H
#define INSTR_EXEC_WRITER_H

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

// Strings are modified UTF-8 and end with a NUL, which their lengths do not include.
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

// JaCoCo's id of a class: the CRC-64 of its bytes as they come from the class loader, before any
// agent changes them. (Reflected polynomial 0xD800000000000000, start value 0; a major version of
// 53 counts as 52.)
uint64_t instr_exec_class_id(const uint8_t *bytes, size_t length);

// Converts UTF-8 or modified UTF-8 to modified UTF-8, with U+FFFD for malformed bytes. The result
// is truncated at a character to at most `size` - 1 bytes, and ends with a NUL. Returns its length.
size_t instr_exec_text(const char *text, char *to, size_t size);

// Where the last writing to a file ended; zeros: nowhere.
struct instr_exec_end {
    uint64_t device, inode;
    int64_t length;
};

struct instr_exec_file {
    struct instr_output out;
    int fd;                     // of a file that is appended to; -1: none
    int64_t before;             // its length at first
    struct instr_exec_end *end; // NULL: does not matter
    char problem[600];          // why nothing can be written; "": no problem
};

// Creates the missing directories of a path, as JaCoCo does. Failures are seen when the file is opened.
void instr_exec_make_folders(const char *path);

// Opens a file and writes the header. Missing directories are created. Without `append` the file
// replaces an old one as a whole when it is closed. With `append` the file is locked (JaCoCo's
// agents take the same lock), an incomplete block at its end is removed, and a failure leaves the
// file unchanged; a file that contains anything but blocks as above is an error and is not changed.
// Errors are sticky; instr_exec_close returns them.
void instr_exec_open(struct instr_exec_file *file, const char *path, int append);

// The same with `append`, for a regular file that is appended to often: what stands before `end` is
// not read again. `end` must live until the file is closed, which sets it.
void instr_exec_open_again(struct instr_exec_file *file, const char *path,
                           struct instr_exec_end *end);

// The same to a descriptor that stays open, such as a socket.
void instr_exec_open_descriptor(struct instr_exec_file *file, int fd);

// The strings must be well-formed and not too long; instr_exec_text ensures both. A class without a
// hit is not written. Return 1: written; 0: not.
int instr_exec_write_session(struct instr_exec_file *file,
                             const struct instr_exec_session *session);
int instr_exec_write_class(struct instr_exec_file *file, const struct instr_exec_class *class);
// The same with a byte for each probe, not 0 if it was hit, as in a boolean[] of the JVM.
int instr_exec_write_probes(struct instr_exec_file *file, uint64_t id, const char *name,
                            const uint8_t *probes, size_t count);

// Returns 0; or -1 with one line in `error`, "jacoco.exec: No space left on device": then no
// file was made or changed.
int instr_exec_close(struct instr_exec_file *file, char *error, size_t size);

// Closes without a result: no file is made or changed.
void instr_exec_abandon(struct instr_exec_file *file);

#endif
