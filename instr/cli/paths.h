// The class files and jars below some paths.

#ifndef INSTR_CLI_PATHS_H
#define INSTR_CLI_PATHS_H

#include "instr/cli/input.h"

#include <fts.h>

// Symbolic links below a path; `path` itself may always be one.
enum cli_links {
    CLI_LINKS_KEPT,    // found as links (FTS_SL)
    CLI_LINKS_FOLLOWED // found as what they lead to, or as FTS_SLNONE. One that leads to a folder it
                       // lies in (FTS_DC) is not walked again
};

// Calls `take` for everything at and below `path`, in the order of the names in each directory,
// until it returns something else than 0, which is then returned. -1 with errno: the walk could not
// start.
int cli_walk(const char *path, enum cli_links links,
             int (*take)(void *context, const FTSENT *entry), void *context);

// Why a link that was found as FTS_SLNONE leads to nothing.
const char *cli_link_error(const FTSENT *entry);

// A class file: a file of its own, or an entry of a jar.
struct cli_item {
    const char *jar; // NULL: a file of its own; a jar in a jar is OUTER.jar!INNER.jar
    size_t index;    // in the jar
    char *name;      // of the file or of the entry
};

struct cli_paths {
    struct cli_item *items;
    size_t count, capacity;
    char **jars;
    size_t jars_count, jars_capacity;
    size_t failures; // paths that could not be read; a message was printed about each
    struct cli_nested nested;

    // Set by the caller.
    enum cli_links links; // below directories
    // As JaCoCo does it: what is not named as a class file or jar may be one by its first bytes, and
    // jars in jars are read, too. Else names alone count, and jars in jars are reported.
    int by_content;
};

// Adds what lies at `path`: a class file, the classes of a jar, or those of a directory. Other
// files in a directory, and entries of a jar, are skipped, but `path` itself must be a class file, a jar or a directory.
// Returns 0; -1 when out of memory.
int cli_paths_add(struct cli_paths *paths, const char *path);
void cli_paths_free(struct cli_paths *paths);

// The jar that a reader of items has open. All zero at first.
struct cli_open_jar {
    const char *name;
    struct zip *jar;
    char *
        outer_name; // of a jar in a jar: what it lies in, which has the next one, too, and may be large
    struct zip *outer;
};
void cli_open_jar_free(struct cli_open_jar *open);
// Reads an item; consecutive items of one jar open it once. 0; or -1 with `reason`.
int cli_item_read(const struct cli_item *item, struct cli_open_jar *open, struct cli_bytes *bytes,
                  char reason[CLI_REASON_SIZE]);
// Prints "JAR!NAME: REASON".
void cli_item_error(const struct cli_item *item, const char *reason);

#endif
