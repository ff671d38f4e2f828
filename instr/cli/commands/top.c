// instr top: the methods of a JVM in a table that is refreshed, as top(1) shows processes.

#include "instr/base/utf8.h"
#include "instr/cli/bring.h"
#include "instr/cli/commands/rule.h"
#include "instr/cli/internal.h"
#include "instr/cli/screen.h"
#include "instr/cli/talk.h"
#include "instr/report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ROWS = 508, HEADER = 4, WAIT_MS = 100, STOP_MS = 5000, DEFAULT_ROWS = 20 };
#define LATE UINT64_C(10000000000) // after a table is due
#define DEFAULT_EVERY UINT64_C(1000000000)
#define LEAST_EVERY UINT64_C(100000000)
#define MOST_EVERY UINT64_C(3600000000000)

static const char *const orders[] = {"self", "total", "calls", "thrown", NULL};
static const char *const titles[] = {"self time", "total time", "calls", "errors"};
static const char keys[] = "stce";

struct top {
    struct cli_session session;
    long pid;
    int json, once, live;
    int soon; // the first table, which covers a tenth of a second, is shown, too
    int order;
    long rows;                // 0: as many as fit
    int terminal_rows;        // when the rows were requested
    uint64_t every;           // ns
    struct instr_owner owner; // who looks
    char *rule;               // what METHODS, --if and --by make; NULL: there are none
    int brought;              // the agent, for the rule
};

// --- a table of one document ---

static int to_file(void *context, const void *bytes, size_t length) {
    return fwrite(bytes, 1, length, context) == length ? 0 : -1;
}

// The columns that a text takes.
static size_t columns_of(const char *text) {
    const char *end = text + strlen(text);
    size_t n = 0;
    while (text < end) n += instr_utf8_columns(instr_utf8_next(&text, end));
    return n;
}

// Shortens com.acme.shop.Order.add(int) until it fits: c.acme.shop.Order.add(int) and so on to
// c.a.s.Order.add(int), then c.a.s.Order.add(..). `packages`: the length of the packages with dots.
static void abbreviate(char *text, size_t packages, size_t room) {
    for (size_t at = 0; columns_of(text) > room && at < packages;) {
        size_t length = strcspn(text + at, "."), first = 1;
        while (((unsigned char)text[at + first] & 0xC0) == 0x80) first++;
        if (length > first) {
            memmove(text + at + first, text + at + length, strlen(text + at + length) + 1);
            packages -= length - first;
        }
        at += first + 1;
    }
    char *types = strchr(text, '(');
    if (types && columns_of(text) > room && strlen(types) > 4) strcpy(types, "(..)");
}

// `room`: the columns that are left; 0: any number.
static void print_method(const json_t *row, size_t room, FILE *to) {
    struct instr_output out;
    char error[INSTR_ERROR_SIZE], *text = NULL;
    const char *class_name = cli_text(row, "class"), *dot = strrchr(class_name, '.');
    size_t length = 0;
    FILE *line = open_memstream(&text, &length);
    if (!line) return;
    instr_output_sink(&out, to_file, line);
    instr_report_method(&out, class_name, cli_text(row, "method"), cli_text(row, "descriptor"),
                        INSTR_PLAIN);
    instr_output_close(&out, error, sizeof error);
    if (fclose(line) == 0) {
        if (room && dot) abbreviate(text, (size_t)(dot + 1 - class_name), room);
        fprintf(to, "%s\n", text);
    }
    free(text);
}

// Per second; rates below 10 have a decimal.
static char *rate(const json_t *object, const char *key, uint64_t interval,
                  char text[INSTR_NUMBER_SIZE]) {
    double per_second = interval ? (double)cli_count(object, key) * 1e9 / (double)interval : 0;
    if (per_second >= 10 || per_second == 0)
        return instr_number((uint64_t)(per_second + 0.5), text);
    snprintf(text, INSTR_NUMBER_SIZE, "%.1f", per_second);
    return text;
}

static char *duration(uint64_t nanoseconds, char text[INSTR_DURATION_SIZE]) {
    if (nanoseconds) return instr_duration(nanoseconds, text);
    return strcpy(text, "-");
}

