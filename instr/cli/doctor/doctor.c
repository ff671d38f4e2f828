// instr doctor: its arguments, its output, and the checks of this machine.

#include "instr/cli/doctor/doctor.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/doctor/command.h"
#include "instr/cli/doctor/process.h"
#include "instr/cli/internal.h"
#include "instr/cli/talk.h"
#include "instr/process/remote_jvm.h"
#include "instr/protocol/socket_path.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const verdicts[] = {"ok", "note", "no"};

void cli_find(struct cli_findings *findings, enum cli_verdict verdict, const char *what,
              const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_array_append_new(findings->list, json_pack("{s:s, s:s, s:o}", "verdict", verdicts[verdict],
                                                    "what", what, "text", cli_json_text(text)));
    if (verdict == CLI_BARRED) findings->barred++;
}

// --- facts from an agent ---

static void join(char *text, size_t size, const char *more) {
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%s", n ? ", " : "", more);
}

static void find_capabilities(struct cli_findings *findings, const json_t *capabilities) {
    char never[512] = "", early[512] = "", later[512] = "";
    const char *name;
    json_t *when;
    size_t count = 0;
    json_object_foreach((json_t *)capabilities, name, when) {
        const char *word = json_string_value(when);
        count++;
        if (word && strcmp(word, "no") == 0) join(never, sizeof never, name);
        if (word && strcmp(word, "at start") == 0) join(early, sizeof early, name);
        if (word && strcmp(word, "not later") == 0) join(later, sizeof later, name);
    }
    if (strstr(never, "can_retransform_classes") || strstr(later, "can_retransform_classes"))
        cli_find(findings, CLI_BARRED, "capabilities", "this JVM cannot retransform classes");
    else if (count)
        cli_find(findings, CLI_FINE, "capabilities",
                 "all needed ones are available, at start and later");
    if (never[0])
        cli_find(findings, CLI_REMARK, "capabilities", "not available in this JVM: %s", never);
    if (later[0])
        cli_find(findings, CLI_REMARK, "capabilities",
                 "available at most to agents on the command line: %s", later);
    if (early[0])
        cli_find(findings, CLI_REMARK, "capabilities",
                 "available only to agents on the command line: %s", early);
}

void cli_doctor_facts(struct cli_findings *findings, const json_t *facts) {
    size_t index;
    json_t *agent;
    find_capabilities(findings, json_object_get(facts, "capabilities"));
    json_array_foreach(json_object_get(facts, "agents"), index, agent)
        cli_find(findings, CLI_REMARK, "other agent", CLI_OTHER_AGENT, cli_text(agent, "name"));
}

// --- the machine ---

static void look_at_tmp(struct cli_findings *findings) {
    struct stat st;
    char path[INSTR_CONTROL_PATH_SIZE];
    const char *folder = instr_control_folder(NULL);
    if (stat("/tmp", &st) != 0 || !S_ISDIR(st.st_mode) || access("/tmp", W_OK | X_OK) != 0)
        cli_find(findings, CLI_BARRED, "/tmp",
                 "is not writable; agents are attached there. An agent on the command line works "
                 "with control=/DIR, or " INSTR_CONTROL_VARIABLE " in its environment");
    else if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
        cli_find(findings, CLI_REMARK, "/tmp",
                 "has no sticky bit: every user may remove the files of others");
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode) || access(folder, W_OK | X_OK) != 0) {
        cli_find(findings, CLI_BARRED, "control", "%s is not a folder that is writable", folder);
        return;
    }
    for (unsigned i = 0; i < INSTR_CONTROL_DIRECTORIES; i++) {
        instr_control_directory(path, folder, geteuid(), i);
        if (lstat(path, &st) != 0 || instr_control_directory_is_private(path, geteuid())) {
            cli_find(findings, CLI_FINE, "control", "the sockets of your JVMs are in %s", path);
            return;
        }
    }
    cli_find(findings, CLI_REMARK, "control",
             "other users own all names of the control directory, up to %s; each JVM uses a random "
             "one",
             path);
}

static void look_at_jvms(struct cli_findings *findings) {
    char reason[INSTR_ERROR_SIZE];
    unsigned jvms = 0, open = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        struct instr_remote_jvm jvm;
        long pid = cli_number(entry->d_name, 1, 1 << 30);
        if (pid < 0 || instr_remote_jvm_open(&jvm, pid, reason, sizeof reason) != 0) continue;
        if (jvm.kind == INSTR_HOTSPOT || jvm.kind == INSTR_OPENJ9) {
            jvms++;
            open += !instr_remote_jvm_no_attach(&jvm, reason, sizeof reason);
        }
        instr_remote_jvm_close(&jvm);
    }
    if (proc)
        closedir(proc);
    else
        cli_find(findings, CLI_BARRED, "/proc", "does not exist; JVMs cannot be found");
    cli_find(findings, CLI_FINE, "JVMs", "%u visible to you, %u of them attachable", jvms, open);
}

static void look_at_machine(struct cli_findings *findings) {
    char library[PATH_MAX];
    if (cli_find_library(library) == CLI_OK)
        cli_find(findings, CLI_FINE, "agent", "%s", library);
    else
        cli_find(findings, CLI_BARRED, "agent", "its library, libinstr.so, was not found");
    look_at_tmp(findings);
    if (geteuid() != 0)
        cli_find(findings, CLI_REMARK, "permission", "only root can attach to JVMs of other users");
    look_at_jvms(findings);
}

// --- the command ---

static void print(const struct cli_findings *findings) {
    size_t index;
    json_t *finding;
    json_array_foreach(findings->list, index, finding) {
        printf("%-5s %-13s ", cli_text(finding, "verdict"), cli_text(finding, "what"));
        cli_print(cli_text(finding, "text"));
        putchar('\n');
    }
}

static void print_or_json(const struct cli_findings *findings, int json) {
    if (json)
        cli_json_print(json_incref(findings->list));
    else
        print(findings);
}

int cli_doctor(int argc, char **argv) {
    struct cli_findings findings = {json_array(), 0};
    int json = 0, words = 0;
    long pid = 0;
    const struct cli_option options[] = {{"--json", .flag = &json}, {NULL}};
    while (words < argc && strcmp(argv[words], "--") != 0) words++;
    char **command = words < argc ? argv + words + 1 : NULL;
    int status = cli_arguments("doctor", &words, argv, options);
    if (status == CLI_OK && words > (command ? 0 : 1))
        status = cli_usage("doctor", "expects at most one process id, or one command line");
    if (status == CLI_OK && words) status = cli_pid("doctor", argv[0], &pid);
    if (status == CLI_OK) {
        if (pid > 0)
            cli_doctor_process(&findings, pid);
        else if (command)
            cli_doctor_command(&findings, (int)(argv + argc - command), command);
        else
            look_at_machine(&findings);
        print_or_json(&findings, json);
        status = cli_finish(findings.barred ? CLI_FAILED : CLI_OK);
    }
    json_decref(findings.list);
    return status;
}
