// Loads the agent into a JVM for a command that needs it.

#include "instr/cli/bring.h"

#include "instr/cli/agent_library.h"
#include "instr/cli/deliver.h"
#include "instr/cli/talk.h"
#include "instr/process/attach.h"
#include "instr/protocol/socket_path.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { STEP_SECONDS = 10, LISTENS_AFTER_MS = 3000, OPTIONS_SIZE = 2 * INSTR_CONTROL_FOLDER + 16 };

// JDK 21 and later print a warning when an agent is loaded into a running JVM (JEP 451), and only
// the JVM's command line can turn it off. They print none for a library that is loaded already, as
// ours is after a detach. If the JVM runs in a directory of its own, the system may put that
// directory in front of the path.
static void note_warning(const struct instr_remote_jvm *jvm, const char *path) {
    if (jvm->release >= 21 && instr_remote_jvm_flag(jvm, "EnableDynamicAgentLoading") != '+' &&
        !cli_ends_with(jvm->agent, path))
        cli_error("note: the JVM has printed a warning to its standard error (JEP 451); start it "
                  "with -XX:+EnableDynamicAgentLoading or with the agent to avoid that");
}

// The option for the folder. There is always one: it tells the agent that it is meant (vm/linked.h).
static void options_for(const char *folder, char options[OPTIONS_SIZE]) {
    char *to = stpcpy(options, "control=");
    if (strcmp(folder, "/tmp") == 0) {
        strcpy(to, "on");
        return;
    }
    for (const char *c = folder; *c; c++) {
        if (*c == ',' || *c == '\\') *to++ = '\\';
        *to++ = *c;
    }
    *to = '\0';
}

static bool is_over(enum instr_attach_status loaded) {
    return loaded != INSTR_ATTACH_REFUSED && loaded != INSTR_ATTACH_NOT_LOADED;
}

// Makes the JVM load the library, from a copy if it does not see ours. `path` is its name for the JVM. A copy
// that we made and the JVM did not load is removed.
static enum instr_attach_status deliver_and_load(const struct instr_remote_jvm *jvm,
                                                 const char *library, const char *folder,
                                                 char path[PATH_MAX], int *result, char *reason,
                                                 size_t size) {
    char options[OPTIONS_SIZE];
    enum instr_attach_status loaded = INSTR_ATTACH_NOT_LOADED;
    int copied = 0;
    options_for(folder, options);
    // Another JVM of the container that ends, or another client that fails, may remove the copy before this
    // JVM has loaded it.
    for (int tries = 0; tries < 2 && !is_over(loaded); tries++) {
        if (tries && cli_target_has(&jvm->process, path)) break;
        if (cli_deliver(&jvm->process, library, folder, path, PATH_MAX, &copied, reason, size) != 0)
            return INSTR_ATTACH_FAILED;
        loaded = instr_attach_load(jvm, path, options, STEP_SECONDS, result, reason, size);
    }
    if (loaded != INSTR_ATTACH_OK && copied) cli_take_copy(&jvm->process, path);
    return loaded;
}

// A detached agent's library stays in the JVM, which must not load it twice. That of a copy is found by
// the name of the copy, which is another one now if another user has taken the names of the control
// directories since, or always; and if it is another version.
static enum instr_attach_status load_library(const struct instr_remote_jvm *jvm,
                                             const char *library, const char *folder,
                                             char path[PATH_MAX], int *result, char *reason,
                                             size_t size) {
    char options[OPTIONS_SIZE];
    if (cli_holds_copy(&jvm->process, jvm->agent)) {
        options_for(folder, options);
        snprintf(path, PATH_MAX, "%s", jvm->agent);
        enum instr_attach_status loaded =
            instr_attach_load(jvm, path, options, STEP_SECONDS, result, reason, size);
        if (is_over(loaded)) return loaded;
    }
    return deliver_and_load(jvm, library, folder, path, result, reason, size);
}

