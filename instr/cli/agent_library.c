// What commands that bring the agent into a JVM share: its options and its library.

#include "instr/cli/agent_library.h"
#include "instr/cli/cli.h"
#include "instr/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef INSTR_LIBDIR
#define INSTR_LIBDIR "/usr/local/lib"
#endif

// --- text that grows ---

char *cli_append(char *text, const char *more) {
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

char *cli_join_options(int count, char **words) {
    char *list = strdup("");
    for (int i = 0; i < count; i++) {
        list = cli_append(list, i > 0 ? "," : "");
        list = cli_append(list, words[i]);
        if (i + 1 < count && ends_in_escape(words[i])) list = cli_append(list, "\\");
    }
    return list;
}

char *cli_checked_options(int count, char **words, int dormant) {
    char error[INSTR_ERROR_SIZE];
    struct instr_options options;
    char *list = cli_join_options(count, words), *result = NULL;
    if (!list) {
        cli_error("instr: out of memory");
        return NULL;
    }
    if (instr_options_parse(&options, list, error, sizeof error) != 0) {
        cli_error("%s", error);
    } else if (options.pass_count == 0 && !dormant) {
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
int cli_find_library(char path[PATH_MAX]) {
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
