// What the commands that talk to an agent share.

#include "instr/cli/talk.h"
#include "instr/report/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_control_arguments(struct cli_control *control, const char *command, int argc, char **argv) {
    memset(control, 0, sizeof *control);
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            control->json = 1;
        } else if (!control->pid) {
            control->pid = cli_number(argv[i], 0, INT_MAX);
            if (control->pid < 0)
                return cli_usage(command, "instr: %s: '%.64s' is no process id", command, argv[i]);
        } else if (control->argc == INSTR_MESSAGE_WORDS - 2) {
            return cli_usage(command, "instr: %s: too many arguments", command);
        } else {
            control->argv[control->argc++] = argv[i];
        }
    }
    if (!control->pid) return cli_usage(command, "instr: %s: which process?", command);
    return CLI_OK;
}

int cli_control_connect(struct cli_session *session, long pid) {
    char reason[INSTR_ERROR_SIZE];
    if (cli_session_open(session, pid, reason, sizeof reason) == CLI_SESSION_OK) return CLI_OK;
    cli_error("instr: %s", reason);
    return CLI_FAILED;
}

static int end(const struct cli_event *event) {
    if (event->line[0]) cli_error("instr: %s", event->line);
    if (event->dropped)
        cli_error("instr: %llu left out, as they came faster than they were read",
                  (unsigned long long)event->dropped);
    return event->status == 0 ? CLI_OK : CLI_FAILED;
}

int cli_control_run(struct cli_session *session, int count, const char *const *words, int json,
                    void (*show)(const json_t *document, const struct instr_target *target)) {
    struct cli_event event;
    if (cli_session_command(session, count, words) != 0) {
        cli_error("instr: the command cannot be sent: %s", strerror(errno));
        return CLI_FAILED;
    }
    for (;;) {
        cli_session_next(session, &event, -1);
        switch (event.kind) {
        case CLI_DOCUMENT:
            if (json)
                fwrite(event.bytes, 1, event.length, stdout);
            else if (show)
                show(event.document, &session->target);
            json_decref(event.document);
            break;
        case CLI_NOTE: cli_error("instr: %s", event.line); break;
        case CLI_END: return cli_finish(end(&event));
        case CLI_LOST: cli_error("instr: %s", event.line); return cli_finish(CLI_FAILED);
        default: break;
        }
    }
}

const char *cli_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

uint64_t cli_count(const json_t *object, const char *key) {
    json_int_t number = json_integer_value(json_object_get(object, key));
    return number > 0 ? (uint64_t)number : 0;
}

uint64_t cli_duration(const char *text) {
    static const struct {
        const char *name;
        double nanoseconds;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    char *end;
    if (*text < '0' || *text > '9') return 0;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && number * units[i].nanoseconds < 1e18)
            return (uint64_t)(number * units[i].nanoseconds);
    return 0;
}

void cli_print(const char *text) {
    char error[INSTR_ERROR_SIZE];
    struct instr_output out;
    fflush(stdout);
    instr_output_descriptor(&out, STDOUT_FILENO);
    instr_report_text(&out, text, INSTR_PLAIN);
    instr_output_close(&out, error, sizeof error);
}
