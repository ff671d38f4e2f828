// Which packages the classes in scope are from.

#include "instr/retransform/packages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 4 };

// The length of the first two names of the class's package.
static size_t package_of(const char *name) {
    const char *end = strrchr(name, '/'), *first = strchr(name, '/');
    if (!end) return 0;
    const char *second = strchr(first + 1, '/');
    return (size_t)((second ? second : end) - name);
}

void instr_packages_add(struct instr_packages *packages, const char *name) {
    size_t length = package_of(name);
    char package[sizeof packages->rows[0].name];
    packages->classes++;
    if (length >= sizeof package) return;
    for (size_t i = 0; i < length; i++) package[i] = (char)(name[i] == '/' ? '.' : name[i]);
    package[length] = '\0';
    unsigned i = 0;
    while (i < packages->count && strcmp(packages->rows[i].name, package) != 0) i++;
    if (i == INSTR_PACKAGES) return;
    if (i == packages->count) {
        memcpy(packages->rows[i].name, package, length + 1);
        packages->rows[i].classes = 0;
        packages->count++;
    }
    packages->rows[i].classes++;
}

static int by_classes(const void *left, const void *right) {
    unsigned a = ((const struct instr_package *)left)->classes,
             b = ((const struct instr_package *)right)->classes;
    return (a < b) - (a > b);
}

void instr_packages_text(struct instr_packages *packages, char *text, size_t size, char *example,
                         size_t example_size) {
    unsigned shown = 0;
    size_t used = 0;
    *text = *example = '\0';
    qsort(packages->rows, packages->count, sizeof *packages->rows, by_classes);
    for (unsigned i = 0; i < packages->count && i < SHOWN && used < size; i++) {
        const char *name = packages->rows[i].name;
        used += (size_t)snprintf(text + used, size - used, "%s%s (%u)", i ? ", " : "",
                                 *name ? name : "no package", packages->rows[i].classes);
        shown += packages->rows[i].classes;
        if (*name) snprintf(example, example_size, "%s.**", name);
    }
    if (shown < packages->classes && used < size) snprintf(text + used, size - used, " and others");
}
