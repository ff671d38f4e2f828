// instr coverage report.

#include "instr/cli/coverage/report.h"
#include "instr/base/array.h"
#include "instr/cli/coverage/csv.h"
#include "instr/cli/coverage/formats.h"
#include "instr/cli/coverage/formats/badge.h"
#include "instr/cli/coverage/formats/cobertura.h"
#include "instr/cli/coverage/formats/lcov.h"
#include "instr/cli/coverage/formats/markdown.h"
#include "instr/cli/coverage/formats/sonar.h"
#include "instr/cli/coverage/formats/sources.h"
#include "instr/cli/coverage/formats/table.h"
#include "instr/cli/coverage/page/html.h"
#include "instr/cli/coverage/tree.h"
#include "instr/cli/coverage/xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_ROW(name, function) {"--" #name, function, NULL},
#define PATH_ROW(name, function) {"--" #name, NULL, function},
static const struct cover_format formats[] = {COVER_FORMATS(FILE_ROW, PATH_ROW)};
#undef FILE_ROW
#undef PATH_ROW
enum { FORMATS = sizeof formats / sizeof *formats };

// --- the model ---

struct reading {
    struct cover_report *report;
    const struct cover_request *request;
};

static int take_session(void *context, const struct instr_exec_session *session, size_t file) {
    struct cover_report *report = ((struct reading *)context)->report;
    struct cover_model *model = &report->model;
    (void)file;
    char *id = strdup(session->id);
    if (!id || !INSTR_ARRAY_RESERVE(model->sessions, report->sessions_capacity,
                                    model->session_count + 1)) {
        free(id);
        return cli_no_memory();
    }
    model->sessions[model->session_count++] =
        (struct cover_session){id, session->start, session->dump};
    return 0;
}

static int take_class(void *context, const struct instr_exec_class *class, size_t file) {
    struct reading *reading = context;
    if (cli_exec_store(&reading->report->data, &reading->request->files, class, file) != CLI_OK)
        reading->report->failed = 1;
    return 0;
}

// Sorts sessions by their dump; those of one time stay in their order.
static int sort_sessions(struct cover_model *model) {
    size_t n = model->session_count;
    struct cover_session *from = model->sessions, *to = malloc((n + 1) * sizeof *to);
    if (!to) return -1;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t start = 0, out = 0; start < n; start += 2 * width) {
            size_t a = start, middle = start + width < n ? start + width : n;
            size_t b = middle, end = start + 2 * width < n ? start + 2 * width : n;
            while (out < end)
                to[out++] = a < middle && (b == end || from[a].dump <= from[b].dump) ? from[a++]
                                                                                     : from[b++];
        }
        struct cover_session *turned = from;
        from = to;
        to = turned;
    }
    free(to);
    model->sessions = from;
    return 0;
}

static int read_data(struct cover_report *report, const struct cover_request *request) {
    struct reading reading = {report, request};
    struct cli_exec_visitor visitor = {take_session, take_class, &reading, 1};
    if (cli_exec_each(&request->files, &visitor) != CLI_OK) report->failed = 1;
    return sort_sessions(&report->model) == 0 ? CLI_OK : cli_no_memory();
}

static int read_sources(struct cover_report *report, const struct cover_request *request) {
    struct cover_sources *sources = cover_sources_new(request->encoding, (unsigned)request->tab);
    if (!sources) return CLI_FAILED;
    report->model.sources = sources;
    for (size_t i = 0; i < request->sourcefiles.count; i++)
        if (cover_sources_add(sources, request->sourcefiles.items[i], NULL) != CLI_OK)
            report->failed = 1;
    return CLI_OK;
}

int cover_report_read(struct cover_report *report, const struct cover_request *request) {
    memset(report, 0, sizeof *report);
    instr_exec_store_init(&report->data);
    report->model.name = request->name;
    int status = read_sources(report, request);
    if (status == CLI_OK) status = read_data(report, request);
    if (status == CLI_OK)
        status = cover_classes_read(&report->classes, request->classfiles.count,
                                    request->classfiles.items, &report->data, request->release);
    if (status != CLI_OK) return status;
    if (report->classes.failed) report->failed = 1;
    report->bundle = cover_bundle_make(request->name, &report->classes, request->release);
    if (!report->bundle) return cli_no_memory();
    report->model.bundles = &report->bundle;
    report->model.bundle_count = 1;
    cover_add(report->model.counts, report->bundle->counts);
    return CLI_OK;
}

