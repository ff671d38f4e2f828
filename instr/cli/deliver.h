// Makes the agent's library readable for a JVM.

#ifndef INSTR_CLI_DELIVER_H
#define INSTR_CLI_DELIVER_H

#include "instr/process/process.h"

// Does the target see the same file under this name, and may its user read it?
int cli_target_sees(const struct instr_process *target, const char *path);

// Is there a file of this name below the target's root?
int cli_target_has(const struct instr_process *target, const char *path);

// With the library and the folder.
#define CLI_NOEXEC                                                                                 \
    "the JVM does not see %.200s, and its %.64s, where a copy would go, is mounted noexec; name "  \
    "another folder with control=/DIR"

// The path under which the target can load `library`. If the target sees the same file and may read
// it, that is its own path. Otherwise it is that of a copy in the control directory of the target's
// user in `folder`, below the target's root. The agent removes it when it is detached, and when the JVM
// ends. Its name is the same for the same library, since a library that is loaded must not be loaded
// under another name. *made is 1 if there was no such copy before. 0; or -1 with one line in `reason`.
int cli_deliver(const struct instr_process *target, const char *library, const char *folder,
                char *path, size_t path_size, int *made, char *reason, size_t size);

// May the target, which has loaded this copy, be asked to load it again? Only by the name is it known to
// the dynamic linker, which could open it: nobody else may enter its directory. If that was removed, it
// is made again.
int cli_holds_copy(const struct instr_process *target, const char *path);

// Removes a copy that the target has not loaded.
void cli_take_copy(const struct instr_process *target, const char *path);

#endif
