// instr: the command line tool.

#include "instr/cli/cli.h"
#include "instr/options.h"
#include "instr/options/names.h"
#include "instr/report/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
    const char *name, *arguments;
    int (*run)(int argc, char **argv);
};

#define ROW(name, arguments, help) {#name, arguments, cli_##name},
static const struct command commands[] = {INSTR_COMMANDS(ROW){NULL, NULL, NULL}};
#undef ROW

const char *cli_command_name(const char *name, char text[CLI_NAME_SIZE]) {
    snprintf(text, CLI_NAME_SIZE, "%s", name);
    for (char *c = text; *c; c++)
        if (*c == '_') *c = '-';
    return text;
}

static const struct command *command_named(const char *name) {
    char text[CLI_NAME_SIZE];
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(cli_command_name(c->name, text), name) == 0) return c;
    return NULL;
}

static void refuse(const char *word) {
    char text[CLI_NAME_SIZE], nearest[CLI_NAME_SIZE] = "";
    unsigned least = 3; // what is further away has nothing to do with it
    for (const struct command *c = commands; c->name; c++) {
        unsigned d = instr_name_distance(word, cli_command_name(c->name, text));
        if (d >= least || d >= strlen(text)) continue;
        least = d;
        strcpy(nearest, text);
    }
    if (nearest[0])
        cli_error("instr: '%.64s' is no command; did you mean '%s'? See 'instr help'", word,
                  nearest);
    else
        cli_error("instr: '%.64s' is no command; see 'instr help'", word);
}

// Texts from files and from the command line come this way, so nothing in them gets at the
// terminal.
static void print_line(const char *format, va_list arguments) {
    char line[2048], error[INSTR_ERROR_SIZE];
    struct instr_output out;
    vsnprintf(line, sizeof line, format, arguments);
    instr_output_descriptor(&out, STDERR_FILENO);
    instr_report_text(&out, line, INSTR_PLAIN);
    instr_output_text(&out, "\n");
    instr_output_close(&out, error, sizeof error); // there is nobody left to tell
}

void cli_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}

int cli_usage(const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    char text[CLI_NAME_SIZE];
    const struct command *command = command_named(cli_command_name(name, text));
    if (command) fprintf(stderr, "usage: instr %s %s\n", text, command->arguments);
    return CLI_USAGE;
}

// Why standard output failed before, when errno does not tell any more. NULL: its reader has gone,
// and knows.
static const char *why_output_failed(void) {
    struct pollfd polled = {STDOUT_FILENO, POLLOUT, 0};
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0) return strerror(EBADF);
    if (poll(&polled, 1, 0) > 0 && polled.revents & POLLERR) return NULL;
    return "not all could be written";
}

int cli_finish(int status) {
    int failed = ferror(stdout), now = fflush(stdout) != 0;
    if (!now && !failed) return status;
    const char *why = !now ? why_output_failed() : errno != EPIPE ? strerror(errno) : NULL;
    if (why) cli_error("instr: standard output: %s", why);
    return CLI_FAILED;
}

int cli_option(int argc, char **argv, int *i, const char *name, const char **value) {
    size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) != 0) return 0;
    if (argv[*i][n] == '=') {
        *value = argv[*i] + n + 1;
        return 1;
    }
    if (argv[*i][n] != '\0') return 0;
    if (*i + 1 == argc) return -1;
    *value = argv[++*i];
    return 1;
}

long cli_number(const char *text, int zero, long most) {
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    int plain = *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
    return plain && number <= most && number >= (zero ? 0 : 1) ? number : -1;
}

// --help and --version are commands, too.
static const char *command_word(const char *word) {
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return "version";
    return word;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        cli_error("instr: which command? See 'instr help'");
        return CLI_USAGE;
    }
    const struct command *command = command_named(command_word(argv[1]));
    if (!command) {
        refuse(argv[1]);
        return CLI_USAGE;
    }
    // `instr run --help`, but not `instr run timing -- java --help`.
    int asks = argc == 3 && strcmp(command_word(argv[2]), "help") == 0 && argv[2][0] == '-';
    if (asks) return cli_help(0, argv + argc);
    return command->run(argc - 2, argv + 2);
}
