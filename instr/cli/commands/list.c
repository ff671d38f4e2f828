// instr list: the JVMs of this machine.

#include "instr/cli/internal.h"
#include "instr/base/array.h"
#include "instr/base/clock.h"
#include "instr/cli/talk.h"
#include "instr/process/remote_jvm.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One JVM is waited for up to ANSWER_MS. When those that did not answer in time have taken WAITING_MS
// together, each further one is waited for up to HASTE_MS: there may be any number of them.
enum {
    COMMAND_SHOWN = 60,
    ANSWER_MS = 5000,
    WAITING_MS = 20000,
    HASTE_MS = 100,
    MOST_ANSWER = 64 * 1024
};

struct row {
    struct instr_remote_jvm jvm;
    char user[64];
    char state[32]; // of the agent; "": there is none
};

struct rows {
    struct row *items;
    size_t count, capacity;
    uint64_t waited; // nanoseconds
};

// A process that we may not inspect, but whose name is java.
static int is_named_java(const struct instr_remote_jvm *jvm) {
    char *name = instr_process_read(&jvm->process, "comm", 64, NULL);
    int yes = name && strcmp(name, "java\n") == 0;
    free(name);
    return yes;
}

// An agent that is busy with a command sends lines to those who wait.
static void ask_state(struct cli_session *session, struct row *row) {
    struct cli_event event;
    const char *const ping = "ping";
    session->most_document = MOST_ANSWER;
    if (cli_session_command(session, 1, &ping) != 0) return;
    cli_session_next(session, &event, ANSWER_MS);
    if (event.kind == CLI_NOTE)
        strcpy(row->state, "busy");
    else if (event.kind == CLI_DOCUMENT)
        snprintf(row->state, sizeof row->state, "%s", cli_text(event.document, "state"));
    json_decref(event.document);
}

static void find_state(struct row *row, int milliseconds) {
    struct cli_session session;
    char reason[INSTR_ERROR_SIZE];
    bool is_stopped = instr_process_is_stopped(&row->jvm.process);
    if (row->jvm.agent[0]) strcpy(row->state, is_stopped ? "stopped" : "silent");
    if (is_stopped) return; // it would not answer
    if (cli_session_open_within(&session, (long)row->jvm.process.pid, milliseconds, reason,
                                sizeof reason) != CLI_SESSION_OK)
        return;
    ask_state(&session, row);
    cli_session_close(&session);
}

static int add(struct rows *rows, long pid) {
    char reason[INSTR_ERROR_SIZE];
    struct row row;
    memset(&row, 0, sizeof row);
    if (pid == (long)getpid() || instr_remote_jvm_open(&row.jvm, pid, reason, sizeof reason) != 0)
        return 0;
    if (row.jvm.kind == INSTR_NO_JVM ||
        (row.jvm.kind == INSTR_JVM_UNKNOWN && !is_named_java(&row.jvm))) {
        instr_remote_jvm_close(&row.jvm);
        return 0;
    }
    instr_user_name(row.jvm.process.uid, row.user, sizeof row.user);
    uint64_t before = instr_clock_now();
    int is_late = rows->waited >= WAITING_MS * UINT64_C(1000000);
    if (row.jvm.kind == INSTR_HOTSPOT) find_state(&row, is_late ? HASTE_MS : ANSWER_MS);
    rows->waited += instr_clock_now() - before;
    if (!INSTR_ARRAY_RESERVE(rows->items, rows->capacity, rows->count + 1)) {
        instr_remote_jvm_close(&row.jvm);
        return -1;
    }
    rows->items[rows->count++] = row;
    return 0;
}

static int by_pid(const void *a, const void *b) {
    pid_t x = ((const struct row *)a)->jvm.process.pid,
          y = ((const struct row *)b)->jvm.process.pid;
    return (x > y) - (x < y);
}

static int find_all(struct rows *rows) {
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    int result = proc ? 0 : -1;
    while (result == 0 && (entry = readdir(proc))) {
        long pid = cli_number(entry->d_name, 1, 1 << 30);
        if (pid > 0) result = add(rows, pid);
    }
    if (proc) closedir(proc);
    if (rows->count) qsort(rows->items, rows->count, sizeof *rows->items, by_pid);
    return result;
}

// The main class or jar, without its folders and arguments.
static void main_of(const struct instr_remote_jvm *jvm, char text[COMMAND_SHOWN + 1]) {
    size_t n = jvm->main_length;
    const char *start = jvm->command;
    for (size_t i = 0; i < n; i++)
        if (jvm->command[i] == '/') start = jvm->command + i + 1;
    n -= (size_t)(start - jvm->command);
    snprintf(text, COMMAND_SHOWN + 1, "%.*s", (int)n, start);
}

static const char *version_of(const struct instr_remote_jvm *jvm) {
    if (jvm->kind == INSTR_JVM_UNKNOWN) return "(not yours)";
    if (jvm->kind == INSTR_OPENJ9) return "OpenJ9";
    return jvm->version[0] ? jvm->version : "unknown";
}

static void print_table(const struct rows *rows) {
    if (rows->count == 0) return;
    int widest = 7;
    for (size_t i = 0; i < rows->count; i++) {
        int n = (int)strlen(version_of(&rows->items[i].jvm));
        if (n > widest) widest = n;
    }
    printf("%8s  %-10s  %-*s  %-8s  MAIN\n", "PID", "USER", widest, "VERSION", "AGENT");
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        char main[COMMAND_SHOWN + 1];
        main_of(&row->jvm, main);
        cli_line("%8ld  %-10s  %-*s  %-8s  %s", (long)row->jvm.process.pid, row->user, widest,
                 version_of(&row->jvm), row->state[0] ? row->state : "-", main);
    }
}

static json_t *text_or_null(const char *text) {
    return text && *text ? cli_json_text(text) : json_null();
}

static int print_json(const struct rows *rows) {
    json_t *list = json_array();
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        const struct instr_remote_jvm *jvm = &row->jvm;
        const char *kind = jvm->kind == INSTR_HOTSPOT  ? "HotSpot"
                           : jvm->kind == INSTR_OPENJ9 ? "OpenJ9"
                                                       : NULL;
        json_array_append_new(
            list, json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "pid", (int)jvm->process.pid,
                            "user", text_or_null(row->user), "kind", text_or_null(kind), "version",
                            text_or_null(jvm->version), "name", text_or_null(jvm->name), "command",
                            text_or_null(jvm->command), "agent", text_or_null(row->state)));
    }
    return cli_json_print(list);
}

int cli_list(int argc, char **argv) {
    struct rows rows = {NULL, 0, 0, 0};
    int json = 0;
    const struct cli_option options[] = {{"--json", .flag = &json}, {NULL}};
    if (cli_arguments("list", &argc, argv, options) != CLI_OK) return CLI_USAGE;
    if (argc > 0) return cli_usage("list", "unknown argument '%.64s'", argv[0]);
    int status = find_all(&rows) == 0 ? CLI_OK : cli_error("/proc cannot be read");
    if (json)
        status = print_json(&rows) == CLI_OK ? status : CLI_FAILED;
    else
        print_table(&rows);
    for (size_t i = 0; i < rows.count; i++) instr_remote_jvm_close(&rows.items[i].jvm);
    free(rows.items);
    return cli_finish(status);
}
