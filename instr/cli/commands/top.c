// instr top: the methods of a JVM as they run, in a table that is renewed, as top(1) shows
// processes.

#include "instr/cli/talk.h"
#include "instr/cli/screen.h"
#include "instr/report/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LINES = 512, LINE_SIZE = 1024, HEADER = 4, WAIT_MS = 100, DEFAULT_ROWS = 20 };
#define DEFAULT_EVERY UINT64_C(1000000000)

static const struct {
    const char *name, *title;
    char key;
} orders[] = {{"self", "self time", 's'},
              {"total", "total time", 't'},
              {"calls", "calls", 'c'},
              {"thrown", "errors", 'e'}};
enum { ORDERS = sizeof orders / sizeof *orders };

struct top {
    struct cli_session session;
    long pid;
    int json, once, live;
    int soon; // the first table, of a tenth of a second, is wanted, too
    unsigned order;
    long rows;       // 0: as many as fit
    int lines_there; // of the terminal, when the rows were asked for
    uint64_t every;  // ns
    char *lines[MOST_LINES];
    size_t line_count;
};

// --- a table of one document ---

__attribute__((format(printf, 2, 3))) static void add_line(struct top *top, const char *format,
                                                           ...) {
    if (top->line_count == MOST_LINES) return;
    va_list arguments;
    char *line = malloc(LINE_SIZE);
    if (!line) return;
    va_start(arguments, format);
    vsnprintf(line, LINE_SIZE, format, arguments);
    va_end(arguments);
    top->lines[top->line_count++] = line;
}

static void forget_lines(struct top *top) {
    for (size_t i = 0; i < top->line_count; i++) free(top->lines[i]);
    top->line_count = 0;
}

struct text {
    char bytes[512];
    size_t used;
};

static int into_text(void *context, const void *bytes, size_t length) {
    struct text *text = context;
    size_t room = sizeof text->bytes - 1 - text->used;
    if (length > room) length = room;
    memcpy(text->bytes + text->used, bytes, length);
    text->used += length;
    return 0;
}

static void method_name(const json_t *row, struct text *text) {
    struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    text->used = 0;
    instr_output_sink(&out, into_text, text);
    instr_report_method(&out, cli_text(row, "class"), cli_text(row, "method"),
                        cli_text(row, "descriptor"), INSTR_PLAIN);
    instr_output_close(&out, error, sizeof error);
    text->bytes[text->used] = '\0';
}

// Per second, with as many digits as say something.
static char *rate(uint64_t count, uint64_t interval, char text[INSTR_NUMBER_SIZE]) {
    double per_second = interval ? (double)count * 1e9 / (double)interval : 0;
    if (per_second >= 10 || per_second == 0)
        return instr_number((uint64_t)(per_second + 0.5), text);
    snprintf(text, INSTR_NUMBER_SIZE, "%.1f", per_second);
    return text;
}

static char *duration(uint64_t nanoseconds, char text[INSTR_DURATION_SIZE]) {
    if (nanoseconds) return instr_duration(nanoseconds, text);
    return strcpy(text, "-");
}

static void add_row(struct top *top, const json_t *row, uint64_t interval, int timed) {
    char calls[INSTR_NUMBER_SIZE], thrown[INSTR_NUMBER_SIZE], mean[INSTR_DURATION_SIZE],
        p99[INSTR_DURATION_SIZE], max[INSTR_DURATION_SIZE];
    struct text name;
    method_name(row, &name);
    rate(cli_count(row, "calls"), interval, calls);
    rate(cli_count(row, "thrown"), interval, thrown);
    if (!timed) {
        add_line(top, "%10s %8s  %s", calls, thrown, name.bytes);
        return;
    }
    uint64_t ended = cli_count(row, "timed");
    duration(ended ? cli_count(row, "total_ns") / ended : 0, mean);
    duration(cli_count(row, "p99_ns"), p99);
    duration(cli_count(row, "max_ns"), max);
    double self = interval ? 100 * (double)cli_count(row, "self_ns") / (double)interval : 0;
    add_line(top, "%10s %8s %8s %8s %8s %7.1f  %s", calls, thrown, mean, p99, max, self,
             name.bytes);
}

