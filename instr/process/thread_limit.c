#include "instr/process/thread_limit.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TEXT = 1024 * 1024, NUMBER_SIZE = 32 };

struct limit {
    long used, most; // threads; most -1: there is no limit
};

// The number in a file; -1: there is none, as in "max".
static long read_number(const char *path) {
    char text[NUMBER_SIZE], *end;
    FILE *file = fopen(path, "re");
    if (!file) return -1;
    char *line = fgets(text, sizeof text, file);
    fclose(file);
    long number = line ? strtol(line, &end, 10) : -1;
    return line && end != line ? number : -1;
}

// --- control groups ---

// Looks at a group and those above it, for the one that leaves the least. `path` is that of the group below the mount
// point, and is cut. In a container without a namespace of control groups the mount point is its own group.
static void find_tightest(struct limit *tightest, const char *mount, char *path) {
    char name[PATH_MAX + 64];
    for (;;) {
        snprintf(name, sizeof name, "%s%s/pids.max", mount, path);
        long most = read_number(name);
        snprintf(name, sizeof name, "%s%s/pids.current", mount, path);
        long used = most >= 0 ? read_number(name) : -1;
        if (used >= 0 && (tightest->most < 0 || most - used < tightest->most - tightest->used))
            *tightest = (struct limit){used, most};
        char *slash = strrchr(path, '/');
        if (!slash) return;
        *slash = '\0';
    }
}

// Each line is NUMBER:CONTROLLERS:PATH, without controllers for version 2.
static struct limit group_limit(const struct instr_process *process) {
    struct limit tightest = {0, -1};
    char *text = instr_process_read(process, "cgroup", MOST_TEXT, NULL), *rest = text;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        char *controllers = strchr(line, ':'),
             *path = controllers ? strchr(controllers, '/') : NULL;
        if (!path || strlen(path) >= PATH_MAX) continue;
        if (strncmp(controllers, ":pids:", 6) == 0)
            find_tightest(&tightest, "/sys/fs/cgroup/pids", path);
        else if (strncmp(controllers, "::", 2) == 0)
            find_tightest(&tightest, "/sys/fs/cgroup", path);
    }
    free(text);
    return tightest;
}

// --- the user ---

static long threads_of_user(uid_t uid) {
    DIR *proc = opendir("/proc");
    long sum = 0;
    if (!proc) return -1;
    for (const struct dirent *entry; (entry = readdir(proc));) {
        char path[PATH_MAX], text[4096];
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        snprintf(path, sizeof path, "/proc/%s/status", entry->d_name);
        FILE *file = fopen(path, "re");
        if (!file) continue;
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        long threads = instr_process_number(text, "\nThreads:");
        if (instr_process_number(text, "\nUid:") == (long)uid && threads > 0) sum += threads;
    }
    closedir(proc);
    return sum;
}

// The kernel counts the threads of the real user, and does not limit root.
static struct limit user_limit(const struct instr_process *process) {
    struct limit none = {0, -1};
    char *status = instr_process_read(process, "status", MOST_TEXT, NULL);
    char *limits = instr_process_read(process, "limits", MOST_TEXT, NULL);
    long uid = instr_process_number(status, "\nUid:"),
         most = instr_process_number(limits, "\nMax processes");
    free(status);
    free(limits);
    if (uid <= 0 || most < 0) return none;
    long used = threads_of_user((uid_t)uid);
    return used < 0 ? none : (struct limit){used, most};
}

const char *instr_process_no_threads(const struct instr_process *process, long needed, char *text,
                                     size_t size) {
    struct limit limit = group_limit(process);
    const char *whose = "control group";
    if (limit.most < 0 || limit.used + needed <= limit.most) {
        limit = user_limit(process);
        whose = "user";
    }
    if (limit.most < 0 || limit.used + needed <= limit.most) return NULL;
    snprintf(
        text, size,
        "the %s of process %ld has %ld threads, and its limit is %ld; to attach takes %ld more, "
        "and the JVM may end if it cannot create them",
        whose, (long)process->pid, limit.used, limit.most, needed);
    return text;
}
