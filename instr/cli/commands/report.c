// instr report: prints the result of a pass, from its file or of a running JVM, or makes a page of it.

#include "instr/cli/commands/report.h"
#include "instr/base/clock.h"
#include "instr/cli/coverage/report.h"
#include "instr/cli/internal.h"
#include "instr/cli/screen.h"
#include "instr/cli/talk.h"
#include "instr/options.h"
#include "instr/report/kinds.h"
#include "instr/report/read.h"
#include "instr/report/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const struct instr_report_kind *const kinds[] = {
#define ROW(name) &instr_report_kind_##name,
    INSTR_REPORT_KINDS(ROW)
#undef ROW
        NULL};

struct arguments {
    const char *file, *html, *sort;
    size_t top;       // SIZE_MAX: not given
    long pid;         // 0: a file
    const char *pass; // NULL: all passes
    const char *kind; // NULL: all; "rule": those that this option has made
    int json, reset, all;
    struct instr_owner owner; // who asks
    uint64_t every;           // ns; 0: once
};

static bool is_pid(const char *text) {
    return *text && text[strspn(text, "0123456789")] == '\0';
}

static int read_arguments(int argc, char **argv, struct arguments *arguments) {
    long top = -1;
    const char *as = NULL;
    const struct cli_option options[] = {{"--as", .text = &as},
                                         {"--all", .flag = &arguments->all},
                                         {"--html", .text = &arguments->html},
                                         {"--top", .number = &top, 0, CLI_MOST_ROWS},
                                         {"--sort", .text = &arguments->sort},
                                         {"--json", .flag = &arguments->json},
                                         {"--reset", .flag = &arguments->reset},
                                         {"--every", .time = &arguments->every},
                                         {NULL}};
    if (cli_arguments("report", &argc, argv, options) != CLI_OK) return CLI_USAGE;
    arguments->top = top < 0 ? SIZE_MAX : (size_t)top;
    if (argc >= 1 && argc <= 2 && is_pid(argv[0])) {
        arguments->pass = argc == 2 ? argv[1] : NULL;
        if (arguments->json && arguments->html)
            return cli_usage("report", "expects --json or --html, not both");
        if (arguments->all && (arguments->html || as))
            return cli_usage("report", "--all goes with neither --html nor --as");
        if (cli_control_sign("report", as, &arguments->owner) != CLI_OK) return CLI_USAGE;
        return cli_pid("report", argv[0], &arguments->pid);
    }
    if (argc != 1) return cli_usage("report", "expects one file, or a process id");
    if (arguments->json || arguments->reset || arguments->every || arguments->all || as)
        return cli_usage("report", "--json, --reset, --every, --as and --all need a process id");
    arguments->file = argv[0];
    return CLI_OK;
}

// Finds the order that --sort names. Returns an exit status.
static int read_order(const struct instr_report_kind *kind, const struct arguments *arguments,
                      size_t *order) {
    char words[128] = "";
    for (*order = 0; arguments->sort && kind->orders[*order]; ++*order) {
        const char *word = kind->orders[*order];
        if (strcmp(word, arguments->sort) == 0) return CLI_OK;
        const char *before = *order == 0 ? "" : kind->orders[*order + 1] ? ", " : " or ";
        size_t length = strlen(words);
        snprintf(words + length, sizeof words - length, "%s%s", before, word);
    }
    if (!arguments->sort) return CLI_OK;
    return cli_usage("report", "--sort must be %s for %.200s", words, arguments->file);
}

static int write_report(const struct instr_report_kind *kind, const void *report,
                        const struct arguments *arguments, size_t order) {
    static struct instr_output out;
    cli_output_open(&out, arguments->html);
    if (arguments->html)
        kind->page(report, &out, arguments->top, order);
    else
        kind->format->table(report, &out,
                            arguments->top == SIZE_MAX ? INSTR_TOP_DEFAULT : arguments->top);
    return cli_output_close(&out);
}

static int report_of(const struct instr_report_kind *kind, struct instr_reader *reader,
                     const struct arguments *arguments) {
    size_t order;
    int status = read_order(kind, arguments, &order);
    if (status != CLI_OK) return status;
    void *report = calloc(1, kind->size);
    if (!report || kind->read(reader, report) != 0) {
        if (!report) instr_reader_fail(reader, "out of memory");
        if (reader->error[0]) cli_error("%s", reader->error);
        status = CLI_FAILED;
    } else {
        if (kind->sort) kind->sort(report, order);
        status = write_report(kind, report, arguments, order);
    }
    if (report) kind->free(report);
    free(report);
    return status;
}

