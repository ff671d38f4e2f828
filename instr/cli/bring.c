// cli_bring.c: see cli_bring.h

#include "instr/cli/bring.h"

#include "instr/process/attach.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/talk.h"
#include "instr/cli/deliver.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STEP_SECONDS = 10, LISTENS_AFTER_MS = 3000 };

static int ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

// JDK 21 and later warn of agents that come later (JEP 451), and nobody else can silence them. Not
// of one whose library is there already, as it is after detach. Where the JVM runs in a folder of
// its own, the system may name that folder before the path.
static void tell_of_warning(const struct instr_jvm *jvm, const char *path) {
    if (jvm->release >= 21 && instr_jvm_flag(jvm, "EnableDynamicAgentLoading") != '+' &&
        !ends_with(jvm->agent, path))
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
    case INSTR_ATTACH_OK: tell_of_warning(jvm, path); return CLI_OK;
    case INSTR_ATTACH_REFUSED:
        cli_error(
            "instr: process %ld: the agent could not start (%d); it has said why to the JVM's "
            "standard error",
            pid, result);
        return CLI_FAILED;
    default: cli_error("instr: process %ld: %s", pid, reason); return CLI_FAILED;
    }
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

// Does the agent do nothing? Somebody else may have found work for it meanwhile.
static int is_dormant(struct cli_session *session) {
    struct cli_event event = {.kind = CLI_LOST};
    int dormant = 0;
    if (cli_session_command(session, 1, (const char *const[]){"ping"}) != 0) return 0;
    do {
        cli_session_next(session, &event, STEP_SECONDS * 1000);
        if (event.kind != CLI_DOCUMENT) continue;
        dormant = strcmp(cli_text(event.document, "state"), "dormant") == 0;
        json_decref(event.document);
    } while (event.kind == CLI_DOCUMENT || event.kind == CLI_NOTE);
    return dormant && event.kind == CLI_END;
}

void cli_take_back(long pid) {
    struct cli_session session;
    struct cli_event event;
    char reason[INSTR_ERROR_SIZE];
    if (cli_session_open(&session, pid, reason, sizeof reason) != CLI_SESSION_OK) return;
    if (is_dormant(&session) &&
        cli_session_command(&session, 1, (const char *const[]){"detach"}) == 0)
        do {
            cli_session_next(&session, &event, STEP_SECONDS * 1000);
            if (event.kind == CLI_DOCUMENT) json_decref(event.document);
        } while (event.kind == CLI_DOCUMENT || event.kind == CLI_NOTE);
    cli_session_close(&session);
}

// Whoever calls it off while the agent comes in is to leave nothing behind, neither a file of the
// attach mechanism nor the agent: the signal is obeyed when that is done.
static void hold_signals(sigset_t *before) {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, before);
}

int cli_bring(struct cli_session *session, long pid, int *brought) {
    struct instr_jvm jvm;
    char reason[INSTR_ERROR_SIZE];
    int there = cli_session_open(session, pid, reason, sizeof reason);
    *brought = there == CLI_SESSION_NONE;
    if (there == CLI_SESSION_OK) return CLI_OK;
    if (there == CLI_SESSION_FAILED || instr_jvm_open(&jvm, pid, reason, sizeof reason) != 0) {
        cli_error("instr: %s", reason);
        return CLI_FAILED;
    }
    sigset_t before;
    hold_signals(&before);
    int status = load(&jvm);
    instr_jvm_close(&jvm);
    if (status == CLI_OK) status = connect_to_new(session, pid);
    if (status == CLI_OK && instr_attach_is_called_off()) {
        cli_session_close(session);
        cli_take_back(pid);
        status = CLI_FAILED;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
