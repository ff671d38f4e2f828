// instr attach: loads the agent into a running JVM, or gives the one there more to do.

#include "instr/cli/internal.h"
#include "instr/cli/bring.h"
#include "instr/cli/commands/switch.h"

#include <stdio.h>

static void show(const json_t *document, const struct instr_process *target) {
    printf("instr: the agent is in process %ld, %s\n", (long)target->pid,
           cli_text(document, "state"));
}

int cli_attach(int argc, char **argv) {
    struct cli_switch command;
    int status = cli_switch_arguments(&command, "attach", argc, argv, 0);
    if (status != CLI_OK) return status;
    return cli_switch_enable(&command, show);
}
