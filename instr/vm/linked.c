#include "instr/vm/linked.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 1024 * 1024 };

struct search {
    const char *name;  // of our file
    const char *found; // the library that needs it
};

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *object) {
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    return NULL;
}

// Is ours among the libraries that this object needs (DT_NEEDED)?
static int look_at(struct dl_phdr_info *object, size_t size, void *context) {
    struct search *s = context;
    const ElfW(Dyn) *dynamic = dynamic_of(object);
    const char *names = NULL;
    (void)size;
    for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB) {
            // The linker has added the address, except in some objects of the kernel.
            ElfW(Addr) at = d->d_un.d_ptr;
            names = (const char *)(at < object->dlpi_addr ? at + object->dlpi_addr : at);
        }
    for (const ElfW(Dyn) *d = dynamic; names && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && strcmp(last_name(names + d->d_un.d_val), s->name) == 0) {
            s->found = object->dlpi_name;
            return 1;
        }
    return 0;
}

// Does an option of the JVM load the library of this name? Options are words of the command line, or
// of environment variables.
static bool is_named(const char *name) {
    static const char *const variables[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS",
                                            "_JAVA_OPTIONS"};
    bool found = false;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        found |= value && strstr(value, name);
    }
    char *arguments = found ? NULL : malloc(MOST_ARGUMENTS);
    int fd = arguments ? open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC) : -1;
    ssize_t length = fd >= 0 ? read(fd, arguments, MOST_ARGUMENTS) : 0;
    // Arguments can also come from files: @FILE, -XX:Flags=FILE, -XX:VMOptionsFile=FILE.
    if (length > 0)
        found = memmem(arguments, (size_t)length, name, strlen(name)) ||
                memmem(arguments, (size_t)length, "\0@", 2) ||
                memmem(arguments, (size_t)length, "-agentlib:instr", 15) ||
                memmem(arguments, (size_t)length, "OptionsFile=", 12) ||
                memmem(arguments, (size_t)length, "-XX:Flags=", 10);
    if (fd >= 0) close(fd);
    free(arguments);
    return found;
}

bool instr_linked_is_meant(const char *library, const char *options, bool at_start, char *reason,
                           size_t size) {
    struct search s = {last_name(library), NULL};
    if (!at_start && options && strncmp(options, "control=", 8) == 0) return true;
    dl_iterate_phdr(look_at, &s);
    if (!s.found || (at_start && is_named(s.name))) return true;
    snprintf(reason, size,
             "%.300s is linked to %s and has no Agent_On%s of its own; instr's agent is not "
             "started for it%s",
             *s.found ? s.found : "the program", s.name, at_start ? "Load" : "Attach",
             at_start ? "" : "; 'instr attach' starts it");
    return false;
}
