// instr watch: calls of some methods as they happen.

#include "instr/cli/internal.h"
#include "instr/cli/agent_library.h"
#include "instr/cli/bring.h"
#include "instr/base/clock.h"
#include "instr/cli/commands/rule.h"
#include "instr/cli/screen.h"
#include "instr/cli/talk.h"
#include "instr/report/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MILLISECOND UINT64_C(1000000)
enum { WORDS = 8, WORD_SIZE = 64, AFTER_CANCEL_MS = 10000, POLL_MS = 200 };

// The command for the agent.
struct watch {
    const char *words[WORDS];
    int count;
    char text[WORDS][WORD_SIZE];
    struct instr_owner owner; // who watches
    char *rule;               // what --if and --print make of the methods; NULL: there are none
};

static void show(const json_t *call) {
    char clock[16], duration[INSTR_DURATION_SIZE], *line = NULL;
    size_t length;
    FILE *text = open_memstream(&line, &length);
    if (!text) return;
    uint64_t ms = cli_count(call, "time_ms");
    time_t seconds = (time_t)(ms / 1000);
    struct tm local;
    size_t index;
    json_t *item;
    const json_t *values = json_object_get(call, "values");
    strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&seconds, &local));
    fprintf(text, "%s.%03u [%s] %s.%s%s", clock, (unsigned)(ms % 1000), cli_text(call, "thread"),
            cli_text(call, "class"), cli_text(call, "method"), values ? ": " : "(");
    json_array_foreach(values ? values : json_object_get(call, "arguments"), index, item)
        fprintf(text, "%s%s", index ? ", " : "",
                json_string_value(item) ? json_string_value(item) : "null");
    const char *thrown = cli_text(call, "thrown"), *returned = cli_text(call, "returned");
    instr_duration(cli_count(call, "duration_ns"), duration);
    fprintf(text, "%s%s%s  %s", values ? "" : ")",
            *thrown     ? " ! "
            : *returned ? " = "
                        : "",
            *thrown ? thrown : returned, duration);
    if (fclose(text) == 0) cli_print(line);
    free(line);
    putchar('\n');
    json_array_foreach(json_object_get(call, "stack"), index, item) {
        fputs("    at ", stdout);
        cli_print(cli_string(item));
        putchar('\n');
    }
    fflush(stdout);
}

// Until the agent ends the stream: at the limit, in time, or because it is cancelled.
static int follow(const struct watch *watch, struct cli_session *session, int json) {
    struct cli_event event;
    int cancelled = 0;
    uint64_t cancelled_at = 0; // ns
    session->stream = true;
    if (cli_control_introduce(session, &watch->owner) != CLI_OK) return CLI_FAILED;
    if (cli_session_command(session, watch->count, watch->words) != 0) return cli_session_unsent();
    for (;;) {
        cli_session_next(session, &event, cancelled ? AFTER_CANCEL_MS : POLL_MS);
        if (event.kind == CLI_DOCUMENT) {
            if (json)
                cli_print_json(event.bytes, event.length), fflush(stdout);
            else
                show(event.document);
            json_decref(event.document);
        }
        if (event.kind == CLI_NOTE) cli_error("%s", event.line);
        if (event.kind == CLI_END || event.kind == CLI_LOST) return cli_control_end(&event);
        // Whoever poses as an agent may send lines for ever: a second signal does not wait for the end.
        uint64_t late = cancelled_at + AFTER_CANCEL_MS * MILLISECOND;
        if ((event.kind == CLI_NOTHING && cancelled && instr_clock_now() >= late) ||
            cli_caught() > 1)
            return cli_error("the agent is not responding; it will revert when this client "
                             "disconnects");
        if ((cli_caught() || ferror(stdout)) && !cancelled) {
            cancelled = cli_session_cancel(session) == 0;
            cancelled_at = instr_clock_now();
        }
    }
}

__attribute__((format(printf, 2, 3))) static void add_word(struct watch *watch, const char *format,
                                                           ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(watch->text[watch->count], WORD_SIZE, format, arguments);
    va_end(arguments);
    watch->words[watch->count] = watch->text[watch->count];
    watch->count++;
}

