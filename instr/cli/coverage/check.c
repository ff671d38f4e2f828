// instr coverage check.

#include "instr/cli/coverage/baseline.h"
#include "instr/cli/coverage/changes.h"
#include "instr/cli/coverage/delta_formats.h"
#include "instr/cli/coverage/limits.h"
#include "instr/cli/coverage/mismatches.h"
#include "instr/cli/coverage/report.h"
#include "instr/report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOTHING_TO_JUDGE = 2 }; // exit status

struct check {
    struct cover_request request;
    struct cover_limits limits;
    const char *diff; // the revision; "": the main branch; NULL: not asked for
    const char *baseline;
    struct cli_words baseline_classfiles;
    const char *markdown, *html, *gitlab;
    int github;
};

// --- arguments ---

// --diff may stand alone: what follows is a revision unless it is an option or a file.
static void complete_diff(int argc, char **argv) {
    static char without[] = "--diff=";
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        int alone = i + 1 == argc || argv[i + 1][0] == '-' || access(argv[i + 1], F_OK) == 0;
        if (strcmp(argv[i], "--diff") == 0 && alone) argv[i] = without;
    }
}

// Standard input has an end.
static int check_input(const struct check *check, const char *limits) {
    const char *names[] = {limits, check->baseline};
    size_t readers = 0;
    for (size_t i = 0; i < check->request.files.count; i++)
        readers += strcmp(check->request.files.paths[i], "-") == 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        readers += names[i] && strcmp(names[i], "-") == 0;
    return readers > 1 ? cli_usage("coverage check", CLI_INPUT_ONCE) : CLI_OK;
}

static int read_limits(struct check *check, const struct cli_words *texts, const char *file) {
    char reason[COVER_REASON_SIZE], line[COVER_REASON_SIZE + 4096];
    for (size_t i = 0; i < texts->count; i++)
        if (cover_limits_parse(&check->limits, texts->items[i], reason) != 0)
            return cli_usage("coverage check", "--limit '%.200s': %s", texts->items[i], reason);
    if (file && cover_limits_read(&check->limits, file, line, sizeof line) != 0) {
        cli_error("%s", line);
        return CLI_USAGE;
    }
    return CLI_OK;
}

// Of changed lines only lines, branches and instructions are known, and only all together.
static int check_options(const struct check *check) {
    const char *formats = check->markdown ? "--markdown"
                          : check->html   ? "--html"
                          : check->gitlab ? "--gitlab"
                          : check->github ? "--github"
                                          : NULL;
    if (!check->limits.count && !check->diff && !check->baseline)
        return cli_usage("coverage check",
                         "nothing to check: --limit, --limits, --diff or --baseline is missing");
    if (formats && !check->diff)
        return cli_usage("coverage check", "%s shows changed lines, and needs --diff", formats);
    if (check->baseline_classfiles.count && !check->baseline)
        return cli_usage("coverage check", "--baseline-classfiles needs --baseline");
    const struct cli_written written[] = {
        {"--markdown", check->markdown}, {"--html", check->html}, {"--gitlab", check->gitlab}};
    int status = cli_written_differ("coverage check", written, sizeof written / sizeof *written);
    for (size_t i = 0; status == CLI_OK && check->diff && i < check->limits.count; i++) {
        const struct cover_limit *limit = &check->limits.list[i];
        if (limit->element != COVER_OF_BUNDLE || limit->counter > COVER_LINE ||
            limit->include.count || limit->except.count)
            return cli_usage(
                "coverage check",
                "with --diff a limit is one of LINE, BRANCH or INSTRUCTION, without an "
                "element: it is for all changed lines");
    }
    return status;
}

static int read_arguments(int argc, char **argv, struct check *check) {
    struct cli_words texts = {.count = 0};
    const char *file = NULL, *release = NULL;
    struct cli_option options[] = {{"--classfiles", .words = &check->request.classfiles},
                                   {"--name", .text = &check->request.name},
                                   {"--jacoco", .text = &release},
                                   {"--limit", .words = &texts},
                                   {"--limits", .text = &file},
                                   {"--diff", .text = &check->diff},
                                   {"--baseline", .text = &check->baseline},
                                   {"--baseline-classfiles", .words = &check->baseline_classfiles},
                                   {"--markdown", .text = &check->markdown},
                                   {"--html", .text = &check->html},
                                   {"--gitlab", .text = &check->gitlab},
                                   {"--github", .flag = &check->github},
                                   {0}};
    complete_diff(argc, argv);
    int status = cli_exec_arguments("coverage check", argc, argv, options, &check->request.files);
    if (status == CLI_OK)
        status = cover_request_complete("coverage check", &check->request, release);
    if (status == CLI_OK) status = check_input(check, file);
    if (status == CLI_OK) status = read_limits(check, &texts, file);
    return status == CLI_OK ? check_options(check) : status;
}

// --- what there is to judge ---

