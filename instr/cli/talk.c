// What the commands share that send one command to an agent and print its answer.

#include "instr/cli/talk.h"
#include "instr/base/utf8.h"
#include "instr/process/remote_jvm.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OPTIONS = 10, SILENCE_MS = 10000, LAST_LOOK_MS = 500 };

int cli_control_arguments(struct cli_control *control, const char *command, int argc, char **argv,
                          const struct cli_option *options, int least, int most, const char *what) {
    struct cli_option all[MOST_OPTIONS + 2] = {{"--json", .flag = &control->json}};
    *control = (struct cli_control){.argv = argv + 1};
    for (int i = 0; i < MOST_OPTIONS && options && options[i].name; i++) all[i + 1] = options[i];
    if (cli_arguments(command, &argc, argv, all) != CLI_OK) return CLI_USAGE;
    if (argc == 0) return cli_usage(command, "no process id given");
    if (cli_pid(command, argv[0], &control->pid) != CLI_OK) return CLI_USAGE;
    control->argc = argc - 1;
    if (control->argc >= least && control->argc <= most) return CLI_OK;
    return cli_usage(command, "expects %s", what);
}

int cli_control_sign(const char *command, const char *as, struct instr_owner *owner) {
    char user[64];
    *owner = (struct instr_owner){.uid = (uint32_t)getuid()};
    if (!as) instr_owner_set_login(owner, instr_user_name(getuid(), user, sizeof user));
    if (!as || instr_owner_set(owner, as, strlen(as)) == 0) return CLI_OK;
    return cli_usage(command, "--as expects a name: 1 to %d letters, digits and ._@+-",
                     INSTR_OWNER_SIZE - 1);
}

int cli_control_introduce(struct cli_session *session, const struct instr_owner *owner) {
    size_t length = strlen(owner->name);
    // The agent sees the user of the JVM, as instr_process_become makes it, and the name is ours.
    bool acting = length && geteuid() == 0 && session->process.uid != 0;
    if ((!length || cli_session_file(session, "as", owner->name, length) == 0) &&
        (!acting || cli_session_file(session, "acting", "", 0) == 0))
        return CLI_OK;
    return cli_session_unsent();
}

int cli_is_no_jvm(long pid) {
    struct instr_remote_jvm jvm;
    char reason[INSTR_ERROR_SIZE];
    if (instr_remote_jvm_open(&jvm, pid, reason, sizeof reason) != 0) return 0;
    int none = jvm.kind == INSTR_NO_JVM;
    instr_remote_jvm_close(&jvm);
    return none;
}

int cli_agent_is_silent(long pid) {
    struct instr_remote_jvm jvm;
    char reason[INSTR_ERROR_SIZE];
    if (instr_remote_jvm_open(&jvm, pid, reason, sizeof reason) != 0) return 0;
    int silent = jvm.agent[0] != '\0';
    instr_remote_jvm_close(&jvm);
    if (silent)
        cli_error("the agent in process %ld is detached, or does not listen; 'instr attach %ld' "
                  "starts it again",
                  pid, pid);
    return silent;
}

// To attach, as the reason advises, would fail in what is not a JVM.
static int not_connected(const struct cli_session *session, long pid, int there,
                         const char *reason) {
    if (there == CLI_SESSION_NONE && cli_is_no_jvm(pid))
        return cli_error("process %ld is not a JVM", pid);
    if (session->no_socket && cli_agent_is_silent(pid)) return CLI_FAILED;
    return cli_error("%s", reason);
}

int cli_control_connect(struct cli_session *session, long pid) {
    char reason[INSTR_ERROR_SIZE];
    int there = cli_session_open(session, pid, reason, sizeof reason);
    return there == CLI_SESSION_OK ? CLI_OK : not_connected(session, pid, there, reason);
}

