// The class files that .exec files are about, and their ids.

#ifndef INSTR_CLI_EXEC_CLASSES_H
#define INSTR_CLI_EXEC_CLASSES_H

#include "instr/cli/paths.h"

#include <stddef.h>
#include <stdint.h>

// A class file and its id.
struct cli_class_file {
    const char *name; // internal, modified UTF-8
    uint64_t id;      // instr_exec_class_id
    const uint8_t *bytes;
    size_t length;
};

// Calls `take` for each class file below the paths; with `name`, only for those of this class. Files
// that are not classes are reported and skipped. Returns 0; the first other result of `take`; or -1
// when a path could not be read, after a message.
int cli_each_class_file(size_t count, char *const *paths, enum cli_links links, const char *name,
                        int (*take)(void *context, const struct cli_class_file *file),
                        void *context);

#endif
