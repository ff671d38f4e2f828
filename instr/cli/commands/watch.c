// instr watch: the calls of some methods as they happen.

#include "instr/cli/agent_library.h"
#include "instr/cli/bring.h"
#include "instr/cli/talk.h"
#include "instr/cli/screen.h"
#include "instr/report/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 8, WORD_SIZE = 64, AFTER_CANCEL_MS = 10000, LOOK_MS = 200 };

struct watch {
    long pid;
    int json;
    const char *words[WORDS]; // of the command
    int count;
    char text[WORDS][WORD_SIZE];
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
    strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&seconds, &local));
    fprintf(text, "%s.%03u [%s] %s.%s(", clock, (unsigned)(ms % 1000), cli_text(call, "thread"),
            cli_text(call, "class"), cli_text(call, "method"));
    json_array_foreach(json_object_get(call, "arguments"), index, item)
        fprintf(text, "%s%s", index ? ", " : "",
                json_string_value(item) ? json_string_value(item) : "null");
    const char *thrown = cli_text(call, "thrown"), *returned = cli_text(call, "returned");
    instr_duration(cli_count(call, "duration_ns"), duration);
    fprintf(text, ")%s%s  %s",
            *thrown     ? " ! "
            : *returned ? " = "
                        : "",
            *thrown ? thrown : returned, duration);
    if (fclose(text) == 0) cli_print(line);
    free(line);
    putchar('\n');
    json_array_foreach(json_object_get(call, "stack"), index, item) {
        fputs("    at ", stdout);
        cli_print(json_string_value(item) ? json_string_value(item) : "");
        putchar('\n');
    }
    fflush(stdout);
}

static int end(const struct cli_event *event) {
    if (event->dropped)
        cli_error("instr: %llu calls left out, as they came faster than they were read",
                  (unsigned long long)event->dropped);
    if (event->line[0]) cli_error("instr: %s", event->line);
    return event->kind == CLI_END && event->status == 0 ? CLI_OK : CLI_FAILED;
}

// Until the agent ends it: at the limit, in time, or because we ask it to.
static int follow(const struct watch *watch, struct cli_session *session) {
    struct cli_event event;
    int cancelled = 0;
    if (cli_session_command(session, watch->count, watch->words) != 0) {
        cli_error("instr: the command cannot be sent: %s", strerror(errno));
        return CLI_FAILED;
    }
    for (;;) {
        cli_session_next(session, &event, cancelled ? AFTER_CANCEL_MS : LOOK_MS);
        if (event.kind == CLI_DOCUMENT) {
            if (watch->json)
                fwrite(event.bytes, 1, event.length, stdout), fflush(stdout);
            else
                show(event.document);
            json_decref(event.document);
        }
        if (event.kind == CLI_NOTE) cli_error("instr: %s", event.line);
        if (event.kind == CLI_END || event.kind == CLI_LOST) return end(&event);
        if (event.kind == CLI_NOTHING && cancelled) {
            cli_error("instr: the agent does not answer; it undoes what it did when we are gone");
            return CLI_FAILED;
        }
        if ((cli_caught() || ferror(stdout)) && !cancelled)
            cancelled = cli_session_cancel(session) == 0;
    }
}

__attribute__((format(printf, 2, 3))) static void add_word(struct watch *watch, const char *format,
                                                           ...) {
    if (watch->count == WORDS) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(watch->text[watch->count], WORD_SIZE, format, arguments);
    va_end(arguments);
    watch->words[watch->count] = watch->text[watch->count];
    watch->count++;
}

static int add_time(struct watch *watch, const char *option, const char *word, int is,
                    const char *value) {
    uint64_t time = is > 0 ? cli_duration(value) : 0;
    if (!time)
        return cli_usage("watch", "instr: watch: %s takes a time such as 50ms or 30s", option);
    add_word(watch, "%s=%llu", word, (unsigned long long)time);
    return CLI_OK;
}

static int read_argument(struct watch *watch, int argc, char **argv, int *i) {
    const char *value = NULL;
    int is;
    if (strcmp(argv[*i], "--json") == 0) {
        watch->json = 1;
    } else if (strcmp(argv[*i], "--stack") == 0) {
        add_word(watch, "stack");
    } else if (strcmp(argv[*i], "--if-thrown") == 0) {
        add_word(watch, "if-thrown");
    } else if ((is = cli_option(argc, argv, i, "--if-slower", &value)) != 0) {
        return add_time(watch, "--if-slower", "if-slower", is, value);
    } else if ((is = cli_option(argc, argv, i, "--for", &value)) != 0) {
        return add_time(watch, "--for", "for", is, value);
    } else if ((is = cli_option(argc, argv, i, "--limit", &value)) != 0) {
        long limit = is > 0 ? cli_number(value, 0, 1000000) : -1;
        if (limit < 0)
            return cli_usage("watch", "instr: watch: --limit takes a number from 1 to 1000000");
        add_word(watch, "limit=%ld", limit);
    } else if (!watch->pid) {
        watch->pid = cli_number(argv[*i], 0, 1 << 30);
        if (watch->pid < 0)
            return cli_usage("watch", "instr: watch: '%.64s' is no process id", argv[*i]);
    } else if (!watch->words[1]) {
        watch->words[1] = argv[*i];
    } else {
        return cli_usage("watch", "instr: watch: what is '%.64s'?", argv[*i]);
    }
    return CLI_OK;
}

// What is wrong with the methods is told before an agent is brought in for them.
static int check_methods(const char *methods) {
    static const char option[] = "watch.methods=";
    char *item = malloc(sizeof option + 2 * strlen(methods));
    if (!item) {
        cli_error("instr: out of memory");
        return CLI_FAILED;
    }
    strcpy(item, option);
    char *to = item + sizeof option - 1;
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
    static struct watch watch = {.words = {"watch", NULL}, .count = 2};
    static struct cli_session session;
    int status = CLI_OK;
    for (int i = 0; i < argc && status == CLI_OK; i++)
        status = read_argument(&watch, argc, argv, &i);
    if (status != CLI_OK) return status;
    if (!watch.pid || !watch.words[1])
        return cli_usage("watch", "instr: watch: which process, and which methods?");
    if ((status = check_methods(watch.words[1])) != CLI_OK) return status;
    int brought;
    cli_catch_signals();
    if (cli_bring(&session, watch.pid, &brought) != CLI_OK) return CLI_FAILED;
    status = follow(&watch, &session);
    cli_session_close(&session);
    if (brought) cli_take_back(watch.pid);
    return cli_finish(status);
}