// --- files, and results that were received ---

static int report_json(json_t *result, const struct arguments *arguments) {
    fflush(stdout); // the table does not pass through it
    struct instr_reader reader;
    char error[INSTR_ERROR_SIZE] = "";
    const struct instr_report_kind *kind =
        instr_reader_use(&reader, arguments->file, result, kinds, error, sizeof error);
    int status = kind ? report_of(kind, &reader, arguments) : cli_error("%s", error);
    instr_reader_close(&reader);
    return status;
}

int cli_report_table(json_t *result, size_t top) {
    return report_json(result, &(struct arguments){.file = "the agent's result", .top = top});
}

static int report_file(const struct arguments *arguments) {
    struct instr_reader reader;
    char error[INSTR_ERROR_SIZE] = "";
    const struct instr_report_kind *kind =
        instr_reader_open(&reader, arguments->file, kinds, error, sizeof error);
    int status = kind ? report_of(kind, &reader, arguments) : cli_error("%s", error);
    instr_reader_close(&reader);
    return status;
}

// --- the passes of a JVM ---

void cli_report_owner(const json_t *result) {
    const char *by = cli_text(result, "by");
    printf("switched on by %s:\n", *by ? by : "the command line");
}

// The .exec file that an agent sends.
struct received {
    int fd; // -1: none so far
    int failed;
    size_t length;
};

enum {
    STATUS_MS = 10000,
    TRIES = 5,
    MOST_EXEC = 64 * 1024 * 1024 // bytes; an agent does not send more
};

static void receive(struct received *exec, const struct cli_event *event) {
    const char *from = event->bytes;
    if (exec->fd < 0) exec->fd = memfd_create("instr-report", MFD_CLOEXEC);
    exec->failed |= exec->fd < 0;
    if ((exec->length += event->length) > MOST_EXEC) {
        exec->failed = 1;
        errno = EFBIG;
    }
    for (size_t left = event->length; left > 0 && !exec->failed;) {
        ssize_t n = write(exec->fd, from, left);
        if (n < 0 && errno == EINTR) continue;
        exec->failed |= n <= 0;
        from += n;
        left -= n > 0 ? (size_t)n : left;
    }
}

static int show_received(const struct received *exec, struct arguments arguments) {
    char path[32];
    if (exec->failed) return cli_error("the coverage cannot be stored: %s", strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", exec->fd);
    arguments.file = path;
    return report_file(&arguments);
}

static int show_document(const struct cli_event *event, const struct arguments *arguments) {
    if (!arguments->json && arguments->all && !arguments->kind) cli_report_owner(event->document);
    if (!arguments->json) return report_json(event->document, arguments);
    cli_print_json(event->bytes, event->length);
    return cli_finish(CLI_OK);
}

// Asks who has which passes. NULL: *event says why; the caller frees it.
static json_t *ask_status(struct cli_session *session, struct cli_event *event) {
    cli_session_limit(session, STATUS_MS);
    json_t *status = cli_session_ask(session, "status", event);
    session->limit = INSTR_NEVER;
    return status;
}

// `end`: how the command ended, for cli_control_end.
static int report_pass(struct cli_session *session, const char *pass, struct arguments arguments,
                       struct cli_event *end) {
    struct received exec = {-1, 0, 0};
    char name[64];
    int status = CLI_OK;
    *end = (struct cli_event){.kind = CLI_END};
    snprintf(name, sizeof name, "process %ld", arguments.pid);
    arguments.file = name;
    const char *words[4] = {"report", pass};
    int count = 2;
    if (arguments.reset) words[count++] = "reset";
    if (arguments.all) words[count++] = "all";
    if (cli_control_introduce(session, &arguments.owner) != CLI_OK) return CLI_FAILED;
    if (cli_session_command(session, count, words) != 0) return cli_session_unsent();
    do {
        cli_control_next(session, end);
        if (end->kind == CLI_DOCUMENT) status = show_document(end, &arguments);
        if (end->kind == CLI_DOCUMENT) json_decref(end->document);
        if (end->kind == CLI_BYTES) receive(&exec, end);
        if (end->kind == CLI_NOTE) cli_error("%s", end->line);
    } while (end->kind != CLI_END && end->kind != CLI_LOST);
    if (end->kind == CLI_LOST || end->status) status = CLI_FAILED;
    if (exec.fd >= 0 && status == CLI_OK) status = show_received(&exec, arguments);
    if (exec.fd >= 0) close(exec.fd);
    return status;
}

// Has the pass a result that can be reported in this form? Passes of commands have theirs for these alone; kits have none.
static bool has_result(const json_t *status, const char *pass, const struct arguments *arguments) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(status, "enabled"), index, item) {
        bool is_of_command = json_is_true(json_object_get(item, "of_command"));
        bool of_kit = strcmp(cli_text(item, "kind"), "kit") == 0;
        if ((is_of_command || of_kit) && strcmp(cli_text(item, "pass"), pass) == 0) return false;
    }
    return strcmp(pass, "watch") != 0 && !(arguments->json && strcmp(pass, "coverage") == 0);
}

