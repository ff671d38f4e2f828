// instr status: what the agent in a JVM is doing, and has done.

#include "instr/cli/internal.h"
#include "instr/cli/talk.h"
#include "instr/report/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ANSWER_MS = 5000, MOST_ANSWER = 8 * 1024 * 1024 };

// A line "NAME       TEXT".
__attribute__((format(printf, 2, 3))) static void line(const char *name, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_line("%-10s %s", name, text);
}

// A line with the number of the member `key`, if it is not 0.
static void count(const json_t *document, const char *key, const char *name, const char *what) {
    char number[INSTR_NUMBER_SIZE];
    uint64_t n = cli_count(document, key);
    if (n) line(name, "%s %s", instr_number(n, number), what);
}

static void passes(const json_t *document) {
    char text[512];
    cli_text_list(document, "passes", text, sizeof text);
    line("passes", "%s", *text ? text : "none");
    if (*cli_text(document, "include")) line("include", "%s", cli_text(document, "include"));
    if (*cli_text(document, "exclude")) line("exclude", "%s", cli_text(document, "exclude"));
}

// "timing by alice (uid 1000) since 2026-11-23 08:16:11, include=com.acme.**"
static void enabled(const json_t *document) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(document, "enabled"), index, item) {
        const char *by = cli_text(item, "by"), *include = cli_text(item, "include"),
                   *exclude = cli_text(item, "exclude");
        time_t since = (time_t)cli_count(item, "since");
        char at[32] = "?";
        struct tm local;
        if (localtime_r(&since, &local)) strftime(at, sizeof at, "%Y-%m-%d %H:%M:%S", &local);
        char ends[64] = "", left[INSTR_DURATION_SIZE];
        if (cli_count(item, "ends_in_ns"))
            snprintf(ends, sizeof ends, ", ends in %s",
                     instr_duration(cli_count(item, "ends_in_ns"), left));
        bool acting = json_is_true(json_object_get(item, "acting"));
        bool estimated = json_is_true(json_object_get(item, "estimated"));
        line(index ? "" : "enabled", "%s by %s%s%llu%s since %s%s%.200s%s%.200s%s%s%s",
             cli_text(item, "pass"), *by ? by : "the command line", acting ? ", as uid " : " (uid ",
             (unsigned long long)cli_count(item, "uid"), acting ? "" : ")", at,
             *include ? ", include=" : "", include, *exclude ? ", exclude=" : "", exclude,
             estimated ? ", clock=auto" : "",
             json_is_true(json_object_get(item, "quiet")) ? ", quiet=yes" : "", ends);
    }
}

static void figures(const json_t *document) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE],
        time[INSTR_DURATION_SIZE];
    uint64_t classes = cli_count(document, "classes_now"),
             methods = cli_count(document, "methods_now");
    line("now", "%s class%s changed, %s method%s", instr_number(classes, a),
         cli_plural(classes, "es"), instr_number(methods, b), cli_plural(methods, "s"));
    line("classes", "%s seen, %s changed, %s skipped",
         instr_number(cli_count(document, "classes_seen"), a),
         instr_number(cli_count(document, "classes_changed"), b),
         instr_number(cli_count(document, "classes_skipped"), c));
    line("methods", "%s changed, %s skipped",
         instr_number(cli_count(document, "methods_changed"), a),
         instr_number(cli_count(document, "methods_skipped"), b));
    if (cli_count(document, "classes_total"))
        line("under way", "%s of %s loaded classes so far; about %s left",
             instr_number(cli_count(document, "classes_done"), a),
             instr_number(cli_count(document, "classes_total"), b),
             instr_duration(cli_count(document, "classes_left_ns"), time));
    count(document, "interfaces_skipped", "interfaces", "with default or static methods skipped");
    count(document, "classes_over_limit", "limits", "skipped by max-classes or max-methods");
    count(document, "classes_refused_now", "refused", "classes that the JVM refuses to change");
    line("pace", "%s",
         strcmp(cli_text(document, "pace"), "off") == 0
             ? "off: loaded classes change at once"
             : "auto: loaded classes change as fast as the compilers follow");
    line("rewriting", "%s", instr_duration(cli_count(document, "rewriting_ns"), time));
    if (cli_count(document, "expires_in_ns"))
        line("expiry", "all passes are switched off in %s",
             instr_duration(cli_count(document, "expires_in_ns"), time));
    line("memory", "%s bytes%s",
         instr_number(cli_count(json_object_get(document, "memory_bytes"), "all"), a),
         json_is_true(json_object_get(document, "counters_full"))
             ? "; counters have reached their limit: what further threads count takes longer "
               "(memory= raises it)"
             : "");
}