static void make_table(struct top *top, const json_t *document) {
    char calls[INSTR_NUMBER_SIZE], thrown[INSTR_NUMBER_SIZE], methods[INSTR_NUMBER_SIZE], clock[16];
    uint64_t interval = cli_count(document, "interval_ns");
    int timed = json_is_true(json_object_get(document, "timed"));
    time_t now = time(NULL);
    struct tm local;
    size_t index;
    json_t *row;
    forget_lines(top);
    strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&now, &local));
    add_line(top, "instr top: process %ld, %s, %s, by %s", top->pid, cli_text(document, "pass"),
             clock, orders[top->order].title);
    char come[INSTR_NUMBER_SIZE], of[INSTR_NUMBER_SIZE], following[3 * INSTR_NUMBER_SIZE] = "";
    if (cli_count(document, "classes_total"))
        snprintf(following, sizeof following, "; %s of %s classes so far",
                 instr_number(cli_count(document, "classes_done"), come),
                 instr_number(cli_count(document, "classes_total"), of));
    add_line(top, "%s calls/s, %s errors/s, %s methods called%s%s",
             rate(cli_count(document, "calls"), interval, calls),
             rate(cli_count(document, "thrown"), interval, thrown),
             instr_number(cli_count(document, "methods"), methods), following,
             top->live ? "    keys: s self, t total, c calls, e errors, q quit" : "");
    add_line(top, "%s", "");
    if (timed)
        add_line(top, "%10s %8s %8s %8s %8s %7s  %s", "CALLS/S", "ERRORS/S", "MEAN", "P99", "MAX",
                 "SELF%", "METHOD");
    else
        add_line(top, "%10s %8s  %s", "CALLS/S", "ERRORS/S", "METHOD");
    json_array_foreach(json_object_get(document, "rows"), index, row)
        add_row(top, row, interval, timed);
}

static void show(struct top *top, const struct cli_event *event) {
    if (top->json) {
        fwrite(event->bytes, 1, event->length, stdout);
        fflush(stdout);
        return;
    }
    make_table(top, event->document);
    if (top->live) {
        cli_screen_show(top->lines, top->line_count);
        return;
    }
    for (size_t i = 0; i < top->line_count; i++) {
        cli_print(top->lines[i]);
        putchar('\n');
    }
    putchar('\n');
    fflush(stdout);
}

// --- the stream ---

static int start(struct top *top) {
    char every[32], rows[32];
    int columns;
    cli_screen_size(&top->lines_there, &columns);
    long wanted = top->rows ? top->rows : top->live ? top->lines_there - HEADER : DEFAULT_ROWS;
    snprintf(every, sizeof every, "%llu", (unsigned long long)(top->every / 1000000));
    snprintf(rows, sizeof rows, "%ld", wanted > 0 ? wanted : 1);
    return cli_session_command(&top->session, 4,
                               (const char *const[]){"top", every, rows, orders[top->order].name});
}

// Ends the stream, and takes what comes until it has ended.
static int stop(struct top *top) {
    struct cli_event event;
    if (cli_session_cancel(&top->session) != 0) return -1;
    for (int i = 0; i < 1000; i++) {
        cli_session_next(&top->session, &event, 5000);
        if (event.kind == CLI_DOCUMENT) json_decref(event.document);
        if (event.kind == CLI_END) return 0;
        if (event.kind == CLI_LOST || event.kind == CLI_NOTHING) return -1;
    }
    return -1;
}

// 1: go on; 0: the user wants to leave; -1: the connection is lost.
static int take_key(struct top *top) {
    int key = top->live ? cli_screen_key() : 0;
    if (key == 'q' || cli_caught()) return 0;
    int lines = top->lines_there, columns;
    if (top->live) cli_screen_size(&lines, &columns);
    if (lines != top->lines_there) return stop(top) == 0 && start(top) == 0 ? 1 : -1;
    for (unsigned i = 0; i < ORDERS; i++)
        if (orders[i].key == key && i != top->order) {
            top->order = i;
            return stop(top) == 0 && start(top) == 0 ? 1 : -1;
        }
    return 1;
}

