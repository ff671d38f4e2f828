// instr kit drop: ends a kit in a JVM.

#include "instr/cli/internal.h"
#include "instr/cli/commands/switch.h"
#include "instr/cli/kit/internal.h"

#include <string.h>

// Is a kit of this name on? Otherwise that is printed.
static int find_kit(struct cli_session *session, const char *name) {
    struct cli_event event;
    const json_t *kit;
    size_t i;
    json_t *answer = cli_session_ask(session, "kits", &event);
    int found = 0;
    json_array_foreach(json_object_get(answer, "kits"), i, kit) found |=
        strcmp(cli_text(kit, "kit"), name) == 0;
    int status = answer ? CLI_OK : cli_control_end(&event);
    json_decref(answer);
    if (status != CLI_OK || found) return status;
    return cli_error("no kit is called %.64s; 'instr kits %ld' lists those that are on", name,
                     (long)session->process.pid);
}

int cli_kit_drop(int argc, char **argv) {
    struct cli_control control;
    struct cli_session session;
    int all = 0, status = cli_kit_arguments(&control, argc, argv, 1,
                                            "drop, a process id and the name of a kit", &all);
    if (status == CLI_OK) status = cli_control_connect(&session, control.pid);
    if (status != CLI_OK) return status;
    status = find_kit(&session, control.argv[0]);
    if (status == CLI_OK) status = cli_control_introduce(&session, &control.owner);
    if (status == CLI_OK)
        status = cli_control_run(&session, 2 + all,
                                 (const char *const[]){"disable", control.argv[0], "all"},
                                 control.json, cli_switch_show_restored);
    cli_session_close(&session);
    return status;
}
