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

// Writes the largest packages, "org.h2 (410), com.acme (13) and others", and the pattern of the
// smallest of those, "com.acme.**", as an example; "" if there is no class in a package.
void instr_packages_text(struct instr_packages *packages, char *text, size_t size, char *example,
                         size_t example_size);

#endif
