// instr coverage report.

#include "instr/cli/coverage/report.h"
#include "instr/base/array.h"
#include "instr/cli/coverage/begun.h"
#include "instr/cli/coverage/csv.h"
#include "instr/cli/coverage/formats.h"
#include "instr/cli/coverage/formats/badge.h"
#include "instr/cli/coverage/formats/cobertura.h"
#include "instr/cli/coverage/formats/lcov.h"
#include "instr/cli/coverage/formats/markdown.h"
#include "instr/cli/coverage/formats/sonar.h"
#include "instr/cli/coverage/formats/sources.h"
#include "instr/cli/coverage/formats/table.h"
#include "instr/cli/coverage/mismatches.h"
#include "instr/cli/coverage/page/html.h"
#include "instr/cli/coverage/tree.h"
#include "instr/cli/coverage/xml.h"

#include <stdbool.h>
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
    if (cli_exec_each(&request->files, &visitor) != CLI_OK) {
        report->failed = 1;
        report->unread = report->model.session_count == 0 && report->data.count == 0;
    }
    for (size_t i = 0; i < request->files.count; i++)
        if (cover_times_read(&report->times, request->files.paths[i]) != 0) report->failed = 1;
    cover_times_finish(&report->times);
    report->model.counted = report->times.count > 0;
    return sort_sessions(&report->model) == 0 ? CLI_OK : cli_no_memory();
}

// --- the classes, and their sources ---

static int add_sources(struct cover_report *report, size_t count, char *const *paths,
                       const char *bundle) {
    for (size_t i = 0; i < count; i++)
        if (cover_sources_add(report->model.sources, paths[i], bundle) != CLI_OK)
            report->failed = 1;
    return CLI_OK;
}

// Makes a bundle of the classes and adds it to the model, which has room. `paths`: those of the classes.
static int put_bundle(struct cover_report *report, const struct cover_request *request,
                      const char *name, const struct cli_paths *paths) {
    struct cover_model *model = &report->model;
    size_t i = model->bundle_count;
    struct cover_classes *classes = &report->classes[i];
    struct cover_bundle *bundle = cover_bundle_make(name, classes, request->release);
    if (!bundle) return cli_no_memory();
    model->bundles[i] = bundle;
    if (cover_times_apply(&report->times, classes, paths ? paths : &classes->paths) != CLI_OK) {
        cover_bundle_free(bundle);
        return CLI_FAILED;
    }
    model->bundle_count++;
    cover_add(model->counts, bundle->counts);
    return CLI_OK;
}

static int make_room(struct cover_report *report, size_t bundles) {
    struct cover_classes *classes = realloc(report->classes, bundles * sizeof *classes);
    if (classes) report->classes = classes;
    struct cover_bundle **list =
        realloc(report->model.bundles, bundles * sizeof(struct cover_bundle *));
    if (list) report->model.bundles = list;
    if (!classes || !list) return cli_no_memory();
    report->room = bundles;
    return CLI_OK;
}

// Classes that ran in other versions, too, become groups by where they were found.
static int add_versions(struct cover_report *report, const struct cover_request *request,
                        size_t of) {
    int status = CLI_OK;
    while (status == CLI_OK && report->classes[of].again_count > 0) {
        const char *place;
        status = make_room(report, report->room + 1);
        if (status != CLI_OK) break;
        struct cover_classes *versions = &report->classes[report->model.bundle_count];
        status = cover_classes_next(&report->classes[of], versions, &place);
        if (status != CLI_OK) break;
        if (!request->quiet)
            cli_error("%s: %zu class%s ran in another version, too: a group of the report", place,
                      versions->count, cli_plural(versions->count, "es"));
        status = put_bundle(report, request, place, &report->classes[of].paths);
        if (status != CLI_OK) cover_classes_free(versions);
    }
    return status;
}

// Makes the next bundle of the model. `name` stays the caller's.
static int add_bundle(struct cover_report *report, const struct cover_request *request,
                      const char *name, size_t count, char *const *paths) {
    size_t i = report->model.bundle_count;
    struct cover_classes *classes = &report->classes[i];
    int status = cover_classes_read(classes, count, paths, &report->data, request->release);
    if (status == CLI_OK && classes->failed) report->failed = 1;
    if (status == CLI_OK) status = put_bundle(report, request, name, NULL);
    if (status == CLI_OK) return add_versions(report, request, i);
    cover_classes_free(classes);
    return status;
}