// The key of a rule's row, without control characters.
static void print_key(const json_t *row, FILE *to) {
    char *text = strdup(cli_text(row, "key"));
    for (char *c = text; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    fprintf(to, " %s\n", text && *text ? text : "-");
    free(text);
}

// Of calls that were only counted.
static char *untimed(uint64_t nanoseconds, char text[INSTR_DURATION_SIZE + 1]) {
    (void)nanoseconds;
    return strcpy(text, "-");
}

// The same with ~ before it.
static char *estimate(uint64_t nanoseconds, char text[INSTR_DURATION_SIZE + 1]) {
    text[0] = '~';
    duration(nanoseconds, text + 1);
    return nanoseconds ? text : text + 1;
}

// The columns of times before the method, and those of errors, from left to right.
enum column { ERRORS, MEAN, P99, MAX, BUSY, WAIT, COLUMNS };
static const struct {
    const char *title;
    int width;
} of_columns[COLUMNS] = {{"ERRORS/S", 8}, {"MEAN", 8}, {"P99", 8},
                         {"MAX", 8},      {"BUSY", 6}, {"WAIT", 6}};

struct layout {
    bool has[COLUMNS];
    int columns; // of the terminal; 0: it is none
};

// Which columns leave the methods room, on a terminal of so many columns.
static struct layout lay_out(int columns, int timed) {
    enum { CALLS = 11, METHOD = 20 };
    static const enum column less_needed[] = {MAX, ERRORS, P99, WAIT, MEAN, BUSY};
    struct layout layout = {.has[ERRORS] = true, .columns = columns};
    int used = CALLS + 1 + of_columns[ERRORS].width + 1;
    for (int i = MEAN; i < COLUMNS && timed; i++) {
        layout.has[i] = true;
        used += of_columns[i].width + 1;
    }
    for (int i = 0; i < COLUMNS && columns && columns < used + METHOD; i++) {
        if (!layout.has[less_needed[i]]) continue;
        layout.has[less_needed[i]] = false;
        used -= of_columns[less_needed[i]].width + 1;
    }
    return layout;
}

static int print_column(const struct layout *layout, enum column which, const char *text,
                        FILE *to) {
    return layout->has[which] ? fprintf(to, "%*s ", of_columns[which].width, text) : 0;
}

static int print_share(const struct layout *layout, enum column which, double share, FILE *to) {
    char text[32];
    snprintf(text, sizeof text, "%.2f", share);
    return print_column(layout, which, text, to);
}

static void print_row(const json_t *row, uint64_t interval, int timed, int estimated,
                      const struct layout *layout, FILE *to) {
    char calls[INSTR_NUMBER_SIZE], thrown[INSTR_NUMBER_SIZE], mean[INSTR_DURATION_SIZE + 1],
        p99[INSTR_DURATION_SIZE + 1], max[INSTR_DURATION_SIZE + 1];
    char *(*time)(uint64_t, char *) = estimated ? estimate : duration;
    uint64_t ended = cli_count(row, "timed");
    if (estimated && !ended) time = untimed;
    uint64_t wait = cli_count(row, "wait_ns"), self = cli_count(row, "self_ns");
    double per = interval ? 1 / (double)interval : 0;
    int used = fprintf(to, "%10s ", rate(row, "calls", interval, calls));
    used += print_column(layout, ERRORS, rate(row, "thrown", interval, thrown), to);
    if (json_object_get(row, "key")) {
        fprintf(to, "%8s %8s %8s %6.2f ",
                duration(cli_count(row, "total_ns") / (ended ? ended : 1), mean),
                duration(cli_count(row, "p99_ns"), p99), duration(cli_count(row, "max_ns"), max),
                (double)cli_count(row, "total_ns") * per);
        print_key(row, to);
        return;
    }
    if (timed) {
        used += print_column(layout, MEAN,
                             time(ended ? cli_count(row, "total_ns") / ended : 0, mean), to);
        used += print_column(layout, P99, time(cli_count(row, "p99_ns"), p99), to);
        used += print_column(layout, MAX, time(cli_count(row, "max_ns"), max), to);
        used += print_share(layout, BUSY, (double)(self - (wait < self ? wait : self)) * per, to);
        used += print_share(layout, WAIT, (double)wait * per, to);
    }
    fputc(' ', to);
    print_method(row, layout->columns > used + 1 ? (size_t)(layout->columns - used - 1) : 0, to);
}

// What the pass costs, if that is known.
static void print_overhead(const json_t *document, FILE *to) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(document, "overhead"), index,
                       item) if (strcmp(cli_text(item, "pass"), cli_text(document, "pass")) == 0)
        fprintf(to, ", overhead %.1f%%", (double)cli_count(item, "overhead_ppm") / 10000);
    fputc('\n', to);
}

