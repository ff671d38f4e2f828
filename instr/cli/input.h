// Class files where they lie: in files, in jars, on standard input.

#ifndef INSTR_CLI_INPUT_H
#define INSTR_CLI_INPUT_H

#include <stddef.h>
#include <stdint.h>

enum { CLI_REASON_SIZE = 256 };

// The longest class file that is read.
#define CLI_MOST_BYTES ((size_t)512 << 20)

struct cli_bytes {
    uint8_t *bytes; // from malloc
    size_t length;
};

// All functions return 0; or -1 with `reason` in words, without the name of the file.

// Reads a whole file; "-" is standard input.
int cli_read_file(const char *path, struct cli_bytes *bytes, char reason[CLI_REASON_SIZE]);

struct zip; // libzip's zip_t

// Opens a jar. The caller closes it with cli_close_jar.
int cli_open_jar(const char *path, struct zip **jar, char reason[CLI_REASON_SIZE]);
void cli_close_jar(struct zip *jar);
size_t cli_jar_entries(struct zip *jar);
// The name of an entry, which belongs to the jar; NULL if it has none.
const char *cli_jar_name(struct zip *jar, size_t index);
// Reads an entry, checking its length and its checksum.
int cli_read_entry(struct zip *jar, size_t index, struct cli_bytes *bytes,
                   char reason[CLI_REASON_SIZE]);
// The number of the entry of this name, which may also be a class name with dots; -1: there is
// none.
long long cli_find_entry(struct zip *jar, const char *name);

#endif