// Each module is a bundle; one alone has the name of the report.
static int read_modules(struct cover_report *report, const struct cover_request *request,
                        const struct cover_modules *modules) {
    int status = make_room(report, modules->count);
    for (size_t i = 0; i < modules->count && status == CLI_OK; i++) {
        const struct cover_module *module = &modules->list[i];
        const char *name = modules->count > 1 ? module->name : request->name;
        if (request->sourcefiles.count == 0)
            add_sources(report, module->sources.count, module->sources.list,
                        modules->count > 1 ? name : NULL);
        status = add_bundle(report, request, name, module->classes.count, module->classes.list);
    }
    return status;
}

static int read_found(struct cover_report *report, const struct cover_request *request) {
    if (cover_modules_find(&report->found) != 0) return cli_no_memory();
    if (report->found.count == 0) {
        cli_error("no class files were found below the current folder (target/classes, "
                  "build/classes/*/main, build/classes, bin, out/production/*); --classfiles PATH "
                  "names them");
        return CLI_USAGE;
    }
    if (!request->quiet) cover_modules_say(&report->found);
    return read_modules(report, request, &report->found);
}

static int read_classes(struct cover_report *report, const struct cover_request *request) {
    const struct cli_words *paths = &request->classfiles;
    report->model.sources = cover_sources_new(request->encoding, (unsigned)request->tab);
    if (!report->model.sources) return CLI_FAILED;
    add_sources(report, request->sourcefiles.count, request->sourcefiles.items, NULL);
    if (paths->count == 0 && request->modules)
        return read_modules(report, request, request->modules);
    if (paths->count == 0) return read_found(report, request);
    int status = make_room(report, 1);
    return status == CLI_OK ? add_bundle(report, request, request->name, paths->count, paths->items)
                            : status;
}

int cover_report_read(struct cover_report *report, const struct cover_request *request) {
    memset(report, 0, sizeof *report);
    instr_exec_store_init(&report->data);
    report->model.name = request->name;
    int status = read_data(report, request);
    return status == CLI_OK ? read_classes(report, request) : status;
}

