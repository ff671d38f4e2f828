#include "instr/process/listening.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ACCEPTS 0x10000 // __SO_ACCEPTCON, among the flags of a socket that listens

struct inodes {
    unsigned long *items;
    size_t count;
};

static int by_value(const void *a, const void *b) {
    unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;
    return (x > y) - (x < y);
}

// The sockets of which the process has descriptors, sorted.
static struct inodes sockets_of(const struct instr_process *process) {
    struct inodes inodes = {NULL, 0};
    char name[INSTR_PROCESS_PATH + 300], target[48];
    size_t capacity = 0;
    snprintf(name, sizeof name, "/proc/%ld/fd", (long)process->pid);
    DIR *listing = opendir(name);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        unsigned long inode;
        ssize_t n = readlinkat(dirfd(listing), entry->d_name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        if (sscanf(target, "socket:[%lu]", &inode) != 1) continue;
        if (inodes.count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            unsigned long *larger = realloc(inodes.items, capacity * sizeof *larger);
            if (!larger) break;
            inodes.items = larger;
        }
        inodes.items[inodes.count++] = inode;
    }
    if (listing) closedir(listing);
    if (inodes.count) qsort(inodes.items, inodes.count, sizeof *inodes.items, by_value);
    return inodes;
}

int instr_process_listens(const struct instr_process *process, const char *part, char *directory,
                          size_t size) {
    struct inodes own = sockets_of(process);
    char name[INSTR_PROCESS_PATH], *line = NULL;
    size_t capacity = 0;
    int found = 0;
    snprintf(name, sizeof name, "/proc/%ld/net/unix", (long)process->pid);
    FILE *sockets = own.count ? fopen(name, "re") : NULL;
    while (!found && sockets && getline(&line, &capacity, sockets) > 0) {
        unsigned flags;
        unsigned long inode;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        // Num: RefCount Protocol Flags Type St Inode Path
        if (sscanf(line, "%*s %*s %*s %x %*s %*s %lu %n", &flags, &inode, &at) != 2 || !at)
            continue;
        char *path = line + at, *slash = strrchr(path, '/');
        if (!(flags & ACCEPTS) || *path != '/' || !strstr(path, part)) continue;
        *slash = '\0';
        found = strlen(path) < size &&
                bsearch(&inode, own.items, own.count, sizeof inode, by_value) != NULL;
        if (found) strcpy(directory, path);
    }
    free(line);
    free(own.items);
    if (sockets) fclose(sockets);
    return found;
}
