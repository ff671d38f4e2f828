// Messages, usage, arguments and output of the command line tool.

#include "instr/cli/cli.h"
#include "instr/cli/commands/table.h"
#include "instr/options.h"
#include "instr/options/names.h"
#include "instr/report/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *cli_command_name(const char *name, char text[CLI_NAME_SIZE]) {
    snprintf(text, CLI_NAME_SIZE, "%s", name);
    for (char *c = text; *c; c++)
        if (*c == '_') *c = '-';
    return text;
}

unsigned cli_nearest_command(const char *word, char nearest[CLI_NAME_SIZE]) {
    static const char *const names[] = {
#define ROW(name, arguments, help, details) #name,
        INSTR_COMMANDS(ROW)
#undef ROW
    };
    char text[CLI_NAME_SIZE];
    unsigned least = UINT_MAX;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned edits = instr_name_distance(word, cli_command_name(names[i], text));
        if (edits >= least) continue;
        least = edits;
        strcpy(nearest, text);
    }
    return least;
}

int cli_is_mistyped(const char *word, unsigned edits) {
    return edits < 3 && edits < strlen(word);
}

// --- messages ---

// Text from files, JVMs and the command line passes through here: control characters in it do not
// reach the terminal.
static void print_line(const char *command, const char *format, va_list arguments) {
    char text[2048], error[INSTR_ERROR_SIZE];
    struct instr_output out;
    vsnprintf(text, sizeof text, format, arguments);
    instr_output_descriptor(&out, STDERR_FILENO);
    instr_output_format(&out, "instr: %s%s", command ? command : "", command ? ": " : "");
    instr_report_text(&out, text, INSTR_PLAIN);
    instr_output_text(&out, "\n");
    instr_output_close(&out, error, sizeof error); // an error here cannot be reported
}

int cli_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(NULL, format, arguments);
    va_end(arguments);
    return CLI_FAILED;
}

int cli_no_memory(void) {
    return cli_error("out of memory");
}

static const char *usage_of(const char *command) {
    static const struct {
        const char *name, *arguments;
    } usages[] = {
#define ROW(name, arguments, help, details) {#name, arguments},
        INSTR_COMMANDS(ROW)
#undef ROW
#define ROW(name, arguments, help, details) {"coverage " #name, arguments},
            INSTR_COVERAGE_COMMANDS(ROW)
#undef ROW
    };
    char text[CLI_NAME_SIZE];
    for (size_t i = 0; i < sizeof usages / sizeof *usages; i++)
        if (strcmp(cli_command_name(usages[i].name, text), command) == 0)
            return usages[i].arguments;
    return "";
}

int cli_usage(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(command, format, arguments);
    va_end(arguments);
    const char *usage = usage_of(command);
    fprintf(stderr, "usage: instr %s%s%s\n", command, *usage ? " " : "", usage);
    return CLI_USAGE;
}

// --- arguments ---

// Is `argument` the option `name`? Then *value is what follows its "=", or NULL.
static int is_option(char *argument, const char *name, char **value) {
    size_t n = strlen(name);
    if (strncmp(argument, name, n) != 0 || (argument[n] != '\0' && argument[n] != '=')) return 0;
    *value = argument[n] ? argument + n + 1 : NULL;
    return 1;
}

static int take_value(const char *command, const struct cli_option *option, char *value) {
    if (option->text) *option->text = value;
    if (option->words && option->words->count == CLI_MOST_WORDS)
        return cli_usage(command, "%s is given more than %d times", option->name, CLI_MOST_WORDS);
    if (option->words) option->words->items[option->words->count++] = value;
    if (option->number && (*option->number = cli_number(value, option->least, option->most)) < 0)
        return cli_usage(command, "%s must be a number from %ld to %ld, not '%.64s'", option->name,
                         option->least, option->most, value);
    if (option->time && (*option->time = cli_duration(value)) == 0)
        return cli_usage(command, "%s must be a time such as 50ms or 30s, not '%.64s'",
                         option->name, value);
    return CLI_OK;
}

// What options of JaCoCo's command line are called here; NULL: it is none of them.
static const char *hint(const char *command, const char *option) {
    static const struct {
        const char *command, *option, *here;
    } hints[] = {
        {"coverage report", "--destfile", "--html DIR, --xml FILE and the like"},
        {"coverage report", "--tabwidth", "--tabwith N"},
        {"coverage report", "--includes", "include=PATTERN when the program runs"},
        {"coverage report", "--excludes", "exclude=PATTERN when the program runs"},
        {"coverage merge", "--destfile", "-o OUT"},
        {"coverage recover", "--destfile", "-o OUT"},
        {"coverage dump", "--destfile", "coverage.file=FILE when the program starts"},
        {"coverage dump", "--address", "PID, the process id"},
        {"coverage dump", "--port", "PID, the process id"},
    };
    size_t length = strcspn(option, "=");
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].command, command) == 0 && strlen(hints[i].option) == length &&
            strncmp(option, hints[i].option, length) == 0)
            return hints[i].here;
    return NULL;
}

