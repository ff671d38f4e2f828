// Which packages the classes in scope are from.

#include "instr/retransform/packages.h"

#include <stdbool.h>
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

// Is it not the program's, although the classes are not the bootstrap loader's?
static bool is_foreign(const char *package) {
    static const char *const starts[] = {"java.", "javax.",   "jdk.",
                                         "sun.",  "com.sun.", "org.jacoco"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(package, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

// The row of the main class's package; NULL: there is none.
static const struct instr_package *of_main_class(const struct instr_packages *packages,
                                                 const char *command) {
    char name[256];
    size_t length = command ? strcspn(command, " ") : 0;
    if (!length || length >= sizeof name) return NULL;
    const char *start = memchr(command, '/', length); // behind the module
    start = start ? start + 1 : command;
    length -= (size_t)(start - command);
    for (size_t i = 0; i < length; i++) name[i] = (char)(start[i] == '.' ? '/' : start[i]);
    name[length] = '\0';
    length = package_of(name);
    for (size_t i = 0; i < length; i++)
        if (name[i] == '/') name[i] = '.';
    name[length] = '\0';
    for (unsigned i = 0; i < packages->count; i++)
        if (length && strcmp(packages->rows[i].name, name) == 0) return &packages->rows[i];
    return NULL;
}

void instr_packages_text(struct instr_packages *packages, const char *command, char *text,
                         size_t size, char *example, size_t example_size) {
    unsigned shown = 0;
    size_t used = 0;
    *text = *example = '\0';
    qsort(packages->rows, packages->count, sizeof *packages->rows, by_classes);
    for (unsigned i = 0; i < packages->count && i < SHOWN && used < size; i++) {
        const char *name = packages->rows[i].name;
        used += (size_t)snprintf(text + used, size - used, "%s%s (%u)", i ? ", " : "",
                                 *name ? name : "no package", packages->rows[i].classes);
        shown += packages->rows[i].classes;
        if (*name && !is_foreign(name)) snprintf(example, example_size, "%s.**", name);
    }
    const struct instr_package *main = of_main_class(packages, command);
    if (main) snprintf(example, example_size, "%s.**", main->name);
    if (shown < packages->classes && used < size) snprintf(text + used, size - used, " and others");
}
