// instr coverage info: sessions, classes, probes, the share covered.

#include "instr/cli/exec/exec.h"
#include "instr/cli/exec/report.h"
#include "instr/base/array.h"
#include "instr/base/json.h"
#include "instr/options.h"
#include "instr/report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct session {
    uint64_t start, dump;
    char *id;
};

struct info {
    struct cli_exec_files files;
    struct instr_exec_store store;
    struct session *sessions;
    size_t sessions_count, capacity;
};

static int take_session(void *context, const struct instr_exec_session *session, size_t file) {
    struct info *info = context;
    (void)file;
    char *id = strdup(session->id);
    if (!id || !INSTR_ARRAY_RESERVE(info->sessions, info->capacity, info->sessions_count + 1)) {
        free(id);
        return cli_no_memory();
    }
    info->sessions[info->sessions_count++] = (struct session){session->start, session->dump, id};
    return CLI_OK;
}

static int take_class(void *context, const struct instr_exec_class *class, size_t file) {
    struct info *info = context;
    return cli_exec_store(&info->store, &info->files, class, file);
}

static void free_info(struct info *info) {
    for (size_t i = 0; i < info->sessions_count; i++) free(info->sessions[i].id);
    free(info->sessions);
    instr_exec_store_free(&info->store);
    cli_exec_files_free(&info->files);
}

// --- the table ---

// "2026-11-21 07:23:55" in UTC; a plain number when it is not a date.
static char *date(uint64_t milliseconds, char text[32]) {
    time_t seconds = (time_t)(milliseconds / 1000);
    struct tm tm;
    if (milliseconds > UINT64_C(253402300799999) || !gmtime_r(&seconds, &tm) ||
        strftime(text, 32, "%Y-%m-%d %H:%M:%S", &tm) == 0)
        snprintf(text, 32, "%" PRIu64, milliseconds);
    return text;
}

static void put_sessions(const struct info *info, struct instr_output *out, size_t top) {
    char from[32], to[32], a[INSTR_NUMBER_SIZE];
    if (top == 0 || info->sessions_count == 0) return;
    instr_output_format(out, "  %-19s  %-19s  session\n", "started (UTC)", "written");
    for (size_t i = 0; i < info->sessions_count && i < top; i++) {
        const struct session *s = &info->sessions[i];
        instr_output_format(out, "  %-19s  %-19s  ", date(s->start, from), date(s->dump, to));
        instr_report_text(out, s->id, INSTR_PLAIN);
        instr_output_text(out, "\n");
    }
    if (info->sessions_count > top)
        instr_output_format(out, "  and %s more\n", instr_number(info->sessions_count - top, a));
}

static void put_info(const struct info *info, struct instr_output *out, size_t top) {
    char a[INSTR_NUMBER_SIZE];
    struct cli_exec_totals totals = cli_exec_totals(&info->store);
    if (info->files.count == 1)
        instr_report_text(out, info->files.paths[0], INSTR_PLAIN);
    else
        instr_output_format(out, "%s files", instr_number(info->files.count, a));
    instr_output_format(out, ": %s session%s, ", instr_number(info->sessions_count, a),
                        cli_plural(info->sessions_count, "s"));
    cli_exec_put_totals(&totals, out);
    instr_output_text(out, "\n");
    put_sessions(info, out, top);
}

// --- JSON ---

static void put_json_session(struct instr_json *json, const struct session *s) {
    instr_json_open_flat(json, NULL, '{');
    instr_json_text(json, "id", s->id);
    instr_json_number(json, "start_ms", s->start);
    instr_json_number(json, "dump_ms", s->dump);
    instr_json_close(json, '}');
}

static void put_json_class(struct instr_json *json, const struct instr_exec_class *class) {
    char id[24];
    snprintf(id, sizeof id, "%016" PRIx64, class->id);
    instr_json_open_flat(json, NULL, '{');
    instr_json_class(json, "class", class->name);
    instr_json_text(json, "id", id);
    instr_json_number(json, "probes", class->probes);
    instr_json_number(json, "hit", instr_exec_hits(class));
    instr_json_close(json, '}');
}

static void put_json(const struct info *info, struct instr_output *out) {
    struct cli_exec_totals totals = cli_exec_totals(&info->store);
    struct instr_json json = instr_json_start(out);
    instr_json_open(&json, NULL, '{');
    instr_json_number(&json, "probes", totals.probes);
    instr_json_number(&json, "hit", totals.hit);
    instr_json_open(&json, "sessions", '[');
    for (size_t i = 0; i < info->sessions_count; i++) put_json_session(&json, &info->sessions[i]);
    instr_json_close(&json, ']');
    instr_json_open(&json, "classes", '[');
    for (const struct instr_exec_entry *e = info->store.first; e; e = e->next)
        put_json_class(&json, &e->class);
    instr_json_close(&json, ']');
    instr_json_close(&json, '}');
}

int cli_exec_info(int argc, char **argv) {
    static struct instr_output out;
    int json = 0;
    long top = 20;
    struct info info = {.files = {NULL, 0, 0}};
    const struct cli_option options[] = {
        {"--top", .number = &top, 0, CLI_MOST_ROWS}, {"--json", .flag = &json}, {NULL}};
    struct cli_exec_visitor visitor = {take_session, take_class, &info, 0};
    instr_exec_store_init(&info.store);
    int status = cli_exec_arguments("coverage info", argc, argv, options, &info.files);
    if (status == CLI_OK) status = cli_exec_each(&info.files, &visitor);
    if (status == CLI_OK) {
        cli_output_open(&out, NULL);
        if (json)
            put_json(&info, &out);
        else
            put_info(&info, &out, (size_t)top);
        status = cli_output_close(&out);
    }
    free_info(&info);
    return status;
}