// Is the pass on for who asks, or by the command line? An older agent does not say.
static bool concerns(const json_t *status, const char *pass, const struct arguments *arguments) {
    const json_t *enabled = json_object_get(status, "enabled");
    size_t index;
    json_t *item;
    bool found = (arguments->all && !arguments->kind) || !enabled;
    json_array_foreach(enabled, index, item) {
        const char *by = cli_text(item, "by");
        bool is_theirs = arguments->all || !*by || strcmp(by, arguments->owner.name) == 0;
        bool is_kind = !arguments->kind || strcmp(cli_text(item, "kind"), arguments->kind) == 0;
        found |= strcmp(cli_text(item, "pass"), pass) == 0 && is_theirs && is_kind;
    }
    return found;
}

static void say_switched_off(const json_t *off) {
    char ago[INSTR_DURATION_SIZE];
    cli_error("pass '%s' was switched off %s ago: %s", cli_text(off, "pass"),
              instr_duration(cli_count(off, "ago_ns"), ago), cli_text(off, "reason"));
}

// The passes that were on have been switched off by the agent, for what they cost, or since their time was up.
static int say_all_switched_off(const json_t *status) {
    size_t index;
    json_t *off;
    say_switched_off(json_object_get(status, "switched_off"));
    json_array_foreach(json_object_get(status, "switched_off_before"), index, off)
        say_switched_off(off);
    return CLI_FAILED;
}

// Why nothing was shown. `others`: the passes of others that have results.
static int say_none(const json_t *status, const struct arguments *arguments, size_t others) {
    if (arguments->kind)
        return cli_error("no %s is on in process %ld", arguments->kind, arguments->pid);
    if (others)
        return cli_error("%s has no pass with results in process %ld; --all shows those of "
                         "everybody",
                         arguments->owner.name, arguments->pid);
    if (json_object_get(status, "switched_off")) return say_all_switched_off(status);
    return cli_error("no active pass of process %ld has results%s", arguments->pid,
                     arguments->json ? " in JSON" : "");
}

static bool is_among(const json_t *status, const char *pass) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(status, "passes"), index, item) {
        const char *name = json_string_value(item);
        if (name && strcmp(name, pass) == 0) return true;
    }
    return false;
}

// A pass that was on: somebody may have switched it off since then, or its time is over. *gone counts those. It may be
// on again when that is looked up: then it is reported.
static int report_listed(struct cli_session *session, const char *pass,
                         const struct arguments *arguments, size_t *gone) {
    struct cli_event end, event;
    for (int tries = 0;; tries++) {
        int result = report_pass(session, pass, *arguments, &end);
        bool failed = end.kind == CLI_END && end.status;
        json_t *status = failed && tries < TRIES ? ask_status(session, &event) : NULL;
        bool is_on = is_among(status, pass) && concerns(status, pass, arguments);
        bool is_gone = status && !is_on;
        json_decref(status);
        *gone += is_gone;
        if (is_gone) return CLI_OK;
        if (is_on) continue;
        return cli_control_end(&end) == CLI_OK ? result : CLI_FAILED;
    }
}