static void print_table(const struct top *top, const json_t *document, FILE *to) {
    static const char help[] = "    s self, t total, c calls, e errors, q quit";
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], clock[16];
    uint64_t interval = cli_count(document, "interval_ns");
    int timed = json_is_true(json_object_get(document, "timed")),
        estimated = json_is_true(json_object_get(document, "estimated"));
    time_t now = time(NULL);
    struct tm local;
    size_t index;
    json_t *row;
    int rows, columns = 0;
    if (top->live) cli_screen_size(&rows, &columns);
    strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&now, &local));
    fprintf(to, "instr top: process %ld, %s, %s, by %s", top->pid, cli_text(document, "pass"),
            clock, titles[top->order]);
    print_overhead(document, to);
    struct layout layout = lay_out(top->rule ? 0 : columns, timed);
    uint64_t shown = cli_count(document, top->rule ? "keys" : "methods");
    int used =
        fprintf(to, "%s calls/s, %s errors/s, %s %s%s%s", rate(document, "calls", interval, a),
                rate(document, "thrown", interval, b), instr_number(shown, c),
                top->rule ? "key" : "method", cli_plural(shown, "s"), top->rule ? "" : " called");
    if (cli_count(document, "classes_total"))
        used += fprintf(to, "; %s of %s classes so far",
                        instr_number(cli_count(document, "classes_done"), a),
                        instr_number(cli_count(document, "classes_total"), b));
    if (top->live && used + (int)strlen(help) <= columns) fputs(help, to);
    fprintf(to, "\n\n%10s ", "CALLS/S");
    if (top->rule) fprintf(to, "%8s %8s %8s %8s %6s ", "ERRORS/S", "MEAN", "P99", "MAX", "TOTAL");
    for (enum column i = ERRORS; i < COLUMNS && !top->rule; i++)
        print_column(&layout, i, of_columns[i].title, to);
    fprintf(to, " %s\n", top->rule ? "KEY" : "METHOD");
    json_array_foreach(json_object_get(document, "rows"), index, row)
        print_row(row, interval, timed, estimated, &layout, to);
}

// Only the names come from the JVM, and instr_report_method cleans them of control characters.
static void show(const struct top *top, const struct cli_event *event) {
    char *text = NULL;
    size_t length;
    if (top->json) {
        cli_print_json(event->bytes, event->length);
    } else if (top->live) {
        FILE *to = open_memstream(&text, &length);
        if (!to) return;
        print_table(top, event->document, to);
        if (fclose(to) == 0) cli_screen_show(text);
        free(text);
    } else {
        print_table(top, event->document, stdout);
        putchar('\n');
    }
    fflush(stdout);
}

// --- the stream ---

static int start(struct top *top) {
    char every[32], rows[32];
    int columns;
    top->session.stream = true;
    cli_screen_size(&top->terminal_rows, &columns);
    long wanted = top->rows ? top->rows : top->live ? top->terminal_rows - HEADER : DEFAULT_ROWS;
    snprintf(every, sizeof every, "%llu", (unsigned long long)(top->every / 1000000));
    snprintf(rows, sizeof rows, "%ld", wanted > 0 ? wanted : 1);
    if (cli_control_introduce(&top->session, &top->owner) != CLI_OK) return -1;
    return cli_session_command(
        &top->session, top->rule ? 5 : 4,
        (const char *const[]){"top", every, rows, orders[top->order], top->rule});
}

// Ends the stream and discards its remaining events.
static int stop(struct top *top) {
    struct cli_event event;
    if (cli_session_cancel(&top->session) != 0) return -1;
    cli_session_limit(&top->session, STOP_MS);
    do {
        cli_session_next(&top->session, &event, STOP_MS);
        if (event.kind == CLI_DOCUMENT) json_decref(event.document);
    } while ((event.kind == CLI_DOCUMENT || event.kind == CLI_NOTE) &&
             instr_clock_now() < top->session.limit);
    top->session.limit = INSTR_NEVER;
    return event.kind == CLI_END ? 0 : -1;
}

static int restart(struct top *top) {
    return stop(top) == 0 && start(top) == 0 ? 1 : -1;
}

// 1: continue; 0: the user wants to leave; -1: the connection is lost.
static int take_key(struct top *top) {
    int key = top->live ? cli_screen_key() : 0;
    if (key == 'q' || key == CLI_SCREEN_GONE || cli_caught()) return 0;
    int lines = top->terminal_rows, columns;
    if (top->live) cli_screen_size(&lines, &columns);
    if (lines != top->terminal_rows) return restart(top);
    const char *order = key ? strchr(keys, key) : NULL;
    if (!order || order - keys == top->order) return 1;
    top->order = (int)(order - keys);
    return restart(top);
}

