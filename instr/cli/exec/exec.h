// What the commands of instr coverage share: .exec files, read one after the other.

#ifndef INSTR_CLI_EXEC_H
#define INSTR_CLI_EXEC_H

#include "instr/cli/internal.h"
#include "instr/coverage/exec_store.h"
#include "instr/coverage/exec_writer.h"

// --- files ---

struct cli_exec_files {
    char **paths;
    size_t count, capacity;
};

// Adds a file, or the files *.exec in a directory and below, in the order of their names. CLI_OK;
// or CLI_FAILED after a message.
int cli_exec_add(struct cli_exec_files *files, const char *path);
void cli_exec_files_free(struct cli_exec_files *files);

// Reads the arguments of a command ("coverage merge"): its options, and at least one file; only one
// may be standard input. The exit status.
#define CLI_INPUT_ONCE "standard input (-) can be read only once"
int cli_exec_arguments(const char *command, int argc, char **argv, const struct cli_option *options,
                       struct cli_exec_files *files);

// What to do with the blocks of file number `file`. A result other than CLI_OK ends the reading; a
// message has been printed then.
struct cli_exec_visitor {
    int (*session)(void *context, const struct instr_exec_session *session, size_t file); // or NULL
    int (*class)(void *context, const struct instr_exec_class *class, size_t file);
    void *context;
    int keep_going; // after a file that is broken, which is reported and read as far as possible
};

// Reads all files in their order. The exit status: CLI_FAILED also when files were broken.
int cli_exec_each(const struct cli_exec_files *files, const struct cli_exec_visitor *visitor);

// Adds a class to a store. CLI_OK; or CLI_FAILED after a message.
int cli_exec_store(struct instr_exec_store *store, const struct cli_exec_files *files,
                   const struct instr_exec_class *class, size_t file);

// --- printing ---

// "33.3 %" into `text`; "100.0 %" only when all are hit.
enum { CLI_SHARE_SIZE = 16 };
char *cli_exec_share(uint64_t hit, uint64_t probes, char text[CLI_SHARE_SIZE]);

#endif