static int report_passes(struct cli_session *session, const struct arguments *arguments) {
    struct cli_event event;
    char list[512];
    size_t index, count = 0, others = 0, gone = 0;
    json_t *item, *status = ask_status(session, &event);
    const json_t *passes = json_object_get(status, "passes");
    int result = status ? CLI_OK : cli_control_end(&event);
    json_array_foreach(passes, index, item) {
        const char *pass = json_string_value(item);
        others += pass && has_result(status, pass, arguments) && !concerns(status, pass, arguments);
        count += pass && has_result(status, pass, arguments) && concerns(status, pass, arguments);
    }
    if (count > 1 && arguments->html)
        result = cli_usage("report", "a page holds one pass; active are %s",
                           cli_text_list(status, "passes", list, sizeof list));
    json_array_foreach(passes, index, item) {
        const char *pass = json_string_value(item);
        if (result == CLI_OK && pass && has_result(status, pass, arguments) &&
            concerns(status, pass, arguments))
            result = report_listed(session, pass, arguments, &gone);
    }
    if (result == CLI_OK && gone == count) result = say_none(status, arguments, others);
    json_decref(status);
    return result;
}

static bool is_kit(const json_t *status, const char *pass) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(status, "enabled"), index, item) {
        if (strcmp(cli_text(item, "pass"), pass) == 0 && strcmp(cli_text(item, "kind"), "kit") == 0)
            return true;
    }
    return false;
}

static int report_one(struct cli_session *session, const struct arguments *arguments) {
    struct cli_event end, event;
    int status = report_pass(session, arguments->pass, *arguments, &end);
    json_t *now = end.kind == CLI_END && end.status ? ask_status(session, &event) : NULL;
    bool kit = is_kit(now, arguments->pass);
    json_decref(now);
    if (kit)
        return cli_error("'%s' is a kit, which has no results of its own; 'instr kits %ld' prints "
                         "where its advice is called",
                         arguments->pass, arguments->pid);
    return cli_control_end(&end) == CLI_OK ? status : CLI_FAILED;
}

static int report_jvm(const struct arguments *arguments) {
    struct cli_session session;
    if (arguments->json && arguments->pass && strcmp(arguments->pass, "coverage") == 0)
        return cli_usage("report", "coverage has no JSON; 'instr coverage dump' writes its file");
    if (cli_control_connect(&session, arguments->pid) != CLI_OK) return CLI_FAILED;
    int status =
        arguments->pass ? report_one(&session, arguments) : report_passes(&session, arguments);
    cli_session_close(&session);
    return status;
}

// Waits for the next report. 0: a signal ends the command.
static int wait_until(uint64_t at) {
    for (uint64_t now; !cli_caught() && (now = instr_clock_now()) < at;) {
        struct timespec pause = {(time_t)((at - now) / 1000000000),
                                 (long)((at - now) % 1000000000)};
        nanosleep(&pause, NULL);
    }
    return !cli_caught();
}

static int report_again(const struct arguments *arguments) {
    uint64_t next = instr_clock_now();
    int status;
    cli_catch_signals();
    do {
        status = report_jvm(arguments);
        next += arguments->every;
    } while (status == CLI_OK && wait_until(next));
    return status;
}

// Whether standard input is an .exec file shows its start.
static int keep_input(int argc, char **argv) {
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "-") == 0 && (i == 0 || strcmp(argv[i - 1], "--html") != 0))
            return cli_keep_input();
    return CLI_OK;
}

int cli_report(int argc, char **argv) {
    struct arguments arguments = {0};
    int status = keep_input(argc, argv);
    if (status != CLI_OK) return status;
    if (!(argc && is_pid(argv[0])) && cover_report_is(argc, argv))
        return cover_report_run(argc, argv, NULL);
    status = read_arguments(argc, argv, &arguments);
    if (status != CLI_OK) return status;
    if (!arguments.pid) return report_file(&arguments);
    return arguments.every ? report_again(&arguments) : report_jvm(&arguments);
}

int cli_rules(int argc, char **argv) {
    struct arguments arguments = {.kind = "rule", .all = 1, .top = SIZE_MAX};
    long top = -1;
    const struct cli_option options[] = {{"--top", .number = &top, 0, CLI_MOST_ROWS},
                                         {"--json", .flag = &arguments.json},
                                         {"--every", .time = &arguments.every},
                                         {NULL}};
    if (cli_arguments("rules", &argc, argv, options) != CLI_OK) return CLI_USAGE;
    if (argc != 1) return cli_usage("rules", "expects a process id");
    if (cli_pid("rules", argv[0], &arguments.pid) != CLI_OK) return CLI_USAGE;
    if (top >= 0) arguments.top = (size_t)top;
    if (cli_control_sign("rules", NULL, &arguments.owner) != CLI_OK) return CLI_USAGE;
    return arguments.every ? report_again(&arguments) : report_jvm(&arguments);
}
