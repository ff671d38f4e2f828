// instr redefine, undo: other bodies for the methods of loaded classes, and those of before.

#include "instr/cli_bring.h"
#include "instr/cli_control.h"
#include "instr/cli_input.h"
#include "instr/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const json_t *document, const struct instr_target *target) {
    char time[INSTR_DURATION_SIZE];
    size_t index;
    json_t *item;
    const json_t *classes = json_object_get(document, "classes");
    size_t count = json_array_size(classes);
    printf("instr: process %ld: %zu class%s in %s\n", (long)target->pid, count,
           count == 1 ? "" : "es", instr_duration(cli_count(document, "elapsed_ns"), time));
    json_array_foreach(classes, index, item) {
        fputs("  ", stdout);
        cli_print(json_string_value(item) ? json_string_value(item) : "");
        putchar('\n');
    }
}

// Sends all files; nothing is redefined when one cannot be read.
static int send_files(struct cli_session *session, const struct cli_control *control) {
    for (int i = 0; i < control->argc; i++) {
        struct cli_bytes bytes;
        char reason[CLI_REASON_SIZE];
        if (cli_read_file(control->argv[i], &bytes, reason) != 0) {
            cli_error("instr: %s: %s", control->argv[i], reason);
            return CLI_FAILED;
        }
        int sent = cli_session_file(session, control->argv[i], bytes.bytes, bytes.length) == 0;
        free(bytes.bytes);
        if (!sent) {
            cli_error("instr: %s: is too large, or the connection is lost", control->argv[i]);
            return CLI_FAILED;
        }
    }
    return CLI_OK;
}

int cli_redefine(int argc, char **argv) {
    struct cli_control control;
    struct cli_session session;
    int brought;
    int status = cli_control_arguments(&control, "redefine", argc, argv);
    if (status != CLI_OK) return status;
    if (!control.argc) return cli_usage("redefine", "instr: redefine: which class files?");
    if (cli_bring(&session, control.pid, &brought) != CLI_OK) return CLI_FAILED;
    status = send_files(&session, &control);
    if (status == CLI_OK)
        status =
            cli_control_run(&session, 1, (const char *const[]){"redefine"}, control.json, show);
    cli_session_close(&session);
    if (status != CLI_OK && brought) cli_take_back(control.pid);
    return status;
}

int cli_undo(int argc, char **argv) {
    struct cli_control control;
    struct cli_session session;
    int status = cli_control_arguments(&control, "undo", argc, argv);
    if (status != CLI_OK) return status;
    if (control.argc > 1) return cli_usage("undo", "instr: undo: one class, or all");
    if (cli_control_connect(&session, control.pid) != CLI_OK) return CLI_FAILED;
    status = cli_control_run(&session, 1 + control.argc,
                             (const char *const[]){"undo", control.argv[0]}, control.json, show);
    cli_session_close(&session);
    return status;
}
