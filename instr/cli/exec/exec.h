// instr exec: what its commands share. Each is a file cli_exec_<command>.c.

#ifndef INSTR_CLI_EXEC_H
#define INSTR_CLI_EXEC_H

#include "instr/cli/cli.h"
#include "instr/coverage/exec_writer.h"
#include "instr/coverage/exec_store.h"

#include <stddef.h>

// COMMAND(name, arguments, help), as in cli.h.
#define INSTR_EXEC_COMMANDS(COMMAND)                                                               \
    COMMAND(info, "[--json] [--top N] PATH...", "sessions, classes, probes and the share covered") \
    COMMAND(merge, "[--keep-going] -o OUT PATH...", "one file with all sessions and hits")         \
    COMMAND(diff, "A B", "classes and probes that only one of two files has")                      \
    COMMAND(tests,                                                                                 \
            "[--class NAME [--line N]] [--changed PATH]... [--classes PATH]... [--top N] FILE...", \
            "what each test covered, who covers a line, and which tests a change asks for")        \
    COMMAND(dump, "PID [--reset] [--json]",                                                        \
            "have the agent in a JVM write what was covered so far")                               \
    COMMAND(recover, "[-o OUT] FILE.PID.map...",                                                   \
            "what a JVM that was killed had covered, with coverage.mmap=yes")

#define INSTR_EXEC_FUNCTION(name, arguments, help) int cli_exec_##name(int argc, char **argv);
INSTR_EXEC_COMMANDS(INSTR_EXEC_FUNCTION)
#undef INSTR_EXEC_FUNCTION

// Like cli_usage, for a command of exec.
__attribute__((format(printf, 2, 3))) int cli_exec_usage(const char *command, const char *format,
                                                         ...);

// Prints the commands of exec, for the help.
void cli_exec_help(void (*print_entry)(const char *name, const char *help));

// --- files ---

struct cli_exec_files {
    char **paths;
    size_t count, capacity;
};

// Adds a file, or those named *.exec in a directory and below, in the order of their names. Returns
// 0; or -1, the reason having been printed.
int cli_exec_add(struct cli_exec_files *files, const char *path);
void cli_exec_files_free(struct cli_exec_files *files);

// Reads the arguments that are no options: the files. Returns an exit status.
struct cli_exec_option {
    const char *name;
    const char **value; // of an option with a value
    int *flag;          // of one without
};
int cli_exec_arguments(const char *command, int argc, char **argv,
                       const struct cli_exec_option *options, struct cli_exec_files *files);
// The same where there need not be a file among them.
int cli_exec_some_arguments(const char *command, int argc, char **argv,
                            const struct cli_exec_option *options, struct cli_exec_files *files);

// What to do with the blocks of file number `file`. Not 0: no further; the reason has been printed.
struct cli_exec_visitor {
    int (*session)(void *context, const struct instr_exec_session *session, size_t file); // or NULL
    int (*class)(void *context, const struct instr_exec_class *class, size_t file);
    void *context;
    int keep_going; // a file that is broken is told, and read as far as it is good
};

// Reads all files in their order. Returns an exit status: CLI_FAILED also when files were broken.
int cli_exec_each(const struct cli_exec_files *files, const struct cli_exec_visitor *visitor);

// Adds a class to a store; prints why it could not be. 0: added.
int cli_exec_store(struct instr_exec_store *store, const struct cli_exec_files *files,
                   const struct instr_exec_class *class, size_t file);

// --- printing ---

// "33.3 %" into `text`; "100.0 %" only when all are hit.
enum { CLI_SHARE_SIZE = 16 };
char *cli_exec_share(uint64_t hit, uint64_t probes, char text[CLI_SHARE_SIZE]);

#endif
