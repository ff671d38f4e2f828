// The command line tool: what its commands share. Each command is a file cli_<command>.c.

#ifndef INSTR_CLI_H
#define INSTR_CLI_H

// COMMAND(name, arguments, help): the table of commands, in the order of the help. A _ in a name is
// written - on the command line.
#define INSTR_COMMANDS(COMMAND)                                                                    \
    COMMAND(run, "OPTION... -- COMMAND ARGUMENT...", "start a command with the agent in its JVMs") \
    COMMAND(list, "[--json]",                                                                      \
            "print the JVMs of this machine: process, version, agent, main class")                 \
    COMMAND(attach, "PID [OPTION...] [--wait] [--json]",                                           \
            "bring the agent into a JVM that runs, and switch passes on")                          \
    COMMAND(status, "PID [--json]", "print what the agent in a JVM is doing, and has done")        \
    COMMAND(enable, "PID OPTION... [--no-wait] [--json]",                                          \
            "switch passes on in a JVM, or change their options")                                  \
    COMMAND(disable, "PID PASS [--json]", "switch a pass off in a JVM")                            \
    COMMAND(set, "PID KEY=VALUE... [--json]", "change options of what is on in a JVM")             \
    COMMAND(revert, "PID [PATTERNS] [--json]",                                                     \
            "give classes of a JVM their own code back: these, or all")                            \
    COMMAND(top, "PID [--sort KEY] [--rows N] [--every TIME] [--once] [--json]",                   \
            "watch the methods of a JVM, in a table that is renewed")                              \
    COMMAND(watch,                                                                                 \
            "PID METHODS [--limit N] [--if-slower TIME] [--if-thrown] [--stack] [--for TIME] "     \
            "[--json]",                                                                            \
            "print calls of methods as they happen, with arguments and what came of them")         \
    COMMAND(dump, "PID CLASS [--original] [-o FILE] [--json]", "write a class as a JVM has it")    \
    COMMAND(redefine, "PID FILE.class... [--all-loaders] [--json]",                                \
            "give methods of loaded classes other bodies")                                         \
    COMMAND(undo, "PID [CLASS] [--json]", "take back what redefine did")                           \
    COMMAND(off, "PID [--json]", "switch everything off in a JVM, at once and however it answers") \
    COMMAND(detach, "PID [--json]", "switch everything off in a JVM and end the agent there")      \
    COMMAND(doctor, "[PID | -- java ARGUMENT...] [--json]",                                        \
            "tell what would work here, in a JVM or on a command line, and what not, and why")     \
    COMMAND(report, "FILE [--top N] [--sort KEY] [--html OUT]",                                    \
            "print the result of a pass again, or make a page of it")                              \
    COMMAND(exec, "info|merge|diff|tests|dump|recover ...",                                        \
            "look into JaCoCo's .exec files, merge and compare them; see 'instr help exec'")       \
    COMMAND(show,                                                                                  \
            "FILE.class | JAR!ENTRY | JAR!com.acme.Foo | - | PID CLASS [--original] [--json]",     \
            "print a class file, or a class of a JVM")                                             \
    COMMAND(check, "[--passes LIST|all] [--jobs N] PATH...",                                       \
            "check that the classes of directories and jars can be rewritten")                     \
    COMMAND(rewrite, "OPTION... [--jobs N] IN -o OUT",                                             \
            "rewrite a class, a directory or an archive, to be run without the agent")             \
    COMMAND(runtime_jar, "", "print where the jar lies that rewritten programs need")              \
    COMMAND(help, "[options | exec | COMMAND]",                                                    \
            "print this, all options, the commands of exec, or one command")                       \
    COMMAND(version, "", "print the version")

enum { CLI_NAME_SIZE = 32 };

// Exit statuses.
enum {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_CANNOT_RUN = 126, // as the shell has it: the command is there, but cannot be run
    CLI_NOT_FOUND = 127   // ... and: there is no such command
};

// A command gets its own arguments, argv[0] being the first one behind its name, and returns the
// exit status. Errors have been printed.
#define INSTR_COMMAND_FUNCTION(name, arguments, help) int cli_##name(int argc, char **argv);
INSTR_COMMANDS(INSTR_COMMAND_FUNCTION)
#undef INSTR_COMMAND_FUNCTION

// The name of a command as it is written on the command line.
const char *cli_command_name(const char *name, char text[CLI_NAME_SIZE]);

// Prints the line "instr: ..." to standard error. Control characters are
// shown as '?'.
__attribute__((format(printf, 1, 2))) void cli_error(const char *format, ...);

// Prints what is wrong with the arguments of a command, and how they should be. Returns CLI_USAGE.
__attribute__((format(printf, 2, 3))) int cli_usage(const char *command, const char *format, ...);

// Ends what was printed to standard output: a full disk must not go unnoticed. Returns `status`, or
// CLI_FAILED.
int cli_finish(int status);

// Is argv[*i] the option `name`? Then *value is its value, from "--name=VALUE" or the next
// argument, and *i stands on the last argument used. 1: yes, 0: no, -1: yes, but without a value.
int cli_option(int argc, char **argv, int *i, const char *name, const char **value);

// A number from 1 (0 with `zero`) to `most`, all of `text`; -1 if it is none.
long cli_number(const char *text, int zero, long most);

#endif
