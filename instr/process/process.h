// process.h: a process, JVM or not, seen from outside through /proc

#ifndef INSTR_PROCESS_PROCESS_H
#define INSTR_PROCESS_PROCESS_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { INSTR_PROCESS_PATH = 64, INSTR_PROCESS_NAME = 1024, INSTR_PROCESS_GROUPS = 64 };

struct instr_process {
    pid_t pid;
    pid_t inner_pid;                    // in its own pid namespace
    uid_t uid;                          // effective
    gid_t gid;                          // effective
    gid_t groups[INSTR_PROCESS_GROUPS]; // supplementary; more are not used
    size_t group_count;
    uid_t inner_uid;               // in its own user namespace
    char root[INSTR_PROCESS_PATH]; // our path of its /: "" or "/proc/PID/root"
};

// Reads what /proc says of the process. 0, or -1 with a reason, "there is no process 17" or "process 17 has
// ended".
int instr_process_open(struct instr_process *process, long pid, char *reason, size_t size);

// Opens a directory of the process as O_PATH, with the rights of the process; -1 with errno. Then
// "/proc/self/fd/N/name" names a file in it, whatever rights are taken.
int instr_process_directory(const struct instr_process *process, const char *path);

// May what lies in this folder of the process be executed? 0: it is on a file system that is mounted noexec, such as the
// /tmp of a container that Docker makes with --tmpfs.
int instr_process_executes(const struct instr_process *process, const char *folder);

// Takes the effective user and the groups of the process, if we are root and it is another user, and
// returns to our own. Files made in between belong to the user of the process, and its sockets see
// that user as the peer. 0; -1 with errno.
int instr_process_become(const struct instr_process *process);
void instr_process_return(void);

// Opens a regular file of the process to read it, with the rights of its user. The name may come from
// the process itself: it names nothing that its user could not read, and what is not a regular file is
// not opened at all. -1 with errno.
int instr_process_open_file(const struct instr_process *process, const char *path);

// What the process has at this path, with the rights of its user. flags: 0, or O_NOFOLLOW for the last name. 0; -1 with
// errno.
int instr_process_stat(const struct instr_process *process, const char *path, int flags,
                       struct stat *st);

// The content of /proc/PID/NAME, at most `most` bytes, with a NUL appended. The caller frees it; NULL
// with errno.
char *instr_process_read(const struct instr_process *process, const char *name, size_t most,
                         size_t *length);

// The number behind a name in such a text, "\nThreads:"; -1: there is none, as in "unlimited". `text` may be NULL.
long instr_process_number(const char *text, const char *name);

// Is the process stopped, by a signal or a debugger? Then it does not respond.
int instr_process_is_stopped(const struct instr_process *process);

// Has it ended, even if its parent has not taken note of that?
int instr_process_has_ended(const struct instr_process *process);

// Has it a thread of this name? The kernel keeps the first 15 characters of a name.
int instr_process_has_thread(const struct instr_process *process, const char *name);

// The name of a user, or its number, in `text`; returns `text`.
char *instr_user_name(uid_t uid, char *text, size_t size);

#endif
