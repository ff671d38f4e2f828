// A process that is, or may be, a JVM, seen from outside through /proc.

#ifndef INSTR_TARGET_H
#define INSTR_TARGET_H

#include <stddef.h>
#include <sys/types.h>

enum { INSTR_TARGET_PATH = 64, INSTR_TARGET_NAME = 1024 };

struct instr_target {
    pid_t pid;
    pid_t inner_pid;              // in its own pid namespace
    uid_t uid;                    // effective
    gid_t gid;                    // effective
    uid_t inner_uid;              // in its own user namespace
    char root[INSTR_TARGET_PATH]; // what its / is for us: "" or "/proc/PID/root"
};

// Looks at the process. 0; or -1 with the reason in words, "there is no process 17".
int instr_target_open(struct instr_target *target, long pid, char *reason, size_t size);

// Opens a directory of the target's as O_PATH, with our own rights; -1 with errno. Then
// "/proc/self/fd/N/name" leads into it whatever rights are taken on.
int instr_target_directory(const struct instr_target *target, const char *path);

// Takes on the target's effective user and group, if we are root and it is another user; and back.
// What is made in between belongs to the target's user, and its sockets see him. 0; -1 with errno.
int instr_target_become(const struct instr_target *target);
void instr_target_return(void);

// The file behind a link of the target's below /proc/PID, such as "exe". 0; -1 with errno.
int instr_target_link(const struct instr_target *target, const char *name, char *path, size_t size);

// The file /proc/PID/NAME, whole, with a NUL behind it, at most `most` bytes. The caller frees it;
// NULL with errno.
char *instr_target_read(const struct instr_target *target, const char *name, size_t most,
                        size_t *length);

// Is a library of this file name ("libjvm.so") mapped? Its path goes to `path`, as the target sees
// it. 1, 0, or -1 with errno when it cannot be known.
int instr_target_maps(const struct instr_target *target, const char *library, char *path,
                      size_t size);

// Is it stopped, by a signal or a debugger? Then it answers nothing.
int instr_target_is_stopped(const struct instr_target *target);

// The name of a user, or its number, in `text`; returns `text`.
char *instr_user_name(uid_t uid, char *text, size_t size);

#endif
