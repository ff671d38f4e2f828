// The classes that lie below some paths.

#ifndef INSTR_CLI_PATHS_H
#define INSTR_CLI_PATHS_H

#include <stddef.h>

// A class file: a file of its own, or an entry of a jar.
struct cli_item {
    const char *jar; // NULL: a file of its own
    size_t index;    // in the jar
    char *name;      // of the file or of the entry
};

struct cli_paths {
    struct cli_item *items;
    size_t count, capacity;
    char **jars;
    size_t jars_count;
    size_t failures; // what could not be looked into; one line has been printed about each
};

// Adds what lies at `path`: a class file, the classes of a jar, or of all that is below a directory
// (symbolic links in it are not followed). Whatever is found that is no class and no jar is passed
// over, but `path` itself must be one. Returns 0; -1 when out of memory.
int cli_paths_add(struct cli_paths *paths, const char *path);
void cli_paths_free(struct cli_paths *paths);

#endif
