// For targets whose input is read from a file by its name, and that print messages about it.

#ifndef TESTS_FUZZ_IN_FILE_H
#define TESTS_FUZZ_IN_FILE_H

#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fuzz_folder[64];

static void fuzz_remove_folder(void) {
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", fuzz_folder);
    if (system(command) != 0) fprintf(stderr, "%s stays\n", fuzz_folder);
}

// Writes the bytes to a file of this name in a folder of the process, which is removed at its end. Returns
// its path, to be freed.
static inline char *fuzz_file(const char *name, const uint8_t *data, size_t size) {
    if (!fuzz_folder[0]) {
        snprintf(fuzz_folder, sizeof fuzz_folder, "%s/instr-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        MUST(mkdtemp(fuzz_folder));
        atexit(fuzz_remove_folder);
    }
    size_t length = strlen(fuzz_folder) + strlen(name) + 2;
    char *path = malloc(length);
    MUST(path);
    snprintf(path, length, "%s/%s", fuzz_folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
    return path;
}

// Drops what is printed to standard error, where libFuzzer reports, or no longer.
static inline void fuzz_quiet(int quiet) {
    static FILE *nowhere, *kept;
    if (!nowhere) {
        nowhere = fopen("/dev/null", "w");
        kept = stderr;
        MUST(nowhere);
    }
    stderr = quiet ? nowhere : kept;
}

#endif