static char *percent(uint64_t ppm, char text[32]) {
    snprintf(text, 32, "%.*f%%", ppm < 100000 ? 1 : 0, (double)ppm / 10000);
    return text;
}

// How many owners have the pass.
static size_t owners_of(const json_t *list, const char *pass) {
    size_t index, count = 0;
    json_t *item;
    json_array_foreach(list, index, item) count += strcmp(cli_text(item, "pass"), pass) == 0;
    return count;
}

// What the pass costs; NULL: that is not known yet.
static const json_t *overhead_of(const json_t *document, const char *pass, const char *by) {
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(document, "overhead"), index,
                       item) if (strcmp(cli_text(item, "pass"), pass) == 0 &&
                                 strcmp(cli_text(item, "by"), by) == 0) return item;
    return NULL;
}

static void overhead(const json_t *document) {
    size_t index, lines = 0;
    json_t *item;
    const json_t *enabled = json_object_get(document, "enabled");
    char share[32], compilers[32], limit[32];
    json_array_foreach(enabled, index, item) {
        const char *pass = cli_text(item, "pass"), *by = cli_text(item, "by");
        const char *whose = owners_of(enabled, pass) < 2 ? "" : *by ? by : "the command line";
        const json_t *costs = overhead_of(document, pass, by);
        uint64_t compiling = cli_count(costs, "compilers_ppm") / 500,
                 most = cli_count(item, "limit_ppm");
        char text[128] = "not known yet";
        if (costs)
            snprintf(text, sizeof text, "about %s of the CPU time%s%s%s",
                     percent(cli_count(costs, "overhead_ppm"), share),
                     compiling ? " (compilers " : "",
                     compiling ? percent(compiling * 500, compilers) : "", compiling ? ")" : "");
        line(lines++ ? "" : "overhead", "%s%s%s: %s; max-overhead=%s", pass, *whose ? " by " : "",
             whose, text, most ? percent(most, limit) : "off");
    }
}

static void switched_off(const json_t *document) {
    const json_t *before = json_object_get(document, "switched_off_before"),
                 *last = json_object_get(document, "switched_off");
    const json_t *enabled = json_object_get(document, "enabled");
    char time[INSTR_DURATION_SIZE];
    size_t count = last ? 1 + json_array_size(before) : 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *off = i ? json_array_get(before, i - 1) : last;
        const char *pass = cli_text(off, "pass");
        bool is_shared = owners_of(enabled, pass) || owners_of(before, pass);
        const char *whose = is_shared ? cli_text(off, "by") : "";
        line(i ? "" : "off", "%s%s%s, %s ago: %s", pass, *whose ? " of " : "", whose,
             instr_duration(cli_count(off, "ago_ns"), time), cli_text(off, "reason"));
    }
}

static void watches(const json_t *document) {
    size_t index;
    json_t *item;
    char time[INSTR_DURATION_SIZE];
    json_array_foreach(json_object_get(document, "watches"), index, item)
        line(index ? "" : "watches", "%s, since %s ago: %s", cli_text(item, "by"),
             instr_duration(cli_count(item, "ago_ns"), time), cli_text(item, "methods"));
}

static void agents(const json_t *document) {
    size_t index;
    json_t *agent;
    json_array_foreach(json_object_get(document, "agents"), index, agent)
        line(index ? "" : "agents", "%s", cli_text(agent, "name"));
}

static void skipped(const json_t *document) {
    size_t index;
    json_t *item;
    json_array_foreach(json_object_get(document, "skipped"), index, item) {
        const char *method = cli_text(item, "method");
        line(index ? "" : "skipped", "%s%s%s: %s", cli_text(item, "class"), *method ? "." : "",
             method, cli_text(item, "reason"));
    }
}

static void show(const json_t *document, const struct instr_process *target) {
    char inner[32] = "";
    if (target->inner_pid != target->pid)
        snprintf(inner, sizeof inner, " (%ld inside)", (long)target->inner_pid);
    line("JVM", "%ld%s, %s %s", (long)target->pid, inner, cli_text(document, "jvm"),
         cli_text(document, "jvm_version"));
    line("agent", "%s, %s", cli_text(document, "agent"), cli_text(document, "state"));
    passes(document);
    enabled(document);
    figures(document);
    overhead(document);
    switched_off(document);
    watches(document);
    agents(document);
    skipped(document);
}

int cli_status(int argc, char **argv) {
    struct cli_control control;
    int status =
        cli_control_arguments(&control, "status", argc, argv, NULL, 0, 0, "one process id");
    if (status != CLI_OK) return status;
    control.within_ms = ANSWER_MS;
    control.most_document = MOST_ANSWER;
    return cli_control_talk(&control, 1, (const char *const[]){"status"}, show);
}
