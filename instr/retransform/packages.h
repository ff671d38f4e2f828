// packages.h: which packages the classes in scope are from, for the line that says what a command
// changes

#ifndef INSTR_RETRANSFORM_PACKAGES_H
#define INSTR_RETRANSFORM_PACKAGES_H

#include <stddef.h>

enum { INSTR_PACKAGES = 64 };

struct instr_package {
    char name[64]; // the first two names of the package: com.acme; "": none
    unsigned classes;
};

struct instr_packages {
    struct instr_package rows[INSTR_PACKAGES];
    unsigned count;
    unsigned classes; // all, those of packages without a row included
};

// Counts a class by its internal name.
void instr_packages_add(struct instr_packages *packages, const char *name);

// Writes the largest packages, "org.h2 (410), com.acme (13) and others", and a pattern as an example:
// that of the main class's package, or of the smallest of the largest that is not of the JDK or of
// another agent, "com.acme.**"; "" if there is none. `command`: the main class and its arguments, or a
// jar; NULL: unknown.
void instr_packages_text(struct instr_packages *packages, const char *command, char *text,
                         size_t size, char *example, size_t example_size);

#endif