void cover_report_free(struct cover_report *report) {
    for (size_t i = 0; i < report->model.session_count; i++)
        free((char *)report->model.sessions[i].id);
    free(report->model.sessions);
    cover_sources_free(report->model.sources);
    cover_bundle_free(report->bundle);
    cover_classes_free(&report->classes);
    instr_exec_store_free(&report->data);
}

// --- output ---

struct writing {
    const struct cover_model *model;
    const struct cover_format *format;
};

static void write_format(const void *content, struct instr_output *out) {
    const struct writing *writing = content;
    writing->format->write(writing->model, out);
}

static int write_file(const struct cover_model *model, const struct cover_format *format,
                      const char *path) {
    struct instr_output *out = malloc(sizeof *out);
    struct writing writing = {model, format};
    if (!out) return cli_no_memory();
    cli_output_open(out, path);
    write_format(&writing, out);
    int status = cli_output_close(out);
    free(out);
    return status;
}

static int print_table(const struct cover_model *model) {
    struct instr_output *out = malloc(sizeof *out);
    if (!out) return cli_no_memory();
    cli_output_open(out, NULL);
    cover_write_table(model, out, cover_table_coloured());
    int status = cli_output_close(out);
    free(out);
    return status;
}

// Without any path, the table goes to standard output.
static int write_all(const struct cover_model *model, const char *const *paths) {
    int status = CLI_OK, none = 1;
    for (size_t i = 0; i < FORMATS; i++) {
        if (!paths[i]) continue;
        none = 0;
        int result = formats[i].make ? formats[i].make(model, paths[i])
                                     : write_file(model, &formats[i], paths[i]);
        if (result != CLI_OK) status = result;
    }
    return none ? print_table(model) : status;
}

// --- the command ---

static const char *const releases[] = {
    [COVER_UNFILTERED] = "none", [COVER_0_8_6] = "0.8.6", [COVER_0_8_15] = "0.8.15", NULL};

int cover_request_complete(const char *command, struct cover_request *request,
                           const char *release) {
    if (request->classfiles.count == 0) return cli_usage(command, "--classfiles PATH is missing");
    int word = release ? cli_word(release, releases) : COVER_NEWEST;
    if (word < 0)
        return cli_usage(command, "--jacoco is 0.8.6, 0.8.15 or none, not '%.64s'", release);
    request->release = (enum cover_release)word;
    return CLI_OK;
}

static int read_arguments(int argc, char **argv, struct cover_request *request,
                          const char *paths[FORMATS]) {
    const char *release = NULL;
    enum { OWN = 6 }; // options that are not formats
    struct cli_option options[FORMATS + OWN + 1] = {
        {"--classfiles", .words = &request->classfiles},
        {"--sourcefiles", .words = &request->sourcefiles},
        {"--encoding", .text = &request->encoding},
        {"--tabwith", .number = &request->tab, 1, COVER_MOST_TAB},
        {"--name", .text = &request->name},
        {"--jacoco", .text = &release}};
    for (size_t i = 0; i < FORMATS; i++)
        options[OWN + i] = (struct cli_option){formats[i].option, .text = &paths[i]};
    int status = cli_exec_arguments("coverage report", argc, argv, options, &request->files);
    if (status != CLI_OK) return status;
    return cover_request_complete("coverage report", request, release);
}

int cli_exec_report(int argc, char **argv) {
    struct cover_request request = {.name = "JaCoCo Coverage Report", .tab = COVER_TAB};
    struct cover_report report;
    const char *paths[FORMATS] = {NULL};
    int status = read_arguments(argc, argv, &request, paths);
    if (status == CLI_OK) {
        status = cover_report_read(&report, &request);
        if (status == CLI_OK) status = write_all(&report.model, paths);
        if (status == CLI_OK && report.failed) status = CLI_FAILED;
        cover_report_free(&report);
    }
    cli_exec_files_free(&request.files);
    return status;
}
