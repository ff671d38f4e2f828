// instr help, instr version. The texts come from the tables of commands, passes and options.

#include "instr/cli/cli.h"
#include "instr/cli/exec/exec.h"
#include "instr/options.h"
#include "instr/options/names.h"

#include <stdio.h>
#include <string.h>

#ifndef INSTR_VERSION
#define INSTR_VERSION "unknown"
#endif

enum { INDENT = 24, WIDTH = 88 };

// Prints a name and, in a column beside it, its help, broken into lines.
static void print_entry(const char *name, const char *help) {
    printf("  %-*s", INDENT - 2, name);
    size_t column = INDENT;
    if (strlen(name) >= INDENT - 2) printf("\n%*s", INDENT, "");
    for (const char *word = help; *word;) {
        size_t length = strcspn(word, " ");
        if (column > INDENT && column + 1 + length > WIDTH) {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, word);
        column += length;
        word += length;
        while (*word == ' ') word++;
    }
    putchar('\n');
}

static void print_option(void *context, const char *name, const char *argument, const char *help) {
    char left[INSTR_NAME_SIZE * 2];
    int *in_passes = context;
    if (*in_passes && argument) printf("\nOptions:\n");
    *in_passes = !argument;
    snprintf(left, sizeof left, "%s%s%s", name, argument ? "=" : "", argument ? argument : "");
    print_entry(left, help);
}

static void print_options(void) {
    int in_passes = 1;
    printf(
        "Options are separated by commas, or by blanks behind 'instr run'; in a value \\, is a\n"
        "comma. PATTERNS are class names separated by colons: com.acme.Foo, org.foo.* (one\n"
        "package), com.acme.** (with all packages below it), ** (every class). Of the words of a\n"
        "choice the first one is the default. Behind 'instr rewrite' all classes are in, unless\n"
        "include says otherwise.\n\n"
        "Passes, in the order in which they nest, the first outermost:\n");
    instr_each_option(print_option, &in_passes);
}

// A row of the table in README.md.
static void print_markdown(void *context, const char *name, const char *argument,
                           const char *help) {
    (void)context;
    printf("| `%s%s", name, argument ? "=" : "");
    for (const char *c = argument ? argument : ""; *c; c++) printf(*c == '|' ? "\\|" : "%c", *c);
    printf("` | %s |\n", help);
}

// An entry of the man page.
static void print_man(void *context, const char *name, const char *argument, const char *help) {
    (void)context;
    printf(".TP\n");
    if (argument)
        printf(".BI %s= %s\n", name, argument);
    else
        printf(".B %s\n", name);
    for (const char *c = help; *c; c++) printf(*c == '-' ? "\\-" : *c == '\\' ? "\\e" : "%c", *c);
    putchar('\n');
}

static void print_commands(void) {
    char text[CLI_NAME_SIZE];
    printf("usage: instr COMMAND ...\n\n");
#define PRINT(name, arguments, help) print_entry(cli_command_name(#name, text), help);
    INSTR_COMMANDS(PRINT)
#undef PRINT
    putchar('\n');
#define PRINT(name, arguments, help)                                                               \
    printf("  instr %s%s%s\n", cli_command_name(#name, text), *arguments ? " " : "", arguments);
    INSTR_COMMANDS(PRINT)
#undef PRINT
    printf("\nFor example:\n"
           "  instr run timing include=com.acme.** -- java -jar acme.jar\n"
           "  instr run timing timing.file=acme-%%p.json -- mvn test\n"
           "  instr report acme-4711.json --html acme.html\n"
           "  instr rewrite timing timing.file=acme-%%p.json acme.jar -o acme-timed.jar\n\n"
           "'instr help options' tells the passes and options; the man page instr(1) the rest.\n");
}

// One command alone. Returns 0 when `topic` is none.
static int print_command(const char *topic) {
    char text[CLI_NAME_SIZE];
#define PRINT(name, arguments, help)                                                               \
    if (strcmp(cli_command_name(#name, text), topic) == 0) {                                       \
        printf("usage: instr %s%s%s\n\n", text, *arguments ? " " : "", arguments);                 \
        print_entry(text, help);                                                                   \
        return 1;                                                                                  \
    }
    INSTR_COMMANDS(PRINT)
#undef PRINT
    return 0;
}

int cli_help(int argc, char **argv) {
    const char *topic = argc > 0 ? argv[0] : "";
    const char *form = argc > 1 ? argv[1] : "";
    if (argc == 0)
        print_commands();
    else if (strcmp(topic, "exec") == 0 && argc == 1)
        cli_exec_help(print_entry);
    else if (strcmp(topic, "options") == 0 && argc == 1)
        print_options();
    else if (strcmp(topic, "options") == 0 && strcmp(form, "markdown") == 0)
        instr_each_option(print_markdown, NULL);
    else if (strcmp(topic, "options") == 0 && strcmp(form, "man") == 0)
        instr_each_option(print_man, NULL);
    else if (argc > 1 || !print_command(topic))
        return cli_usage("help", "instr: there is no help on '%.64s'", argv[argc - 1]);
    return cli_finish(CLI_OK);
}

int cli_version(int argc, char **argv) {
    (void)argv;
    if (argc > 0) return cli_usage("version", "instr: version takes no arguments");
    printf("instr %s\n", INSTR_VERSION);
    return cli_finish(CLI_OK);
}
