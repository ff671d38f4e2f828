// instr agent-path: the path of the agent's library, for -agentpath.

#include "instr/cli/internal.h"
#include "instr/cli/agent_library.h"

#include <stdio.h>

int cli_agent_path(int argc, char **argv) {
    char path[PATH_MAX];
    if (argc > 0) return cli_usage("agent-path", "unknown argument '%.64s'", argv[0]);
    if (cli_find_library(path) != CLI_OK) return CLI_FAILED;
    printf("%s\n", path);
    return cli_finish(CLI_OK);
}
