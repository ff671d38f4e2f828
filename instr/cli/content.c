// What files and entries of archives are by their first bytes.

#include "instr/cli/content.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <zip.h>

enum { START = 8, FIRST_MAJOR_VERSION = 45 };

// Universal binaries of macOS have the magic of a class file, and then a number of architectures.
static enum cli_content content_of(const uint8_t *bytes, int64_t length) {
    if (length == START && memcmp(bytes, "\xCA\xFE\xBA\xBE", 4) == 0)
        return (bytes[6] << 8 | bytes[7]) >= FIRST_MAJOR_VERSION ? CLI_CONTENT_CLASS
                                                                 : CLI_CONTENT_OTHER;
    return length == START && memcmp(bytes, "PK\3\4", 4) == 0 ? CLI_CONTENT_ARCHIVE
                                                              : CLI_CONTENT_OTHER;
}

enum cli_content cli_content_of_file(const char *path) {
    uint8_t bytes[START];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return CLI_CONTENT_OTHER;
    ssize_t n = read(fd, bytes, START);
    close(fd);
    return content_of(bytes, n);
}

enum cli_content cli_content_of_entry(struct zip *jar, size_t index) {
    uint8_t bytes[START];
    zip_file_t *file = zip_fopen_index(jar, index, 0);
    if (!file) return CLI_CONTENT_OTHER;
    zip_int64_t n = zip_fread(file, bytes, START);
    zip_fclose(file);
    return content_of(bytes, n);
}
