// What the commands share that load the agent into a JVM: its options and its library.

#include "instr/cli/agent_library.h"
#include "instr/cli/cli.h"
#include "instr/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef INSTR_LIBDIR
#define INSTR_LIBDIR "/usr/local/lib"
#endif

#ifndef INSTR_LIBDIR_RELATIVE
#define INSTR_LIBDIR_RELATIVE "../lib"
#endif

char *cli_concat(const char *first, ...) {
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file) return NULL;
    va_list more;
    va_start(more, first);
    for (const char *part = first; part; part = va_arg(more, const char *)) fputs(part, file);
    va_end(more);
    if (fclose(file) == 0) return text;
    free(text);
    return NULL;
}

// --- options ---

// A backslash at the end of a word must not escape the comma that follows.
static int ends_in_escape(const char *word) {
    size_t n = 0, length = strlen(word);
    while (n < length && word[length - 1 - n] == '\\') n++;
    return n % 2 == 1;
}

void cli_append_value(char **to, const char *value) {
    for (; *value; value++) {
        if (*value == ',' || *value == '\\') *(*to)++ = '\\';
        *(*to)++ = *value;
    }
    **to = '\0';
}

char *cli_join_options(int count, char *const *words) {
    char *list = strdup("");
    for (int i = 0; i < count && list; i++) {
        int last = i + 1 == count;
        char *more = cli_concat(list, words[i], !last && ends_in_escape(words[i]) ? "\\" : "",
                                last ? "" : ",", NULL);
        free(list);
        list = more;
    }
    return list;
}

// Passes that have a number for a name get theirs in the JVM, where others may be on already; unless
// `list` has options for this name.
static void forget_numbers(const struct instr_options *options, const char *list) {
    for (size_t i = 0; i < options->pass_count; i++) {
        struct rw_made *made = options->passes[i].pass->made;
        char key[40];
        if (!made || !made->numbered) continue;
        snprintf(key, sizeof key, "%s.", made->name);
        if (!strstr(list, key)) made->name[0] = '\0';
    }
}

char *cli_checked_options(int count, char *const *words, int dormant) {
    char error[INSTR_ERROR_SIZE];
    struct instr_options options;
    char *list = cli_join_options(count, words), *result = NULL;
    if (!list) {
        cli_no_memory();
        return NULL;
    }
    if (instr_options_parse(&options, list, error, sizeof error) != 0)
        cli_error("%s", error);
    else if (options.pass_count == 0 && !dormant)
        cli_error("no pass is given, so nothing would be done; see 'instr help options'");
    else {
        forget_numbers(&options, list);
        if (!(result = instr_options_format(&options))) cli_no_memory();
    }
    instr_options_free(&options);
    free(list);
    return result;
}

// --- files that are installed with the tool ---

// The folder of this executable, with a slash at its end; "" if unknown.
static void executable_folder(char folder[PATH_MAX]) {
    ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) slash[1] = '\0';
}

int cli_find_installed(const char *file, const char *what, char path[PATH_MAX]) {
    char folder[PATH_MAX];
    executable_folder(folder);
    const char *const places[][2] = {
        {folder, ""},                 // the build tree
        {folder, "../runtime-java/"}, // its jars
        {folder, "../runtime-java/kit/"},
        {folder, INSTR_LIBDIR_RELATIVE "/"}, // an installation, wherever it was moved
        {INSTR_LIBDIR "/", ""}};             // where it was configured to be
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char name[PATH_MAX];
        int n = snprintf(name, sizeof name, "%s%s%s", places[i][0], places[i][1], file);
        if (n < (int)sizeof name && realpath(name, path) && access(path, R_OK) == 0) return CLI_OK;
    }
    return cli_error("%s, %s, is neither in %.300s nor in %s", what, file, folder, INSTR_LIBDIR);
}

int cli_find_library(char path[PATH_MAX]) {
    return cli_find_installed("libinstr.so", "the agent", path);
}
