// instr report: prints the result of a pass again, or makes a page of it.

#include "instr/cli/cli.h"
#include "instr/options.h"
#include "instr/report/kinds.h"
#include "instr/report/read.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct instr_report_kind *const kinds[] = {
#define ROW(name) &instr_report_kind_##name,
    INSTR_REPORT_KINDS(ROW)
#undef ROW
        NULL};

struct arguments {
    const char *file, *html, *sort;
    size_t top; // SIZE_MAX: not given
};

static int read_arguments(int argc, char **argv, struct arguments *arguments) {
    const char *top = NULL;
    for (int i = 0; i < argc; i++) {
        int known = cli_option(argc, argv, &i, "--html", &arguments->html);
        if (known == 0) known = cli_option(argc, argv, &i, "--top", &top);
        if (known == 0) known = cli_option(argc, argv, &i, "--sort", &arguments->sort);
        if (known < 0) return cli_usage("report", "instr: report: %s needs a value", argv[i]);
        if (known > 0) continue;
        if (argv[i][0] == '-' && argv[i][1] != '\0')
            return cli_usage("report", "instr: report: unknown option '%.64s'", argv[i]);
        if (arguments->file) return cli_usage("report", "instr: report: one file at a time");
        arguments->file = argv[i];
    }
    if (!arguments->file) return cli_usage("report", "instr: report: which file?");
    long number = top ? cli_number(top, 1, 100000000) : 0;
    if (number < 0)
        return cli_usage("report", "instr: report: --top must be a number, not '%.64s'", top);
    arguments->top = top ? (size_t)number : SIZE_MAX;
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
    return cli_usage("report", "instr: report: --sort must be %s for %.200s", words,
                     arguments->file);
}

static int write_report(const struct instr_report_kind *kind, const void *report,
                        const struct arguments *arguments, size_t order) {
    static struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    const char *html = arguments->html;
    if (html && strcmp(html, "-") != 0)
        instr_output_open(&out, html);
    else
        instr_output_descriptor(&out, STDOUT_FILENO);
    if (html)
        kind->page(report, &out, arguments->top, order);
    else
        kind->format->table(report, &out,
                            arguments->top == SIZE_MAX ? INSTR_TOP_DEFAULT : arguments->top);
    if (instr_output_close(&out, error, sizeof error) == 0) return CLI_OK;
    cli_error("%s", error);
    return CLI_FAILED;
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

int cli_report(int argc, char **argv) {
    struct arguments arguments = {0};
    struct instr_reader reader;
    char error[INSTR_ERROR_SIZE] = "";
    int status = read_arguments(argc, argv, &arguments);
    if (status != CLI_OK) return status;
    const struct instr_report_kind *kind =
        instr_reader_open(&reader, arguments.file, kinds, error, sizeof error);
    if (!kind) cli_error("%s", error);
    status = kind ? report_of(kind, &reader, &arguments) : CLI_FAILED;
    instr_reader_close(&reader);
    return status;
}
