// Where the control socket of a process may lie.

#include "instr/cli/directories.h"
#include "instr/process/listening.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ENVIRONMENT = 1024 * 1024 };

static int in_folder(const struct instr_process *target, const char *folder,
                     int (*take)(void *context, const char *directory), void *context) {
    char path[INSTR_CONTROL_PATH_SIZE];
    int result = 0;
    for (unsigned i = 0; i < INSTR_CONTROL_DIRECTORIES && !result; i++) {
        instr_control_directory(path, folder, target->inner_uid, i);
        result = take(context, path);
    }
    return result;
}

// INSTR_DIR in the environment that the process was started with; "": it is not there.
static void folder_of(const struct instr_process *target, char folder[INSTR_CONTROL_FOLDER + 1]) {
    static const char key[] = INSTR_CONTROL_VARIABLE "=";
    size_t length = 0;
    char *environment = instr_process_read(target, "environ", MOST_ENVIRONMENT, &length);
    *folder = '\0';
    for (size_t i = 0; environment && i < length; i += strlen(environment + i) + 1) {
        const char *value = environment + i + sizeof key - 1;
        if (strncmp(environment + i, key, sizeof key - 1) == 0 && *value == '/' &&
            strlen(value) <= INSTR_CONTROL_FOLDER)
            strcpy(folder, value);
    }
    free(environment);
}

int cli_directories(const struct instr_process *target,
                    int (*take)(void *context, const char *directory), void *context) {
    char folder[INSTR_CONTROL_FOLDER + 1], path[INSTR_CONTROL_PATH_SIZE];
    const char *own = instr_control_folder(NULL);
    int result = in_folder(target, "/tmp", take, context);
    if (!result && strcmp(own, "/tmp") != 0) result = in_folder(target, own, take, context);
    if (!result) folder_of(target, folder);
    if (!result && *folder) result = in_folder(target, folder, take, context);
    if (!result && instr_process_listens(target, "/.instr-", path, sizeof path))
        result = take(context, path);
    return result;
}
