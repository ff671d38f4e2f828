// instr: the command line tool.

#include "instr/cli/internal.h"
#include "instr/options/names.h"
#include "instr/kit/option.h"
#include "instr/plugins/plugins.h"
#include "instr/rules/option.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
};

#define ROW(name, arguments, help, details) {#name, cli_##name},
static const struct command commands[] = {INSTR_COMMANDS(ROW){NULL, NULL}};
#undef ROW

static const struct command *command_named(const char *name) {
    char text[CLI_NAME_SIZE];
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(cli_command_name(c->name, text), name) == 0) return c;
    return NULL;
}

static int refuse(const char *word) {
    char nearest[CLI_NAME_SIZE];
    if (cli_is_mistyped(word, cli_nearest_command(word, nearest)))
        cli_error("unknown command '%.64s'; did you mean '%s'? See 'instr help'", word, nearest);
    else
        cli_error("unknown command '%.64s'; see 'instr help'", word);
    return CLI_USAGE;
}

// --help and --version are commands, too; `exec` is the old name of `coverage`.
static const char *command_word(const char *word) {
    if (strcmp(word, "exec") == 0) return "coverage";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return "version";
    return word;
}

static int asks_for_help(const char *word) {
    return word[0] == '-' && strcmp(command_word(word), "help") == 0;
}

// Whoever starts us may have closed standard input, output or error. The next file or connection would
// get the number, and what we print would go to the agent. Reading and writing fails as it would without
// this; a command of 'instr run' finds them closed.
static void open_standard_streams(void) {
    static const int useless[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", useless[fd] | O_CLOEXEC);
}

// Another process that has the same terminal or pipe may have made it non-blocking, as programs of Node.js do.
// Reading fails then where there is nothing yet, and writing where there is no room. Opened anew it is a
// description of our own, which blocks; what the other process has stays as it is.
static void unshare_stream(int fd) {
    char path[32];
    struct stat st;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || !(flags & O_NONBLOCK) || fstat(fd, &st) != 0) return;
    if (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode)) return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    // A pipe without its other end would not open without O_NONBLOCK.
    int own = open(path, (flags & O_ACCMODE) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (own < 0) return;
    if (fcntl(own, F_SETFL, flags & ~O_NONBLOCK) == 0) dup2(own, fd);
    close(own);
}

static void ignore(int number) {
    (void)number;
}

// A limit on the size of files is an error like a full disk. A handler, unlike SIG_IGN, is not inherited
// by a command of 'instr run'.
static void survive_limits(void) {
    if (signal(SIGXFSZ, ignore) == SIG_IGN) signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv) {
    open_standard_streams();
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) unshare_stream(fd);
    survive_limits();
    if (argc < 2) {
        cli_error("no command given; see 'instr help'");
        return CLI_USAGE;
    }
    instr_options_add_source(&instr_kit_source);
    instr_options_add_source(&instr_plugin_source);
    instr_options_add_source(&instr_rule_source);
    const struct command *command = command_named(command_word(argv[1]));
    if (!command) return refuse(argv[1]);
    // `instr run --help`, but not `instr run timing -- java --help`.
    if (argc == 3 && asks_for_help(argv[2])) {
        static char help[] = "help";
        char *topic[] = {command->run == cli_help ? help : argv[1]};
        return cli_help(1, topic);
    }
    if (argc == 4 && command->run == cli_coverage && asks_for_help(argv[3]))
        return cli_help(2, argv + 1);
    return command->run(argc - 2, argv + 2);
}
