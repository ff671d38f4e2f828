// Where in an archive or a tree the classes of one class path begin: at its top, in
// BOOT-INF/classes/ of an application archive, or anywhere else. The classes themselves tell, by
// their names.

#ifndef INSTR_CLI_REWRITE_ROOTS_H
#define INSTR_CLI_REWRITE_ROOTS_H

#include "instr/cli/rewrite/rewrite.h"

struct cli_roots {
    struct cli_root **items;
    size_t count;
    char **known; // paths with '/' at their ends ("" too) that classes were found below
    size_t known_count;
    char **plain; // first folders whose classes are named by their whole path
    size_t plain_count;
    uint64_t key; // for the gates' names
};

// Gives the bytes of the class at hand. -1: it cannot be read.
typedef int (*cli_read_class)(void *context, struct cli_bytes *bytes);

// The length of the path `name` that is not of the class's name; -1: not known. Reads the class
// only when those before it do not tell.
long cli_roots_find(struct cli_roots *roots, const char *name, cli_read_class read, void *context);

// The root for classes whose names begin at `name` + `start`; made, with gates in that class's
// package, if it is not there yet. What lies below META-INF/versions/ of a root belongs to it.
// NULL: out of memory.
struct cli_root *cli_roots_get(struct cli_roots *roots, const char *name, size_t start);

void cli_roots_free(struct cli_roots *roots);

#endif
