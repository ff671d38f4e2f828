// instr enable, disable, set, revert, detach: change what the agent in a JVM does.

#include "instr/cli/commands/switch.h"
#include "instr/cli/internal.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/bring.h"
#include "instr/process/remote_jvm.h"
#include "instr/cli/commands/report.h"
#include "instr/report/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOON_MS "100" // --no-wait still waits so long, in case the work is nearly done

// What was done to the classes. `restores`: the command takes code out.
static void show_classes(const json_t *document, bool restores) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], time[INSTR_DURATION_SIZE],
        pause[INSTR_DURATION_SIZE];
    uint64_t classes = cli_count(document, "classes"), changed = cli_count(document, "changed"),
             restored = cli_count(document, "restored"),
             longest = cli_count(document, "longest_pause_ns");
    if (!classes && restores && !cli_count(document, "remaining") &&
        json_array_size(json_object_get(document, "passes")))
        printf("; no class had to be restored");
    if (!classes) return;
    printf("; %s class%s ", instr_number(classes, a), cli_plural(classes, "es"));
    if (!changed && (restores || restored == classes)) {
        printf("restored");
    } else {
        printf("retransformed, %s changed", instr_number(changed, b));
        if (restored) printf(", %s restored", instr_number(restored, b));
    }
    printf(" in %s", instr_duration(cli_count(document, "elapsed_ns"), time));
    if (longest) printf(" (longest pause of the application: %s)", instr_duration(longest, pause));
}

// `idle` is what there is to say when no pass is on.
static void show(const json_t *document, const struct instr_process *target, const char *idle,
                 bool restores) {
    char passes[512], a[INSTR_NUMBER_SIZE];
    long pid = (long)target->pid;
    size_t index;
    json_t *item;
    cli_text_list(document, "passes", passes, sizeof passes);
    printf("instr: process %ld: %s", pid, *passes ? passes : idle);
    show_classes(document, restores);
    putchar('\n');
    uint64_t remaining = cli_count(document, "remaining");
    if (remaining)
        printf("instr: process %ld: %s more class%s; 'instr status %ld' shows the progress\n", pid,
               instr_number(remaining, a), remaining == 1 ? " follows" : "es follow", pid);
    uint64_t refused = cli_count(document, "refused");
    const json_t *refusals = json_object_get(document, "refusals");
    json_array_foreach(refusals, index, item) cli_error("%s", cli_string(item));
    if (refused > json_array_size(refusals))
        cli_error("the JVM refused to change %s more",
                  instr_number(refused - json_array_size(refusals), a));
    const json_t *results = json_object_get(document, "results");
    const json_t *first = json_object_get(json_array_get(results, 0), "by");
    int several = 0;
    json_array_foreach(results, index, item) several |=
        !json_equal(json_object_get(item, "by"), first);
    json_array_foreach(results, index, item) {
        if (several) cli_report_owner(item);
        cli_report_table(json_object_get(item, "result"), cli_count(item, "top"));
    }
}

void cli_switch_show(const json_t *document, const struct instr_process *target) {
    show(document, target, "all passes are off", false);
}

void cli_switch_show_restored(const json_t *document, const struct instr_process *target) {
    show(document, target, "all passes are off", true);
}

static void show_detached(const json_t *document, const struct instr_process *target) {
    show(document, target, "the agent is detached", true);
}

// --- enable ---

// Makes --for an option: there is room for it where it stood. The option is written to `lease`.
static void add_lease(struct cli_control *control, uint64_t time, char lease[CLI_LEASE_SIZE]) {
    if (!time) return;
    uint64_t ms = time < 1000000 ? 1 : time / 1000000;
    snprintf(lease, CLI_LEASE_SIZE, "for=%llums", (unsigned long long)ms);
    control->argv[control->argc++] = lease;
}

int cli_switch_arguments(struct cli_switch *command, const char *name, int argc, char **argv,
                         int least) {
    int wait = 0, no_wait = 0;
    const char *as = NULL;
    uint64_t time = 0;
    const struct cli_option options[] = {{"--wait", .flag = &wait},
                                         {"--no-wait", .flag = &no_wait},
                                         {"--as", .text = &as},
                                         {"--for", .time = &time},
                                         {NULL}};
    int status = cli_control_arguments(&command->control, name, argc, argv, options, least, INT_MAX,
                                       "a process id and a pass");
    command->wait = least ? !no_wait : wait;
    if (status == CLI_OK) add_lease(&command->control, time, command->lease);
    return status == CLI_OK ? cli_control_sign(name, as, &command->control.owner) : status;
}

// The options as one list, checked. If a file of options, rules or patterns is among them, its content
// takes its place, as the JVM may not be able to read it; the names of plug-ins and kits get their whole
// paths, as the JVM may be in another folder. Otherwise the words stay as they are.
static char *read_options(const struct cli_control *control) {
    char *checked = cli_checked_options(control->argc, control->argv, 1);
    if (!checked) return NULL;
    for (int i = 0; i < control->argc; i++)
        if (strstr(control->argv[i], "config=") || strstr(control->argv[i], "plugin=") ||
            strstr(control->argv[i], "kit=") ||
            (strstr(control->argv[i], "rule=") && strchr(control->argv[i], '@')))
            return checked;
    free(checked);
    char *list = cli_join_options(control->argc, control->argv);
    if (!list) cli_no_memory();
    return list;
}