static int follow(struct top *top) {
    struct cli_event event;
    for (int more = start(top) == 0 ? 1 : -1; more > 0;) {
        cli_session_next(&top->session, &event, WAIT_MS);
        if (event.kind == CLI_DOCUMENT) {
            int shown = top->soon;
            if (shown) show(top, &event);
            json_decref(event.document);
            top->soon = 1;
            if ((top->once && shown) || ferror(stdout)) break;
        }
        if (event.kind == CLI_END || event.kind == CLI_LOST) {
            cli_screen_close();
            cli_error("instr: %s", event.line[0] ? event.line : "the agent has ended this");
            return CLI_FAILED;
        }
        more = take_key(top);
        if (more == 0) break;
        if (more < 0) {
            cli_screen_close();
            cli_error(
                "instr: the connection has ended: the agent was detached, or the JVM is gone");
            return CLI_FAILED;
        }
    }
    cli_screen_close();
    return CLI_OK;
}

static int read_arguments(struct top *top, int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        const char *value = NULL;
        int is;
        if (strcmp(argv[i], "--json") == 0) {
            top->json = 1;
        } else if (strcmp(argv[i], "--once") == 0) {
            top->once = 1;
        } else if ((is = cli_option(argc, argv, &i, "--every", &value)) != 0) {
            top->every = is > 0 ? cli_duration(value) : 0;
            if (top->every < 100000000 || top->every > UINT64_C(3600000000000))
                return cli_usage("top", "instr: top: --every takes a time from 100ms to 1h");
        } else if ((is = cli_option(argc, argv, &i, "--rows", &value)) != 0) {
            top->rows = is > 0 ? cli_number(value, 0, MOST_LINES - HEADER) : -1;
            if (top->rows < 0)
                return cli_usage("top", "instr: top: --rows takes a number from 1 to %d",
                                 MOST_LINES - HEADER);
        } else if ((is = cli_option(argc, argv, &i, "--sort", &value)) != 0) {
            for (top->order = 0; is > 0 && top->order < ORDERS; top->order++)
                if (strcmp(orders[top->order].name, value) == 0) break;
            if (is < 0 || top->order == ORDERS)
                return cli_usage("top", "instr: top: --sort takes self, total, calls or thrown");
        } else if (!top->pid) {
            top->pid = cli_number(argv[i], 0, 1 << 30);
            if (top->pid < 0)
                return cli_usage("top", "instr: top: '%.64s' is no process id", argv[i]);
        } else {
            return cli_usage("top", "instr: top: what is '%.64s'?", argv[i]);
        }
    }
    // Once is soon, unless it is said of how long the table is to be.
    top->soon = !top->once || !top->every;
    if (!top->every) top->every = DEFAULT_EVERY;
    return top->pid ? CLI_OK : cli_usage("top", "instr: top: which process?");
}

int cli_top(int argc, char **argv) {
    static struct top top;
    int status = read_arguments(&top, argc, argv);
    if (status != CLI_OK) return status;
    char reason[INSTR_ERROR_SIZE];
    int there = cli_session_open(&top.session, top.pid, reason, sizeof reason);
    if (there == CLI_SESSION_NONE)
        cli_error("instr: no agent listens in process %ld; 'instr enable %ld timing' brings one in "
                  "that times methods",
                  top.pid, top.pid);
    else if (there != CLI_SESSION_OK)
        cli_error("instr: %s", reason);
    if (there != CLI_SESSION_OK) return CLI_FAILED;
    cli_catch_signals();
    top.live = !top.json && !top.once && cli_screen_open() == 0;
    status = follow(&top);
    forget_lines(&top);
    cli_session_close(&top.session);
    return cli_finish(status);
}
