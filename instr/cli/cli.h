// What the commands of the tool share: messages, usage, arguments and output.

#ifndef INSTR_CLI_H
#define INSTR_CLI_H

#include "instr/base/output.h"

#include <stdint.h>

enum { CLI_NAME_SIZE = 32 };

// Exit statuses. Functions of the tool return them, too, when they have printed what went wrong.
enum {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_CANNOT_RUN = 126, // as in the shell: the command exists, but cannot be run
    CLI_NOT_FOUND = 127   // as in the shell: there is no such command
};

// The name of a command as it is written on the command line.
const char *cli_command_name(const char *name, char text[CLI_NAME_SIZE]);

// Writes the command whose name is nearest to `word` and returns the number of edits between them.
unsigned cli_nearest_command(const char *word, char nearest[CLI_NAME_SIZE]);

// Are so many edits few enough for `word` to be a mistyped name?
int cli_is_mistyped(const char *word, unsigned edits);

// --- messages ---

// Prints the line "instr: ..." to standard error, with control characters shown as '?'. Returns
// CLI_FAILED.
__attribute__((format(printf, 1, 2))) int cli_error(const char *format, ...);
int cli_no_memory(void);

// Prints "instr: COMMAND: ..." and the usage of the command, which may be "coverage merge". Returns
// CLI_USAGE.
__attribute__((format(printf, 2, 3))) int cli_usage(const char *command, const char *format, ...);

// --- arguments ---

enum {
    CLI_MOST_WORDS = 1024,
    CLI_MOST_ROWS = 100000000 // of a table: all, for practical purposes
};
struct cli_words {
    char *items[CLI_MOST_WORDS];
    size_t count;
};

// An option of a command: "--name", "--name VALUE" or "--name=VALUE"; of a name without dashes only
// "name=VALUE". Exactly one pointer is set.
struct cli_option {
    const char *name;
    int *flag;                 // without a value; becomes 1
    const char **text;         // any value
    struct cli_words *words;   // any value; the option may be repeated
    long *number, least, most; // a number in this range
    uint64_t *time;            // a time such as 50ms or 1.5s, in nanoseconds
};

// Reads the options, which end with an empty one, and moves all other arguments to the front of
// argv. Options may stand anywhere before "--". CLI_OK or CLI_USAGE.
int cli_arguments(const char *command, int *argc, char **argv, const struct cli_option *options);

// A number from `least` (not negative) to `most`, the whole of `text`; -1: it is not one.
long cli_number(const char *text, long least, long most);
enum { CLI_MOST_JOBS = 256 };
// The number of processors, at most CLI_MOST_JOBS.
long cli_processors(void);
// Reads a process id. CLI_OK or CLI_USAGE.
int cli_pid(const char *command, const char *text, long *pid);
// A duration such as 50ms, 30s, 2m or 1.5s in nanoseconds; 0: it is not one.
uint64_t cli_duration(const char *text);
// The place of a word in a list that ends with NULL; -1: it is not in it.
int cli_word(const char *word, const char *const *words);

int cli_ends_with(const char *text, const char *end);

// --- output ---

// Flushes standard output and reports a full disk. Returns `status`, or CLI_FAILED.
int cli_finish(int status);

// Prints text to standard output, with control characters shown as '?'.
void cli_print(const char *text);

// Prints a line to standard output, with control characters shown as '?'.
__attribute__((format(printf, 1, 2))) void cli_line(const char *format, ...);

// Prints a document of JSON to standard output, with control characters escaped.
void cli_print_json(const char *json, size_t length);

// Output to a file, or to standard output if `path` is NULL or "-". CLI_OK or CLI_FAILED.
void cli_output_open(struct instr_output *out, const char *path);
int cli_output_close(struct instr_output *out);

// Where an option writes to; `path` is NULL if it was not given.
struct cli_written {
    const char *option, *path;
};
// Checks that no two options write to one file, or both to standard output: what the first has written would
// be lost. Devices and pipes may be named twice. CLI_OK or CLI_USAGE.
int cli_written_differ(const char *command, const struct cli_written *list, size_t count);

// "s" or `ending` for any count but 1.
const char *cli_plural(uint64_t count, const char *ending);

#endif
