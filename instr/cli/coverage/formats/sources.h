// The source files that reports show: of folders, jars and zips.
//
//      struct cover_sources *sources = cover_sources_new("ISO-8859-1", 4);
//      cover_sources_add(sources, "src/main/java", NULL);
//      struct cover_place place;
//      if (cover_sources_find(sources, NULL, "com/acme", "Shop.java", &place)) ... place.path ...

#ifndef INSTR_CLI_COVERAGE_FORMATS_SOURCES_H
#define INSTR_CLI_COVERAGE_FORMATS_SOURCES_H

#include "instr/cli/input.h"

#include <stddef.h>

enum { COVER_TAB = 4, COVER_MOST_TAB = 64 };

struct cover_sources;

// `encoding` is that of the files, as iconv or Java names it; NULL: UTF-8. A tab is `tab` columns wide. NULL
// after a message.
struct cover_sources *cover_sources_new(const char *encoding, unsigned tab);
void cover_sources_free(struct cover_sources *sources);

// Adds the files of a folder or an archive. `bundle`: they belong to the module of this name; NULL:
// to all, of a folder first to the module of the folder that they are in. CLI_OK; or CLI_FAILED after a message.
int cover_sources_add(struct cover_sources *sources, const char *path, const char *bundle);
// Adds files of a folder by their names below it, each ended by a NUL. CLI_OK; or CLI_FAILED after a message.
int cover_sources_add_names(struct cover_sources *sources, const char *folder, const char *names,
                            size_t length);

// Are there none at all? NULL is allowed.
int cover_sources_none(const struct cover_sources *sources);
unsigned cover_sources_tab(const struct cover_sources *sources);

// Where a source file lies.
struct cover_place {
    const char *path; // as a path of a file; in an archive, of the entry
    size_t root;      // number of what was added
    size_t entry;     // of an archive; SIZE_MAX: a file
};

// Finds the source file `name` of a package ("com/acme"). Folders need not match packages: then the
// file counts whose folder has most of the package's last names, if there is one such file only.
// Returns 1; or 0: it was not found. NULL for the sources is allowed.
int cover_sources_find(struct cover_sources *sources, const char *bundle, const char *package,
                       const char *name, struct cover_place *place);

// Of several that match the whole package, finds the one with the most folders in common with `near`, an absolute path as
// those of the sources are. Returns 1; or 0: there is none, or several have as many. NULL for the sources is allowed.
int cover_sources_find_near(struct cover_sources *sources, const char *near, const char *package,
                            const char *name, struct cover_place *place);

// Reads a source file as UTF-8, in which bytes may be malformed. Several threads may read. 0; or -1
// with `reason`.
int cover_sources_read(struct cover_sources *sources, const struct cover_place *place,
                       struct cli_bytes *text, char reason[CLI_REASON_SIZE]);

#endif
