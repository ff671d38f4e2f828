// instr attach: brings the agent into a JVM that runs, or has the one that is there do more.

#include "instr/cli/bring.h"
#include "instr/cli/talk.h"
#include "instr/cli/commands/switch.h"

#include <stdio.h>
#include <stdlib.h>

static void show(const json_t *document, const struct instr_target *target) {
    printf("instr: the agent is in process %ld, %s\n", (long)target->pid,
           cli_text(document, "state"));
}

static int enable(struct cli_session *session, const char *options, int wait, int json) {
    if (*options) return cli_switch_enable(session, options, wait, json);
    return cli_control_run(session, 1, (const char *const[]){"ping"}, json, show);
}

static int attach(long pid, const char *options, int wait, int json) {
    struct cli_session session;
    int brought;
    int status = cli_bring(&session, pid, &brought);
    if (status != CLI_OK) return status;
    status = enable(&session, options, wait, json);
    cli_session_close(&session);
    if (status != CLI_OK && brought) cli_take_back(pid);
    return status;
}

int cli_attach(int argc, char **argv) {
    struct cli_control control;
    int wait = cli_switch_wait(&argc, argv, 0);
    int status = cli_control_arguments(&control, "attach", argc, argv);
    if (status != CLI_OK) return status;
    char *options = cli_switch_options(&control);
    if (!options) return CLI_USAGE;
    status = attach(control.pid, options, wait, control.json);
    free(options);
    return status;
}
