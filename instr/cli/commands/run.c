// instr run: runs a command with the agent in each JVM that the command starts.

#include "instr/cli/commands/run.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/coverage/run.h"
#include "instr/cli/internal.h"
#include "instr/options.h"
#include "instr/plugins/open.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OLD_LIMIT = 1023 }; // bytes; JDK 8 silently ignores a longer JAVA_TOOL_OPTIONS

// "-agentpath:LIBRARY=OPTIONS"; NULL after a message.
static char *agent_argument(const char *options) {
    char library[PATH_MAX];
    if (cli_find_library(library) != CLI_OK) return NULL;
    if (strchr(library, '=')) { // the JVM takes the first = as the start of the options
        cli_error("no JVM can load an agent with '=' in its path: %.300s", library);
        return NULL;
    }
    char *argument = cli_concat("-agentpath:", library, "=", options, NULL);
    if (!argument) cli_no_memory();
    return argument;
}

// --- the two ways into a JVM ---

// HotSpot splits JAVA_TOOL_OPTIONS at white space (JVM TI specification, "JAVA_TOOL_OPTIONS";
// Arguments::parse_options_buffer). Quotes of either kind protect white space and are removed; there
// are no escapes. So everything goes into double quotes, except double quotes, which go into single
// ones.
static char *quoted(const char *argument) {
    if (!strpbrk(argument, " \t\n\v\f\r'\"")) return strdup(argument);
    char *result = malloc(5 * strlen(argument) + 3), *out = result;
    if (!result) return NULL;
    *out++ = '"';
    for (const char *c = argument; *c; c++) {
        if (*c == '"')
            out = stpcpy(out, "\"'\"'\"");
        else
            *out++ = *c;
    }
    strcpy(out, "\"");
    return result;
}

// Does a variable that JVMs read name an agent? It would stand before one on the command line.
static int environment_has_agents(void) {
    static const char *const variables[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && (strstr(value, "-javaagent:") || strstr(value, "-agent"))) return 1;
    }
    return 0;
}

// Ours is the first agent.
static int set_tool_options(const char *argument) {
    const char *before = getenv("JAVA_TOOL_OPTIONS");
    char *quote = quoted(argument), *value = NULL;
    if (quote && before && *before) value = cli_concat(quote, " ", before, NULL);
    if (quote && (!before || !*before)) value = strdup(quote);
    int status = CLI_OK;
    if (!value || setenv("JAVA_TOOL_OPTIONS", value, 1) != 0)
        status = cli_no_memory();
    else if (strlen(value) > OLD_LIMIT)
        cli_error("note: JAVA_TOOL_OPTIONS is longer than %d bytes; a JVM 8 ignores it", OLD_LIMIT);
    free(quote);
    free(value);
    return status;
}

static int is_launcher(const char *command) {
    const char *slash = strrchr(command, '/');
    const char *name = slash ? slash + 1 : command;
    return strcmp(name, "java") == 0 || strcmp(name, "javaw") == 0;
}

// Becomes the command, which then has its own status and signals. Returns only on failure.
static int execute(char **command) {
    execvp(command[0], command);
    int status = errno == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
    int unknown = errno == ENOENT && !strchr(command[0], '/');
    cli_error("%.300s: %s", command[0], unknown ? "command not found" : strerror(errno));
    return status;
}

int cli_run_with_agent(char *const *words, int count, const char *options) {
    char *argument = agent_argument(options);
    if (!argument) return CLI_FAILED;
    char **command = calloc((size_t)count + 2, sizeof *command);
    int status = CLI_FAILED;
    if (!command) {
        free(argument);
        return cli_no_memory();
    }
    memcpy(command, words, (size_t)count * sizeof *command);
    if (is_launcher(command[0]) && !environment_has_agents()) {
        memmove(command + 2, command + 1, (size_t)count * sizeof *command);
        command[1] = argument;
        status = execute(command);
    } else if (set_tool_options(argument) == CLI_OK) {
        status = execute(command);
    }
    free(command);
    free(argument);
    return status;
}

// "--allow WORDS", as other commands have it, becomes the option allow=WORDS, and so does --for. The
// caller frees it.
static char *take_option(const char *name, int *words, char **argv) {
    size_t n = strlen(name);
    for (int i = 0; i < *words; i++) {
        int begins = strncmp(argv[i], name, n) == 0, alone = begins && !argv[i][n];
        if (begins && argv[i][n] == '=') argv[i] += 2; // without its dashes
        char *option =
            alone && i + 1 < *words ? cli_concat(name + 2, "=", argv[i + 1], NULL) : NULL;
        if (!option) continue;
        argv[i] = option;
        --*words;
        memmove(argv + i + 1, argv + i + 2, (size_t)(*words - i - 1) * sizeof *argv);
        return option;
    }
    return NULL;
}

// Is the pass coverage among the options?
static int names_coverage(int count, char *const *words) {
    for (int i = 0; i < count; i++)
        for (const char *at = words[i]; at; at = strchr(at, ',')) {
            if (*at == ',') at++;
            if (strncmp(at, "coverage", 8) == 0 && (!at[8] || strchr(",=", at[8]))) return 1;
        }
    return 0;
}

// Drops the words that are empty.
static int without_empty(int count, char **words) {
    int left = 0;
    for (int i = 0; i < count; i++)
        if (*words[i]) words[left++] = words[i];
    return left;
}

// Of plug-ins what can be seen without a JVM.
static int check_plugins(const char *list) {
    char reason[INSTR_ERROR_SIZE];
    struct instr_options options;
    if (instr_options_parse(&options, list, reason, sizeof reason) != 0)
        return cli_error("%s", reason);
    int wrong = instr_plugins_check(&options, reason, sizeof reason);
    instr_options_free(&options);
    if (wrong) cli_error("option 'plugin': %s", reason);
    return wrong ? CLI_USAGE : CLI_OK;
}

int cli_run(int argc, char **argv) {
    int words = 0;
    while (words < argc && strcmp(argv[words], "--") != 0) words++;
    if (words == argc) return cli_usage("run", "'--' is missing before the command");
    if (words + 1 == argc) return cli_usage("run", "no command after '--'");
    if (words == 0) return cli_usage("run", "no options before '--'");
    int given = words;
    char *allow = take_option("--allow", &given, argv), *lease = take_option("--for", &given, argv);
    char *html = cover_take_html(given, argv), *file = html ? cover_file_of(given, argv) : NULL;
    if (html) given = without_empty(given, argv);
    char *options = cli_checked_options(given, argv, 0);
    free(allow);
    free(lease);
    int status = CLI_USAGE;
    if (options && html && !names_coverage(given, argv))
        cli_usage("run", "coverage.html= needs the pass coverage");
    else if (options)
        status = check_plugins(options);
    if (status == CLI_OK)
        status = html ? cover_run(argc - words - 1, argv + words + 1, options, html, file)
                      : cli_run_with_agent(argv + words + 1, argc - words - 1, options);
    free(options);
    free(html);
    free(file);
    return status;
}
