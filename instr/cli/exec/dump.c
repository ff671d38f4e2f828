// instr coverage dump: makes the agent in a JVM write the coverage so far.

#include "instr/cli/exec/exec.h"
#include "instr/cli/talk.h"
#include "instr/report/text.h"

#include <stdio.h>

static void show(const json_t *document, const struct instr_process *target) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], d[INSTR_NUMBER_SIZE];
    (void)target;
    cli_print(cli_text(document, "file"));
    printf(": %s of %s probes hit in %s of %s classes%s\n",
           instr_number(cli_count(document, "probes_hit"), a),
           instr_number(cli_count(document, "probes"), b),
           instr_number(cli_count(document, "classes_hit"), c),
           instr_number(cli_count(document, "classes"), d),
           cli_count(document, "reset") ? "; the probes were reset" : "");
}

int cli_exec_dump(int argc, char **argv) {
    struct cli_control control;
    int reset = 0;
    const struct cli_option options[] = {{"--reset", .flag = &reset}, {NULL}};
    int status = cli_control_arguments(&control, "coverage dump", argc, argv, options, 0, 0,
                                       "one process id");
    if (status != CLI_OK) return status;
    return cli_control_talk(&control, 1 + reset, (const char *const[]){"exec_dump", "reset"}, show);
}
