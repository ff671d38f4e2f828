// .exec files as a kind of results: their classes with probes and the share covered.

#include "instr/cli/exec/report.h"
#include "instr/cli/exec/exec.h"
#include "instr/cli/exec/html.h"
#include "instr/cli/input.h"
#include "instr/report/read.h"
#include "instr/report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Does the file begin as those of JaCoCo do?
static int is_exec(const char *path) {
    const char first[] = {INSTR_EXEC_HEADER, (char)(INSTR_EXEC_MAGIC >> 8),
                          (char)(INSTR_EXEC_MAGIC & 0xFF)};
    return cli_file_starts_with(path, first, sizeof first);
}

// --- totals and order ---

struct cli_exec_totals cli_exec_totals(const struct instr_exec_store *store) {
    struct cli_exec_totals totals = {store->count, 0, 0};
    for (const struct instr_exec_entry *e = store->first; e; e = e->next) {
        totals.probes += e->class.probes;
        totals.hit += instr_exec_hits(&e->class);
    }
    return totals;
}

void cli_exec_put_totals(const struct cli_exec_totals *totals, struct instr_output *out) {
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], c[INSTR_NUMBER_SIZE], share[CLI_SHARE_SIZE];
    instr_output_format(out, "%s class%s, %s probe%s, %s hit (%s)",
                        instr_number(totals->classes, a), cli_plural(totals->classes, "es"),
                        instr_number(totals->probes, b), cli_plural(totals->probes, "s"),
                        instr_number(totals->hit, c),
                        cli_exec_share(totals->hit, totals->probes, share));
}

static int compare(const struct cli_exec_row *a, const struct cli_exec_row *b,
                   enum cli_exec_order order) {
    uint64_t x = 0, y = 0; // the larger one is first
    switch (order) {
    case CLI_EXEC_BY_MISSED:
        x = a->class->probes - a->hit;
        y = b->class->probes - b->hit;
        break;
    case CLI_EXEC_BY_PROBES:
        x = a->class->probes;
        y = b->class->probes;
        break;
    case CLI_EXEC_BY_HIT:
        x = a->hit;
        y = b->hit;
        break;
    case CLI_EXEC_BY_SHARE: // hit / probes without dividing
        x = (uint64_t)b->hit * a->class->probes;
        y = (uint64_t)a->hit * b->class->probes;
        break;
    case CLI_EXEC_BY_NAME: break;
    }
    if (x != y) return x < y ? 1 : -1;
    int names = strcmp(a->class->name, b->class->name);
    if (names != 0) return names;
    return a->class->id < b->class->id ? -1 : a->class->id > b->class->id;
}

static int compare_in(const void *a, const void *b, void *order) {
    return compare(a, b, *(enum cli_exec_order *)order);
}

// --- the report ---

struct report {
    struct cli_exec_files files;
    struct instr_exec_store store;
    struct cli_exec_totals totals;
    struct cli_exec_row *rows; // totals.classes of them
};

static int take_class(void *context, const struct instr_exec_class *class, size_t file) {
    struct report *report = context;
    return cli_exec_store(&report->store, &report->files, class, file);
}

static int read_report(struct instr_reader *reader, void *content) {
    struct report *report = content;
    struct cli_exec_visitor visitor = {NULL, take_class, report, 0};
    size_t n = 0;
    instr_exec_store_init(&report->store);
    if (cli_exec_add(&report->files, reader->path) != CLI_OK) return -1;
    if (cli_exec_each(&report->files, &visitor) != CLI_OK) return -1;
    report->totals = cli_exec_totals(&report->store);
    report->rows = malloc((report->store.count + 1) * sizeof *report->rows);
    if (!report->rows) return instr_reader_fail(reader, "out of memory");
    for (const struct instr_exec_entry *e = report->store.first; e; e = e->next)
        report->rows[n++] = (struct cli_exec_row){&e->class, instr_exec_hits(&e->class)};
    return 0;
}

static void free_report(void *content) {
    struct report *report = content;
    instr_exec_store_free(&report->store);
    cli_exec_files_free(&report->files);
    free(report->rows);
}

static void sort(void *content, size_t order) {
    struct report *report = content;
    enum cli_exec_order wanted = (enum cli_exec_order)order;
    qsort_r(report->rows, report->totals.classes, sizeof *report->rows, compare_in, &wanted);
}

static void write_table(const void *content, struct instr_output *out, size_t top) {
    const struct report *report = content;
    const struct cli_exec_totals *totals = &report->totals;
    char a[INSTR_NUMBER_SIZE], b[INSTR_NUMBER_SIZE], share[CLI_SHARE_SIZE];
    if (top > totals->classes) top = totals->classes;
    instr_output_text(out, "coverage: ");
    cli_exec_put_totals(totals, out);
    if (top < totals->classes) instr_output_format(out, "; the first %s:", instr_number(top, a));
    instr_output_text(out, "\n");
    if (top == 0) return;
    int width = 6;
    for (size_t i = 0; i < top; i++) {
        int digits = (int)strlen(instr_number(report->rows[i].class->probes, a));
        if (digits > width) width = digits;
    }
    instr_output_format(out, "  %*s  %*s    share  class\n", width, "probes", width, "hit");
    for (size_t i = 0; i < top; i++) {
        const struct cli_exec_row *row = &report->rows[i];
        instr_output_format(out, "  %*s  %*s  %7s  ", width, instr_number(row->class->probes, a),
                            width, instr_number(row->hit, b),
                            cli_exec_share(row->hit, row->class->probes, share));
        instr_report_text(out, row->class->name, INSTR_DOTS);
        instr_output_text(out, "\n");
    }
}

static void page(const void *content, struct instr_output *out, size_t top, size_t order) {
    const struct report *report = content;
    if (top > report->totals.classes) top = report->totals.classes;
    cli_exec_html(&report->totals, report->rows, top, (enum cli_exec_order)order, out);
}

static const struct instr_report_format format = {.table = write_table};

const struct instr_report_kind instr_report_kind_exec = {
    .format = &format,
    .is_file = is_exec,
    .size = sizeof(struct report),
    .read = read_report,
    .free = free_report,
    .orders = (const char *const[]){"missed", "probes", "hit", "share", "name", NULL},
    .sort = sort,
    .page = page,
};
