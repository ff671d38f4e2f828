// The modules of a build below the current folder, found by the folders that Maven, Gradle, Ant, Eclipse and
// IntelliJ IDEA compile into.

#ifndef INSTR_CLI_COVERAGE_MODULES_H
#define INSTR_CLI_COVERAGE_MODULES_H

#include <stddef.h>

struct cover_paths {
    char **list;
    size_t count, capacity;
};

struct cover_module {
    char *name; // its folder below the current one; of that itself, its own name
    struct cover_paths classes, sources;
};

struct cover_modules {
    struct cover_module *list; // by their names
    size_t count, capacity;
};

// Finds them. Returns 0, also if there are none; -1: out of memory. It ends with cover_modules_free
// in either case.
int cover_modules_find(struct cover_modules *modules);
void cover_modules_free(struct cover_modules *modules);

// Prints in one line to standard error which were found.
void cover_modules_say(const struct cover_modules *modules);

// What a command line of java runs, as a module: the folders of its class path, or else its archives,
// and the archive of -jar. Returns 0, also if there is nothing; -1: out of memory.
int cover_modules_of_java(struct cover_modules *modules, int argc, char *const *argv);

#endif
