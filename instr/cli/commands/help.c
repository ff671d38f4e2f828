// instr help, instr version. The texts come from the tables of commands, passes and options.

#include "instr/cli/commands/examples.h"
#include "instr/cli/internal.h"
#include "instr/base/json.h"
#include "instr/options.h"
#include "instr/options/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#ifndef INSTR_VERSION
#define INSTR_VERSION "unknown"
#endif

enum { INDENT = 24, WIDTH = 88 };

struct entry {
    const char *name, *arguments, *help, *details;
};

#define ROW(name, arguments, help, details) {#name, arguments, help, details},
#define COVERAGE_ROW(name, arguments, help, details) {"coverage " #name, arguments, help, details},
static const struct entry commands[] = {INSTR_COMMANDS(ROW){NULL, NULL, NULL, NULL}};
static const struct entry coverage_commands[] = {
    INSTR_COVERAGE_COMMANDS(COVERAGE_ROW){NULL, NULL, NULL, NULL}};
#undef ROW
#undef COVERAGE_ROW

#define ROW(command, line, help) {command, line, help},
static const struct { const char *command, *line, *help; } examples[] = {INSTR_EXAMPLES(ROW)};
enum { EXAMPLES = sizeof examples / sizeof *examples };
#undef ROW

// Prints a text from `column` on, broken into lines that begin at `indent`.
static void print_wrapped(const char *text, size_t indent, size_t column) {
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, " \n");
        if (column > indent && column + 1 + length > WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, word);
        column += length;
        for (word += length; *word == ' ' || *word == '\n'; word++)
            if (*word == '\n') {
                putchar('\n');
                column = indent;
            }
    }
    putchar('\n');
}

// Prints a name and, in a column beside it, its help.
static void print_entry(const char *name, const char *help) {
    printf("  %-*s", INDENT - 2, name);
    if (strlen(name) >= INDENT - 2) printf("\n%*s", INDENT, "");
    print_wrapped(help, INDENT, INDENT);
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
        "Options are separated by commas, or by blanks after 'instr run'; in a value \\, is a\n"
        "comma. PATTERNS are class names separated by colons: com.acme.Foo, org.foo.* (one\n"
        "package), com.acme.** (with all packages below it), ** (every class). In a choice the\n"
        "first word is the default. 'instr rewrite' includes all classes unless include is given.\n"
        "\nPasses, in nesting order, the first outermost:\n");
    instr_each_option(print_option, &in_passes);
}

struct topic {
    const char *name, *heading;
    int in_passes, found;
};

static void print_option_of_topic(void *context, const char *name, const char *argument,
                                  const char *help) {
    struct topic *topic = context;
    const size_t length = strlen(topic->name);
    if (strncmp(name, topic->name, length) != 0 || (name[length] && name[length] != '.')) return;
    if (!topic->found++) printf("%s", topic->heading);
    print_option(&topic->in_passes, name, argument, help);
}

// Prints a pass with its options, or an option, below a heading if there is one. How many lines of
// the help on options that were.
static int print_option_named(const char *name, const char *heading) {
    struct topic topic = {.name = name, .heading = heading};
    instr_each_option(print_option_of_topic, &topic);
    if (topic.found)
        printf("\n'instr help options' lists all options, also those that every pass has.\n");
    return topic.found;
}

static void print_usage(const char *before, const struct entry *entry) {
    char text[CLI_NAME_SIZE];
    printf("%sinstr %s%s%s\n", before, cli_command_name(entry->name, text),
           *entry->arguments ? " " : "", entry->arguments);
}

static void print_list(const struct entry *entries) {
    char text[CLI_NAME_SIZE];
    for (const struct entry *e = entries; e->name; e++)
        print_entry(cli_command_name(e->name, text), e->help);
    putchar('\n');
    for (const struct entry *e = entries; e->name; e++) print_usage("  ", e);
}

static void print_commands(void) {
    printf("usage: instr COMMAND ...\n\n");
    print_list(commands);
    printf("\nFor example:\n"
           "  instr run timing include=com.acme.** -- java -jar acme.jar\n"
           "  instr run timing timing.file=acme-%%p.json -- mvn test\n"
           "  instr report acme-4711.json --html acme.html\n"
           "  instr rewrite timing timing.file=acme-%%p.json acme.jar -o acme-timed.jar\n\n"
           "'instr help COMMAND' explains one command, 'instr help PASS' a pass with its options;\n"
           "'instr help options' lists them all, 'instr help interfaces' says why interfaces are\n"
           "skipped. The man page instr(1) and the pages in share/doc/instr have the rest.\n");
}

static void print_examples(const struct entry *entry) {
    char text[CLI_NAME_SIZE];
    const char *name = cli_command_name(entry->name, text);
    printf("\nExamples:\n");
    for (size_t i = 0; i < EXAMPLES; i++)
        if (strcmp(examples[i].command, name) == 0)
            printf("  %s\n      %s\n", examples[i].line, examples[i].help);
}

