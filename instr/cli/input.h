// Files and jars that the tool reads, and files that it writes whole.

#ifndef INSTR_CLI_INPUT_H
#define INSTR_CLI_INPUT_H

#include <stddef.h>
#include <stdint.h>

enum { CLI_REASON_SIZE = 256 };

// The longest file that is read.
#define CLI_MOST_BYTES ((size_t)512 << 20)

struct cli_bytes {
    uint8_t *bytes; // from malloc
    size_t length;
};

// --- files ---

// Reads a whole regular file; "-" is standard input. 0; or -1 with `reason`, which does not name the file.
int cli_read_file(const char *path, struct cli_bytes *bytes, char reason[CLI_REASON_SIZE]);
// The same for a descriptor.
int cli_read_descriptor(int fd, struct cli_bytes *out, char reason[CLI_REASON_SIZE]);

// Makes standard input a file that can be read again, also if it is a pipe, so that a look at its start
// takes nothing out of it. CLI_OK; or CLI_FAILED after a message.
int cli_keep_input(void);

// Does the file start with these bytes (at most 8)? No, if it cannot be read. Takes nothing out of
// a pipe. "-" is standard input, after cli_keep_input.
int cli_file_starts_with(const char *path, const char *start, size_t length);

// Writes a file that appears whole or not at all. CLI_OK; or CLI_FAILED after a message.
int cli_write_file(const char *path, const struct cli_bytes *bytes);

// --- jars ---

// Where an archive is read from; any number of threads may share it.
struct cli_store {
    int fd; // -1: in memory
    const uint8_t *bytes;
    uint64_t length;
};

// Reads up to `n` bytes from `at`. Returns how many there were; -1 with errno.
int64_t cli_store_read(const struct cli_store *store, uint64_t at, void *to, size_t n);

// Where the archive starts: after what was put in front of it, such as a shell script that starts
// the jar, when its offsets do not count that (Java accepts such jars). 0 also when there is no
// archive.
uint64_t cli_store_start(const struct cli_store *store);

struct zip; // libzip's zip_t

// These return 0; or -1 with `reason`, which does not name the file.

// Opens a jar. The caller closes it with cli_close_jar.
int cli_open_jar(const char *path, struct zip **jar, char reason[CLI_REASON_SIZE]);
// The same for a jar in memory, whose bytes are taken over, also by a failure.
int cli_open_jar_bytes(const struct cli_bytes *bytes, struct zip **jar,
                       char reason[CLI_REASON_SIZE]);
void cli_close_jar(struct zip *jar);
// Reads an entry and checks its length and checksum.
int cli_read_entry(struct zip *jar, size_t index, struct cli_bytes *out,
                   char reason[CLI_REASON_SIZE]);

// Jars in jars that one command has unpacked. All zero at first.
struct cli_nested {
    uint64_t bytes;
    int is_full; // they are too many, which was reported
};
enum cli_nested_room {
    CLI_NESTED_ROOM,
    CLI_NESTED_FULL, // for the first time: to be reported
    CLI_NESTED_STILL_FULL
};
// May an entry, which is a jar, be unpacked, too? It counts from then on.
enum cli_nested_room cli_nested_take(struct cli_nested *nested, struct zip *jar, size_t index);

#endif