// "METHOD exit /(CONDITION)/ { print VALUES }"
static int make_rule(struct watch *watch, const char *condition, const char *values) {
    const char *start = condition ? "/(" : "", *end = condition ? ")/ " : "";
    if (asprintf(&watch->rule, "%s exit %s%s%s{ print%s%s }", watch->words[1], start,
                 condition ? condition : "", end, values ? " " : "", values ? values : "") < 0)
        return cli_no_memory();
    int status = cli_rule_take(&watch->rule, true);
    if (status != CLI_OK) return status;
    watch->words[1] = watch->rule;
    add_word(watch, values ? "values" : "rule");
    return CLI_OK;
}

static int read_arguments(struct watch *watch, struct cli_control *control, int argc, char **argv) {
    int stack = 0, if_thrown = 0;
    uint64_t if_slower = 0, most_time = 0;
    long limit = 0;
    const char *as = NULL, *condition = NULL, *values = NULL;
    const struct cli_option options[] = {{"--stack", .flag = &stack},
                                         {"--if-thrown", .flag = &if_thrown},
                                         {"--if-slower", .time = &if_slower},
                                         {"--if", .text = &condition},
                                         {"--print", .text = &values},
                                         {"--for", .time = &most_time},
                                         {"for", .time = &most_time},
                                         {"--limit", .number = &limit, 1, 1000000},
                                         {"--as", .text = &as},
                                         {NULL}};
    int status = cli_control_arguments(control, "watch", argc, argv, options, 1, 2,
                                       "a process id and methods");
    if (status == CLI_OK) status = cli_control_sign("watch", as, &watch->owner);
    if (status != CLI_OK) return status;
    watch->words[0] = "watch";
    watch->words[1] = control->argv[0];
    watch->count = 2;
    if (control->argc == 2 && strcmp(control->argv[1], "interfaces=yes") != 0)
        return cli_usage("watch", "only interfaces=yes may follow the methods, not '%.64s'",
                         control->argv[1]);
    if (control->argc == 2 && (condition || values))
        return cli_usage("watch", "--if and --print want one method; that of an interface is "
                                  "CLASS+.METHOD, for the classes that implement it");
    if (control->argc == 2) add_word(watch, "interfaces=yes");
    if (stack) add_word(watch, "stack");
    if (if_thrown) add_word(watch, "if-thrown");
    if (if_slower) add_word(watch, "if-slower=%llu", (unsigned long long)if_slower);
    if (most_time) add_word(watch, "for=%llu", (unsigned long long)most_time);
    if (limit) add_word(watch, "limit=%ld", limit);
    return condition || values ? make_rule(watch, condition, values) : CLI_OK;
}

// Mistakes in the methods are reported before an agent is loaded for them.
static int check_methods(const char *methods) {
    static const char option[] = "watch.methods=";
    char *item = malloc(sizeof option + 2 * strlen(methods));
    if (!item) return cli_no_memory();
    char *to = stpcpy(item, option);
    for (const char *c = methods; *c; c++) {
        if (*c == ',' || *c == '\\') *to++ = '\\';
        *to++ = *c;
    }
    *to = '\0';
    char pass[] = "watch", *words[] = {pass, item};
    char *checked = cli_checked_options(2, words, 0);
    int status = checked ? CLI_OK : CLI_USAGE;
    free(checked);
    free(item);
    return status;
}

int cli_watch(int argc, char **argv) {
    struct watch watch = {0};
    static struct cli_session session;
    struct cli_control control;
    int brought, status = read_arguments(&watch, &control, argc, argv);
    if (status == CLI_OK && !watch.rule) status = check_methods(watch.words[1]);
    if (status == CLI_OK) {
        cli_catch_signals();
        status = cli_bring(&session, control.pid, NULL, &brought);
    }
    if (status == CLI_OK) {
        status = follow(&watch, &session, control.json);
        cli_session_close(&session);
        if (brought) cli_take_back(control.pid);
        status = cli_finish(status);
    }
    free(watch.rule);
    return status;
}