static int is_known(const struct cover_report *report, const struct cover_class *class) {
    return instr_exec_store_find(&report->data, class->id) != NULL;
}

// A class with data; without one, everything would be missed for want of data.
static int check_data(const struct cover_report *report, const struct cli_exec_files *files) {
    const char *more = files->count > 1 ? " and the others" : "";
    char classes[INSTR_NUMBER_SIZE];
    if (!report->data.count && report->failed) return NOTHING_TO_JUDGE; // it has been said
    if (!report->data.count)
        cli_error("%.256s%s: no class was executed: there is nothing to check", files->paths[0],
                  more);
    else if (!cover_total(report->model.counts[COVER_INSTRUCTION]))
        cli_error("no class is left below --classfiles: there is nothing to check");
    else {
        for (size_t b = 0; b < report->model.bundle_count; b++)
            for (size_t i = 0; i < report->classes[b].count; i++)
                if (is_known(report, report->classes[b].list[i])) return CLI_OK;
        cli_error("none of the %s class%s in %.256s%s is one of those below --classfiles, which "
                  "are other versions: there is nothing to check",
                  instr_number(report->data.count, classes), cli_plural(report->data.count, "es"),
                  files->paths[0], more);
    }
    return NOTHING_TO_JUDGE;
}

static int check_matches(const struct cover_limits *limits) {
    int status = CLI_OK;
    for (size_t i = 0; i < limits->count; i++) {
        char *text = NULL;
        size_t length = 0;
        if (limits->list[i].matched) continue;
        FILE *out = open_memstream(&text, &length);
        if (!out) return cli_no_memory();
        cover_limit_put(&limits->list[i], out);
        if (fclose(out) == 0) cli_error("nothing in the report matches the limit %.300s", text);
        free(text);
        status = NOTHING_TO_JUDGE;
    }
    return status;
}

// --- violations ---

static int print(const struct cover_limits *limits, const struct cover_violations *violations) {
    if (violations->no_memory) return cli_no_memory();
    for (size_t i = 0; i < violations->count; i++) cli_line("%s", violations->list[i].line);
    if (violations->count)
        cli_line("coverage: %zu violation%s of %zu limit%s", violations->count,
                 cli_plural(violations->count, "s"), limits->count, cli_plural(limits->count, "s"));
    else if (limits->count)
        cli_line("coverage: %s", limits->count == 1 ? "the limit is kept" : "all limits are kept");
    return violations->count ? CLI_FAILED : CLI_OK;
}

// Without line numbers a limit of lines would be kept, and no line would have changed.
static int check_lines(const struct check *check, const struct cover_report *report) {
    size_t i = 0;
    while (i < check->limits.count && check->limits.list[i].counter != COVER_LINE) i++;
    if (!check->diff && i == check->limits.count) return CLI_OK;
    if (cover_total(report->model.counts[COVER_LINE])) return CLI_OK;
    cli_error(
        "the class files have no line numbers: compile them with debug information (javac -g)");
    return NOTHING_TO_JUDGE;
}

static int check_limits(struct check *check, const struct cover_report *report) {
    struct cover_violations violations = {NULL, 0, 0, false};
    if (!check->limits.count) return CLI_OK;
    cover_limits_check(&check->limits, &report->model, &violations);
    int status = check_matches(&check->limits);
    if (status == CLI_OK) status = print(&check->limits, &violations);
    cover_violations_free(&violations);
    return status;
}

// --- changed lines ---

static int write_delta(const struct cover_delta *delta, const char *path,
                       void (*write)(const struct cover_delta *delta, struct instr_output *out)) {
    struct instr_output *out = malloc(sizeof *out);
    if (!out) return cli_no_memory();
    cli_output_open(out, path);
    write(delta, out);
    int status = cli_output_close(out);
    free(out);
    return status;
}

static int write_all(const struct check *check, const struct cover_delta *delta) {
    int status = write_delta(delta, NULL, cover_delta_table);
    if (check->markdown && write_delta(delta, check->markdown, cover_delta_markdown) != CLI_OK)
        status = CLI_FAILED;
    if (check->html && write_delta(delta, check->html, cover_delta_html) != CLI_OK)
        status = CLI_FAILED;
    if (check->gitlab && write_delta(delta, check->gitlab, cover_delta_gitlab) != CLI_OK)
        status = CLI_FAILED;
    if (check->github && write_delta(delta, NULL, cover_delta_github) != CLI_OK)
        status = CLI_FAILED;
    return status;
}

static int judge_delta(struct check *check, const struct cover_delta *delta) {
    struct cover_violations violations = {NULL, 0, 0, false};
    for (size_t i = 0; i < check->limits.count; i++)
        cover_limit_compare(&check->limits.list[i], "changed lines",
                            delta->counts[check->limits.list[i].counter], &violations);
    cover_violations_sort(&violations);
    int status = print(&check->limits, &violations);
    cover_violations_free(&violations);
    return status;
}

