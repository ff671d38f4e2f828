// instr attach: brings the agent into a JVM that runs, or has the one that is there do more.

#include "instr/attach.h"
#include "instr/cli_agent.h"
#include "instr/cli_control.h"
#include "instr/cli_deliver.h"
#include "instr/cli_switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEP_SECONDS = 10, LISTENS_AFTER_MS = 3000 };

// JDK 21 and later warn of agents that come later (JEP 451), and nobody else can silence them.
static void tell_of_warning(const struct instr_jvm *jvm) {
    if (jvm->release >= 21 && instr_jvm_flag(jvm, "EnableDynamicAgentLoading") != '+')
        cli_error("instr: note: the JVM has printed a warning to its standard error (JEP 451); "
                  "started with "
                  "-XX:+EnableDynamicAgentLoading, or with the agent, it prints none");
}

// It comes in dormant, so that whatever is wrong with options is told here and not there, and no
// JVM's limit on their length counts.
static int load(const struct instr_jvm *jvm) {
    char reason[INSTR_ERROR_SIZE], library[PATH_MAX], path[PATH_MAX];
    long pid = (long)jvm->target.pid;
    int result = 0;
    if (instr_jvm_no_attach(jvm, reason, sizeof reason)) {
        cli_error("instr: %s", reason);
        return CLI_FAILED;
    }
    if (cli_find_library(library) != 0) return CLI_FAILED;
    if (cli_deliver(&jvm->target, library, path, sizeof path, reason, sizeof reason) != 0) {
        cli_error("instr: %s", reason);
        return CLI_FAILED;
    }
    switch (instr_attach_load(jvm, path, "", STEP_SECONDS, &result, reason, sizeof reason)) {
    case INSTR_ATTACH_OK: tell_of_warning(jvm); return CLI_OK;
    case INSTR_ATTACH_REFUSED:
        cli_error(
            "instr: process %ld: the agent could not start (%d); it has said why to the JVM's "
            "standard error",
            pid, result);
        return CLI_FAILED;
    default: cli_error("instr: process %ld: %s", pid, reason); return CLI_FAILED;
    }
}

static void show(const json_t *document, const struct instr_target *target) {
    printf("instr: the agent is in process %ld, %s\n", (long)target->pid,
           cli_text(document, "state"));
}

// The agent listens before it reports back; only an old one of another version may be late.
static int connect_to_new(struct cli_session *session, long pid) {
    char reason[INSTR_ERROR_SIZE];
    struct timespec pause = {0, 20 * 1000000};
    int status = CLI_SESSION_NONE;
    for (int ms = 0; ms < LISTENS_AFTER_MS && status == CLI_SESSION_NONE; ms += 20) {
        if (ms > 0) nanosleep(&pause, NULL);
        status = cli_session_open(session, pid, reason, sizeof reason);
    }
    if (status == CLI_SESSION_OK) return CLI_OK;
    cli_error("instr: the agent was loaded, but: %s", reason);
    return CLI_FAILED;
}

// What was brought in for nothing goes again.
static void take_back(long pid) {
    struct cli_session session;
    struct cli_event event;
    char reason[INSTR_ERROR_SIZE];
    if (cli_session_open(&session, pid, reason, sizeof reason) != CLI_SESSION_OK) return;
    if (cli_session_command(&session, 1, (const char *const[]){"detach"}) == 0) do {
            cli_session_next(&session, &event, STEP_SECONDS * 1000);
            if (event.kind == CLI_DOCUMENT) json_decref(event.document);
        } while (event.kind == CLI_DOCUMENT || event.kind == CLI_NOTE);
    cli_session_close(&session);
}

static int enable(struct cli_session *session, const char *options, int json) {
    if (*options)
        return cli_control_run(session, 2, (const char *const[]){"enable", options}, json,
                               cli_switch_show);
    return cli_control_run(session, 1, (const char *const[]){"ping"}, json, show);
}

static int attach(long pid, const char *options, int json) {
    struct cli_session session;
    struct instr_jvm jvm;
    char reason[INSTR_ERROR_SIZE];
    int there = cli_session_open(&session, pid, reason, sizeof reason);
    int status = CLI_OK;
    if (there == CLI_SESSION_FAILED) {
        cli_error("instr: %s", reason);
        return CLI_FAILED;
    }
    if (there == CLI_SESSION_NONE) {
        if (instr_jvm_open(&jvm, pid, reason, sizeof reason) != 0) {
            cli_error("instr: %s", reason);
            return CLI_FAILED;
        }
        status = load(&jvm);
        instr_jvm_close(&jvm);
        if (status == CLI_OK) status = connect_to_new(&session, pid);
    }
    if (status == CLI_OK) {
        status = enable(&session, options, json);
        cli_session_close(&session);
        if (status != CLI_OK && there == CLI_SESSION_NONE) take_back(pid);
    }
    return status;
}

int cli_attach(int argc, char **argv) {
    struct cli_control control;
    int status = cli_control_arguments(&control, "attach", argc, argv);
    if (status != CLI_OK) return status;
    char *options = cli_switch_options(&control);
    if (!options) return CLI_USAGE;
    status = attach(control.pid, options, control.json);
    free(options);
    return status;
}
