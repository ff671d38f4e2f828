// instr exec dump: has the agent in a JVM write what was covered so far.

#include "instr/cli/talk.h"
#include "instr/cli/exec/exec.h"
#include "instr/report/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void show(const json_t *document, const struct instr_target *target) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], d[INSTR_NUMBER_SIZE];
    (void)target;
    cli_print(cli_text(document, "file"));
    printf(": %s of %s probes hit in %s of %s classes%s\n",
           instr_number(cli_count(document, "probes_hit"), a),
           instr_number(cli_count(document, "probes"), b),
           instr_number(cli_count(document, "classes_hit"), c),
           instr_number(cli_count(document, "classes"), d),
           cli_count(document, "reset") ? "; the probes begin anew" : "");
}

int cli_exec_dump(int argc, char **argv) {
    struct cli_session session;
    const char *words[] = {"exec_dump", "reset"};
    int reset = 0, json = 0;
    long pid = 0;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--reset") == 0)
            reset = 1;
        else if (strcmp(argv[i], "--json") == 0)
            json = 1;
        else if (pid != 0 || argv[i][0] == '-')
            return cli_exec_usage("dump", "unknown argument '%.64s'", argv[i]);
        else if ((pid = cli_number(argv[i], 0, INT_MAX)) < 0)
            return cli_exec_usage("dump", "'%.64s' is no process id", argv[i]);
    }
    if (pid == 0) return cli_exec_usage("dump", "which process?");
    if (cli_control_connect(&session, pid) != CLI_OK) return CLI_FAILED;
    int status = cli_control_run(&session, 1 + reset, words, json, show);
    cli_session_close(&session);
    return status;
}
