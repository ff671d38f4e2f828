// instr enable, disable, set, revert, detach: what the agent in a JVM is to do from now on.

#include "instr/cli/agent_library.h"
#include "instr/cli/bring.h"
#include "instr/cli/talk.h"
#include "instr/cli/commands/switch.h"
#include "instr/report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOON_MS "100" // that it is worth to wait for what is nearly done

void cli_switch_show(const json_t *document, const struct instr_target *target) {
    char passes[512] = "", a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], time[INSTR_DURATION_SIZE],
         pause[INSTR_DURATION_SIZE];
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(document, "passes"), index, item) {
        size_t n = strlen(passes);
        snprintf(passes + n, sizeof passes - n, "%s%s", index ? ", " : "", json_string_value(item));
    }
    printf("instr: process %ld: %s; %s class%s retransformed, %s changed, in %s (the longest "
           "batch: %s)\n",
           (long)target->pid, *passes ? passes : "no pass is on",
           instr_number(cli_count(document, "classes"), a),
           cli_count(document, "classes") == 1 ? "" : "es",
           instr_number(cli_count(document, "changed"), b),
           instr_duration(cli_count(document, "elapsed_ns"), time),
           instr_duration(cli_count(document, "longest_batch_ns"), pause));
    uint64_t following = cli_count(document, "remaining");
    if (following)
        printf("instr: process %ld: %s more follow; 'instr status %ld' tells how far they are\n",
               (long)target->pid, instr_number(following, a), (long)target->pid);
    uint64_t refused = cli_count(document, "refused");
    const json_t *refusals = json_object_get(document, "refusals");
    json_array_foreach(refusals, index, item) cli_error("instr: %s", json_string_value(item));
    if (refused > json_array_size(refusals))
        cli_error("instr: and %s more that the JVM did not let be changed",
                  instr_number(refused - json_array_size(refusals), a));
}

static int talk(const struct cli_control *control, int count, const char *const *words) {
    struct cli_session session;
    if (cli_control_connect(&session, control->pid) != CLI_OK) return CLI_FAILED;
    int status = cli_control_run(&session, count, words, control->json, cli_switch_show);
    cli_session_close(&session);
    return status;
}

// A command with one argument, or, when `optional`, none.
static int simple(const char *name, const char *what, int optional, int argc, char **argv) {
    struct cli_control control;
    int status = cli_control_arguments(&control, name, argc, argv);
    if (status != CLI_OK) return status;
    if (control.argc > 1 || (!control.argc && !optional))
        return cli_usage(name, "instr: %s: expects %s", name, what);
    return talk(&control, 1 + control.argc, (const char *const[]){name, control.argv[0]});
}

char *cli_switch_options(const struct cli_control *control) {
    char *checked = cli_checked_options(control->argc, (char **)control->argv, 1);
    if (!checked) return NULL;
    for (int i = 0; i < control->argc; i++)
        if (strstr(control->argv[i], "config=")) return checked;
    free(checked);
    char *list = cli_join_options(control->argc, (char **)control->argv);
    if (!list) cli_error("instr: out of memory");
    return list;
}

int cli_switch_wait(int *argc, char **argv, int otherwise) {
    int n = 0;
    for (int i = 0; i < *argc; i++) {
        if (strcmp(argv[i], "--wait") == 0)
            otherwise = 1;
        else if (strcmp(argv[i], "--no-wait") == 0)
            otherwise = 0;
        else
            argv[n++] = argv[i];
    }
    *argc = n;
    return otherwise;
}

int cli_switch_enable(struct cli_session *session, const char *options, int wait, int json) {
    return cli_control_run(session, wait ? 2 : 3, (const char *const[]){"enable", options, SOON_MS},
                           json, cli_switch_show);
}

int cli_enable(int argc, char **argv) {
    struct cli_control control;
    int wait = cli_switch_wait(&argc, argv, 1);
    int status = cli_control_arguments(&control, "enable", argc, argv);
    if (status != CLI_OK) return status;
    if (!control.argc) return cli_usage("enable", "instr: enable: which pass?");
    char *list = cli_switch_options(&control);
    if (!list) return CLI_USAGE;
    struct cli_session session;
    int brought;
    status = cli_bring(&session, control.pid, &brought);
    if (status == CLI_OK) {
        status = cli_switch_enable(&session, list, wait, control.json);
        cli_session_close(&session);
        if (status != CLI_OK && brought) cli_take_back(control.pid);
    }
    free(list);
    return status;
}

int cli_set(int argc, char **argv) {
    struct cli_control control;
    int status = cli_control_arguments(&control, "set", argc, argv);
    if (status != CLI_OK) return status;
    if (!control.argc) return cli_usage("set", "instr: set: which option?");
    char *list = cli_join_options(control.argc, (char **)control.argv);
    if (list) status = talk(&control, 2, (const char *const[]){"set", list});
    if (!list) cli_error("instr: out of memory");
    free(list);
    return list ? status : CLI_FAILED;
}

int cli_disable(int argc, char **argv) {
    return simple("disable", "the name of a pass", 0, argc, argv);
}

int cli_revert(int argc, char **argv) {
    return simple("revert", "patterns of classes, or nothing: all", 1, argc, argv);
}

int cli_detach(int argc, char **argv) {
    struct cli_control control;
    int status = cli_control_arguments(&control, "detach", argc, argv);
    if (status != CLI_OK) return status;
    if (control.argc) return cli_usage("detach", "instr: detach: only a process id");
    return talk(&control, 1, (const char *const[]){"detach"});
}