void cover_report_free(struct cover_report *report) {
    struct cover_model *model = &report->model;
    for (size_t i = 0; i < model->session_count; i++) free((char *)model->sessions[i].id);
    free(model->sessions);
    cover_sources_free(model->sources);
    for (size_t i = model->bundle_count; i-- > 0;) { // versions live in classes further in front
        cover_bundle_free(model->bundles[i]);
        cover_classes_free(&report->classes[i]);
    }
    free(model->bundles);
    free(report->classes);
    cover_modules_free(&report->found);
    cover_times_free(&report->times);
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

// Without any path, the table goes to standard output. The page is the last format.
static int write_all(struct cover_model *model, enum cover_exceptions exceptions,
                     const char *const *paths) {
    int status = CLI_OK, none = 1;
    if (exceptions == COVER_EXCEPTIONS_COVERED) cover_count_begun(model);
    for (size_t i = 0; i < FORMATS; i++) {
        if (!paths[i]) continue;
        none = 0;
        if (formats[i].make && exceptions == COVER_EXCEPTIONS_BY_FORMAT) cover_count_begun(model);
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
    int word = release ? cli_word(release, releases) : COVER_NEWEST;
    if (word < 0)
        return cli_usage(command, "--jacoco is 0.8.6, 0.8.15 or none, not '%.64s'", release);
    request->release = (enum cover_release)word;
    return CLI_OK;
}

static int take_exceptions(struct cover_request *request, const char *word) {
    static const char *const words[] = {"covered", "missed", NULL};
    int which = word ? cli_word(word, words) : -1;
    if (word && which < 0)
        return cli_usage("coverage report", "--exceptions is covered or missed, not '%.64s'", word);
    request->exceptions = (enum cover_exceptions)(COVER_EXCEPTIONS_COVERED + which);
    return CLI_OK;
}

enum { OWN = 8, OPTIONS = FORMATS + OWN + 1 }; // options that are not formats, and all with the end

struct arguments {
    const char *release, *exceptions, *paths[FORMATS];
};

static void list_options(struct cli_option options[OPTIONS], struct cover_request *request,
                         struct arguments *arguments) {
    const struct cli_option own[OWN] = {{"--classfiles", .words = &request->classfiles},
                                        {"--sourcefiles", .words = &request->sourcefiles},
                                        {"--encoding", .text = &request->encoding},
                                        {"--tabwith", .number = &request->tab, 1, COVER_MOST_TAB},
                                        {"--name", .text = &request->name},
                                        {"--jacoco", .text = &arguments->release},
                                        {"--exceptions", .text = &arguments->exceptions},
                                        {"--quiet", .flag = &request->quiet}};
    memcpy(options, own, sizeof own);
    for (size_t i = 0; i < FORMATS; i++)
        options[OWN + i] = (struct cli_option){formats[i].option, .text = &arguments->paths[i]};
    options[OPTIONS - 1] = (struct cli_option){NULL};
}

static int check_written(const struct arguments *arguments) {
    struct cli_written written[FORMATS];
    for (size_t i = 0; i < FORMATS; i++)
        written[i] = (struct cli_written){formats[i].option, arguments->paths[i]};
    return cli_written_differ("coverage report", written, FORMATS);
}

static int read_arguments(int argc, char **argv, struct cover_request *request,
                          struct arguments *arguments) {
    struct cli_option options[OPTIONS];
    list_options(options, request, arguments);
    int status = cli_exec_arguments("coverage report", argc, argv, options, &request->files);
    if (status == CLI_OK) status = take_exceptions(request, arguments->exceptions);
    if (status == CLI_OK) status = check_written(arguments);
    if (status != CLI_OK) return status;
    return cover_request_complete("coverage report", request, arguments->release);
}

// Is the argument, up to its '=', an option of this command that `instr report` has not?
static bool is_own_option(const char *argument) {
    struct cli_option options[OPTIONS];
    struct cover_request request;
    struct arguments arguments;
    size_t length = strcspn(argument, "=");
    list_options(options, &request, &arguments);
    for (size_t i = 0; options[i].name; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, argument, length) == 0)
            return strcmp(options[i].name, "--html") != 0;
    return false;
}

// Do the arguments have an option that only this command knows (1), or only others (-1)?
static int known_options(int argc, char **argv) {
    int known = 0;
    for (int i = 0; i < argc && known != 1; i++) {
        if (strncmp(argv[i], "--", 2) != 0) continue;
        if (is_own_option(argv[i]))
            known = 1;
        else if (strncmp(argv[i], "--html", 6) != 0)
            known = -1;
    }
    return known;
}

int cover_report_is(int argc, char **argv) {
    const char start[] = {INSTR_EXEC_HEADER, (char)(INSTR_EXEC_MAGIC >> 8),
                          (char)(INSTR_EXEC_MAGIC & 0xFF)};
    struct cover_modules found;
    int known = known_options(argc, argv), result = 0;
    if (known != 0) return known > 0;
    for (int i = 0; i < argc && !result; i++)
        result = (argv[i][0] != '-' || !argv[i][1]) &&
                 cli_file_starts_with(argv[i], start, sizeof start);
    if (!result) return false;
    result = cover_modules_find(&found) == 0 && found.count > 0;
    cover_modules_free(&found);
    return result;
}

int cover_report_run(int argc, char **argv, const struct cover_modules *modules) {
    struct cover_request request = {
        .name = "JaCoCo Coverage Report", .tab = COVER_TAB, .modules = modules};
    struct cover_report report;
    struct arguments arguments = {NULL};
    int status = read_arguments(argc, argv, &request, &arguments);
    if (status == CLI_OK) {
        status = cover_report_read(&report, &request);
        // A report would say that nothing was executed.
        if (status == CLI_OK && report.unread) status = CLI_FAILED;
        if (status == CLI_OK && !request.quiet) status = cover_say_mismatches(&report, "");
        if (status == CLI_OK && !request.quiet) cover_say_none_ran(&report);
        if (status == CLI_OK)
            status = write_all(&report.model, request.exceptions, arguments.paths);
        if (status == CLI_OK && report.failed) status = CLI_FAILED;
        cover_report_free(&report);
    }
    cli_exec_files_free(&request.files);
    return status;
}

int cli_exec_report(int argc, char **argv) {
    return cover_report_run(argc, argv, NULL);
}