// Loads the agent dormant. Its other options follow over the socket: mistakes in them are reported here,
// and the JVM's limit on their length does not apply.
static int load(const struct instr_remote_jvm *jvm, const char *folder) {
    char reason[INSTR_ERROR_SIZE], library[PATH_MAX], path[PATH_MAX];
    long pid = (long)jvm->process.pid;
    int result = 0;
    if (instr_remote_jvm_no_attach(jvm, reason, sizeof reason)) return cli_error("%s", reason);
    // A JVM that runs out of them while it begins to listen never listens again.
    if (instr_remote_jvm_no_descriptors(jvm, reason, sizeof reason)) return cli_error("%s", reason);
    if (instr_remote_jvm_no_threads(jvm, reason, sizeof reason)) return cli_error("%s", reason);
    if (instr_remote_jvm_no_memory(jvm, reason, sizeof reason)) return cli_error("%s", reason);
    if (cli_find_library(library) != CLI_OK) return CLI_FAILED;
    if (instr_remote_jvm_old_libc(jvm, library, reason, sizeof reason))
        return cli_error("%s", reason);
    switch (load_library(jvm, library, folder, path, &result, reason, sizeof reason)) {
    case INSTR_ATTACH_OK: note_warning(jvm, path); return CLI_OK;
    case INSTR_ATTACH_REFUSED:
        return cli_error("process %ld: the agent failed to start (%d); the JVM's standard error "
                         "says why",
                         pid, result);
    default: return cli_error("process %ld: %s", pid, reason);
    }
}

// The agent listens before the attach ends; only an agent of another version may be late.
static int connect_to_new(struct cli_session *session, long pid) {
    char reason[INSTR_ERROR_SIZE];
    struct timespec pause = {0, 20 * 1000000};
    int status = CLI_SESSION_NONE;
    for (int ms = 0; ms < LISTENS_AFTER_MS && status == CLI_SESSION_NONE; ms += 20) {
        if (ms > 0) nanosleep(&pause, NULL);
        status = cli_session_open(session, pid, reason, sizeof reason);
    }
    if (status == CLI_SESSION_OK) return CLI_OK;
    return cli_error("the agent was loaded, but: %s", reason);
}

void cli_take_back(long pid) {
    struct cli_session session;
    struct cli_event event;
    char reason[INSTR_ERROR_SIZE];
    if (cli_session_open(&session, pid, reason, sizeof reason) != CLI_SESSION_OK) return;
    cli_session_limit(&session, STEP_SECONDS * 1000);
    json_t *answer = cli_session_ask(&session, "ping", &event);
    cli_session_limit(&session, STEP_SECONDS * 1000);
    if (event.kind == CLI_END && strcmp(cli_text(answer, "state"), "dormant") == 0)
        json_decref(cli_session_ask(&session, "detach", &event));
    json_decref(answer);
    cli_session_close(&session);
}

// An interrupted attach must leave nothing behind, neither a file of the attach mechanism nor the
// agent. Signals take effect when that is cleaned up. Those that are ignored, as below nohup, stay so: the kernel
// would keep them while they are held.
static void hold_signals(sigset_t *before) {
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&held, signals[i]);
    }
    sigprocmask(SIG_BLOCK, &held, before);
}

int cli_bring(struct cli_session *session, long pid, const char *folder, int *brought) {
    struct instr_remote_jvm jvm;
    char reason[INSTR_ERROR_SIZE];
    int there = cli_session_open(session, pid, reason, sizeof reason);
    *brought = there == CLI_SESSION_NONE;
    if (there == CLI_SESSION_OK) return CLI_OK;
    if (there == CLI_SESSION_FAILED || instr_remote_jvm_open(&jvm, pid, reason, sizeof reason) != 0)
        return cli_error("%s", reason);
    sigset_t before;
    hold_signals(&before);
    int status = load(&jvm, instr_control_folder(folder));
    instr_remote_jvm_close(&jvm);
    if (status == CLI_OK) status = connect_to_new(session, pid);
    if (status == CLI_OK && instr_attach_is_cancelled()) {
        cli_session_close(session);
        cli_take_back(pid);
        status = CLI_FAILED;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
