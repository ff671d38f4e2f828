// Class files below a folder, for programs that walk it with nftw.

#ifndef TESTS_CLASS_FILE_H
#define TESTS_CLASS_FILE_H

#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The bytes of what nftw has found, to be freed by the caller; NULL: it is no class file. One that
// cannot be read ends the program with status 2: it would be missing from what is tested.
static inline uint8_t *class_file_read(const char *path, const struct stat *st, int type,
                                       size_t *length) {
    size_t n = strlen(path);
    if (type != FTW_F || n < 6 || strcmp(path + n - 6, ".class") != 0) return NULL;
    *length = (size_t)st->st_size;
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = malloc(*length + 1);
    if (!f || !bytes || fread(bytes, 1, *length, f) != *length) {
        perror(path);
        exit(2);
    }
    fclose(f);
    return bytes;
}

#endif
