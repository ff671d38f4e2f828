// instr run: starts a command with the agent in the JVMs that it starts.

#include "instr/cli.h"
#include "instr/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef INSTR_LIBDIR
#define INSTR_LIBDIR "/usr/local/lib"
#endif

enum { OLD_LIMIT = 1023 }; // bytes; a longer JAVA_TOOL_OPTIONS is ignored by JDK 8 without a word

// --- text that grows ---

// Returns `text` with `more` behind it, made anew; frees `text`. NULL in, or out of memory: NULL.
static char *append(char *text, const char *more) {
    char *result = text ? realloc(text, strlen(text) + strlen(more) + 1) : NULL;
    if (!result) free(text);
    return result ? strcat(result, more) : NULL;
}

// --- options ---

// A backslash at the end of a word is not to take the comma that follows.
static int ends_in_escape(const char *word) {
    size_t n = 0, length = strlen(word);
    while (n < length && word[length - 1 - n] == '\\') n++;
    return n % 2 == 1;
}

static char *join(int count, char **words) {
    char *list = strdup("");
    for (int i = 0; i < count; i++) {
        list = append(list, i > 0 ? "," : "");
        list = append(list, words[i]);
        if (i + 1 < count && ends_in_escape(words[i])) list = append(list, "\\");
    }
    return list;
}

// The options, checked, and with what configuration files say in their place. NULL: an error was
// printed.
static char *checked_options(int count, char **words) {
    char error[INSTR_ERROR_SIZE];
    struct instr_options options;
    char *list = join(count, words), *result = NULL;
    if (!list) {
        cli_error("instr: out of memory");
        return NULL;
    }
    if (instr_options_parse(&options, list, error, sizeof error) != 0) {
        cli_error("%s", error);
    } else if (options.pass_count == 0) {
        cli_error("instr: no pass is among the options, so nothing would be done; see "
                  "'instr help options'");
    } else {
        result = instr_options_format(&options);
        if (!result) cli_error("instr: out of memory");
    }
    instr_options_free(&options);
    free(list);
    return result;
}

// --- the agent's library ---

// The folder of this executable, with a slash at its end; "" if unknown.
static void executable_folder(char folder[PATH_MAX]) {
    ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) slash[1] = '\0';
}

// Beside the executable, as in the build tree; where it was installed together with it, wherever
// that has been moved; where it was meant to be installed.
static int find_library(char path[PATH_MAX]) {
    char folder[PATH_MAX];
    executable_folder(folder);
    const char *const places[][2] = {{folder, ""},
#ifdef INSTR_LIBDIR_RELATIVE
                                     {folder, INSTR_LIBDIR_RELATIVE "/"},
#endif
                                     {INSTR_LIBDIR "/", ""}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char name[PATH_MAX];
        int n = snprintf(name, sizeof name, "%s%slibinstr.so", places[i][0], places[i][1]);
        if (n >= (int)sizeof name || !realpath(name, path)) continue;
        if (access(path, R_OK) == 0) return 0;
    }
    cli_error("instr: the agent, libinstr.so, is neither in %.300s nor in %s", folder,
              INSTR_LIBDIR);
    return -1;
}

// "-agentpath:LIBRARY=OPTIONS"; NULL: an error was printed.
static char *agent_argument(const char *options) {
    char library[PATH_MAX];
    if (find_library(library) != 0) return NULL;
    if (strchr(library, '=')) { // the JVM takes the first = for the beginning of the options
        cli_error("instr: no JVM can load an agent with '=' in its path: %.300s", library);
        return NULL;
    }
    char *argument = append(strdup("-agentpath:"), library);
    argument = append(append(argument, "="), options);
    if (!argument) cli_error("instr: out of memory");
    return argument;
}

// --- the two ways into a JVM ---

// JAVA_TOOL_OPTIONS (JVM TI specification, "JAVA_TOOL_OPTIONS"; HotSpot's
// Arguments::parse_options_buffer) is cut at white space; quotes of either kind keep it, are taken
// off, and know no escapes. So everything is put in double quotes, except double quotes, which are
// put in single ones.
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

static int set_tool_options(const char *argument) {
    const char *before = getenv("JAVA_TOOL_OPTIONS");
    char *quote = quoted(argument);
    char *value = strdup(before ? before : "");
    if (before && *before) value = append(value, " ");
    if (quote) value = append(value, quote);
    int failed = !quote || !value || setenv("JAVA_TOOL_OPTIONS", value, 1) != 0;
    if (failed)
        cli_error("instr: out of memory");
    else if (strlen(value) > OLD_LIMIT)
        cli_error("instr: note: JAVA_TOOL_OPTIONS is longer than %d bytes; a JVM 8 ignores it then",
                  OLD_LIMIT);
    free(quote);
    free(value);
    return failed ? -1 : 0;
}

static int is_launcher(const char *command) {
    const char *slash = strrchr(command, '/');
    const char *name = slash ? slash + 1 : command;
    return strcmp(name, "java") == 0 || strcmp(name, "javaw") == 0;
}

// Becomes the command, so that its status and all signals are its own. Returns when that fails.
static int execute(char **command) {
    execvp(command[0], command);
    int status = errno == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
    int unknown = errno == ENOENT && !strchr(command[0], '/');
    cli_error("instr: %.300s: %s", command[0], unknown ? "command not found" : strerror(errno));
    return status;
}

// `command` has room for one more argument at its end.
static int run_with_agent(char **command, int count, const char *options) {
    char *argument = agent_argument(options);
    if (!argument) return CLI_FAILED;
    int status = CLI_FAILED;
    if (is_launcher(command[0])) {
        memmove(command + 2, command + 1, (size_t)count * sizeof *command);
        command[1] = argument;
        status = execute(command);
    } else if (set_tool_options(argument) == 0) {
        status = execute(command);
    }
    free(argument);
    return status;
}

int cli_run(int argc, char **argv) {
    int words = 0;
    while (words < argc && strcmp(argv[words], "--") != 0) words++;
    if (words == argc) return cli_usage("run", "instr: run: '--' is missing before the command");
    if (words + 1 == argc) return cli_usage("run", "instr: run: no command behind '--'");
    if (words == 0) return cli_usage("run", "instr: run: no options before '--'");
    char *options = checked_options(words, argv);
    if (!options) return CLI_USAGE;
    int count = argc - words - 1;
    char **command = calloc((size_t)count + 2, sizeof *command);
    if (command) memcpy(command, argv + words + 1, (size_t)count * sizeof *command);
    if (!command) cli_error("instr: out of memory");
    int status = command ? run_with_agent(command, count, options) : CLI_FAILED;
    free(command);
    free(options);
    return status;
}