static void print_command(const struct entry *entry) {
    print_usage("usage: ", entry);
    printf("\n%c%s.\n", toupper((unsigned char)entry->help[0]), entry->help + 1);
    if (*entry->details) {
        putchar('\n');
        print_wrapped(entry->details, 0, 0);
    }
    print_examples(entry);
    if (strcmp(entry->name, "coverage") != 0) return;
    putchar('\n');
    print_list(coverage_commands);
}

static void print_interfaces(void) {
    print_wrapped(
        "Interfaces with default or static methods that are loaded when a pass is switched on are "
        "skipped. HotSpot may crash when such an interface is retransformed while another thread "
        "loads a class that implements it, under any agent.\n\n"
        "Interfaces that are loaded later are instrumented, and so are all of them when the agent "
        "starts with the JVM. Their loaded implementations, and interfaces without code, are not "
        "concerned.\n\n"
        "interfaces=yes takes the loaded ones, too: instr enable PID timing interfaces=yes. Use it "
        "while the JVM loads no classes, or where a crash can be borne.\n\n"
        "'instr status PID' counts the skipped ones and names the first of them.",
        0, 0);
}

static const struct entry *find(const struct entry *entries, const char *topic) {
    char text[CLI_NAME_SIZE];
    for (const struct entry *e = entries; e->name; e++)
        if (strcmp(cli_command_name(e->name, text), topic) == 0) return e;
    return NULL;
}

// --- for programs ---

static void put_examples(struct instr_json *json, const char *command) {
    instr_json_open(json, "examples", '[');
    for (size_t i = 0; i < EXAMPLES; i++) {
        if (strcmp(examples[i].command, command) != 0) continue;
        instr_json_open_flat(json, NULL, '{');
        instr_json_text(json, "line", examples[i].line);
        instr_json_text(json, "help", examples[i].help);
        instr_json_close(json, '}');
    }
    instr_json_close(json, ']');
}

static void put_commands(struct instr_json *json, const struct entry *entries) {
    char text[CLI_NAME_SIZE];
    for (const struct entry *e = entries; e->name; e++) {
        instr_json_open(json, NULL, '{');
        instr_json_text(json, "name", cli_command_name(e->name, text));
        instr_json_text(json, "arguments", e->arguments);
        instr_json_text(json, "help", e->help);
        instr_json_text(json, "details", e->details);
        put_examples(json, cli_command_name(e->name, text));
        instr_json_close(json, '}');
    }
}

// A pass is an option without an argument.
static void put_option(void *context, const char *name, const char *argument, const char *help) {
    struct instr_json *json = context;
    instr_json_open(json, NULL, '{');
    instr_json_text(json, "name", name);
    instr_json_text(json, "argument", argument);
    instr_json_text(json, "help", help);
    instr_json_close(json, '}');
}

static int print_json(void) {
    struct instr_output out;
    cli_output_open(&out, NULL);
    struct instr_json json = instr_json_start(&out);
    instr_json_open(&json, NULL, '{');
    instr_json_text(&json, "version", INSTR_VERSION);
    instr_json_open(&json, "commands", '[');
    put_commands(&json, commands);
    put_commands(&json, coverage_commands);
    instr_json_close(&json, ']');
    instr_json_open(&json, "options", '[');
    instr_each_option(put_option, &json);
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
    return cli_output_close(&out);
}

// Prints the help on a command, a pass, an option or a topic. 0: nothing is named so.
static int print_topic(const char *name) {
    const struct entry *entry = find(strchr(name, ' ') ? coverage_commands : commands, name);
    int found = 1;
    if (entry)
        print_command(entry);
    else if (strcmp(name, "options") == 0)
        print_options();
    else if (strcmp(name, "interfaces") == 0)
        print_interfaces();
    else
        found = 0;
    return print_option_named(name, found ? "\nThe option of that name:\n" : "") || found;
}

static int refuse(const char *topic) {
    char command[CLI_NAME_SIZE], option[INSTR_NAME_SIZE];
    unsigned to_command = cli_nearest_command(topic, command);
    instr_nearest_option(topic, option);
    unsigned to_option = instr_name_distance(topic, option);
    const char *nearest = to_command < to_option ? command : option;
    if (cli_is_mistyped(topic, to_command < to_option ? to_command : to_option))
        return cli_usage("help", "there is no help on '%.64s'; did you mean '%s'?", topic, nearest);
    return cli_usage("help", "there is no help on '%.64s'", topic);
}

int cli_help(int argc, char **argv) {
    char topic[2 * CLI_NAME_SIZE] = "";
    if (argc > 0)
        snprintf(topic, sizeof topic, "%s%s%s", strcmp(argv[0], "exec") == 0 ? "coverage" : argv[0],
                 argc > 1 ? " " : "", argc > 1 ? argv[1] : "");
    if (argc == 1 && strcmp(topic, "--json") == 0) return print_json();
    if (argc == 0)
        print_commands();
    else if (argc > 2 || !print_topic(topic))
        return refuse(topic);
    return cli_finish(CLI_OK);
}

int cli_version(int argc, char **argv) {
    (void)argv;
    if (argc > 0) return cli_usage("version", "takes no arguments");
    printf("instr %s\n", INSTR_VERSION);
    return cli_finish(CLI_OK);
}