// Reads the option at argv[*i], which then stands on the last argument used.
static int read_option(const char *command, int argc, char **argv, int *i,
                       const struct cli_option *options) {
    char *value = NULL;
    const struct cli_option *o = options;
    while (o->name && !is_option(argv[*i], o->name, &value)) o++;
    if (!o->name && hint(command, argv[*i]))
        return cli_usage(command, "unknown option '%.64s'; here it is %s", argv[*i],
                         hint(command, argv[*i]));
    if (!o->name || (o->flag && value))
        return cli_usage(command, "unknown option '%.64s'", argv[*i]);
    if (o->flag) {
        *o->flag = 1;
        return CLI_OK;
    }
    if (!value && *i + 1 == argc) return cli_usage(command, "%s needs a value", o->name);
    return take_value(command, o, value ? value : argv[++*i]);
}

// Is it an option without dashes, "name=VALUE"?
static int is_word(char *argument, const struct cli_option *options) {
    char *value = NULL;
    while (options->name && !(is_option(argument, options->name, &value) && value)) options++;
    return options->name != NULL;
}

int cli_arguments(const char *command, int *argc, char **argv, const struct cli_option *options) {
    int count = 0, plain = 0;
    for (int i = 0; i < *argc; i++) {
        if (plain || ((argv[i][0] != '-' || argv[i][1] == '\0') && !is_word(argv[i], options))) {
            argv[count++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            plain = 1;
        } else if (read_option(command, *argc, argv, &i, options) != CLI_OK) {
            return CLI_USAGE;
        }
    }
    *argc = count;
    return CLI_OK;
}

long cli_number(const char *text, long least, long most) {
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    int plain = *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
    return plain && number <= most && number >= least ? number : -1;
}

long cli_processors(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > CLI_MOST_JOBS ? CLI_MOST_JOBS : n;
}

int cli_pid(const char *command, const char *text, long *pid) {
    *pid = cli_number(text, 1, INT_MAX);
    return *pid > 0 ? CLI_OK : cli_usage(command, "'%.64s' is not a process id", text);
}

uint64_t cli_duration(const char *text) {
    static const struct {
        const char *name;
        double nanoseconds;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    char *end;
    if (*text < '0' || *text > '9') return 0;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && number * units[i].nanoseconds < 1e18)
            return (uint64_t)(number * units[i].nanoseconds);
    return 0;
}

int cli_word(const char *word, const char *const *words) {
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0) return i;
    return -1;
}

int cli_ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

// --- output ---

// Why an earlier write to standard output failed, when errno no longer says it. NULL: its reader has
// exited, and needs no message.
static const char *why_output_failed(void) {
    struct pollfd polled = {STDOUT_FILENO, POLLOUT, 0};
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0) return strerror(EBADF);
    if (poll(&polled, 1, 0) > 0 && polled.revents & POLLERR) return NULL;
    return "not everything could be written";
}

int cli_finish(int status) {
    int failed = ferror(stdout), now = fflush(stdout) != 0;
    if (!now && !failed) return status;
    const char *why = !now ? why_output_failed() : errno != EPIPE ? strerror(errno) : NULL;
    if (why) cli_error("standard output: %s", why);
    return CLI_FAILED;
}

static int to_stdout(void *unused, const void *bytes, size_t length) {
    (void)unused;
    return fwrite(bytes, 1, length, stdout) == length ? 0 : errno ? errno : EIO;
}

void cli_print(const char *text) {
    char error[INSTR_ERROR_SIZE];
    struct instr_output out;
    fflush(stdout);
    instr_output_descriptor(&out, STDOUT_FILENO);
    instr_report_text(&out, text, INSTR_PLAIN);
    instr_output_close(&out, error, sizeof error);
}

void cli_line(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    if (text) cli_print(text);
    free(text);
    putchar('\n');
}

void cli_print_json(const char *json, size_t length) {
    char error[INSTR_ERROR_SIZE];
    struct instr_output out;
    instr_output_sink(&out, to_stdout, NULL);
    instr_report_json(&out, json, length);
    instr_output_close(&out, error, sizeof error);
}

void cli_output_open(struct instr_output *out, const char *path) {
    if (path && strcmp(path, "-") != 0)
        instr_output_open(out, path);
    else
        instr_output_descriptor(out, STDOUT_FILENO);
}

int cli_output_close(struct instr_output *out) {
    char error[INSTR_ERROR_SIZE];
    if (instr_output_close(out, error, sizeof error) == 0) return CLI_OK;
    return cli_error("%s", error);
}

// The path without links; of a file that is not there yet, that of its folder and its name.
static void resolve(const char *path, char resolved[PATH_MAX]) {
    char folder[PATH_MAX];
    if (realpath(path, resolved)) return;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
    if (!realpath(folder, resolved)) {
        snprintf(resolved, PATH_MAX, "%s", path);
        return;
    }
    size_t length = strlen(resolved);
    snprintf(resolved + length, PATH_MAX - length, "/%s", name);
}

static bool is_same_file(const char *a, const char *b) {
    struct stat st;
    char at[PATH_MAX], other[PATH_MAX];
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return strcmp(a, b) == 0;
    if (stat(a, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) return false;
    resolve(a, at);
    resolve(b, other);
    return strcmp(at, other) == 0;
}

int cli_written_differ(const char *command, const struct cli_written *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            const struct cli_written *a = &list[i], *b = &list[k];
            if (!a->path || !b->path || !is_same_file(a->path, b->path)) continue;
            if (strcmp(a->path, "-") == 0)
                return cli_usage(command, "%s and %s both write to standard output", a->option,
                                 b->option);
            return cli_usage(command, "%s and %s name the same file, %.200s", a->option, b->option,
                             b->path);
        }
    return CLI_OK;
}

const char *cli_plural(uint64_t count, const char *ending) {
    return count == 1 ? "" : ending;
}
