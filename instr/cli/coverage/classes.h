// All classes of some paths, analysed in several threads.

#ifndef INSTR_CLI_COVERAGE_CLASSES_H
#define INSTR_CLI_COVERAGE_CLASSES_H

#include "instr/cli/coverage/analysis.h"
#include "instr/cli/paths.h"
#include "instr/coverage/exec_store.h"

struct cover_classes {
    struct cover_class **list; // in the order in which they were found, each name once
    size_t count;
    // Other versions of them that ran, too, as in another loader or on another JVM; in that order.
    struct cover_class **again;
    size_t again_count;
    int failed; // a class or path could not be read; a line was printed about each

    // What the list lives in.
    struct cli_paths paths;
    struct cover_workspace *workspaces;
    long workspaces_count;
};

// Analyses the classes of folders, archives and class files. Of several classes of one name those with
// data count, or else the first; that they differ is reported, unless several ran. `data` stays as it is. CLI_OK
// also if `failed`; or CLI_FAILED after a message.
int cover_classes_read(struct cover_classes *classes, size_t count, char *const *paths,
                       const struct instr_exec_store *data, enum cover_release release);
// Moves versions that ran, too, from `classes` to the list of `versions`: those from where the first
// one was found, each name once. Their memory stays that of `classes`. *place: where that is; it lives
// as long. CLI_OK; or CLI_FAILED after a message. Call while there are any.
int cover_classes_next(struct cover_classes *classes, struct cover_classes *versions,
                       const char **place);
void cover_classes_free(struct cover_classes *classes);

#endif
