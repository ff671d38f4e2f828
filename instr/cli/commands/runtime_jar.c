// instr runtime-jar: where the runtime lies that rewritten programs need.

#include "instr/cli/cli.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JAR "instr-runtime.jar"

// Beside the agent, wherever that is installed together with this executable; in the build tree.
int cli_runtime_jar(int argc, char **argv) {
    (void)argv;
    if (argc > 0) return cli_usage("runtime_jar", "instr: runtime-jar takes no arguments");
    char folder[PATH_MAX], name[PATH_MAX], path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) slash[1] = '\0';
    const char *const places[][2] = {{folder, ""},
                                     {folder, "../runtime-java/"},
                                     {folder, INSTR_LIBDIR_RELATIVE "/"},
                                     {INSTR_LIBDIR "/", ""}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (snprintf(name, sizeof name, "%s%s" JAR, places[i][0], places[i][1]) >=
                (int)sizeof name ||
            !realpath(name, path) || access(path, R_OK) != 0)
            continue;
        printf("%s\n", path);
        return cli_finish(CLI_OK);
    }
    cli_error("instr: the runtime, " JAR ", is neither in %.300s nor in %s", folder, INSTR_LIBDIR);
    return CLI_FAILED;
}
