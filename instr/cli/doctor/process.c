// instr doctor PID: checks a JVM from outside, and through the agent if that is loaded already.

#include "instr/cli/doctor/process.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/deliver.h"
#include "instr/cli/talk.h"
#include "instr/process/remote_jvm.h"
#include "instr/protocol/socket_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { OLDEST = 8, NEWEST = 28, ANSWER_MS = 10000 };

static void look_at_version(struct cli_findings *findings, const struct instr_remote_jvm *jvm) {
    if (jvm->release == 0)
        cli_find(findings, CLI_REMARK, "JVM", "HotSpot, %s, of unknown version", jvm->library);
    else if (jvm->release < OLDEST)
        cli_find(findings, CLI_BARRED, "JVM", "%s %s: older than JDK 8", jvm->name, jvm->version);
    else if (jvm->release > NEWEST)
        cli_find(findings, CLI_REMARK, "JVM", "%s %s: newer than the last tested, JDK %d",
                 jvm->name, jvm->version, NEWEST);
    else
        cli_find(findings, CLI_FINE, "JVM", "%s %s", jvm->name[0] ? jvm->name : "HotSpot",
                 jvm->version);
}

static void look_at_attach(struct cli_findings *findings, const struct instr_remote_jvm *jvm) {
    char reason[INSTR_ERROR_SIZE];
    if (instr_remote_jvm_no_attach(jvm, reason, sizeof reason) ||
        instr_remote_jvm_no_descriptors(jvm, reason, sizeof reason) ||
        instr_remote_jvm_no_threads(jvm, reason, sizeof reason) ||
        instr_remote_jvm_no_memory(jvm, reason, sizeof reason))
        cli_find(findings, CLI_BARRED, "attach", "%s", reason);
    else if (jvm->release >= 21 && instr_remote_jvm_flag(jvm, "EnableDynamicAgentLoading") != '+')
        cli_find(findings, CLI_REMARK, "attach",
                 "works, but the JVM prints a warning to its standard error (JEP 451) unless it "
                 "was started with -XX:+EnableDynamicAgentLoading or with the agent");
    else
        cli_find(findings, CLI_FINE, "attach", "works");
}

// Where would the JVM load the library from?
static void look_at_library(struct cli_findings *findings, const struct instr_remote_jvm *jvm) {
    char library[PATH_MAX], reason[INSTR_ERROR_SIZE];
    struct statvfs fs;
    struct stat st;
    if (jvm->agent[0]) return;
    if (cli_find_library(library) != CLI_OK) {
        cli_find(findings, CLI_BARRED, "library", "libinstr.so was not found");
        return;
    }
    if (instr_remote_jvm_old_libc(jvm, library, reason, sizeof reason)) {
        cli_find(findings, CLI_BARRED, "library", "%s", reason);
        return;
    }
    if (cli_target_sees(&jvm->process, library)) {
        cli_find(findings, CLI_FINE, "library", "loaded from %s", library);
        return;
    }
    const char *folder = instr_control_folder(NULL);
    int place = instr_process_directory(&jvm->process, folder);
    bool is_there = place >= 0 && fstatvfs(place, &fs) == 0;
    if (place >= 0) close(place);
    if (!is_there)
        cli_find(findings, CLI_BARRED, "library",
                 "the JVM does not see %s, and its %s cannot be reached", library, folder);
    else if (!instr_process_executes(&jvm->process, folder))
        cli_find(findings, CLI_BARRED, "library", CLI_NOEXEC, library, folder);
    else if (stat(library, &st) == 0 && fs.f_bavail * fs.f_frsize < (uint64_t)st.st_size)
        cli_find(findings, CLI_BARRED, "library",
                 "the JVM does not see %s, and its %s has no room for a copy", library, folder);
    else
        cli_find(findings, CLI_FINE, "library", "the JVM does not see %s; a copy is made in its %s",
                 library, folder);
}

static void look_at_options(struct cli_findings *findings, const struct instr_remote_jvm *jvm) {
    char text[512];
    static const char *const agents[] = {"-javaagent:", "-agentpath:", "-agentlib:"};
    for (int i = 0; i < 3; i++)
        if (instr_remote_jvm_option(jvm, agents[i], text, sizeof text) &&
            !strstr(text, "libinstr.so")) {
            text[strcspn(text, "=")] = '\0';
            cli_find(findings, CLI_REMARK, "other agent", CLI_OTHER_AGENT, text);
        }
    if (instr_remote_jvm_option(jvm, "-XX:AOTCache=", text, sizeof text))
        cli_find(findings, CLI_FINE, "AOT cache",
                 "%s: stays in use; classes from it are retransformed", text + 13);
    if (instr_remote_jvm_option(jvm, "-Xshare:off", text, sizeof text))
        cli_find(findings, CLI_FINE, "class archive", "switched off on the command line");
    if (instr_remote_jvm_option(jvm, "-Xrs", text, sizeof text) ||
        instr_remote_jvm_flag(jvm, "ReduceSignalUsage") == '+')
        cli_find(findings, CLI_REMARK, "signals",
                 "the JVM does not use them (-Xrs); it listens for attaches from the start");
}

// 1: the agent answered.
static int look_inside(struct cli_findings *findings, long pid) {
    struct cli_session session;
    struct cli_event event;
    char reason[INSTR_ERROR_SIZE];
    if (cli_session_open_within(&session, pid, ANSWER_MS, reason, sizeof reason) != CLI_SESSION_OK)
        return 0;
    json_t *status = cli_session_ask(&session, "status", &event);
    cli_session_close(&session);
    if (!status) return 0;
    cli_find(findings, CLI_FINE, "agent", "version %s is loaded, %s", cli_text(status, "agent"),
             cli_text(status, "state"));
    cli_doctor_facts(findings, status);
    json_decref(status);
    return 1;
}

void cli_doctor_process(struct cli_findings *findings, long pid) {
    struct instr_remote_jvm jvm;
    char reason[INSTR_ERROR_SIZE], user[64];
    if (instr_remote_jvm_open(&jvm, pid, reason, sizeof reason) != 0) {
        cli_find(findings, CLI_BARRED, "process", "%s", reason);
        return;
    }
    if (jvm.kind != INSTR_HOTSPOT) {
        cli_find(findings, CLI_BARRED, "process", "%s",
                 instr_remote_jvm_no_attach(&jvm, reason, sizeof reason));
        instr_remote_jvm_close(&jvm);
        return;
    }
    look_at_version(findings, &jvm);
    if (jvm.process.uid == geteuid())
        cli_find(findings, CLI_FINE, "permission", "the process is yours");
    else if (geteuid() == 0)
        cli_find(findings, CLI_FINE, "permission", "the process belongs to %s, and you are root",
                 instr_user_name(jvm.process.uid, user, sizeof user));
    if (jvm.process.inner_pid != jvm.process.pid || jvm.process.root[0])
        cli_find(findings, CLI_FINE, "namespace", "process %ld in its own namespace%s",
                 (long)jvm.process.inner_pid,
                 jvm.process.root[0] ? ", with its own file system" : "");
    if (!look_inside(findings, pid)) {
        if (jvm.agent[0] && !instr_process_is_stopped(&jvm.process))
            cli_find(findings, CLI_REMARK, "agent", "%s is loaded but does not listen", jvm.agent);
        look_at_attach(findings, &jvm);
        look_at_library(findings, &jvm);
        look_at_options(findings, &jvm);
        cli_find(findings, CLI_REMARK, "natives",
                 "this and other passes that change members work only for agents on the command "
                 "line");
    }
    instr_remote_jvm_close(&jvm);
}
