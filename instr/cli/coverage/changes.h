// The lines that changed since a revision, as git knows them: those of the working tree, with what is not committed.
//
//      git merge-base REF HEAD -> git diff --unified=0 -> files with ranges of lines
//
// git runs in the current folder. Renamed files keep their unchanged lines; a file that git does not know yet has
// changed as a whole.

#ifndef INSTR_CLI_COVERAGE_CHANGES_H
#define INSTR_CLI_COVERAGE_CHANGES_H

#include "instr/cli/coverage/model.h"

struct cover_range {
    uint32_t first, last;
};

struct cover_changed_file {
    char *path;                 // from the top of the repository, with slashes; owned
    struct cover_range *ranges; // ascending; owned
    size_t count, capacity;
};

struct cover_changes {
    char *base;    // the revision that the lines are compared with; owned
    char *top;     // the folder of the working tree; owned
    char *sources; // paths of all sources that git does not ignore, each ended by a NUL; owned
    size_t sources_length;
    struct cover_changed_file *files;
    size_t count, capacity;
};

enum { COVER_CHANGES_REASON = 512 };

// Reads the changes since the last common commit of HEAD and `ref`; of HEAD and the main branch if that
// is "". Returns 0; or -1 with one line in `reason`.
int cover_changes_read(struct cover_changes *changes, const char *ref,
                       char reason[COVER_CHANGES_REASON]);
// Adds what `git diff --unified=0` has printed: `text` ends with a NUL, and is changed. Returns 0; -1:
// out of memory.
int cover_changes_parse(struct cover_changes *changes, char *text);
void cover_changes_free(struct cover_changes *changes);

// A path may end with several packages and the name: app/util/A.java with those of app/util and of util. It belongs to the
// longest. Notes the length of the source file's package in `longest`, which has an element for each changed file, 0 at first.
void cover_changes_claim(const struct cover_changes *changes, const struct cover_source *source,
                         size_t *longest);
// The changed file that this source file was compiled from: its path ends with the package and the name, and with no longer
// package of the report. NULL: it has not changed.
const struct cover_changed_file *cover_changes_find(const struct cover_changes *changes,
                                                    const struct cover_source *source,
                                                    const size_t *longest);
// The changed file of this path in the file system. NULL: it has not changed, or is not in the working tree.
const struct cover_changed_file *cover_changes_at(const struct cover_changes *changes,
                                                  const char *path);
// Does the path end with the package and the name of the source file, or is it that?
int cover_is_path_of(const char *path, const struct cover_source *source);
int cover_has_changed(const struct cover_changed_file *file, uint32_t line);

#endif
