// instr report: prints the result of a pass again, or makes a page of it.

#include "instr/cli/commands/report.h"
#include "instr/cli/internal.h"
#include "instr/options.h"
#include "instr/report/kinds.h"
#include "instr/report/read.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    long top = -1;
    const struct cli_option options[] = {{"--html", .text = &arguments->html},
                                         {"--top", .number = &top, 0, CLI_MOST_ROWS},
                                         {"--sort", .text = &arguments->sort},
                                         {NULL}};
    if (cli_arguments("report", &argc, argv, options) != CLI_OK) return CLI_USAGE;
    if (argc != 1) return cli_usage("report", "expects one file");
    arguments->file = argv[0];
    arguments->top = top < 0 ? SIZE_MAX : (size_t)top;
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

int cli_report_table(json_t *result, size_t top) {
    struct arguments arguments = {.file = "the agent's result", .top = top};
    struct instr_reader reader;
    char error[INSTR_ERROR_SIZE] = "";
    fflush(stdout); // the table does not pass through it
    const struct instr_report_kind *kind =
        instr_reader_use(&reader, arguments.file, result, kinds, error, sizeof error);
    int status = kind ? report_of(kind, &reader, &arguments) : cli_error("%s", error);
    instr_reader_close(&reader);
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
