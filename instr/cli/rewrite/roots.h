// Where in an archive or directory the classes of one class path begin: at its top, in
// BOOT-INF/classes/ of an application archive, or anywhere else. The names in the classes tell.

#ifndef INSTR_CLI_REWRITE_ROOTS_H
#define INSTR_CLI_REWRITE_ROOTS_H

#include "instr/cli/rewrite/internal.h"

struct cli_paths_seen { // of the classes so far
    char **items;
    size_t count, capacity;
};

struct cli_roots {
    struct cli_root **items;
    size_t count, capacity;
    struct cli_paths_seen known; // with '/' at their ends (or ""): classes were found below
    struct cli_paths_seen plain; // first folders whose classes are named by their whole path
    uint64_t key;                // for the gates' names
    bool all;                    // classes may be in scope for their supertypes
};

// Reads the bytes of a class. -1 with `reason`: it cannot be read.
typedef int (*cli_read_class)(void *context, struct cli_bytes *bytes, char reason[CLI_REASON_SIZE]);

enum cli_root_status {
    CLI_ROOT_FOUND,
    CLI_ROOT_OUT_OF_SCOPE, // nothing to do
    CLI_ROOT_UNKNOWN,      // the class must be skipped for `reason`
    CLI_ROOT_NO_MEMORY
};
// Finds the root of the class at `path`, and *start, where the name of the class begins in it. The
// class is read only if the classes before it do not tell.
enum cli_root_status cli_roots_find(struct cli_roots *roots, const struct instr_options *options,
                                    const char *path, cli_read_class read, void *context,
                                    struct cli_root **root, size_t *start,
                                    char reason[CLI_REASON_SIZE]);

// The root for classes whose names begin at `name` + `start`. A new one has its gates in the package
// of this class. META-INF/versions/N/ of a root belongs to the root. NULL: out of memory.
struct cli_root *cli_roots_get(struct cli_roots *roots, const char *name, size_t start);

void cli_roots_free(struct cli_roots *roots);

#endif
