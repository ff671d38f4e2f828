// instr runtime-jar: the path of the runtime that rewritten programs need.

#include "instr/cli/internal.h"
#include "instr/cli/agent_library.h"

#include <stdio.h>

int cli_runtime_jar(int argc, char **argv) {
    char path[PATH_MAX];
    if (argc > 0) return cli_usage("runtime-jar", "unknown argument '%.64s'", argv[0]);
    if (cli_find_installed("instr-runtime.jar", "the runtime", path) != CLI_OK) return CLI_FAILED;
    printf("%s\n", path);
    return cli_finish(CLI_OK);
}
