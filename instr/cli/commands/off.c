// instr off: everything off, at once. By the socket; where nobody answers there, by a file that the
// agent looks for.

#include "instr/cli/talk.h"
#include "instr/cli/commands/switch.h"
#include "instr/protocol/socket_path.h"
#include "instr/process/remote_jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_MS = 5000, STEP_MS = 50, NOTICED_MS = 10000 };

// Makes the file in every control directory of the target's user. How many were made.
static int throw_switch(const struct instr_target *target, char file[INSTR_CONTROL_PATH_SIZE]) {
    int made = 0;
    for (unsigned i = 0; i < INSTR_CONTROL_DIRECTORIES; i++) {
        char path[INSTR_CONTROL_PATH_SIZE], name[INSTR_CONTROL_PATH_SIZE];
        struct stat st;
        instr_control_directory(path, "", target->inner_uid, i);
        int directory = instr_target_directory(target, path);
        if (directory < 0) continue;
        instr_control_switch(name, "", target->inner_pid);
        if (fstat(directory, &st) == 0 && st.st_uid == target->uid && !(st.st_mode & 077) &&
            instr_target_become(target) == 0) {
            int fd = openat(directory, name + 1, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
            if (fd >= 0) {
                close(fd);
                instr_control_switch(file, path, target->inner_pid);
                made++;
            }
            instr_target_return();
        }
        close(directory);
    }
    return made;
}

static int is_there(const struct instr_target *target, const char *file) {
    char path[INSTR_CONTROL_PATH_SIZE + INSTR_TARGET_PATH];
    struct stat st;
    snprintf(path, sizeof path, "%s%s", target->root, file);
    return lstat(path, &st) == 0;
}

// Is it known that no agent is there? Then it is told. What looks like no JVM may have one linked
// in, and is asked for its socket.
static int has_none(long pid) {
    struct instr_jvm jvm;
    struct cli_session session;
    char reason[INSTR_ERROR_SIZE];
    if (instr_jvm_open(&jvm, pid, reason, sizeof reason) != 0) return 0;
    int no_jvm = jvm.kind == INSTR_NO_JVM, none = !jvm.agent[0];
    instr_jvm_close(&jvm);
    if (none && no_jvm) {
        int there = cli_session_open_within(&session, pid, ANSWER_MS, reason, sizeof reason);
        if (there == CLI_SESSION_OK) cli_session_close(&session);
        none = there == CLI_SESSION_NONE;
    }
    if (none && no_jvm) cli_error("instr: process %ld is no JVM", pid);
    if (none && !no_jvm)
        cli_error("instr: process %ld has no agent, so there is nothing to switch off", pid);
    return none;
}

static const char *why_unseen(const struct instr_target *target) {
    if (instr_target_is_stopped(target)) return "the process is stopped; it will when it goes on";
    return "the agent is dormant, or held up within the JVM";
}

static int off_by_file(long pid) {
    struct instr_target target;
    char reason[INSTR_ERROR_SIZE], file[INSTR_CONTROL_PATH_SIZE];
    if (instr_target_open(&target, pid, reason, sizeof reason) != 0) {
        cli_error("instr: %s", reason);
        return CLI_FAILED;
    }
    if (has_none(pid)) return CLI_FAILED;
    if (!throw_switch(&target, file)) {
        cli_error("instr: no control directory of process %ld's user can be written to: %s", pid,
                  strerror(errno));
        return CLI_FAILED;
    }
    struct timespec pause = {0, STEP_MS * 1000000};
    int most = instr_target_is_stopped(&target) ? STEP_MS : NOTICED_MS;
    for (int ms = 0; ms < most; ms += STEP_MS) {
        if (!is_there(&target, file)) {
            printf("instr: process %ld: the agent has seen the switch, %s\n", pid, file);
            return CLI_OK;
        }
        nanosleep(&pause, NULL);
    }
    cli_error("instr: process %ld: the switch, %s, is there, but nobody has seen it yet: %s", pid,
              file, why_unseen(&target));
    return CLI_FAILED;
}

// 1: it was done; 0: nobody answered; -1: it is known why not, and was told.
static int off_by_socket(const struct cli_control *control) {
    struct cli_session session;
    struct cli_event event;
    char reason[INSTR_ERROR_SIZE];
    int done = 0;
    int there = cli_session_open_within(&session, control->pid, ANSWER_MS, reason, sizeof reason);
    if (there != CLI_SESSION_OK && geteuid() != 0 && session.target.pid &&
        geteuid() != session.target.uid) {
        cli_error("instr: %s", reason);
        return -1;
    }
    if (there != CLI_SESSION_OK) return 0;
    if (cli_session_command(&session, 1, (const char *const[]){"off"}) == 0) do {
            cli_session_next(&session, &event, 2 * ANSWER_MS);
            if (event.kind == CLI_DOCUMENT) {
                if (control->json)
                    fwrite(event.bytes, 1, event.length, stdout);
                else
                    cli_switch_show(event.document, &session.target);
                json_decref(event.document);
            }
            if (event.kind == CLI_END) done = event.status == 0;
        } while (event.kind != CLI_END && event.kind != CLI_NOTHING && event.kind != CLI_LOST);
    cli_session_close(&session);
    return done;
}

int cli_off(int argc, char **argv) {
    struct cli_control control;
    int status = cli_control_arguments(&control, "off", argc, argv);
    if (status != CLI_OK) return status;
    if (control.argc) return cli_usage("off", "instr: off: only a process id");
    int done = off_by_socket(&control);
    if (done == 0) return cli_finish(off_by_file(control.pid));
    return cli_finish(done > 0 ? CLI_OK : CLI_FAILED);
}