// Connecting is part of the time that the whole command has.
static int connect_within(struct cli_session *session, const struct cli_control *control) {
    char reason[INSTR_ERROR_SIZE];
    if (!control->within_ms) return cli_control_connect(session, control->pid);
    int there =
        cli_session_open_within(session, control->pid, control->within_ms, reason, sizeof reason);
    return there == CLI_SESSION_OK ? CLI_OK : not_connected(session, control->pid, there, reason);
}

int cli_control_end(const struct cli_event *event) {
    if (event->line[0]) cli_error("%s", event->line);
    if (event->dropped)
        cli_error("%llu events dropped because they were not read fast enough",
                  (unsigned long long)event->dropped);
    return event->kind == CLI_END && event->status == 0 ? CLI_OK : CLI_FAILED;
}

void cli_control_next(struct cli_session *session, struct cli_event *event) {
    uint64_t start = instr_clock_now(), most = UINT64_C(1000000) * SILENCE_MS;
    do cli_session_next(session, event, SILENCE_MS);
    while (event->kind == CLI_NOTHING && instr_clock_now() - start < most &&
           instr_clock_now() < session->limit);
    // If this process was stopped meanwhile, an answer may be waiting.
    if (event->kind == CLI_NOTHING && session->limit == INSTR_NEVER)
        cli_session_next(session, event, LAST_LOOK_MS);
    if (event->kind == CLI_NOTHING) cli_session_late(session, event);
}

int cli_control_run(struct cli_session *session, int count, const char *const *words, int json,
                    cli_printer show) {
    struct cli_event event;
    if (cli_session_command(session, count, words) != 0) return cli_session_unsent();
    for (;;) {
        cli_control_next(session, &event);
        if (event.kind == CLI_DOCUMENT) {
            if (json)
                cli_print_json(event.bytes, event.length);
            else
                show(event.document, &session->process);
            json_decref(event.document);
        }
        if (event.kind == CLI_NOTE) cli_error("%s", event.line);
        if (event.kind == CLI_END || event.kind == CLI_LOST)
            return cli_finish(cli_control_end(&event));
    }
}

int cli_control_talk(const struct cli_control *control, int count, const char *const *words,
                     cli_printer show) {
    struct cli_session session;
    if (connect_within(&session, control) != CLI_OK) return CLI_FAILED;
    if (control->most_document) session.most_document = control->most_document;
    int status = cli_control_introduce(&session, &control->owner);
    if (status == CLI_OK) status = cli_control_run(&session, count, words, control->json, show);
    cli_session_close(&session);
    return status;
}

int cli_json_print(json_t *json) {
    char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
    json_decref(json);
    if (!text) return cli_no_memory();
    cli_print_json(text, strlen(text));
    putchar('\n');
    free(text);
    return ferror(stdout) ? CLI_FAILED : CLI_OK;
}

json_t *cli_json_text(const char *text) {
    const char *end = text + strlen(text);
    char *valid = malloc(3 * strlen(text) + 1),
         *to = valid; // no character needs more for each byte
    if (!valid) return NULL;
    while (text < end) to += instr_utf8_put(instr_utf8_next(&text, end), to);
    json_t *json = json_stringn(valid, (size_t)(to - valid));
    free(valid);
    return json;
}

const char *cli_string(const json_t *value) {
    const char *text = json_string_value(value);
    return text ? text : "";
}

const char *cli_text(const json_t *object, const char *key) {
    return cli_string(json_object_get(object, key));
}

uint64_t cli_count(const json_t *object, const char *key) {
    json_int_t number = json_integer_value(json_object_get(object, key));
    return number > 0 ? (uint64_t)number : 0;
}

char *cli_text_list(const json_t *object, const char *key, char *text, size_t size) {
    size_t index, n = 0;
    json_t *item;
    *text = '\0';
    json_array_foreach(json_object_get(object, key), index, item) {
        const char *word = json_string_value(item);
        if (n < size && word)
            n += (size_t)snprintf(text + n, size - n, "%s%s", index ? ", " : "", word);
    }
    return text;
}
