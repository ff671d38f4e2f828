// instr off: switches everything off at once. It uses the socket; if the agent does not respond
// there, it creates a file that the agent looks for.

#include "instr/cli/internal.h"
#include "instr/cli/commands/switch.h"
#include "instr/cli/directories.h"
#include "instr/process/remote_jvm.h"
#include "instr/protocol/socket_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A JVM that has just started gets BEGUN_MS for the agent's thread to begin.
enum { ANSWER_MS = 5000, STEP_MS = 50, BEGUN_MS = 3000, OBEYED_MS = 10000 };

struct files {
    const struct instr_process *target;
    char *file; // the last that was created
    int made;
    int error; // why the last one was not
};

// One that is there may be for a JVM of another namespace.
static int make_switch(const struct instr_process *target, int directory, const char *name) {
    char link[INSTR_PROCESS_PATH], space[INSTR_CONTROL_NAMESPACE];
    snprintf(link, sizeof link, "/proc/%ld/" INSTR_CONTROL_NAMESPACE_LINK, (long)target->pid);
    ssize_t n = readlink(link, space, sizeof space - 1);
    unlinkat(directory, name, 0);
    if (n > 0) {
        space[n] = '\0';
        if (symlinkat(space, directory, name) == 0) return 0;
    }
    int fd =
        openat(directory, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
    return fd >= 0 ? 0 : -1;
}

static int create_file(void *context, const char *path) {
    struct files *files = context;
    const struct instr_process *target = files->target;
    char name[INSTR_CONTROL_PATH_SIZE];
    struct stat st;
    int directory = instr_process_directory(target, path);
    if (directory < 0) return 0;
    instr_control_switch(name, "", target->inner_pid);
    if (fstat(directory, &st) == 0 && st.st_uid == target->uid && !(st.st_mode & 077) &&
        instr_process_become(target) == 0) {
        if (make_switch(target, directory, name + 1) == 0) {
            instr_control_switch(files->file, path, target->inner_pid);
            files->made++;
        } else {
            files->error = errno;
        }
        instr_process_return();
    }
    close(directory);
    return 0;
}

// Creates the file in every control directory of the target's user. Returns how many were created;
// 0 with errno.
static int create_files(const struct instr_process *target, char file[INSTR_CONTROL_PATH_SIZE]) {
    struct files files = {target, file, 0, ENOENT};
    cli_directories(target, create_file, &files);
    errno = files.error;
    return files.made;
}

// Was the file there, and is not any more? Not where it cannot be looked for, as when the process has ended.
static bool is_gone(const struct instr_process *target, const char *file) {
    char folder[INSTR_CONTROL_PATH_SIZE];
    struct stat st;
    snprintf(folder, sizeof folder, "%s", file);
    char *name = strrchr(folder, '/');
    *name++ = '\0';
    int place = instr_process_directory(target, folder);
    bool gone =
        place >= 0 && fstatat(place, name, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
    if (place >= 0) close(place);
    return gone;
}

// Is it certain that the process has no agent? Then a message is printed. A process that does not
// look like a JVM may have one linked in, so its socket is tried.
static int has_no_agent(long pid) {
    struct instr_remote_jvm jvm;
    struct cli_session session;
    char reason[INSTR_ERROR_SIZE];
    if (instr_remote_jvm_open(&jvm, pid, reason, sizeof reason) != 0) return 0;
    int no_jvm = jvm.kind == INSTR_NO_JVM, none = !jvm.agent[0];
    instr_remote_jvm_close(&jvm);
    if (none && no_jvm) {
        int there = cli_session_open_within(&session, pid, ANSWER_MS, reason, sizeof reason);
        if (there == CLI_SESSION_OK) cli_session_close(&session);
        none = there == CLI_SESSION_NONE;
    }
    if (none && no_jvm) cli_error("process %ld is not a JVM", pid);
    if (none && !no_jvm) cli_error("process %ld has no agent; there is nothing to switch off", pid);
    return none;
}

static int remove_file(void *context, const char *path) {
    struct files *files = context;
    char name[INSTR_CONTROL_PATH_SIZE];
    int directory = instr_process_directory(files->target, path);
    if (directory < 0) return 0;
    instr_control_switch(name, "", files->target->inner_pid);
    if (instr_process_become(files->target) == 0) {
        unlinkat(directory, name + 1, 0);
        instr_process_return();
    }
    close(directory);
    return 0;
}

static void remove_files(const struct instr_process *target, char *file) {
    struct files files = {target, file, 0, 0};
    cli_directories(target, remove_file, &files);
}

// A detached agent has neither a socket nor a thread, and nobody looks for the file.
static int is_detached(const struct instr_process *target) {
    struct cli_session session;
    char reason[INSTR_ERROR_SIZE];
    if (instr_process_has_thread(target, "instr control")) return 0;
    int there =
        cli_session_open_within(&session, (long)target->pid, ANSWER_MS, reason, sizeof reason);
    if (there == CLI_SESSION_OK) cli_session_close(&session);
    return there == CLI_SESSION_NONE;
}

static const char *why_not(const struct instr_process *target) {
    if (instr_process_is_stopped(target))
        return "the process is stopped; it will when it continues";
    return "the agent is dormant, busy, or blocked within the JVM";
}

static int say_obeyed(const struct cli_control *control, const char *file) {
    if (control->json)
        return cli_json_print(json_pack("{s:o}", "kill_switch", cli_json_text(file)));
    printf("instr: process %ld: the agent has obeyed the kill switch, %s\n", control->pid, file);
    return CLI_OK;
}

static int off_by_file(const struct cli_control *control) {
    long pid = control->pid;
    struct instr_process target;
    char reason[INSTR_ERROR_SIZE], file[INSTR_CONTROL_PATH_SIZE];
    if (instr_process_open(&target, pid, reason, sizeof reason) != 0)
        return cli_error("%s", reason);
    if (has_no_agent(pid)) return CLI_FAILED;
    if (!create_files(&target, file))
        return cli_error("no control directory of process %ld's user is writable: %s", pid,
                         strerror(errno));
    struct timespec pause = {0, STEP_MS * 1000000};
    int most = instr_process_is_stopped(&target) ? STEP_MS : OBEYED_MS;
    for (int ms = 0; ms < most; ms += STEP_MS) {
        if (instr_process_has_ended(&target)) {
            remove_files(&target, file);
            return cli_error("process %ld has ended", pid);
        }
        if (is_gone(&target, file)) return say_obeyed(control, file);
        if (ms == BEGUN_MS && is_detached(&target)) {
            remove_files(&target, file);
            return cli_error("the agent in process %ld is detached; there is nothing to switch off",
                             pid);
        }
        nanosleep(&pause, NULL);
    }
    return cli_error(
        "process %ld: the kill switch, %s, is set, but the agent has not obeyed it yet: %s", pid,
        file, why_not(&target));
}

// CLI_OK: everything is off; CLI_FAILED: the agent did not respond; CLI_USAGE: not permitted, which
// was printed.
static int off_by_socket(const struct cli_control *control) {
    struct cli_session session;
    struct cli_event event;
    char reason[INSTR_ERROR_SIZE];
    int there = cli_session_open_within(&session, control->pid, ANSWER_MS, reason, sizeof reason);
    if (there != CLI_SESSION_OK && geteuid() != 0 && session.process.pid &&
        geteuid() != session.process.uid) {
        cli_error("%s", reason);
        return CLI_USAGE;
    }
    if (there != CLI_SESSION_OK) return CLI_FAILED;
    cli_session_limit(&session, 2 * ANSWER_MS);
    json_t *answer = cli_session_ask(&session, "off", &event);
    if (answer && control->json)
        cli_json_print(json_incref(answer));
    else if (answer)
        cli_switch_show_restored(answer, &session.process);
    json_decref(answer);
    cli_session_close(&session);
    return event.kind == CLI_END && event.status == 0 ? CLI_OK : CLI_FAILED;
}

int cli_off(int argc, char **argv) {
    struct cli_control control;
    int status = cli_control_arguments(&control, "off", argc, argv, NULL, 0, 0, "one process id");
    if (status != CLI_OK) return status;
    status = off_by_socket(&control);
    if (status == CLI_FAILED) status = off_by_file(&control);
    return cli_finish(status == CLI_OK ? CLI_OK : CLI_FAILED);
}