static int follow(struct top *top) {
    struct cli_event event;
    int more = start(top) == 0 ? 1 : -1;
    uint64_t late = instr_clock_now() + top->every + LATE;
    while (more > 0) {
        cli_session_next(&top->session, &event, WAIT_MS);
        if (event.kind != CLI_NOTHING) late = instr_clock_now() + top->every + LATE;
        if (instr_clock_now() > late) {
            cli_screen_close();
            return cli_session_silent(&top->session);
        }
        if (event.kind == CLI_DOCUMENT) {
            int shown = top->soon;
            if (shown) show(top, &event);
            json_decref(event.document);
            top->soon = 1;
            if ((top->once && shown) || ferror(stdout)) break;
        }
        if (event.kind == CLI_NOTE && !top->live) cli_error("%s", event.line);
        if (event.kind == CLI_END || event.kind == CLI_LOST) {
            cli_screen_close();
            return cli_error("%s", event.line[0] ? event.line : "the agent has ended the stream");
        }
        more = take_key(top);
    }
    cli_screen_close();
    return more < 0 ? cli_error("%s", CLI_DISCONNECTED) : CLI_OK;
}

// "METHOD exit /(CONDITION)/ { @[KEYS] = hist(elapsed); @errors[KEYS] = sum(thrown != null) }"
static int make_rule(struct top *top, const char *method, const char *condition,
                     const char *keys_of) {
    const char *start = condition ? "/(" : "", *end = condition ? ")/ " : "",
               *by = keys_of ? keys_of : "method";
    if (asprintf(&top->rule,
                 "%s exit %s%s%s{ @[%s] = hist(elapsed); @errors[%s] = sum(thrown != null) }",
                 method, start, condition ? condition : "", end, by, by) < 0)
        return cli_no_memory();
    return cli_rule_take(&top->rule, false);
}

static int read_arguments(struct top *top, int argc, char **argv) {
    struct cli_control control;
    const char *sort = orders[0], *as = NULL, *condition = NULL, *by = NULL;
    const struct cli_option options[] = {{"--once", .flag = &top->once},
                                         {"--every", .time = &top->every},
                                         {"--rows", .number = &top->rows, 1, MOST_ROWS},
                                         {"--sort", .text = &sort},
                                         {"--if", .text = &condition},
                                         {"--by", .text = &by},
                                         {"--as", .text = &as},
                                         {NULL}};
    int status = cli_control_arguments(&control, "top", argc, argv, options, 0, 1,
                                       "a process id, and one method or none");
    if (status == CLI_OK) status = cli_control_sign("top", as, &top->owner);
    if (status != CLI_OK) return status;
    if (!control.argc && (condition || by))
        return cli_usage("top", "--if and --by want a method behind the process id");
    top->pid = control.pid;
    top->json = control.json;
    top->order = cli_word(sort, orders);
    if (top->order < 0)
        return cli_usage("top", "--sort must be self, total, calls or thrown, not '%.64s'", sort);
    // Without --every, --once shows the first table, which comes soon.
    top->soon = !top->once || !top->every;
    if (!top->every) top->every = DEFAULT_EVERY;
    if (top->every < LEAST_EVERY || top->every > MOST_EVERY)
        return cli_usage("top", "--every must be a time from 100ms to 1h");
    return control.argc ? make_rule(top, control.argv[0], condition, by) : CLI_OK;
}

static int connect_agent(struct top *top) {
    char reason[INSTR_ERROR_SIZE];
    if (top->rule) return cli_bring(&top->session, top->pid, NULL, &top->brought);
    int there = cli_session_open(&top->session, top->pid, reason, sizeof reason);
    if (there == CLI_SESSION_NONE && cli_is_no_jvm(top->pid))
        return cli_error("process %ld is not a JVM", top->pid);
    if (top->session.no_socket && cli_agent_is_silent(top->pid)) return CLI_FAILED;
    if (there == CLI_SESSION_NONE)
        return cli_error("there is no agent in process %ld; 'instr enable %ld timing' loads one "
                         "that times methods",
                         top->pid, top->pid);
    return there == CLI_SESSION_OK ? CLI_OK : cli_error("%s", reason);
}

int cli_top(int argc, char **argv) {
    static struct top top;
    int status = read_arguments(&top, argc, argv);
    if (status == CLI_OK) {
        cli_catch_signals();
        status = connect_agent(&top);
    }
    if (status == CLI_OK) {
        top.live = !top.json && !top.once && cli_screen_open() == 0;
        status = follow(&top);
        if (top.rule) stop(&top);
        cli_session_close(&top.session);
        if (top.brought) cli_take_back(top.pid);
        status = cli_finish(status);
    }
    free(top.rule);
    return status;
}