static int names_sources(const struct cover_model *model) {
    for (size_t b = 0; b < model->bundle_count; b++)
        for (size_t p = 0; p < model->bundles[b]->package_count; p++)
            if (model->bundles[b]->packages[p]->source_count) return 1;
    return 0;
}

// Changed sources of which the report has no class say nothing about the change, unless they are those of other modules or
// of tests.
static int check_known(const struct cover_delta *delta, const struct cover_model *model) {
    if (delta->count || !delta->unknown_count) return CLI_OK;
    if (!names_sources(model)) {
        cli_error("the class files do not name their sources: compile them with debug information "
                  "(javac -g)");
        return NOTHING_TO_JUDGE;
    }
    if (delta->elsewhere) {
        cli_error("no changed source lies in the source folders of the report: none of its lines "
                  "has changed");
        return CLI_OK;
    }
    cli_error("no class of the changed source%s is below --classfiles: there is nothing to check",
              cli_plural(delta->unknown_count, "s"));
    return NOTHING_TO_JUDGE;
}

static int check_diff(struct check *check, const struct cover_report *report) {
    char reason[COVER_CHANGES_REASON];
    struct cover_changes changes = {0};
    struct cover_delta delta = {0};
    int status = CLI_OK;
    if (cover_changes_read(&changes, check->diff, reason) != 0) {
        cli_error("--diff: %s", reason);
        status = NOTHING_TO_JUDGE;
    } else if (cover_delta_make(&delta, &report->model, &changes) != 0) {
        status = cli_no_memory();
    } else {
        status = write_all(check, &delta);
        int known = check_known(&delta, &report->model);
        if (known != CLI_OK)
            status = known;
        else if (check->limits.count && judge_delta(check, &delta) != CLI_OK)
            status = CLI_FAILED;
    }
    cover_delta_free(&delta);
    cover_changes_free(&changes);
    return status;
}

// --- an earlier run ---

static int compare(const struct cover_model *before, const struct cover_model *now) {
    struct cover_comparison comparison;
    char methods[INSTR_NUMBER_SIZE];
    int status = cover_compare(&comparison, before, now) == 0 ? CLI_OK : cli_no_memory();
    if (status == CLI_OK && !comparison.methods) {
        cli_error("--baseline: no method is in both runs: there is nothing to compare");
        status = NOTHING_TO_JUDGE;
    }
    if (status == CLI_OK) {
        struct instr_output *out = malloc(sizeof *out);
        if (!out) {
            status = cli_no_memory();
        } else {
            cli_output_open(out, NULL);
            cover_comparison_put(&comparison, out);
            status = cli_output_close(out);
            free(out);
        }
        cli_line("coverage: %zu of %s method%s got worse", comparison.count,
                 instr_number(comparison.methods, methods), cli_plural(comparison.methods, "s"));
        if (comparison.count) status = CLI_FAILED;
    }
    cover_comparison_free(&comparison);
    return status;
}

static int check_baseline(const struct check *check, const struct cover_report *report) {
    struct cover_request request = {.name = check->request.name,
                                    .release = check->request.release,
                                    .classfiles = check->baseline_classfiles.count
                                                      ? check->baseline_classfiles
                                                      : check->request.classfiles};
    struct cover_report before;
    int status = cli_exec_add(&request.files, check->baseline);
    if (status != CLI_OK) {
        cli_exec_files_free(&request.files);
        return status;
    }
    status = cover_report_read(&before, &request);
    if (status == CLI_OK) status = check_data(&before, &request.files);
    if (status == CLI_OK) status = cover_say_mismatches(&before, "--baseline: ");
    if (status == CLI_OK) status = compare(&before.model, &report->model);
    if (status == CLI_OK && before.failed) status = CLI_FAILED;
    cover_report_free(&before);
    cli_exec_files_free(&request.files);
    return status;
}

// --- the command ---

// What cannot be judged outweighs what is violated.
static int worse(int a, int b) {
    return a > b ? a : b;
}

static int check_all(struct check *check, const struct cover_report *report) {
    int status = check_data(report, &check->request.files);
    if (status == CLI_OK) status = cover_say_mismatches(report, "");
    if (status == CLI_OK) status = check_lines(check, report);
    if (status != CLI_OK) return status;
    status = check->diff ? check_diff(check, report) : check_limits(check, report);
    if (check->baseline) status = worse(status, check_baseline(check, report));
    return worse(status, report->failed ? CLI_FAILED : CLI_OK);
}

int cli_exec_check(int argc, char **argv) {
    struct check check = {.request.name = "JaCoCo Coverage Report"};
    struct cover_report report;
    int status = read_arguments(argc, argv, &check);
    if (status == CLI_OK) {
        status = cover_report_read(&report, &check.request);
        if (status == CLI_OK) status = cli_finish(check_all(&check, &report));
        cover_report_free(&report);
    }
    cover_limits_free(&check.limits);
    cli_exec_files_free(&check.request.files);
    return status;
}
