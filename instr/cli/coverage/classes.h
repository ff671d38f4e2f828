// All classes of some paths, analysed in several threads.

#ifndef INSTR_CLI_COVERAGE_CLASSES_H
#define INSTR_CLI_COVERAGE_CLASSES_H

#include "instr/cli/coverage/analysis.h"
#include "instr/cli/paths.h"
#include "instr/coverage/exec_store.h"

struct cover_classes {
    struct cover_class **list; // in the order in which they were found, each name once
    size_t count;
    int failed; // a class or path could not be read; a line was printed about each

    // What the list lives in.
    struct cli_paths paths;
    struct cover_workspace *workspaces;
    long workspaces_count;
};

// Analyses the classes of folders, archives and class files. Of several classes of one name the one
// with data counts, or else the first; that they differ is reported. `data` stays as it is. CLI_OK
// also if `failed`; or CLI_FAILED after a message.
int cover_classes_read(struct cover_classes *classes, size_t count, char *const *paths,
                       const struct instr_exec_store *data, enum cover_release release);
void cover_classes_free(struct cover_classes *classes);

#endif
