// What files and entries of archives are by their first bytes, as JaCoCo tells it.

#ifndef INSTR_CLI_CONTENT_H
#define INSTR_CLI_CONTENT_H

#include <stddef.h>

enum cli_content {
    CLI_CONTENT_OTHER, // also: it cannot be read
    CLI_CONTENT_CLASS,
    CLI_CONTENT_ARCHIVE
};

// Of a regular file, without waiting for anything.
enum cli_content cli_content_of_file(const char *path);

struct zip; // libzip's zip_t

// Of an entry, of which no more than the start is inflated.
enum cli_content cli_content_of_entry(struct zip *jar, size_t index);

#endif
