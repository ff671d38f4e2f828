#include "instr/process/memory_limit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_TEXT = 1024 * 1024, KILOBYTE = 1024, BLOCK = 64 * 1024 };

// instr_process_number in a file of the process.
static long field(const struct instr_process *process, const char *file, const char *name) {
    char *text = instr_process_read(process, file, MOST_TEXT, NULL);
    long number = instr_process_number(text, name);
    free(text);
    return number;
}

static const char *no_space(const struct instr_process *process, long megabytes, char *text,
                            size_t size) {
    long most = field(process, "limits", "\nMax address space");
    long used = most >= 0 ? field(process, "status", "\nVmSize:") / KILOBYTE : -1;
    most /= KILOBYTE * KILOBYTE;
    if (used < 0 || used + megabytes <= most) return NULL;
    snprintf(text, size,
             "process %ld has mapped %ld MB, and the limit of its address space is %ld MB; to "
             "attach takes %ld MB more, and the JVM may end if it does not get them",
             (long)process->pid, used, most, megabytes);
    return text;
}

// -1: not known.
static long count_mappings(const struct instr_process *process) {
    static char block[BLOCK];
    char path[INSTR_PROCESS_PATH];
    long lines = 0;
    ssize_t n = 0;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)process->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    while ((n = read(fd, block, sizeof block)) > 0)
        for (ssize_t i = 0; i < n; i++) lines += block[i] == '\n';
    close(fd);
    return n < 0 ? -1 : lines;
}

static const char *no_mappings(const struct instr_process *process, long mappings, char *text,
                               size_t size) {
    char number[32];
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    long most = file && fgets(number, sizeof number, file) ? strtol(number, NULL, 10) : 0;
    if (file) fclose(file);
    long used = most > 0 ? count_mappings(process) : -1;
    if (used < 0 || used + mappings <= most) return NULL;
    snprintf(text, size,
             "process %ld has %ld memory mappings, and the limit is %ld (vm.max_map_count); to "
             "attach takes %ld more, and the JVM may end if it does not get them",
             (long)process->pid, used, most, mappings);
    return text;
}

const char *instr_process_no_memory(const struct instr_process *process, long megabytes,
                                    long mappings, char *text, size_t size) {
    if (no_space(process, megabytes, text, size)) return text;
    return no_mappings(process, mappings, text, size);
}