// The agent, as it starts, must know where its socket shall lie.
static int bring(struct cli_session *session, long pid, const char *list, int *brought) {
    char error[INSTR_ERROR_SIZE];
    struct instr_options options;
    if (instr_options_parse(&options, list, error, sizeof error) != 0)
        return cli_error("%s", error);
    int status = cli_bring(session, pid, options.control, brought);
    instr_options_free(&options);
    return status;
}

static int enable(const struct cli_control *control, const char *options, int wait,
                  cli_printer idle) {
    struct cli_session session;
    int brought, status = bring(&session, control->pid, options, &brought);
    if (status != CLI_OK) return status;
    if (*options || !idle) status = cli_control_introduce(&session, &control->owner);
    if (status == CLI_OK && (*options || !idle))
        status = cli_control_run(&session, wait ? 2 : 3,
                                 (const char *const[]){"enable", options, SOON_MS}, control->json,
                                 cli_switch_show);
    else if (status == CLI_OK)
        status = cli_control_run(&session, 1, (const char *const[]){"ping"}, control->json, idle);
    cli_session_close(&session);
    if (status != CLI_OK && brought) cli_take_back(control->pid);
    return status;
}

int cli_switch_enable(const struct cli_switch *command, cli_printer idle) {
    char *options = read_options(&command->control);
    if (!options) return CLI_USAGE;
    int status = enable(&command->control, options, command->wait, idle);
    free(options);
    return status;
}

int cli_enable(int argc, char **argv) {
    struct cli_switch command;
    int status = cli_switch_arguments(&command, "enable", argc, argv, 1);
    return status == CLI_OK ? cli_switch_enable(&command, NULL) : status;
}

// --- the others ---

int cli_set(int argc, char **argv) {
    struct cli_control control;
    const char *as = NULL;
    char lease[CLI_LEASE_SIZE];
    uint64_t time = 0;
    const struct cli_option options[] = {{"--as", .text = &as}, {"--for", .time = &time}, {NULL}};
    int status = cli_control_arguments(&control, "set", argc, argv, options, 0, INT_MAX,
                                       "a process id and options");
    if (status == CLI_OK) add_lease(&control, time, lease);
    if (status == CLI_OK && !control.argc)
        status = cli_usage("set", "expects a process id and options");
    if (status == CLI_OK) status = cli_control_sign("set", as, &control.owner);
    if (status != CLI_OK) return status;
    char *list = cli_join_options(control.argc, control.argv);
    if (!list) return cli_no_memory();
    status = cli_control_talk(&control, 2, (const char *const[]){"set", list}, cli_switch_show);
    free(list);
    return status;
}

int cli_disable(int argc, char **argv) {
    struct cli_control control;
    const char *as = NULL;
    int all = 0;
    const struct cli_option options[] = {{"--as", .text = &as}, {"--all", .flag = &all}, {NULL}};
    int status = cli_control_arguments(&control, "disable", argc, argv, options, 1, 1,
                                       "a process id and one pass");
    if (status == CLI_OK && as && all)
        status = cli_usage("disable", "expects --as or --all, not both");
    if (status == CLI_OK) status = cli_control_sign("disable", as, &control.owner);
    if (status != CLI_OK) return status;
    return cli_control_talk(&control, 2 + all,
                            (const char *const[]){"disable", control.argv[0], "all"},
                            cli_switch_show_restored);
}

int cli_revert(int argc, char **argv) {
    struct cli_control control;
    int status = cli_control_arguments(&control, "revert", argc, argv, NULL, 0, 1,
                                       "a process id, and patterns or nothing");
    if (status != CLI_OK) return status;
    return cli_control_talk(&control, 1 + control.argc,
                            (const char *const[]){"revert", control.argc ? control.argv[0] : NULL},
                            cli_switch_show_restored);
}

// Why the agent could not be attached again; an empty `reason`: it could.
static void why_not_again(long pid, char *reason, size_t size) {
    struct instr_remote_jvm jvm;
    int there = instr_remote_jvm_open(&jvm, pid, reason, size) == 0;
    if (!there || jvm.kind != INSTR_HOTSPOT || !instr_remote_jvm_no_attach(&jvm, reason, size))
        *reason = '\0';
    instr_remote_jvm_close(&jvm);
}

static int detach(struct cli_session *session, const struct cli_control *control, int force) {
    char reason[INSTR_ERROR_SIZE];
    why_not_again(control->pid, reason, sizeof reason);
    if (*reason && !force) {
        cli_error("%s", reason);
        return cli_error("so the agent could not be attached again; 'instr revert %ld' ends all "
                         "passes and keeps it, 'instr detach --force %ld' detaches it",
                         control->pid, control->pid);
    }
    return cli_control_run(session, 1, (const char *const[]){"detach"}, control->json,
                           show_detached);
}

int cli_detach(int argc, char **argv) {
    struct cli_session session;
    struct cli_control control;
    int force = 0;
    const struct cli_option options[] = {{"--force", .flag = &force}, {NULL}};
    int status =
        cli_control_arguments(&control, "detach", argc, argv, options, 0, 0, "one process id");
    if (status == CLI_OK) status = cli_control_connect(&session, control.pid);
    if (status != CLI_OK) return status;
    status = detach(&session, &control, force);
    cli_session_close(&session);
    return status;
}
