// instr report: prints the result of a pass again, or makes a page of it; .exec files are
// cli_exec_report.c's.

#include "instr/cli/cli.h"
#include "instr/cli/exec/report.h"
#include "instr/options.h"
#include "instr/report/html.h"
#include "instr/report/read.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct wishes {
    const char *file, *html, *sort;
    long top; // -1: not said
    enum instr_order order;
    enum cli_exec_order exec_order;
    int exec; // the file is an .exec file
};

static int read_order(const char *word, enum instr_order *order) {
    static const char *const words[] = {"self", "total", "calls", "thrown"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], word) != 0) continue;
        *order = (enum instr_order)i;
        return 0;
    }
    return -1;
}

static int read_sort(struct wishes *wishes) {
    if (!wishes->sort) return CLI_OK;
    if (wishes->exec && cli_exec_read_order(wishes->sort, &wishes->exec_order) != 0)
        return cli_usage("report", "instr: report: --sort must be missed, probes, hit, share or "
                                   "name for an .exec file");
    if (!wishes->exec && read_order(wishes->sort, &wishes->order) != 0)
        return cli_usage("report", "instr: report: --sort must be self, total, calls or thrown");
    return CLI_OK;
}

static int read_arguments(int argc, char **argv, struct wishes *wishes) {
    const char *top = NULL;
    for (int i = 0; i < argc; i++) {
        int known = cli_option(argc, argv, &i, "--html", &wishes->html);
        if (known == 0) known = cli_option(argc, argv, &i, "--top", &top);
        if (known == 0) known = cli_option(argc, argv, &i, "--sort", &wishes->sort);
        if (known < 0) return cli_usage("report", "instr: report: %s needs a value", argv[i]);
        if (known > 0) continue;
        if (argv[i][0] == '-' && argv[i][1] != '\0')
            return cli_usage("report", "instr: report: unknown option '%.64s'", argv[i]);
        if (wishes->file) return cli_usage("report", "instr: report: one file at a time");
        wishes->file = argv[i];
    }
    if (!wishes->file) return cli_usage("report", "instr: report: which file?");
    if (top && (wishes->top = cli_number(top, 1, 100000000)) < 0)
        return cli_usage("report", "instr: report: --top must be a number, not '%.64s'", top);
    wishes->exec = cli_exec_is(wishes->file);
    return read_sort(wishes);
}

static int write_report(const struct instr_report_file *file, const struct wishes *wishes) {
    struct instr_output out;
    char error[INSTR_ERROR_SIZE];
    const struct instr_report *report = &file->report;
    int exceptions = file->exceptions.rows != NULL;
    size_t all = exceptions ? file->exceptions.row_count : report->row_count;
    size_t top = wishes->top >= 0 ? (size_t)wishes->top : wishes->html ? all : INSTR_TOP_DEFAULT;
    if (wishes->html && strcmp(wishes->html, "-") != 0)
        instr_output_open(&out, wishes->html);
    else
        instr_output_descriptor(&out, STDOUT_FILENO);
    if (file->alloc && wishes->html)
        instr_alloc_report_html(&file->alloc_report, &out);
    else if (file->alloc)
        instr_alloc_report_table(&file->alloc_report, &out, top);
    else if (exceptions && wishes->html)
        instr_exception_report_html(&file->exceptions, &out, top);
    else if (exceptions)
        instr_exception_report_table(&file->exceptions, &out, top);
    else if (wishes->html)
        instr_report_html(report, &out, top, wishes->order);
    else
        instr_report_table(report, &out, top);
    if (instr_output_close(&out, error, sizeof error) == 0) return CLI_OK;
    cli_error("%s", error);
    return CLI_FAILED;
}

int cli_report(int argc, char **argv) {
    struct wishes wishes = {NULL, NULL, NULL, -1, INSTR_BY_SELF, CLI_EXEC_BY_MISSED, 0};
    struct instr_report_file file;
    char error[INSTR_ERROR_SIZE];
    int status = read_arguments(argc, argv, &wishes);
    if (status != CLI_OK) return status;
    if (wishes.exec)
        return cli_exec_report(wishes.file, wishes.html, wishes.top, wishes.exec_order);
    if (instr_report_read(&file, wishes.file, error, sizeof error) != 0) {
        cli_error("%s", error);
        return CLI_FAILED;
    }
    if (file.alloc && wishes.sort) {
        instr_report_file_free(&file);
        return cli_usage("report", "instr: report: a result of alloc is sorted by bytes");
    }
    if (file.exceptions.rows && wishes.sort) {
        instr_report_file_free(&file);
        return cli_usage("report", "instr: report: exceptions are sorted by their count");
    }
    instr_report_sort(&file.report, wishes.order);
    instr_exception_report_sort(&file.exceptions);
    status = write_report(&file, &wishes);
    instr_report_file_free(&file);
    return status;
}
